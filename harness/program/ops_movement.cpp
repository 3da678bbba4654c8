#include <algorithm>

#include "harness/program/op_families.h"
#include "harness/program/shape_rules.h"

namespace uopdiff::families {
namespace {

using Sources = std::vector<Formula>;

Formula eye(Program& program, const Node& node, const Sources&) {
  const Formula zeros{program, append_source(program, "full", node.dtype, node.shape, {{"value", 0.0}})};
  return choose(equal(zeros.index_along(0), zeros.index_along(1)), zeros.constant(1), zeros);
}

Formula linspace(Program& program, const Node& node, const Sources&) {
  const double start = node.attr<double>("start");
  const double step = (node.attr<double>("stop") - start) / static_cast<double>(node.shape[0] - 1);
  const Formula places{program, append_source(program, "arange", node.dtype, node.shape, {})};
  return places * step + start;
}

Formula pad_value(Program&, const Node& node, const Sources& x) {
  const auto& padding = node.attr<Pairs>("padding");
  const Formula inside{x[0].program(),
                       append_source(x[0].program(), "full", DType::boolean, x[0].shape(), {{"value", 1.0}})};
  const Formula padded = x[0].pad(padding);
  return choose(inside.pad(padding), padded, padded.constant(node.attr<double>("value")));
}

// Every step-th element of an axis: the axis padded to whole steps, cut into them, the first of each.
Formula strided(const Formula& x, int64_t axis, int64_t step) {
  const int64_t extent = x.extent(axis), count = (extent + step - 1) / step;
  if (step == 1 || extent == 0) return x;
  Shape cut = x.shape();
  cut[static_cast<size_t>(axis)] = count;
  const Shape wanted = cut;
  cut.insert(cut.begin() + axis + 1, step);
  const Formula whole = x.pad_axis(axis, 0, count * step - extent);
  return whole.reshape(cut).shrink_axis(axis + 1, 0, 1).reshape(wanted);
}

Formula slice(Program&, const Node& node, const Sources& x) {
  Formula y = x[0].shrink(node.attr<Pairs>("bounds"));
  const Ints steps = node.attr<Ints>("steps");
  Ints backwards;
  for (size_t d = 0; d < steps.size(); ++d)
    if (steps[d] < 0) backwards.push_back(static_cast<int64_t>(d));
  y = y.flip(backwards);
  for (size_t d = 0; d < steps.size(); ++d) y = strided(y, static_cast<int64_t>(d), std::abs(steps[d]));
  return y;
}

Formula stack(Program& program, const Node& node, const Sources& x) {
  const int64_t axis = node.attr<int64_t>("axis");
  std::vector<int> parts;
  for (const Formula& part : x) parts.push_back(part.insert_axis(axis).position());
  if (parts.size() == 1) return {program, parts[0]};
  return {program, append(program, "cat", parts, {{"axis", axis}})};
}

Formula repeat(Program&, const Node& node, const Sources& x) {
  Formula y = x[0];
  const Ints& repeats = node.attr<Ints>("repeats");
  for (size_t d = 0; d < repeats.size(); ++d) {
    if (repeats[d] == 1) continue;
    Shape joined = y.shape();
    joined[d] *= repeats[d];
    y = y.insert_axis(static_cast<int64_t>(d), repeats[d]).reshape(joined);
  }
  return y;
}

// The node's shape says it all.
Formula as_reshape(Program&, const Node& node, const Sources& x) { return x[0].reshape(node.shape); }

// `above`: the triangle of triu.
Formula triangle(const Node& node, const Formula& x, bool above) {
  const Formula row = x.index_along(x.rank() - 2), column = x.index_along(x.rank() - 1);
  const auto diagonal = static_cast<double>(node.attr<int64_t>("diagonal"));
  const Formula limit = row + diagonal;
  return choose(above ? less(column, limit) : less(limit, column), x.constant(0), x);
}

Formula assign_view(Program&, const Node& node, const Sources& x) {
  const auto& bounds = node.attr<Pairs>("bounds");
  Pairs padding;
  for (size_t d = 0; d < bounds.size(); ++d)
    padding.emplace_back(bounds[d].first, x[0].shape()[d] - bounds[d].second);
  const Formula inside{x[0].program(),
                       append_source(x[0].program(), "full", DType::boolean, x[1].shape(), {{"value", 1.0}})};
  return choose(inside.pad(padding), x[1].pad(padding), x[0]).apply("contiguous");
}

}  // namespace

void add_sources(Table& t) {
  using enum Category;
  using enum AttrKind;
  t.push_back(
      {.name = "input",
       .category = source,
       .min_arity = 0,
       .max_arity = 0,
       .dtypes = kAll,
       .attrs = {with_default("fill", word, std::string("small")), with_default("seed", integer, int64_t{0}),
                 with_default("below", integer, int64_t{0})},
       .weight = 6,
       .meaning = "a realised buffer; the fill 'index' is for indices below the given one",
       .infer = rules::input});
  const auto add = [&t](const char* name, std::vector<DType> dtypes, std::vector<AttrSpec> attrs,
                        const char* meaning, auto infer, decltype(OpInfo::expansion) expansion = {}) {
    t.push_back({.name = name,
                 .category = source,
                 .min_arity = 0,
                 .max_arity = 0,
                 .dtypes = std::move(dtypes),
                 .attrs = std::move(attrs),
                 .meaning = meaning,
                 .infer = infer,
                 .expansion = std::move(expansion)});
  };
  add("full", kAll, {required("value", number)}, "every element is value; no buffer", rules::full);
  add("arange", kNumbers,
      {with_default("start", integer, int64_t{0}), with_default("step", integer, int64_t{1})},
      "element k is start + k*step; no buffer", rules::arange);
  add("linspace", {DType::f32}, {required("start", number), required("stop", number)},
      "from start to stop in equal steps; no buffer", rules::linspace, linspace);
  add("eye", kAll, {}, "ones on the diagonal, zeros elsewhere; no buffer", rules::eye, eye);
}

void add_movement(Table& t) {
  using enum AttrKind;
  const auto add = [&t](const char* name, int arity, std::vector<AttrSpec> attrs, double weight,
                        const char* meaning, auto infer, decltype(OpInfo::expansion) expansion = {}) {
    t.push_back({.name = name,
                 .category = Category::movement,
                 .min_arity = arity,
                 .max_arity = arity,
                 .dtypes = kAll,
                 .attrs = std::move(attrs),
                 .weight = weight,
                 .meaning = meaning,
                 .infer = infer,
                 .expansion = std::move(expansion)});
  };
  add("reshape", 1, {required("shape", ints)}, 4, "same elements in C order", rules::reshape);
  add("permute", 1, {required("axes", ints)}, 4, "result axis i is source axis axes[i]", rules::permute);
  add("expand", 1, {required("shape", ints)}, 3, "an extent of 1 is repeated", rules::expand);
  add("pad", 1, {required("padding", pairs)}, 4, "zeros before and after each axis", rules::pad);
  add("shrink", 1, {required("bounds", pairs)}, 4, "a half-open window of each axis", rules::shrink);
  add("flip", 1, {required("axes", ints)}, 3, "the named axes run backwards", rules::flip);
  add("contiguous", 1, {}, 2, "same values, materialised", rules::elementwise);
  add("cat", 2, {required("axis", integer)}, 3, "operands one after another along axis", rules::cat);
  t.back().max_arity = 8;

  add("pad_value", 1, {required("padding", pairs), required("value", number)}, 1,
      "value before and after each axis", rules::pad_value, pad_value);
  add("slice", 1, {required("bounds", pairs), required("steps", ints)}, 2,
      "a window, reversed where the step is negative, then every |step|-th element", rules::slice, slice);
  add("stack", 2, {required("axis", integer)}, 1, "operands one after another along a new axis", rules::stack,
      stack);
  t.back().max_arity = 8;
  add("repeat", 1, {required("repeats", ints)}, 1, "each axis so many times over", rules::repeat, repeat);
  add("squeeze", 1, {required("axis", integer)}, 0.7, "without an axis of extent 1", rules::squeeze,
      as_reshape);
  add("unsqueeze", 1, {required("axis", integer)}, 0.7, "with a new axis of extent 1", rules::unsqueeze,
      as_reshape);
  add("flatten", 1, {required("start", integer), required("end", integer)}, 0.7,
      "axes start to end (included) as one", rules::flatten, as_reshape);
  add("tril", 1, {with_default("diagonal", integer, int64_t{0})}, 0.7, "0 where column - row > diagonal",
      rules::triangle,
      [](Program&, const Node& node, const Sources& x) { return triangle(node, x[0], false); });
  add("triu", 1, {with_default("diagonal", integer, int64_t{0})}, 0.7, "0 where column - row < diagonal",
      rules::triangle,
      [](Program&, const Node& node, const Sources& x) { return triangle(node, x[0], true); });
  add("detach", 1, {}, 0.3, "same values", rules::elementwise,
      [](Program&, const Node&, const Sources& x) { return x[0]; });
  add("realize", 1, {}, 0.5, "same values, executed at this place of the program", rules::elementwise,
      [](Program&, const Node&, const Sources& x) { return x[0].apply("contiguous"); });
  add("assign", 2, {}, 0.5,
      "the second operand written into the buffer of the first (input, realize or assign)", rules::assign,
      [](Program&, const Node&, const Sources& x) { return x[1].apply("contiguous"); });
  add("assign_view", 2, {required("bounds", pairs)}, 0.5, "likewise into a window of it; the whole buffer",
      rules::assign_view, assign_view);
}

}  // namespace uopdiff::families
