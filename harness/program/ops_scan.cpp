#include "harness/program/op_families.h"
#include "harness/program/shape_rules.h"

namespace uopdiff::families {
namespace {

using Sources = std::vector<Formula>;

int64_t axis_of(const Node& node) { return node.attr<int64_t>("axis"); }

// The axis twice, one behind the other: `x` varies along the first (outer) or the second (inner) of them.
Formula along_outer(const Formula& x, int64_t axis) { return x.insert_axis(axis + 1, x.extent(axis)); }
Formula along_inner(const Formula& x, int64_t axis) { return x.insert_axis(axis, x.extent(axis)); }

Formula shifted(const Formula& x, int64_t axis) { return x - x.spread("max", {axis}); }

Formula softmax(const Formula& x, int64_t axis) {
  const Formula powers = shifted(x, axis).apply("exp");
  return powers / powers.spread("sum", {axis});
}

Formula log_softmax(const Formula& x, int64_t axis) {
  const Formula y = shifted(x, axis);
  return y - y.apply("exp").reduce("sum", {axis}, true).apply("log").expand(x.shape());
}

// y[i] = reduce over j <= i of x[j].
Formula cumulative(const Formula& x, int64_t axis, const char* op, double identity) {
  const Formula terms = along_inner(x, axis);
  const Formula later = less(terms.index_along(axis), terms.index_along(axis + 1));
  return choose(later, terms.constant(identity), terms).reduce(op, {axis + 1}, false);
}

// How many elements come before each one: smaller (larger) ones, and equal ones in front of it.
Formula rank_along(const Formula& x, int64_t axis, bool descending) {
  const Formula self = along_outer(x, axis), other = along_inner(x, axis);
  const Formula ahead = descending ? less(self, other) : less(other, self);
  const Formula in_front = less(self.index_along(axis + 1), self.index_along(axis));
  return either(ahead, both(equal(self, other), in_front)).cast(DType::i32).reduce("sum", {axis + 1}, false);
}

// `values` in the order of `rank`: y[k] = the one whose rank is k.
Formula ordered(const Formula& values, const Formula& rank, int64_t axis) {
  const Formula ranks = along_inner(rank, axis), candidates = along_inner(values, axis);
  const Formula chosen = equal(ranks, ranks.index_along(axis));
  return choose(chosen, candidates, candidates.constant(0)).reduce("sum", {axis + 1}, false);
}

// The definition holds every pair of elements.
void pairs_along(Node& node, const Operands& src) {
  rules::along_axis(node, src);
  Shape square = node.shape;
  square.push_back(node.shape[static_cast<size_t>(axis_of(node))]);
  rules::check_shape(square);
}

}  // namespace

void add_scans(Table& t) {
  using enum AttrKind;
  const auto add = [&t](const char* name, std::vector<DType> dtypes, double weight, const char* meaning,
                        auto infer, auto formula, std::vector<AttrSpec> more = {}) {
    std::vector<AttrSpec> attrs{required("axis", integer)};
    attrs.insert(attrs.end(), more.begin(), more.end());
    t.push_back({.name = name,
                 .category = Category::scan,
                 .dtypes = std::move(dtypes),
                 .attrs = std::move(attrs),
                 .weight = weight,
                 .meaning = meaning,
                 .infer = infer,
                 .expansion = [formula](Program&, const Node& node, const Sources& x) {
                   return formula(node, x[0]);
                 }});
  };
  const AttrSpec descending = with_default("descending", boolean, false);
  add("softmax", kFloats, 2, "e^(x - max) divided by its sum along axis", rules::along_nonempty,
      [](const Node& n, const Formula& x) { return softmax(x, axis_of(n)); });
  t.back().domains = {Domain::moderate};
  add("log_softmax", kFloats, 1, "logarithm of softmax", rules::along_nonempty,
      [](const Node& n, const Formula& x) { return log_softmax(x, axis_of(n)); });
  t.back().domains = {Domain::moderate};
  add("cumsum", kNumbers, 2, "sum of the elements up to this one along axis", pairs_along,
      [](const Node& n, const Formula& x) { return cumulative(x, axis_of(n), "sum", 0); });
  add("cumprod", kNumbers, 1, "product of the elements up to this one along axis", pairs_along,
      [](const Node& n, const Formula& x) { return cumulative(x, axis_of(n), "prod", 1); });
  add("sort", kNumbers, 1, "in order along axis", pairs_along,
      [](const Node& n, const Formula& x) {
        return ordered(x, rank_along(x, axis_of(n), n.attr<bool>("descending")), axis_of(n));
      },
      {descending});
  add("argsort", kNumbers, 0.5, "the indices (i32) that sort along axis; equal elements keep their order",
      pairs_along,
      [](const Node& n, const Formula& x) {
        return ordered(x.index_along(axis_of(n)), rank_along(x, axis_of(n), n.attr<bool>("descending")),
                       axis_of(n));
      },
      {descending});
  t.back().infer = [](Node& node, const Operands& src) {
    pairs_along(node, src);
    rules::argsort(node, src);
  };
  add("topk", kNumbers, 0.5, "the k largest (smallest) along axis, in order", rules::topk,
      [](const Node& n, const Formula& x) {
        const Formula sorted =
            x.apply("sort", {{"axis", axis_of(n)}, {"descending", n.attr<bool>("largest")}});
        return sorted.shrink_axis(axis_of(n), 0, n.attr<int64_t>("k"));
      },
      {required("k", integer), with_default("largest", boolean, true)});
  t.back().infer = [](Node& node, const Operands& src) {
    pairs_along(node, src);
    rules::topk(node, src);
  };
}

}  // namespace uopdiff::families
