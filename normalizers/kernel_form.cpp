#include "normalizers/kernel_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "normalizers/expression_text.h"

namespace uopdiff {
namespace {

using enum UOpCode;

std::string group_of(const std::string& axis_type) {
  if (axis_type == "LOOP" || axis_type == "OUTER" || axis_type == "GLOBAL") return "loop";
  if (axis_type == "REDUCE") return "reduce";
  return lower_case(axis_type);
}

class FormMaker {
 public:
  FormMaker(const Kernel& kernel, size_t number)
      : kernel_(kernel), number_(number), functions_(index_functions(kernel)) {}

  KernelForm make() {
    form_.cost = index_cost(kernel_);
    collect(static_cast<int>(kernel_.graph.size()) - 1, {});
    merge_and_name_loops();
    for (ReduceForm& reduce_form : form_.reduces) merge_and_name_reduce(reduce_form);
    print();
    return std::move(form_);
  }

 private:
  const UOp& node(int n) const { return kernel_.graph[static_cast<size_t>(n)]; }

  RangeForm single(int n) const {
    return {"", constant_extent(kernel_, n).value_or(0), group_of(node(n).text), {n}};
  }

  // Walks from the SINK to the STOREs, then looks for REDUCEs below the stored values.
  void collect(int n, std::vector<int> ranges) {
    const UOp& uop = node(n);
    if (uop.code == sink || uop.code == group) {
      for (int src : uop.src) collect(src, ranges);
    } else if (uop.code == end) {
      ranges.insert(ranges.end(), uop.src.begin() + 1, uop.src.end());
      collect(uop.src[0], ranges);
    } else if (uop.code == store) {
      ranges.insert(ranges.end(), uop.src.begin() + 2, uop.src.end());
      for (int r : ranges)
        if (node(r).code == range && loop_nodes_.insert(r).second && constant_extent(kernel_, r) != 1)
          form_.loops.push_back(single(r));
      stores_.push_back(n);
      collect_reduces(uop.src[1]);
    }
  }

  // -x, x * -1 or x xor -1: the ways to write a minimum as a maximum.
  int unnegated(int n) const {
    const UOp& uop = node(n);
    const auto minus_one = [&](int m) {
      const UOp& c = node(m);
      return c.code == constant && (c.is_float() ? c.real == -1 : c.number == -1);
    };
    if (uop.code == neg) return uop.src[0];
    if ((uop.code == mul || uop.code == bit_xor) && minus_one(uop.src[1])) return uop.src[0];
    return -1;
  }

  // The REDUCE right below `n` that is the same as `outer`, looked for through negations; -1 if there is
  // none.
  int same_reduce_below(int n, const UOp& outer) const {
    bool negated = false;
    for (int below = unnegated(n); below >= 0; below = unnegated(n)) {
      n = below;
      negated = !negated;
    }
    const UOp& uop = node(n);
    if (uop.code != reduce || uop.dtype != outer.dtype) return -1;
    const auto opposite = [](const std::string& op) {
      return op == "MAX" ? "MIN" : op == "MIN" ? "MAX" : "";
    };
    return (negated ? opposite(uop.text) : uop.text) == outer.text ? n : -1;
  }

  void add_reduce_ranges(const UOp& uop, ReduceForm& form) const {
    for (size_t k = 1; k < uop.src.size(); ++k)
      if (constant_extent(kernel_, uop.src[k]) != 1) form.ranges.push_back(single(uop.src[k]));
  }

  void collect_reduces(int n) {
    if (!seen_.insert(n).second) return;
    const UOp& uop = node(n);
    if (uop.code == index || uop.code == range || uop.code == constant) return;
    if (uop.code != reduce) {
      for (int src : uop.src) collect_reduces(src);
      return;
    }
    ReduceForm form{uop.text, uop.dtype, {}, n, -1};
    add_reduce_ranges(uop, form);
    int value = uop.src[0];
    for (int below = same_reduce_below(value, uop); below >= 0; below = same_reduce_below(value, uop)) {
      add_reduce_ranges(node(below), form);
      value = node(below).src[0];
    }
    form.body = value;
    form_.reduces.push_back(std::move(form));
    collect_reduces(value);
  }

  int64_t stride(const IndexFunction& function, int r) const {
    const auto found = function.strides.find(r);
    return found == function.strides.end() ? 0 : found->second;
  }

  // Every access walks a (outer) and b (inner) as one range of extent a*b.
  bool walked_as_one(const RangeForm& a, const RangeForm& b) const {
    if (a.group != b.group) return false;
    const int outer = a.members.back(), inner = b.members.front();
    for (const IndexFunction& function : functions_) {
      const auto depends = [&](int r) {
        return std::ranges::find(function.ranges, r) != function.ranges.end();
      };
      if (!depends(outer) && !depends(inner)) continue;
      if (!function.affine || stride(function, outer) != stride(function, b.members.back()) * b.extent)
        return false;
    }
    return true;
  }

