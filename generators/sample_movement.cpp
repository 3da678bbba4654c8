#include <algorithm>

#include "generators/samplers.h"

namespace uopdiff {
namespace {

int reshape(Workbench& b, const OpInfo& op, int n) {
  return append(b.program, op.name, {n}, {{"shape", cut_anew(b, n)}});
}
int permute(Workbench& b, const OpInfo& op, int n) {
  return append(b.program, op.name, {n}, {{"axes", shuffled_axes(b, n)}});
}

int expand(Workbench& b, const OpInfo& op, int n) {
  Shape shape = b.node(n).shape;
  if (std::ranges::find(shape, 1) == shape.end()) {
    if (shape.size() >= kMaxRank) return n;
    shape.insert(shape.begin() + b.draw.range(0, static_cast<int64_t>(shape.size())), 1);
    n = append(b.program, "reshape", {n}, {{"shape", shape}});
  }
  bool grown = false;
  for (int64_t& extent : shape)
    if (extent == 1 && (!grown || b.draw.chance(0.4))) {
      extent = b.draw.range(2, 5);
      grown = true;
    }
  if (element_count(shape) > b.largest()) return n;
  return append(b.program, op.name, {n}, {{"shape", shape}});
}

int pad(Workbench& b, const OpInfo& op, int n) {
  if (b.rank(n) == 0) return n;
  Pairs padding(b.node(n).shape.size());
  Shape shape = b.node(n).shape;
  const int64_t sure = b.axis(n);
  for (int64_t d = 0; d < b.rank(n); ++d) {
    if (d != sure && !b.draw.chance(0.35)) continue;
    auto& [before, behind] = padding[static_cast<size_t>(d)];
    before = b.draw.range(0, 2);
    behind = b.draw.range(before == 0 ? 1 : 0, 2);
    shape[static_cast<size_t>(d)] += before + behind;
  }
  if (element_count(shape) > b.largest()) return n;
  Attrs attrs{{"padding", padding}};
  if (op.find_attr("value"))
    attrs["value"] = static_cast<double>(b.draw.range(1, b.node(n).dtype == DType::boolean ? 1 : 3));
  return append(b.program, op.name, {n}, attrs);
}

// A window of each axis, nearly never an empty one.
Pairs window(Workbench& b, int n) {
  Pairs bounds;
  const int64_t sure = b.axis(n);
  for (int64_t d = 0; d < b.rank(n); ++d) {
    const int64_t extent = b.node(n).shape[static_cast<size_t>(d)];
    if (extent == 0 || (d != sure && !b.draw.chance(0.35))) {
      bounds.emplace_back(0, extent);
      continue;
    }
    const int64_t begin = b.draw.range(0, extent - 1);
    bounds.emplace_back(begin, b.draw.chance(b.profile.empty) ? begin : b.draw.range(begin + 1, extent));
  }
  return bounds;
}

int shrink(Workbench& b, const OpInfo& op, int n) {
  return b.rank(n) == 0 ? n : append(b.program, op.name, {n}, {{"bounds", window(b, n)}});
}

int slice(Workbench& b, const OpInfo& op, int n) {
  if (b.rank(n) == 0) return n;
  const Pairs bounds = b.draw.chance(0.5) ? window(b, n) : [&] {
    Pairs whole;
    for (int64_t extent : b.node(n).shape) whole.emplace_back(0, extent);
    return whole;
  }();
  Ints steps;
  for (size_t d = 0; d < bounds.size(); ++d) steps.push_back(b.draw.one_of<int64_t>({1, 1, 2, 3, -1, -2}));
  return append(b.program, op.name, {n}, {{"bounds", bounds}, {"steps", steps}});
}

int flip(Workbench& b, const OpInfo& op, int n) {
  return b.rank(n) == 0 ? n : append(b.program, op.name, {n}, {{"axes", some_axes(b, n)}});
}

// Mostly two or three.
int64_t parts_of(Workbench& b) { return b.draw.chance(0.9) ? b.draw.range(2, 3) : b.draw.range(4, 8); }

int cat(Workbench& b, const OpInfo& op, int n) {
  if (b.rank(n) == 0) return n;
  const int64_t along = b.axis(n);
  std::vector<int> parts{n};
  const int64_t count = parts_of(b), extent = b.node(n).shape[static_cast<size_t>(along)];
  while (static_cast<int64_t>(parts.size()) < count) {
    int part = b.draw.chance(0.3) ? n : b.partner(n);
    if (b.draw.chance(0.4) && extent > 1) {  // parts of unlike extents
      Pairs bounds;
      for (int64_t each : b.node(n).shape) bounds.emplace_back(0, each);
      bounds[static_cast<size_t>(along)].second = b.draw.range(1, extent - 1);
      part = append(b.program, "shrink", {part}, {{"bounds", bounds}});
    }
    parts.push_back(part);
  }
  if (element_count(b.node(n).shape) * count > b.largest()) return n;
  return append(b.program, op.name, parts, {{"axis", along}});
}

int stack(Workbench& b, const OpInfo& op, int n) {
  const int64_t count = parts_of(b);
  if (b.rank(n) >= kMaxRank || element_count(b.node(n).shape) * count > b.largest()) return n;
  std::vector<int> parts{n};
  while (static_cast<int64_t>(parts.size()) < count) parts.push_back(b.partner(n));
  return append(b.program, op.name, parts, {{"axis", b.draw.range(0, b.rank(n))}});
}

int repeat(Workbench& b, const OpInfo& op, int n) {
  Ints repeats;
  int64_t count = element_count(b.node(n).shape);
  for (int64_t d = 0; d < b.rank(n); ++d) {
    repeats.push_back(b.draw.one_of<int64_t>({1, 1, 2, 3}));
    count *= repeats.back();
  }
  return count > b.largest() ? n : append(b.program, op.name, {n}, {{"repeats", repeats}});
}

int squeeze(Workbench& b, const OpInfo& op, int n) {
  Shape shape = b.node(n).shape;
  auto one = std::ranges::find(shape, 1);
  if (one == shape.end()) {
    if (shape.size() >= kMaxRank) return n;
    one = shape.insert(shape.begin() + b.draw.range(0, static_cast<int64_t>(shape.size())), 1);
    n = append(b.program, "reshape", {n}, {{"shape", shape}});
  }
  return append(b.program, op.name, {n}, {{"axis", static_cast<int64_t>(one - shape.begin())}});
}

int unsqueeze(Workbench& b, const OpInfo& op, int n) {
  return b.rank(n) >= kMaxRank ? n : append(b.program, op.name, {n}, {{"axis", b.draw.range(0, b.rank(n))}});
}

int flatten(Workbench& b, const OpInfo& op, int n) {
  if (b.rank(n) == 0) return n;
  const int64_t start = b.axis(n);
  return append(b.program, op.name, {n}, {{"start", start}, {"end", b.draw.range(start, b.rank(n) - 1)}});
}

int triangle(Workbench& b, const OpInfo& op, int n) {
  return append(b.program, op.name, {b.with_rank(n, 2)}, {{"diagonal", b.draw.range(-2, 2)}});
}

// ---- writing into a buffer

// A buffer: what n is of, or n executed.
int target_of(Workbench& b, int n) {
  const std::string& made_by = b.node(n).op->name;
  const bool is_buffer = made_by == "input" || made_by == "realize" || made_by.starts_with("assign");
  return is_buffer && b.draw.chance(0.5) ? n : append(b.program, "realize", {n});
}

// Of the target's shape: its old contents changed or moved, or anything else.
int new_contents(Workbench& b, int target) {
  if (b.draw.chance(0.3)) return b.partner(target);
  return append(b.program, b.node(target).dtype == DType::boolean ? "xor" : "add",
                {target, b.partner(target)});
}

int assign(Workbench& b, const OpInfo& op, int n) {
  const int target = target_of(b, n);
  const int result = append(b.program, op.name, {target, new_contents(b, target)});
  b.forget_before(result);
  return result;
}

int assign_view(Workbench& b, const OpInfo& op, int n) {
  if (b.rank(n) == 0) return n;
  const int target = target_of(b, n);
  const Pairs bounds = window(b, target);
  Pairs from = bounds;  // where the new values lie: often elsewhere, overlapping what they are written to
  Shape shape;
  for (size_t d = 0; d < bounds.size(); ++d) {
    const int64_t extent = bounds[d].second - bounds[d].first;
    shape.push_back(extent);
    if (!b.draw.chance(0.5)) continue;
    from[d].first = b.draw.range(0, b.node(target).shape[d] - extent);
    from[d].second = from[d].first + extent;
  }
  const int value = b.draw.chance(0.3)
                        ? b.source(b.node(target).dtype, shape)
                        : append(b.program, "shrink", {b.draw.chance(0.4) ? target : new_contents(b, target)},
                                 {{"bounds", from}});
  const int result = append(b.program, op.name, {target, value}, {{"bounds", bounds}});
  b.forget_before(result);
  return result;
}

}  // namespace

Samplers movement_samplers() {
  return {{"reshape", reshape},
          {"permute", permute},
          {"expand", expand},
          {"pad", pad},
          {"pad_value", pad},
          {"shrink", shrink},
          {"slice", slice},
          {"flip", flip},
          {"cat", cat},
          {"stack", stack},
          {"repeat", repeat},
          {"squeeze", squeeze},
          {"unsqueeze", unsqueeze},
          {"flatten", flatten},
          {"tril", triangle},
          {"triu", triangle},
          {"assign", assign},
          {"assign_view", assign_view}};
}

}  // namespace uopdiff
