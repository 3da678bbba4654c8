#include "generators/shrink.h"

#include <algorithm>
#include <cmath>

#include "generators/shrink_steps.h"
#include "harness/program/error.h"

namespace uopdiff {
namespace {

int64_t position_in(const std::vector<std::string>& order, const std::string& word) {
  return std::ranges::find(order, word) - order.begin();
}

int64_t fill_rank(const std::string& fill) {
  static const std::vector<std::string> order{"ones",  "iota", "small", "positive", "uniform",
                                              "zeros", "unit", "index", "special"};
  return position_in(order, fill);
}

// f32 and i32 first; among narrow ones f16 and i8.
int64_t dtype_rank(DType dtype) {
  static const std::vector<DType> order{DType::f32, DType::i32, DType::boolean, DType::f64, DType::i64,
                                        DType::f16, DType::i8,  DType::u8,      DType::u32, DType::u64,
                                        DType::i16, DType::u16, DType::bf16};
  return std::ranges::find(order, dtype) - order.begin();
}

// The ones that stand for their kind, other primitive ones, those with a definition, composites.
int64_t operation_rank(const OpInfo& op) {
  static const std::set<std::string> plain{"neg", "logical_not", "add", "and", "lt", "eq", "sum", "any"};
  if (op.category == Category::source) return op.name == "input" || op.name == "full" ? 0 : 1;
  if (plain.count(op.name)) return 0;
  if (op.category == Category::composite || op.category == Category::scan) return 3;
  return op.expansion ? 2 : 1;
}

struct AttributeSize {
  const Node& node;
  const std::string& key;
  const AttrValue* fallback;

  int64_t operator()(bool flag) const { return flag != (fallback && std::get<bool>(*fallback)); }
  int64_t operator()(int64_t number) const {
    return std::abs(number - (fallback ? std::get<int64_t>(*fallback) : 0));
  }
  int64_t operator()(double number) const {
    if (number == 1 || (fallback && *fallback == AttrValue(number))) return 0;
    return number == 0 ? 1 : number > 0 ? 2 : 3;
  }
  int64_t operator()(const std::string& word) const {
    if (key == "formula") return static_cast<int64_t>(word.size());
    return key == "fill" || key == "to" || word == "sum" ? 0 : 1;  // the first two count elsewhere
  }
  int64_t operator()(const Ints& ints) const {
    int64_t size = 0;
    if (key == "shape") return 0;  // counts as elements
    for (size_t k = 0; k < ints.size(); ++k) {
      const int64_t usual = node.op->name == "permute" ? static_cast<int64_t>(k) : 0;
      size += ints[k] < 0 ? 3 - ints[k] : 1 + std::abs(ints[k] - usual);
    }
    return size;
  }
  int64_t operator()(const Pairs& pairs) const {
    int64_t size = 0;
    for (const auto& [first, second] : pairs) size += first + (key == "padding" ? second : 0);
    return size;
  }
};

int64_t attribute_size(const Node& node) {
  int64_t size = 0;
  for (const auto& [key, value] : node.attrs) {
    const AttrSpec* spec = node.op->find_attr(key);
    const AttrValue* fallback = spec && spec->fallback ? &*spec->fallback : nullptr;
    size += std::visit(AttributeSize{node, key, fallback}, value);
  }
  return size;
}

// Whether an output depends on anything that the target of an assign is made of, other than by the assign.
// check_assigns allows that of what lies behind the target; but front ends let a buffer that is executed once
// more be the same one, so that a step could exchange the fault looked for with this one.
bool sees_overwritten(const Program& program) {
  for (size_t assign = 0; assign < program.nodes.size(); ++assign) {
    if (!program.nodes[assign].op->name.starts_with("assign")) continue;
    std::vector<bool> part(program.nodes.size(), false);
    const auto mark = [&part](int n) { part[static_cast<size_t>(n)] = true; };
    mark(program.nodes[assign].src[0]);
    for (size_t n = assign; n-- > 0;)
      if (part[n]) std::ranges::for_each(program.nodes[n].src, mark);
    for (size_t n = 0; n < program.nodes.size(); ++n)
      for (int src : program.nodes[n].src)
        if (n != assign && part[static_cast<size_t>(src)]) part[n] = true;
    for (int output : program.outputs)
      if (part[static_cast<size_t>(output)]) return true;
  }
  return false;
}

}  // namespace

Complexity complexity(const Program& program) {
  Complexity result{operation_count(program),
                    static_cast<int64_t>(program.nodes.size()),
                    0,
                    0,
                    0,
                    0,
                    0,
                    static_cast<int64_t>(program.outputs.size())};
  for (const Node& node : program.nodes) {
    result[2] += element_count(node.shape) * 8 + static_cast<int64_t>(node.shape.size());
    result[3] += operation_rank(*node.op);
    result[4] += attribute_size(node);
    result[6] += dtype_rank(node.dtype);
    if (node.op->name == "input") result[5] += fill_rank(node.attr<std::string>("fill"));
  }
  return result;
}

Candidates::Candidates(const Program& original)
    : program(original), limit_(complexity(original)), sees_overwritten_(sees_overwritten(original)) {
  seen_.insert(case_id(original));
}

void Candidates::offer(const std::optional<Program>& candidate) {
  if (!candidate || candidate->outputs.empty() || operation_count(*candidate) == 0) return;
  if (!(complexity(*candidate) < limit_)) return;
  try {
    check_assigns(*candidate);
  } catch (const Error&) {
    return;
  }
  if (!sees_overwritten_ && sees_overwritten(*candidate)) return;
  if (seen_.insert(case_id(*candidate)).second) found_.push_back(*candidate);
}

void Candidates::change_node(size_t position, const NodeChange& f) {
  offer(rebuild(program, [&](Program& target, const Node& old, size_t n, const std::vector<int>& src) {
    return n == position ? f(target, old, src) : -1;
  }));
}

void Candidates::with_attr(size_t position, const std::string& key, const AttrValue& value) {
  if (node(position).attrs.at(key) == value) return;
  change_node(position, [&](Program& target, const Node& old, const std::vector<int>& src) {
    Node copy = moved(old, src);
    copy.attrs[key] = value;
    return append(target, copy);
  });
}

Node moved(const Node& old, std::vector<int> src) {
  Node copy = old;
  copy.name.clear();
  copy.src = std::move(src);
  return copy;
}

std::vector<int64_t> lower(int64_t value) {
  std::vector<int64_t> values;
  for (int64_t smaller : {int64_t{1}, int64_t{2}, value / 2, value - 1})
    if (smaller >= 1 && smaller < value && std::ranges::find(values, smaller) == values.end())
      values.push_back(smaller);
  return values;
}

bool is_source(const Node& node) { return node.op->category == Category::source; }

std::vector<Program> shrink_candidates(const Program& program) {
  Candidates found(program);
  drop_outputs(found);
  bypass_nodes(found);
  cut_nodes(found);
  plainer_operations(found);
  lower_extents(found);
  drop_axes(found);
  simpler_attributes(found);
  simpler_data(found);
  return found.take();
}

}  // namespace uopdiff
