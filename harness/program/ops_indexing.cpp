#include <fmt/format.h>

#include <cmath>

#include "harness/program/op_families.h"
#include "harness/program/shape_rules.h"

namespace uopdiff::families {
namespace {

using Sources = std::vector<Formula>;

int64_t axis_of(const Node& node) { return node.attr<int64_t>("axis"); }

void check_index(const Node& index) { rules::check_dtype(index, DType::i32, "index"); }

// Indices reach along `axis` only; elsewhere they stay within the shape.
void check_reach(const Shape& shape, const Shape& index, int64_t axis) {
  bool fits = shape.size() == index.size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = static_cast<int64_t>(d) == axis || index[d] <= shape[d];
  if (!fits)
    rules::fail(fmt::format("an index of shape {} does not fit {}", shape_text(index), shape_text(shape)));
}

void check_pairs(const Shape& index, int64_t extent) {
  Shape pairs = index;
  pairs.push_back(extent);
  rules::check_shape(pairs);
}

void infer_gather(Node& node, const Operands& src) {
  rules::along_axis(node, src);
  check_index(*src[1]);
  check_reach(src[0]->shape, src[1]->shape, axis_of(node));
  check_pairs(src[1]->shape, node.shape[static_cast<size_t>(axis_of(node))]);
  node.shape = src[1]->shape;
}

// The front of x in every axis but one.
Formula front(const Formula& x, const Shape& wanted, int64_t axis) {
  Pairs bounds;
  for (size_t d = 0; d < wanted.size(); ++d)
    bounds.emplace_back(0, static_cast<int64_t>(d) == axis ? x.shape()[d] : wanted[d]);
  return x.shrink(bounds);
}

// y[..,i,..] = x[.., index[..,i,..], ..]: the sum over j of x[..,j,..] where index is j.
Formula gather(const Formula& x, const Formula& index, int64_t axis) {
  const Formula wanted = index.insert_axis(axis + 1, x.extent(axis));
  const Formula values = front(x, index.shape(), axis).insert_axis(axis, index.extent(axis));
  const Formula chosen = equal(wanted, wanted.index_along(axis + 1));
  return choose(chosen, values, values.constant(0)).reduce("sum", {axis + 1}, false);
}

void infer_index_select(Node& node, const Operands& src) {
  rules::along_axis(node, src);
  check_index(*src[1]);
  if (src[1]->shape.size() != 1)
    rules::fail(fmt::format("its index has rank 1, not shape {}", shape_text(src[1]->shape)));
  int64_t& extent = node.shape[static_cast<size_t>(axis_of(node))];
  check_pairs(node.shape, src[1]->shape[0]);
  extent = src[1]->shape[0];
}

Formula index_select(Program&, const Node& node, const Sources& x) {
  Shape along(node.shape.size(), 1);
  along[static_cast<size_t>(axis_of(node))] = x[1].extent(0);
  return gather(x[0], x[1].reshape(along).expand(node.shape), axis_of(node));
}

void infer_scatter(Node& node, const Operands& src) {
  rules::same_dtype({src[0], src[2]});
  rules::same_shape({src[1], src[2]});
  rules::along_axis(node, src);
  check_index(*src[1]);
  check_reach(src[0]->shape, src[1]->shape, axis_of(node));
  check_pairs(src[1]->shape, node.shape[static_cast<size_t>(axis_of(node))]);
}

// For each target place (axis) and each index (axis + 1) whether the one is written by the other.
struct Hits {
  Formula hit, values;  // of one shape
};

Hits hits_of(const Node& node, const Sources& x) {
  const int64_t axis = axis_of(node), places = x[0].extent(axis);
  const Formula index = x[1].insert_axis(axis, places);
  return {equal(index, index.index_along(axis)), x[2].insert_axis(axis, places)};
}

// What indices do not cover of the other axes is padded.
Pairs rest_of(const Shape& whole, const Shape& part) {
  Pairs padding;
  for (size_t d = 0; d < whole.size(); ++d) padding.emplace_back(0, whole[d] - part[d]);
  return padding;
}

Formula scatter(Program&, const Node& node, const Sources& x) {
  const int64_t axis = axis_of(node);
  const auto [hit, values] = hits_of(node, x);
  const Formula order = values.index_along(axis + 1);
  const Formula rank = choose(hit, order + 1.0, order.constant(0));  // 0: no hit
  const Formula last = rank.reduce("sum", {axis + 1}, false).constant(0);
  if (x[1].extent(axis) == 0) return x[0];
  const Formula winner = rank.reduce("max", {axis + 1}, true);
  const Formula chosen = both(hit, equal(rank, winner.expand(rank.shape())));
  const Formula written = choose(chosen, values, values.constant(0)).reduce("sum", {axis + 1}, false);
  const Formula is_written = less(last, winner.reshape(last.shape()));
  const Pairs rest = rest_of(node.shape, written.shape());
  return choose(is_written.pad(rest), written.pad(rest), x[0]);
}

void infer_scatter_reduce(Node& node, const Operands& src) {
  infer_scatter(node, src);
  const auto& how = node.attr<std::string>("reduce");
  if (how != "sum" && how != "prod" && how != "amax" && how != "amin")
    rules::fail(fmt::format("reduce '{}' is not sum, prod, amax or amin", how));
  if (src[1]->shape[static_cast<size_t>(axis_of(node))] == 0)
    rules::fail("its index has no elements along the axis");
}

Formula scatter_reduce(Program&, const Node& node, const Sources& x) {
  const int64_t axis = axis_of(node);
  const auto& how = node.attr<std::string>("reduce");
  const bool real = is_float(node.dtype);
  const char *reduce = "sum", *combine = "add";
  double identity = 0;
  if (how == "prod") reduce = "prod", combine = "mul", identity = 1;
  if (how == "amax")
    reduce = "max", combine = "maximum",
    identity = real ? -INFINITY : static_cast<double>(int_lowest(node.dtype));
  if (how == "amin")
    reduce = "min", combine = "minimum",
    identity = real ? INFINITY : static_cast<double>(int_largest(node.dtype));
  const auto [hit, values] = hits_of(node, x);
  const Formula brought = choose(hit, values, values.constant(identity)).reduce(reduce, {axis + 1}, false);
  const Formula hits = hit.cast(DType::i32).reduce("sum", {axis + 1}, false);
  const Formula is_hit = less(hits.constant(0), hits);
  const Pairs rest = rest_of(node.shape, brought.shape());
  const Formula padded = brought.pad(rest);
  const Formula combined = node.attr<bool>("include_self") ? x[0].apply(combine, padded) : padded;
  return choose(is_hit.pad(rest), combined, x[0]);
}

void infer_one_hot(Node& node, const Operands& src) {
  check_index(*src[0]);
  node.dtype = DType::i32;
  node.shape = src[0]->shape;
  const int64_t classes = node.attr<int64_t>("classes");
  if (classes < 1) rules::fail(fmt::format("classes {} is below 1", classes));
  node.shape.push_back(classes);
  rules::check_shape(node.shape);
}

Formula one_hot(Program&, const Node& node, const Sources& x) {
  const Formula index = x[0].insert_axis(x[0].rank(), node.attr<int64_t>("classes"));
  return equal(index, index.index_along(index.rank() - 1)).cast(DType::i32);
}

}  // namespace

void add_indexing(Table& t) {
  using enum AttrKind;
  const auto add = [&t](const char* name, int arity, std::vector<DType> dtypes, std::vector<AttrSpec> attrs,
                        const char* meaning, auto infer, auto expansion) {
    t.push_back({.name = name,
                 .category = Category::composite,
                 .min_arity = arity,
                 .max_arity = arity,
                 .dtypes = std::move(dtypes),
                 .attrs = std::move(attrs),
                 .meaning = meaning,
                 .infer = infer,
                 .expansion = expansion});
  };
  const AttrSpec axis = required("axis", integer);
  add("gather", 2, kNumbers, {axis}, "x at the index (i32) along axis; 0 outside", infer_gather,
      [](Program&, const Node& node, const Sources& x) { return gather(x[0], x[1], axis_of(node)); });
  add("index_select", 2, kNumbers, {axis}, "the slices of x at an index (i32, rank 1) of axis; 0 outside",
      infer_index_select, index_select);
  add("scatter", 3, kNumbers, {axis},
      "x with the third operand written at the index (i32); the last one wins", infer_scatter, scatter);
  // The identities of 64-bit integers are no numbers of the program text.
  std::vector<DType> narrow = kNumbers;
  std::erase_if(narrow, [](DType d) { return is_int(d) && bit_width(d) == 64; });
  add("scatter_reduce", 3, narrow,
      {axis, required("reduce", word), with_default("include_self", boolean, true)},
      "likewise reduced by sum, prod, amax or amin", infer_scatter_reduce, scatter_reduce);
  add("one_hot", 1, {DType::i32}, {required("classes", integer)}, "1 at the index in a new last axis, else 0",
      infer_one_hot, one_hot);
}

}  // namespace uopdiff::families
