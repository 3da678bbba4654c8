// Steps that lower extents and take axes out.
#include <algorithm>

#include "generators/shrink_steps.h"

namespace uopdiff {
namespace {

// A source with another extent; the step of a linspace stays.
int resized(Program& target, Node copy, const Shape& shape) {
  if (copy.op->name == "linspace" && shape.size() == 1) {
    const double start = copy.attr<double>("start"), stop = copy.attr<double>("stop");
    const double step = (stop - start) / static_cast<double>(copy.shape[0] - 1);
    copy.attrs["stop"] = start + step * static_cast<double>(shape[0] - 1);
  }
  copy.shape = shape;
  return append(target, copy);
}

// Only the extents of 1 of the operand are the expand's own.
int resized_expand(Program& target, const Node& old, const std::vector<int>& src, size_t axis,
                   int64_t extent) {
  Ints shape = target.nodes[static_cast<size_t>(src[0])].shape;
  if (shape.size() != old.shape.size()) return -1;
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] == 1) shape[d] = d == axis ? extent : old.shape[d];
  Node copy = moved(old, src);
  copy.attrs["shape"] = shape;
  return append(target, copy);
}

Shape with_extents(Shape shape, int64_t before, int64_t now) {
  std::ranges::replace(shape, before, now);
  return shape;
}

// Node `position` alone, or with it equal extents of all other sources.
void resize(Candidates& found, size_t position, size_t axis, int64_t extent, bool together) {
  const int64_t before = found.node(position).shape[axis];
  found.offer(
      rebuild(found.program, [&](Program& target, const Node& old, size_t n, const std::vector<int>& src) {
        if (n != position && !(together && is_source(old))) return -1;
        if (!is_source(old)) return resized_expand(target, old, src, axis, extent);
        Shape shape = old.shape;
        if (n == position) shape[axis] = extent;
        return resized(target, moved(old), together ? with_extents(shape, before, extent) : shape);
      }));
}

// An extent that several sources of one node share: of a product, of an image and its weights.
void resize_operands(Candidates& found, size_t n) {
  const std::vector<int>& src = found.node(n).src;
  std::map<int64_t, int> holders;
  for (int s : src)
    if (const Node& operand = found.node(static_cast<size_t>(s)); is_source(operand))
      for (int64_t extent : std::set<int64_t>(operand.shape.begin(), operand.shape.end())) ++holders[extent];
  for (const auto& [before, count] : holders) {
    if (count < 2) continue;
    for (int64_t extent : lower(before))
      found.offer(
          rebuild(found.program, [&](Program& target, const Node& old, size_t k, const std::vector<int>&) {
            if (!is_source(old) || std::ranges::find(src, static_cast<int>(k)) == src.end()) return -1;
            return resized(target, moved(old), with_extents(old.shape, before, extent));
          }));
  }
}

template <class List>
void erase_at(List& list, size_t position) {
  if (position < list.size()) list.erase(list.begin() + static_cast<long>(position));
}

// Attributes of a node of which axis `axis` is taken out. False when that cannot be said.
bool without_axis(Attrs& attrs, size_t axis) {
  const bool windows = attrs.count("stride");  // those name the axes behind the first two
  if (windows && axis < 2) return false;
  for (auto& [key, value] : attrs) {
    if (auto* pairs = std::get_if<Pairs>(&value)) erase_at(*pairs, windows ? axis - 2 : axis);
    if (auto* number = std::get_if<int64_t>(&value); number && key == "axis") {
      if (*number == static_cast<int64_t>(axis)) return false;
      *number -= *number > static_cast<int64_t>(axis);
    }
    auto* ints = std::get_if<Ints>(&value);
    if (!ints) continue;
    if (key == "axes") {
      std::erase(*ints, static_cast<int64_t>(axis));
      for (int64_t& each : *ints) each -= each > static_cast<int64_t>(axis);
    } else {
      erase_at(*ints, windows ? axis - 2 : axis);
    }
  }
  return true;
}

// The node with axis `axis` of its shape taken out, when the same axis runs through its operands.
int node_without_axis(Program& target, const Node& old, size_t axis, const std::vector<int>& src) {
  Node copy = moved(old, src);
  if (is_source(old)) {
    if (old.shape.size() < 2 || old.op->name == "eye") return -1;
    erase_at(copy.shape, axis);
    return append(target, copy);
  }
  if (!without_axis(copy.attrs, axis)) return -1;
  // A reduce or flip of that axis only.
  if (copy.attrs.count("axes") && copy.attr<Ints>("axes").empty()) return src[0];
  return append(target, copy);
}

}  // namespace

void lower_extents(Candidates& found) {
  for (const bool together : {true, false})
    for (size_t n = 0; n < found.program.nodes.size(); ++n) {
      const Node& node = found.node(n);
      if (!is_source(node) && node.op->name != "expand") continue;
      for (size_t d = 0; d < node.shape.size(); ++d)
        for (int64_t smaller : lower(node.shape[d])) resize(found, n, d, smaller, together);
    }
  for (size_t n = 0; n < found.program.nodes.size(); ++n) resize_operands(found, n);
}

void drop_axes(Candidates& found) {
  size_t largest = 0;
  for (const Node& each : found.program.nodes) largest = std::max(largest, each.shape.size());
  for (size_t axis = 0; axis < largest; ++axis)
    found.offer(
        rebuild(found.program, [&](Program& target, const Node& old, size_t, const std::vector<int>& src) {
          return node_without_axis(target, old, axis, src);
        }));
  // An axis of extent 1 of one source.
  for (size_t n = 0; n < found.program.nodes.size(); ++n) {
    const Node& node = found.node(n);
    if (node.op->name != "input" && node.op->name != "full") continue;
    for (size_t axis = 0; axis < node.shape.size(); ++axis)
      if (node.shape[axis] == 1)
        found.change_node(n, [&](Program& target, const Node& old, const std::vector<int>&) {
          Node copy = moved(old);
          erase_at(copy.shape, axis);
          return append(target, copy);
        });
  }
}

}  // namespace uopdiff