  void merge(std::vector<RangeForm>& ranges) const {
    for (bool merged = true; merged;) {
      merged = false;
      for (size_t a = 0; a < ranges.size() && !merged; ++a)
        for (size_t b = 0; b < ranges.size() && !merged; ++b) {
          if (a == b || !walked_as_one(ranges[a], ranges[b])) continue;
          ranges[a].extent *= ranges[b].extent;
          ranges[a].members.insert(ranges[a].members.end(), ranges[b].members.begin(),
                                   ranges[b].members.end());
          ranges.erase(ranges.begin() + static_cast<long>(b));
          merged = true;
        }
    }
  }

  // By what a range does, not by its number: strides in all functions in the order of their printed use.
  std::vector<int64_t> sort_key(const RangeForm& form) const {
    std::vector<int64_t> key;
    for (const IndexFunction& function : functions_)
      key.push_back(-std::abs(stride(function, form.members.back())));
    std::ranges::sort(key);
    key.push_back(-form.extent);
    return key;
  }

  int64_t store_stride(const RangeForm& form) const {
    for (int s : stores_) {
      const UOp& target = node(node(s).src[0]);
      if (target.code != index) continue;
      for (const IndexFunction& function : functions_)
        if (function.root == target.src[1]) return std::abs(stride(function, form.members.back()));
    }
    return 0;
  }

  void merge_and_name_loops() {
    merge(form_.loops);
    std::ranges::stable_sort(form_.loops, [&](const RangeForm& a, const RangeForm& b) {
      return std::pair(-store_stride(a), sort_key(a)) < std::pair(-store_stride(b), sort_key(b));
    });
    for (size_t k = 0; k < form_.loops.size(); ++k) form_.loops[k].name = fmt::format("i{}", k);
  }

  void merge_and_name_reduce(ReduceForm& reduce_form) {
    merge(reduce_form.ranges);
    std::ranges::stable_sort(reduce_form.ranges, [&](const RangeForm& a, const RangeForm& b) {
      return sort_key(a) < sort_key(b);
    });
    for (RangeForm& form : reduce_form.ranges) form.name = fmt::format("k{}", next_k_++);
  }

  void print() {
    std::vector<RangeForm> all = form_.loops;
    for (const ReduceForm& reduce_form : form_.reduces)
      all.insert(all.end(), reduce_form.ranges.begin(), reduce_form.ranges.end());
    ExpressionText text(kernel_, functions_, all, form_.reduces);
    std::vector<FormLine> body;
    std::string targets;
    for (int s : stores_) {
      const UOp& uop = node(s);
      const std::string value = text.value(uop.src[1]);
      const std::string target = text.value(uop.src[0]);
      for (FormLine& line : text.take_lines()) body.push_back(std::move(line));
      body.push_back({"store", fmt::format("  store  {} = {}", target, value)});
      const UOp& index_uop = node(uop.src[0]);
      if (index_uop.code != index || node(index_uop.src[0]).code != define_global) continue;
      const BufferRef& buffer = kernel_.buffers[static_cast<size_t>(node(index_uop.src[0]).number)];
      form_.writes.push_back(buffer.name);
      targets +=
          fmt::format("{}{} {}[{}]", targets.empty() ? "" : ", ", buffer.name, buffer.dtype, buffer.size);
    }
    for (size_t n = 0; n < kernel_.graph.size(); ++n) {
      const UOp& uop = kernel_.graph[n];
      if (uop.code != index || node(uop.src[0]).code != define_global) continue;
      const IndexCost cost = index_cost(kernel_, static_cast<int>(n));
      form_.accesses.push_back({kernel_.buffers[static_cast<size_t>(node(uop.src[0]).number)].name,
                                text.written(uop.src[1]), cost.divisions, cost.modulos});
    }
    form_.lines.push_back({"header", fmt::format("kernel {} -> {}", number_, targets)});
    std::string loops;
    for (const RangeForm& form : form_.loops)
      loops += fmt::format(" {}:{}{}", form.name, form.extent, form.group == "loop" ? "" : " " + form.group);
    form_.lines.push_back({"ranges", loops.empty() ? "  loop   none" : "  loop  " + loops});
    for (FormLine& line : body) form_.lines.push_back(std::move(line));
  }

  const Kernel& kernel_;
  size_t number_;
  std::vector<IndexFunction> functions_;
  KernelForm form_;
  std::vector<int> stores_;
  std::set<int> loop_nodes_;
  std::set<int> seen_;
  int next_k_ = 0;
};

KernelForm opaque_form(const Kernel& kernel, size_t number) {
  KernelForm form;
  form.lines.push_back({"header", fmt::format("kernel {} -> {}", number, kernel.opaque)});
  for (const BufferRef& buffer : kernel.buffers)
    form.lines.push_back({"store", fmt::format("  {} {}[{}]", buffer.name, buffer.dtype, buffer.size)});
  if (!kernel.buffers.empty()) form.writes.push_back(kernel.buffers[0].name);
  return form;
}

}  // namespace

KernelForm make_kernel_form(const Kernel& kernel, size_t number) {
  return kernel.opaque.empty() ? FormMaker(kernel, number).make() : opaque_form(kernel, number);
}

}  // namespace uopdiff
