#include "generators/rebuild.h"

#include <algorithm>

#include "harness/program/error.h"
#include "harness/program/op_table.h"

namespace uopdiff {
namespace {

bool is_source(const Node& node) { return node.op->category == Category::source; }

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

// The whole stays whole, an empty window empty; others keep what lies within.
Pairs refit_bounds(Pairs bounds, const Shape& before, const Shape& now) {
  for (size_t d = 0; d < bounds.size(); ++d) {
    auto& [begin, end] = bounds[d];
    const bool whole = begin == 0 && end == before[d], empty = begin == end;
    end = whole ? now[d] : std::min(end, now[d]);
    begin = empty ? end : std::max<int64_t>(0, std::min(begin, end - 1));
  }
  return bounds;
}

// Kernels and dilations of pools that reach beyond the padded axis are lowered.
void refit_pool(Node& node, const Shape& now) {
  Ints kernel = node.attr<Ints>("kernel"), dilation = node.attr<Ints>("dilation");
  for (size_t k = 0; k < kernel.size() && k + 2 < now.size(); ++k) {
    const auto [before, behind] = node.attr<Pairs>("padding")[k];
    const int64_t extent = now[k + 2] + before + behind;
    if (dilation[k] * (kernel[k] - 1) >= extent) dilation[k] = 1;
    kernel[k] = std::min(kernel[k], extent);
  }
  node.attrs["kernel"] = kernel;
  node.attrs["dilation"] = dilation;
}

// Padding of a transposed convolution takes away no more than the weight's windows reach.
void refit_transposed(Node& node, const Shape& weight) {
  Pairs padding = node.attr<Pairs>("padding");
  for (size_t k = 0; k < padding.size() && k + 2 < weight.size(); ++k) {
    const int64_t reach = node.attr<Ints>("dilation")[k] * (weight[k + 2] - 1);
    padding[k] = {std::min(padding[k].first, reach), std::min(padding[k].second, reach)};
  }
  node.attrs["padding"] = padding;
}

bool names_axes(const Node& node) {
  return std::ranges::any_of(node.attrs, [](const auto& attr) {
    return std::holds_alternative<Ints>(attr.second) || std::holds_alternative<Pairs>(attr.second);
  });
}

// The attributes of `node` on a first operand of shape `now` instead of `before`. False when that needs
// more than attributes.
bool adapt(Node& node, const Shape& before, const Shape& now) {
  if (before == now) return true;
  if (node.op->name == "reshape") {
    const auto shape = refit(node.attr<Ints>("shape"), element_count(now));
    if (shape) node.attrs["shape"] = *shape;
    return shape.has_value();
  }
  if (before.size() != now.size()) return !names_axes(node);
  if (node.op->name == "expand") {
    Ints shape = node.attr<Ints>("shape");
    for (size_t d = 0; d < shape.size(); ++d)
      if (now[d] != 1) shape[d] = now[d];
    node.attrs["shape"] = shape;
  }
  if (node.attrs.count("bounds"))
    node.attrs["bounds"] = refit_bounds(node.attr<Pairs>("bounds"), before, now);
  if (node.attrs.count("kernel")) refit_pool(node, now);
  if (node.attrs.count("k")) {
    const int64_t extent = now[static_cast<size_t>(node.attr<int64_t>("axis"))];
    node.attrs["k"] = std::min(node.attr<int64_t>("k"), extent);
  }
  return true;
}

// Operands of one shape and dtype in the original may have grown apart; a source among them follows the
// others, or the smallest source if there are no others.
void level_sources(Program& target, const Node& node, std::vector<int>& src) {
  static const std::vector<std::string> others{"stack", "dot", "assign"};
  const bool alike = node.op->category == Category::binary || node.op->category == Category::compare ||
                     node.op->category == Category::ternary ||
                     std::ranges::find(others, node.op->name) != others.end();
  if (!alike) return;
  const auto at = [&](int s) -> const Node& { return target.nodes[static_cast<size_t>(s)]; };
  const size_t first = node.op->name == "where" ? 1 : 0;  // the condition has a dtype of its own
  Shape wanted = at(src[0]).shape;
  DType dtype = at(src[first]).dtype;
  for (int s : src)
    if (element_count(at(s).shape) < element_count(wanted)) wanted = at(s).shape;
  for (size_t k = 0; k < src.size(); ++k) {
    if (is_source(at(src[k]))) continue;
    wanted = at(src[k]).shape;
    if (k >= first) dtype = at(src[k]).dtype;
  }
  for (size_t k = 0; k < src.size(); ++k) {
    Node operand = at(src[k]);
    const DType own = k < first ? operand.dtype : dtype;
    if (!is_source(operand) || (operand.shape == wanted && operand.dtype == own)) continue;
    if (operand.op->name != "input" && operand.op->name != "full") continue;
    operand.shape = wanted;
    operand.dtype = own;
    operand.name.clear();
    src[k] = append(target, std::move(operand));
  }
}

// Indices below an extent that has become smaller.
void level_indices(Program& target, const Node& node, const Shape& before, std::vector<int>& src) {
  const bool loss = node.attrs.count("reduction") > 0;
  if (src.size() < 2 || (!loss && !node.attrs.count("axis"))) return;
  Node index = target.nodes[static_cast<size_t>(src[1])];
  if (index.op->name != "input" || index.attr<std::string>("fill") != "index") return;
  const auto axis = static_cast<size_t>(loss ? 1 : node.attr<int64_t>("axis"));
  const Shape& now = target.nodes[static_cast<size_t>(src[0])].shape;
  if (axis >= now.size() || axis >= before.size()) return;
  const int64_t below = index.attr<int64_t>("below");
  if (below <= now[axis] || below > before[axis]) return;
  index.attrs["below"] = std::max<int64_t>(1, now[axis]);
  index.name.clear();
  src[1] = append(target, std::move(index));
}

// Two outputs may have become one node.
std::vector<int> distinct(const std::vector<int>& outputs) {
  std::vector<int> result;
  for (int output : outputs)
    if (std::ranges::find(result, output) == result.end()) result.push_back(output);
  return result;
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
      Node node = old;
      node.name.clear();
      if (!src.empty()) {
        level_sources(target, old, src);
        const Shape& before = program.nodes[static_cast<size_t>(old.src[0])].shape;
        if (!adapt(node, before, target.nodes[static_cast<size_t>(src[0])].shape)) return std::nullopt;
        if (node.attrs.count("output_padding"))
          refit_transposed(node, target.nodes[static_cast<size_t>(src[1])].shape);
        level_indices(target, node, before, src);
      }
      node.src = std::move(src);
      position.push_back(append(target, std::move(node)));
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  for (int output : program.outputs) target.outputs.push_back(position[static_cast<size_t>(output)]);
  target.outputs = distinct(target.outputs);
  return canonical(target);
}

}  // namespace uopdiff
