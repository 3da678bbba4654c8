#include "normalizers/content.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "normalizers/constant.h"
#include "normalizers/field.h"

namespace uopdiff {
namespace {

using enum UOpCode;

struct TooLarge {};
struct Unreadable {
  std::string reason;
};

struct Buffer {
  std::vector<Value> elements;
  std::vector<uint8_t> stored;
};

class KernelEvaluator {
 public:
  KernelEvaluator(const Kernel& kernel, size_t number, std::map<std::string, Buffer>& buffers,
                  const ReadLayout* layout, ScheduleContent& content, int64_t& budget)
      : kernel_(kernel),
        number_(number),
        buffers_(buffers),
        layout_(layout),
        content_(content),
        budget_(budget),
        memo_(kernel.graph.size()),
        memo_at_(kernel.graph.size(), 0),
        changed_(kernel.graph.size(), 0),
        at_(kernel.graph.size(), 0),
        depends_(kernel.graph.size()) {
    find_dependencies();
  }

  void run() {
    for (int root : kernel_.graph.back().src) run_effect(root, {});
    check_cover();
  }

 private:
  const UOp& node(int n) const { return kernel_.graph[static_cast<size_t>(n)]; }

  // For each node the ranges that its value depends on.
  void find_dependencies() {
    for (size_t n = 0; n < kernel_.graph.size(); ++n) {
      const UOp& uop = kernel_.graph[n];
      auto& mine = depends_[n];
      if (uop.code == range) {
        mine = {static_cast<int>(n)};
        continue;
      }
      for (int src : uop.src) {
        std::vector<int> merged;
        std::ranges::set_union(mine, depends_[static_cast<size_t>(src)], std::back_inserter(merged));
        mine = std::move(merged);
      }
      if (uop.code == reduce)
        for (size_t k = 1; k < uop.src.size(); ++k) std::erase(mine, uop.src[k]);
    }
  }

  int64_t extent(int n) {
    const UOp& uop = node(n);
    if (uop.code != range) throw Unreadable{fmt::format("{} where a RANGE is expected", uop.op)};
    const Value end_value = eval(uop.src[0]);
    if (!end_value.known) throw Unreadable{"a RANGE whose extent is no constant"};
    return end_value.i;
  }

  void set_range(int n, int64_t value) {
    at_[static_cast<size_t>(n)] = value;
    changed_[static_cast<size_t>(n)] = ++clock_;
  }

  void for_each_point(const std::vector<int>& ranges, size_t depth, const std::function<void()>& body) {
    if (depth == ranges.size()) return body();
    const int64_t count = extent(ranges[depth]);
    for (int64_t value = 0; value < count; ++value) {
      if (--budget_ < 0) throw TooLarge{};
      set_range(ranges[depth], value);
      for_each_point(ranges, depth + 1, body);
    }
  }

  // SINK's sources: END(STORE, ranges...), STORE, or groups of them.
  void run_effect(int n, std::vector<int> ranges) {
    const UOp& uop = node(n);
    switch (uop.code) {
      case end:
        ranges.insert(ranges.end(), uop.src.begin() + 1, uop.src.end());
        return run_effect(uop.src[0], ranges);
      case group:
      case sink:
        for (int src : uop.src) run_effect(src, ranges);
        return;
      case noop:
        return;
      case store: {
        for (size_t k = 2; k < uop.src.size(); ++k)
          if (std::ranges::find(ranges, uop.src[k]) == ranges.end()) ranges.push_back(uop.src[k]);
        return for_each_point(ranges, 0, [&] { run_store(uop); });
      }
      default:
        throw Unreadable{fmt::format("{} where a STORE is expected", uop.op)};
    }
  }

  const BufferRef& buffer_of(int n) const {
    while (node(n).code == after || node(n).code == cast) n = node(n).src[0];
    if (node(n).code != define_global) throw Unreadable{fmt::format("an access of {}", node(n).op)};
    return kernel_.buffers[static_cast<size_t>(node(n).number)];
  }

  // The element that an INDEX names, or nothing when its gate is closed or the index is Invalid.
  struct Element {
    const BufferRef* buffer;
    bool open = true;
    Value position;
  };
  Element element_of(const UOp& index_uop) {
    const size_t gates = index_uop.has_gate ? 1 : 0;
    if (index_uop.src.size() != 2 + gates)
      throw Unreadable{fmt::format("an INDEX with {} indices", index_uop.src.size() - 1 - gates)};
    Element element{&buffer_of(index_uop.src[0]), true, {}};
    if (index_uop.has_gate) {
      const Value gate = eval(index_uop.src.back());
      if (!gate.known) throw Unreadable{"a gate that depends on data"};
      element.open = gate.i != 0;
    }
    if (element.open) element.position = eval(index_uop.src[1]);
    if (element.position.invalid) element.open = false;
    return element;
  }

