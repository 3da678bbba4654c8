#include "normalizers/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "normalizers/field.h"

namespace uopdiff {
namespace {

using enum UOpCode;

class KernelEvaluator {
 public:
  KernelEvaluator(const Kernel& kernel, size_t number, Evaluation& evaluation)
      : kernel_(kernel),
        number_(number),
        all_(evaluation),
        memo_(kernel.graph.size()),
        memo_at_(kernel.graph.size(), 0),
        changed_(kernel.graph.size(), 0),
        at_(kernel.graph.size(), 0),
        depends_(kernel.graph.size()) {
    find_dependencies();
  }

  void run() {
    for (int root : kernel_.graph.back().src) run_effect(root, {});
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
      if (--all_.budget < 0) throw TooLarge{};
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

  // The element that an INDEX names. It is not `open` when its gate is closed or the index is Invalid; a
  // `gate` that is not known depends on data.
  struct Element {
    const BufferRef* buffer;
    bool open = true;
    Value position, gate;
  };
  Element element_of(const UOp& index_uop) {
    const size_t gates = index_uop.has_gate ? 1 : 0;
    if (index_uop.src.size() != 2 + gates)
      throw Unreadable{fmt::format("an INDEX with {} indices", index_uop.src.size() - 1 - gates)};
    Element element{&buffer_of(index_uop.src[0]), true, {}, {}};
    element.gate.known = true;
    element.gate.field = element.gate.i = 1;
    if (index_uop.has_gate) element.gate = eval(index_uop.src.back());
    if (element.gate.known) element.open = element.gate.i != 0;
    if (element.open) element.position = eval(index_uop.src[1]);
    if (element.position.invalid) element.open = false;
    if (element.open && element.position.gate != 1) {
      element.gate.known = false;
      element.gate.field = field_mul(element.gate.field, element.position.gate);
      unite(element.gate.reads, element.position.reads);
    }
    return element;
  }

  void report(const std::string& kind, const std::string& reason) {
    for (const ContentProblem& problem : all_.problems)
      if (problem.kind == kind && problem.kernel == number_) return;
    all_.problems.push_back({kind, number_, reason});
  }

  bool inside(const Element& element) {
    if (element.position.i >= 0 && element.position.i < element.buffer->size) return true;
    if (!element.gate.known) return false;  // surely closed
    std::string ranges;
    for (size_t n = 0; n < kernel_.graph.size(); ++n)
      if (kernel_.graph[n].code == range) ranges += fmt::format(" r{}={}", kernel_.graph[n].number, at_[n]);
    report("out-of-bounds", fmt::format("{}[{}] of {} elements at{}", element.buffer->name,
                                        element.position.i, element.buffer->size, ranges));
    return false;
  }

  Value load_element(const UOp& index_uop, int alternative) {
    const Element element = element_of(index_uop);
    const auto otherwise = [&] {
      return alternative >= 0 ? eval(alternative) : all_.arithmetic.constant(index_uop, {});
    };
    if (!element.open) return otherwise();
    Value value = element.position.known ? known_element(element) : some_element(element);
    if (element.gate.known) return value;
    const Value other = otherwise();
    Value result = all_.arithmetic.chosen(element.gate, value, other);
    result.reads = std::move(value.reads);
    unite(result.reads, other.reads);
    unite(result.reads, element.gate.reads);
    return result;
  }

  Value known_element(const Element& element) {
    if (!inside(element)) return {};
    const BufferRef& buffer = *element.buffer;
    const auto k = static_cast<size_t>(element.position.i);
    if (const auto found = all_.buffers.find(buffer.name); found != all_.buffers.end()) {
      if (k < found->second.stored.size() && found->second.stored[k] == number_ + 1)
        report("store-order", fmt::format("{}[{}] is read after this kernel stored it", buffer.name, k));
    }
    return all_.stored_or_leaf(buffer, element.position.i);
  }

  // Where the index depends on data: any element, so a function of all of them and the index.
  Value some_element(const Element& element) {
    const BufferRef& buffer = *element.buffer;
    all_.data_indexed = true;
    auto& whole = whole_[buffer.name];
    if (whole.field == 0) {
      for (int64_t k = 0; k < buffer.size; ++k) {
        if (--all_.budget < 0) throw TooLarge{};
        const Value value = all_.stored_or_leaf(buffer, k);
        whole.field = field_hash(whole.field, value.field);
        unite(whole.reads, value.reads);
      }
    }
    Value value = opaque(field_hash(whole.field, element.position.field));
    value.reads = whole.reads;
    unite(value.reads, element.position.reads);
    return value;
  }

  void run_store(const UOp& store_uop) {
    const UOp& target = node(store_uop.src[0]);
    if (target.code != index) throw Unreadable{fmt::format("a STORE to {}", target.op)};
    const Element element = element_of(target);
    if (!element.open) return;
    if (!element.gate.known) throw Unreadable{"a STORE under a gate that depends on data"};
    if (!element.position.known) throw Unreadable{"a STORE whose index depends on data"};
    Value value = eval(store_uop.src[1]);
    all_.arithmetic.finish(value);
    BufferContent& content = all_.to_write(*element.buffer);
    if (!inside(element)) return;
    const auto k = static_cast<size_t>(element.position.i);
    if (content.stored[k] == number_ + 1)
      report("store-cover", fmt::format("{}[{}] is stored twice", element.buffer->name, k));
    content.stored[k] = static_cast<uint32_t>(number_ + 1);
    content.elements[k] = std::move(value);
  }

  bool memo_holds(size_t n) const {
    if (memo_at_[n] == 0) return false;
    return std::ranges::all_of(depends_[n],
                               [&](int r) { return changed_[static_cast<size_t>(r)] <= memo_at_[n]; });
  }

  const Value& eval(int position) {
    const auto n = static_cast<size_t>(position);
    if (memo_holds(n)) return memo_[n];
    if (--all_.budget < 0) throw TooLarge{};
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
        return all_.arithmetic.constant(uop, {at_[static_cast<size_t>(position)], 0});
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
      case where:
        return compute_where(uop);
      case define_global: {
        const BufferRef& buffer = buffer_of(position);
        if (buffer.size != 1) throw Unreadable{fmt::format("{} as a value", uop.op)};
        report("buffer-as-value", fmt::format("{} is used as a value without an INDEX", buffer.name));
        return all_.stored_or_leaf(buffer, 0);
      }
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

  Value compute_where(const UOp& uop) {
    const Value condition = eval(uop.src[0]);
    if (condition.known) return eval(uop.src[condition.i ? 1 : 2]);
    if (!uop.is_index()) return compute_elementwise(uop);
    const Value a = eval(uop.src[1]), b = eval(uop.src[2]);
    if (a.invalid == b.invalid) return a.invalid ? a : compute_elementwise(uop);
    Value result = a.invalid ? b : a;  // an index under a condition on data
    const uint64_t holds = a.invalid ? field_sub(1, condition.field) : condition.field;
    if (result.gate != holds) result.gate = field_mul(result.gate, holds);
    unite(result.reads, condition.reads);
    return result;
  }

  Value compute_elementwise(const UOp& uop) {
    std::vector<Value> operands;
    operands.reserve(uop.src.size());
    uint64_t gate = 1;
    for (int src : uop.src) {
      operands.push_back(eval(src));
      const Value& operand = operands.back();
      if (operand.invalid) return operand;
      if (operand.gate != 1 && operand.gate != gate) gate = field_mul(gate, operand.gate);
    }
    Value value = all_.arithmetic.apply(uop, uop.src.empty() ? uop : node(uop.src.back()), operands);
    value.gate = gate;
    if (all_.layout) {
      value.reads.clear();
      const bool constant_zero = uop.code == mul && value.known;
      if (!constant_zero)
        for (const Value& operand : operands) unite(value.reads, operand.reads);
    }
    return value;
  }

  Value compute_reduce(const UOp& uop) {
    const std::vector<int> ranges(uop.src.begin() + 1, uop.src.end());
    const UOp step = step_of(uop);
    std::vector<Value> operands(2);
    Value& total = operands[0];
    bool first = true;
    for_each_point(ranges, 0, [&] {
      operands[1] = eval(uop.src[0]);
      if (first) {
        total = std::move(operands[1]);
      } else {
        ReadSet reads = std::move(total.reads);
        unite(reads, operands[1].reads);
        total = all_.arithmetic.apply(step, step, operands);
        total.reads = std::move(reads);
      }
      first = false;
    });
    return first ? all_.arithmetic.constant(uop, neutral_of(uop)) : total;
  }

  const Kernel& kernel_;
  size_t number_;
  Evaluation& all_;
  std::vector<Value> memo_;
  std::vector<uint64_t> memo_at_, changed_;
  std::vector<int64_t> at_;
  std::vector<std::vector<int>> depends_;
  std::map<std::string, Value> whole_;  // of the buffers that are indexed by data
  uint64_t clock_ = 1;
};

// What cannot be written as a graph: a copy of a buffer.
void run_opaque(const Kernel& kernel, size_t number, Evaluation& evaluation) {
  if (kernel.opaque != "COPY" || kernel.buffers.size() != 2 ||
      kernel.buffers[0].size != kernel.buffers[1].size)
    throw Unreadable{fmt::format("a kernel of kind {}", kernel.opaque)};
  BufferContent copy{&kernel.buffers[0], {}, {}};
  for (int64_t k = 0; k < kernel.buffers[0].size; ++k)
    copy.elements.push_back(evaluation.stored_or_leaf(kernel.buffers[1], k));
  copy.stored.assign(copy.elements.size(), static_cast<uint32_t>(number + 1));
  evaluation.buffers[kernel.buffers[0].name] = std::move(copy);
}

}  // namespace

Value Evaluation::leaf(const BufferRef& buffer, int64_t element) const {
  Value value = arithmetic.input(buffer, element);
  if (layout) {
    const auto bit = static_cast<uint64_t>(layout->at(buffer.name) + element);
    value.reads.resize(bit / 64 + 1);
    value.reads[bit / 64] |= uint64_t{1} << bit % 64;
  }
  return value;
}

Value Evaluation::stored_or_leaf(const BufferRef& buffer, int64_t element) const {
  const auto found = buffers.find(buffer.name);
  if (found == buffers.end()) {
    if (buffer.kind == BufferKind::input) return leaf(buffer, element);
    throw Unreadable{fmt::format("{} is read before it is written", buffer.name)};
  }
  if (static_cast<size_t>(element) >= found->second.elements.size())
    throw Unreadable{fmt::format("{} is read beyond what was written", buffer.name)};
  return found->second.elements[static_cast<size_t>(element)];
}

BufferContent& Evaluation::to_write(const BufferRef& buffer) {
  BufferContent& content = buffers[buffer.name];
  const auto size = static_cast<size_t>(buffer.size);
  if (!content.buffer) {
    content.buffer = &buffer;
    if (buffer.kind == BufferKind::input)
      for (int64_t k = 0; k < buffer.size; ++k) content.elements.push_back(leaf(buffer, k));
  }
  if (content.elements.size() < size) content.elements.resize(size);
  if (content.stored.size() < size) content.stored.resize(size);
  return content;
}

void run_kernel(const Kernel& kernel, size_t number, Evaluation& evaluation) {
  if (kernel.opaque.empty())
    KernelEvaluator(kernel, number, evaluation).run();
  else
    run_opaque(kernel, number, evaluation);
}

}  // namespace uopdiff
