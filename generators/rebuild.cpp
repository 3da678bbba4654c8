#include "generators/rebuild.h"

#include <algorithm>

#include "harness/program/error.h"
#include "harness/program/op_table.h"

namespace uopdiff {
namespace {

// Extents of `wanted` re-cut so that they hold `count` elements: one axis changes if that is enough.
std::optional<Shape> refit(const Shape& wanted, int64_t count) {
  for (size_t d = 0; d < wanted.size(); ++d) {
    const int64_t others = wanted[d] == 0 ? 0 : element_count(wanted) / wanted[d];
    if (others != 0 && count % others == 0) {
      Shape shape = wanted;
      shape[d] = count / others;
      return shape;
    }
  }
  // Else as many leading extents as divide it, the rest in the last axis.
  if (wanted.empty()) return std::nullopt;
  Shape shape = wanted;
  int64_t rest = count;
  for (size_t d = 0; d + 1 < shape.size(); ++d) {
    if (shape[d] == 0 || rest % shape[d] != 0) shape[d] = 1;
    rest /= shape[d];
  }
  shape.back() = rest;
  return shape;
}

// The attributes of `node` on an operand of shape `now` instead of `before`.
bool adapt(Node& node, const Shape& before, const Shape& now) {
  const std::string& op = node.op->name;
  if (before == now) return true;
  if (op == "reshape") {
    const auto shape = refit(node.attr<Ints>("shape"), element_count(now));
    if (!shape) return false;
    node.attrs["shape"] = *shape;
    return true;
  }
  if (before.size() != now.size())
    return node.op->category != Category::movement && node.op->category != Category::reduce;
  if (op == "expand") {
    Ints shape = node.attr<Ints>("shape");
    for (size_t d = 0; d < shape.size(); ++d)
      if (now[d] != 1) shape[d] = now[d];
    node.attrs["shape"] = shape;
  }
  if (node.attrs.count("bounds") && before.size() == now.size()) {
    Pairs bounds = node.attr<Pairs>("bounds");
    for (size_t d = 0; d < bounds.size(); ++d) {
      const bool whole = bounds[d] == std::pair<int64_t, int64_t>(0, before[d]);
      bounds[d].second = whole ? now[d] : std::min(bounds[d].second, now[d]);
      bounds[d].first = std::max<int64_t>(0, std::min(bounds[d].first, bounds[d].second - 1));
    }
    node.attrs["bounds"] = bounds;
  }
  return true;
}

// Operands of one shape in the original may have grown apart; a source among them follows the others.
void level_sources(Program& target, const Node& node, std::vector<int>& src) {
  const bool alike = node.op->category == Category::binary || node.op->category == Category::compare ||
                     node.op->category == Category::ternary;
  if (!alike) return;
  Shape wanted;
  bool found = false;
  for (int s : src) {
    const Node& operand = target.nodes[static_cast<size_t>(s)];
    if (operand.op->category != Category::source) {
      wanted = operand.shape;
      found = true;
    }
  }
  if (!found) {
    wanted = target.nodes[static_cast<size_t>(src[0])].shape;
    for (int s : src)
      if (element_count(target.nodes[static_cast<size_t>(s)].shape) < element_count(wanted))
        wanted = target.nodes[static_cast<size_t>(s)].shape;
  }
  for (int& s : src) {
    Node operand = target.nodes[static_cast<size_t>(s)];
    if (operand.op->category != Category::source || operand.shape == wanted || operand.op->name == "arange")
      continue;
    operand.shape = wanted;
    operand.name.clear();
    s = append(target, std::move(operand));
  }
}

}  // namespace

std::optional<Program> rebuild(const Program& program, const Change& change) {
  Program target;
  std::vector<int> position;
  try {
    for (size_t n = 0; n < program.nodes.size(); ++n) {
      const Node& old = program.nodes[n];
      std::vector<int> src;
      for (int s : old.src) src.push_back(position[static_cast<size_t>(s)]);
      const int changed = change(target, old, n, src);
      if (changed >= 0) {
        position.push_back(changed);
        continue;
      }
      level_sources(target, old, src);
      Node node = old;
      node.name.clear();
      if (!src.empty() && !adapt(node, program.nodes[static_cast<size_t>(old.src[0])].shape,
                                 target.nodes[static_cast<size_t>(src[0])].shape))
        return std::nullopt;
      node.src = std::move(src);
      position.push_back(append(target, std::move(node)));
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  for (int output : program.outputs) target.outputs.push_back(position[static_cast<size_t>(output)]);
  // Two outputs may have become one node.
  std::vector<int> distinct;
  for (int output : target.outputs)
    if (std::ranges::find(distinct, output) == distinct.end()) distinct.push_back(output);
  target.outputs = distinct;
  return canonical(target);
}

}  // namespace uopdiff