  void report(const std::string& kind, const std::string& reason) {
    for (const ContentProblem& problem : content_.problems)
      if (problem.kind == kind && problem.kernel == number_) return;
    content_.problems.push_back({kind, number_, reason});
  }

  bool inside(const Element& element) {
    if (element.position.i >= 0 && element.position.i < element.buffer->size) return true;
    std::string ranges;
    for (size_t n = 0; n < kernel_.graph.size(); ++n)
      if (kernel_.graph[n].code == range) ranges += fmt::format(" r{}={}", kernel_.graph[n].number, at_[n]);
    report("out-of-bounds", fmt::format("{}[{}] of {} elements at{}", element.buffer->name,
                                        element.position.i, element.buffer->size, ranges));
    return false;
  }

  Value load_element(const UOp& index_uop, int alternative) {
    const Element element = element_of(index_uop);
    if (!element.open) {
      if (alternative >= 0) return eval(alternative);
      return index_uop.is_float() ? known_real("f32", 0) : known_int(0);
    }
    const BufferRef& buffer = *element.buffer;
    if (!element.position.known) {
      Value value;
      value.field = field_hash(field_hash_text(buffer.name.c_str()), element.position.field);
      return value;
    }
    if (!inside(element)) return {};
    const int64_t k = element.position.i;
    if (buffer.kind != BufferKind::input) {
      const auto found = buffers_.find(buffer.name);
      if (found == buffers_.end())
        throw Unreadable{fmt::format("{} is read before it is written", buffer.name)};
      if (static_cast<size_t>(k) >= found->second.elements.size())
        throw Unreadable{fmt::format("{} is read beyond what was written", buffer.name)};
      return found->second.elements[static_cast<size_t>(k)];
    }
    Value value;
    value.field = field_hash(field_hash_text(buffer.name.c_str()), static_cast<uint64_t>(k) + 1);
    if (layout_) {
      const auto bit = static_cast<uint64_t>(layout_->at(buffer.name) + k);
      value.reads.resize(bit / 64 + 1);
      value.reads[bit / 64] |= uint64_t{1} << bit % 64;
    }
    return value;
  }

  void run_store(const UOp& store_uop) {
    const UOp& target = node(store_uop.src[0]);
    if (target.code != index) throw Unreadable{fmt::format("a STORE to {}", target.op)};
    const Element element = element_of(target);
    if (!element.open) return;
    if (!element.position.known) throw Unreadable{"a STORE whose index depends on data"};
    Value value = eval(store_uop.src[1]);
    settle(value);
    Buffer& buffer = buffers_[element.buffer->name];
    buffer.elements.resize(static_cast<size_t>(element.buffer->size));
    buffer.stored.resize(static_cast<size_t>(element.buffer->size));
    if (!inside(element)) return;
    const auto k = static_cast<size_t>(element.position.i);
    if (buffer.stored[k])
      report("store-cover", fmt::format("{}[{}] is stored twice", element.buffer->name, k));
    buffer.stored[k] = 1;
    buffer.elements[k] = std::move(value);
    written_.insert(element.buffer->name);
  }

  void check_cover() {
    for (const std::string& name : written_) {
      const auto& stored = buffers_[name].stored;
      const auto missing = std::ranges::find(stored, 0);
      if (missing != stored.end())
        report("store-cover", fmt::format("{}[{}] is never stored", name, missing - stored.begin()));
    }
  }

  bool memo_holds(size_t n) const {
    if (memo_at_[n] == 0) return false;
    return std::ranges::all_of(depends_[n],
                               [&](int r) { return changed_[static_cast<size_t>(r)] <= memo_at_[n]; });
  }

  const Value& eval(int position) {
    const auto n = static_cast<size_t>(position);
    if (memo_holds(n)) return memo_[n];
    if (--budget_ < 0) throw TooLarge{};
    const uint64_t start = clock_;
    Value value = compute(kernel_.graph[n], position);
    // What depends on a reduce's own ranges is stale after it; what does not, holds from the start on.
    memo_at_[n] = std::max<uint64_t>(start, 1);
    memo_[n] = std::move(value);
    return memo_[n];
  }

