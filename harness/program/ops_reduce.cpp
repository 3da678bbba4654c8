#include "harness/program/op_families.h"
#include "harness/program/shape_rules.h"

namespace uopdiff::families {
namespace {

using Sources = std::vector<Formula>;

int64_t reduced_count(const Formula& x, const Ints& axes) {
  int64_t count = 1;
  for (int64_t axis : axes) count *= x.extent(axis);
  return count;
}

Formula mean(const Formula& x, const Ints& axes, bool keepdim) {
  return x.reduce("sum", axes, keepdim) / static_cast<double>(reduced_count(x, axes));
}

// With the divisor n - 1.
Formula variance(const Formula& x, const Ints& axes, bool keepdim) {
  const Formula distance = x - mean(x, axes, true).expand(x.shape());
  return (distance * distance).reduce("sum", axes, keepdim) / static_cast<double>(reduced_count(x, axes) - 1);
}

Formula logsumexp(const Formula& x, const Ints& axes, bool keepdim) {
  const Formula largest = x.reduce("max", axes, true);
  const Formula total = (x - largest.expand(x.shape())).apply("exp").reduce("sum", axes, keepdim);
  return total.apply("log") + largest.reshape(total.shape());
}

// The smallest index at which x is its extreme.
Formula argextreme(const Node& node, const Formula& x, const char* extreme) {
  const int64_t axis = node.attr<int64_t>("axis");
  const Formula found = equal(x, x.spread(extreme, {axis})), index = x.index_along(axis);
  const auto beyond = static_cast<double>(x.extent(axis));
  return choose(found, index, index.constant(beyond)).reduce("min", {axis}, node.attr<bool>("keepdim"));
}

}  // namespace

void add_reduces(Table& t) {
  using enum AttrKind;
  const auto add = [&t](const char* name, std::vector<DType> dtypes, double weight, const char* meaning,
                        auto infer, decltype(OpInfo::expansion) expansion = {}) {
    t.push_back({.name = name,
                 .category = Category::reduce,
                 .dtypes = std::move(dtypes),
                 .attrs = {required("axes", ints), with_default("keepdim", boolean, false)},
                 .weight = weight,
                 .meaning = meaning,
                 .infer = infer,
                 .expansion = std::move(expansion)});
  };
  const auto of_axes = [](auto formula) {
    return [formula](Program&, const Node& node, const Sources& x) {
      return formula(x[0], node.attr<Ints>("axes"), node.attr<bool>("keepdim"));
    };
  };
  add("sum", kNumbers, 4, "sum over axes, in the operand's dtype", rules::reduce);
  add("prod", kNumbers, 1, "product over axes, in the operand's dtype", rules::reduce);
  add("max", kNumbers, 2, "largest over axes", rules::reduce_nonempty);
  add("min", kNumbers, 2, "smallest over axes", rules::reduce_nonempty);
  add("any", kBool, 1, "true where one is", rules::reduce,
      of_axes([](const Formula& x, const Ints& axes, bool keepdim) {
        const Formula count = x.cast(DType::i32).reduce("sum", axes, keepdim);
        return unequal(count, count.constant(0));
      }));
  add("all", kBool, 1, "true where none is false", rules::reduce,
      of_axes([](const Formula& x, const Ints& axes, bool keepdim) {
        const Formula count = negate(x).cast(DType::i32).reduce("sum", axes, keepdim);
        return equal(count, count.constant(0));
      }));
  add("mean", kFloats, 1, "sum over axes, divided by their element count", rules::reduce_nonempty,
      of_axes(mean));
  add("var", kFloats, 0.7, "squared distances from the mean, divided by their count less one",
      rules::reduce_variance, of_axes(variance));
  add("std", kFloats, 0.7, "square root of var", rules::reduce_variance,
      of_axes([](const Formula& x, const Ints& axes, bool keepdim) {
        return variance(x, axes, keepdim).apply("sqrt");
      }));
  add("logsumexp", kFloats, 0.7, "log of the sum of e^x", rules::reduce_nonempty, of_axes(logsumexp));
  t.back().domains = {Domain::moderate};

  for (const char* name : {"argmax", "argmin"}) {
    const char* extreme = name == std::string("argmax") ? "max" : "min";
    t.push_back({.name = name,
                 .category = Category::reduce,
                 .dtypes = kNumbers,
                 .attrs = {required("axis", integer), with_default("keepdim", boolean, false)},
                 .weight = 0.7,
                 .meaning = std::string("index (i32) of the first ") + extreme + " along axis",
                 .infer = rules::argreduce,
                 .expansion = [extreme](Program&, const Node& node, const Sources& x) {
                   return argextreme(node, x[0], extreme);
                 }});
  }
}

}  // namespace uopdiff::families
