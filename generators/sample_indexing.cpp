#include <algorithm>

#include "generators/samplers.h"

namespace uopdiff {
namespace {

// An index shape that fits n: along the axis any extent, elsewhere no more than n's.
Shape index_shape(Workbench& b, int n, int64_t axis) {
  Shape shape = b.node(n).shape;
  for (int64_t& extent : shape)
    if (extent > 1 && b.draw.chance(0.3)) extent = b.draw.range(1, extent);
  shape[static_cast<size_t>(axis)] = b.draw.range(1, 5);
  return shape;
}

bool too_large(const Shape& index, int64_t extent) { return element_count(index) * extent > kMaxExpanded; }

int gather(Workbench& b, const OpInfo& op, int n) {
  if (b.rank(n) == 0) return n;
  const int64_t axis = b.axis(n), extent = b.node(n).shape[static_cast<size_t>(axis)];
  const Shape index = index_shape(b, n, axis);
  if (too_large(index, extent)) return n;
  return append(b.program, op.name, {n, b.indices(index, extent)}, {{"axis", axis}});
}

int index_select(Workbench& b, const OpInfo& op, int n) {
  if (b.rank(n) == 0) return n;
  const int64_t axis = b.axis(n), extent = b.node(n).shape[static_cast<size_t>(axis)],
                count = b.draw.range(1, 5);
  if (element_count(b.node(n).shape) * count > kMaxExpanded) return n;
  return append(b.program, op.name, {n, b.indices({count}, extent)}, {{"axis", axis}});
}

int scatter(Workbench& b, const OpInfo& op, int n) {
  if (b.rank(n) == 0) return n;
  const int64_t axis = b.axis(n), extent = b.node(n).shape[static_cast<size_t>(axis)];
  const Shape index = index_shape(b, n, axis);
  if (too_large(index, extent)) return n;
  const int source =
      b.draw.chance(0.4) ? b.to_shape(b.any_of(b.node(n).dtype), index) : b.source(b.node(n).dtype, index);
  Attrs attrs{{"axis", axis}};
  if (op.find_attr("reduce")) {
    attrs["reduce"] = b.draw.one_of<std::string>(
        {std::string("sum"), std::string("prod"), std::string("amax"), std::string("amin")});
    attrs["include_self"] = b.draw.chance(0.5);
  }
  return append(b.program, op.name, {n, b.indices(index, extent), source}, attrs);
}

int one_hot(Workbench& b, const OpInfo& op, int n) {
  const int64_t classes = b.draw.range(1, 6);
  if (b.rank(n) >= kMaxRank || element_count(b.node(n).shape) * classes > b.largest()) return n;
  const int index = b.draw.chance(0.6) ? b.indices(b.node(n).shape, classes) : n;
  return append(b.program, op.name, {index}, {{"classes", classes}});
}

}  // namespace

Samplers indexing_samplers() {
  return {{"gather", gather},
          {"index_select", index_select},
          {"scatter", scatter},
          {"scatter_reduce", scatter},
          {"one_hot", one_hot}};
}

}  // namespace uopdiff