  Value compute(const UOp& uop, int position) {
    switch (uop.code) {
      case range:
        return known_int(at_[static_cast<size_t>(position)]);
      case index:
        return load_element(uop, -1);
      case load: {
        const bool two = node(uop.src[0]).code != index;  // Morok: buffer, index
        const UOp& target = node(uop.src[two ? 1 : 0]);
        if (target.code != index) throw Unreadable{fmt::format("a LOAD of {}", target.op)};
        return load_element(target, uop.has_gate ? uop.src.back() : -1);
      }
      case reduce:
        return compute_reduce(uop);
      case where: {
        const Value condition = eval(uop.src[0]);
        if (condition.known) return eval(uop.src[condition.i ? 1 : 2]);
        return compute_elementwise(uop);
      }
      case define_global:
      case define_var:
      case store:
      case end:
      case sink:
      case after:
      case group:
      case noop:
        throw Unreadable{fmt::format("{} as a value", uop.op)};
      default:
        return compute_elementwise(uop);
    }
  }

  Value compute_elementwise(const UOp& uop) {
    std::vector<Value> operands;
    operands.reserve(uop.src.size());
    for (int src : uop.src) {
      operands.push_back(eval(src));
      if (operands.back().invalid) return operands.back();
    }
    Value value = apply_uop(uop, uop.src.empty() ? uop.dtype : node(uop.src.back()).dtype, operands);
    if (layout_) {
      value.reads.clear();
      const bool constant_zero = uop.code == mul && value.known;
      if (!constant_zero)
        for (const Value& operand : operands) unite(value.reads, operand.reads);
    }
    return value;
  }

  Value compute_reduce(const UOp& uop) {
    const std::vector<int> ranges(uop.src.begin() + 1, uop.src.end());
    Value total;
    bool first = true;
    for_each_point(ranges, 0, [&] {
      const Value& element = eval(uop.src[0]);
      if (first)
        total = element;
      else
        accumulate(uop, total, element);
      first = false;
    });
    return total;
  }

  const Kernel& kernel_;
  size_t number_;
  std::map<std::string, Buffer>& buffers_;
  const ReadLayout* layout_;
  ScheduleContent& content_;
  int64_t& budget_;
  std::vector<Value> memo_;
  std::vector<uint64_t> memo_at_, changed_;
  std::vector<int64_t> at_;
  std::vector<std::vector<int>> depends_;
  uint64_t clock_ = 1;
  std::set<std::string> written_;
};

void run_opaque(const Kernel& kernel, std::map<std::string, Buffer>& buffers, const ReadLayout* layout) {
  if (kernel.opaque != "COPY" || kernel.buffers.size() != 2 ||
      kernel.buffers[0].size != kernel.buffers[1].size)
    throw Unreadable{fmt::format("a kernel of kind {}", kernel.opaque)};
  const BufferRef &to = kernel.buffers[0], &from = kernel.buffers[1];
  Buffer copy;
  if (from.kind != BufferKind::input) copy = buffers[from.name];
  copy.elements.resize(static_cast<size_t>(to.size));
  copy.stored.assign(static_cast<size_t>(to.size), 1);
  for (int64_t k = 0; from.kind == BufferKind::input && k < to.size; ++k) {
    Value& value = copy.elements[static_cast<size_t>(k)];
    value.field = field_hash(field_hash_text(from.name.c_str()), static_cast<uint64_t>(k) + 1);
    if (!layout) continue;
    const auto bit = static_cast<uint64_t>(layout->at(from.name) + k);
    value.reads.resize(bit / 64 + 1);
    value.reads[bit / 64] |= uint64_t{1} << bit % 64;
  }
  buffers[to.name] = std::move(copy);
}

}  // namespace

ReadLayout layout_of(const Schedule& left, const Schedule& right) {
  std::map<std::string, int64_t> sizes;
  for (const Schedule* schedule : {&left, &right})
    for (const Kernel& kernel : *schedule)
      for (const BufferRef& buffer : kernel.buffers)
        if (buffer.kind == BufferKind::input) sizes[buffer.name] = std::max(sizes[buffer.name], buffer.size);
  ReadLayout layout;
  int64_t next = 0;
  for (const auto& [name, size] : sizes) {
    layout[name] = next;
    next += size;
  }
  return layout;
}

ScheduleContent evaluate_content(const Schedule& schedule, const ReadLayout* reads, int64_t limit) {
  ScheduleContent content;
  std::map<std::string, Buffer> buffers;
  try {
    for (size_t k = 0; k < schedule.size(); ++k) {
      if (!schedule[k].opaque.empty())
        run_opaque(schedule[k], buffers, reads);
      else
        KernelEvaluator(schedule[k], k, buffers, reads, content, limit).run();
    }
  } catch (const TooLarge&) {
    content.complete = false;
  } catch (const Unreadable& unreadable) {
    content.unreadable = unreadable.reason;
  }
  for (auto& [name, buffer] : buffers) {
    for (Value& value : buffer.elements) {
      content.fields[name].push_back(value.field);
      if (reads) content.reads[name].push_back(std::move(value.reads));
    }
  }
  return content;
}

}  // namespace uopdiff
