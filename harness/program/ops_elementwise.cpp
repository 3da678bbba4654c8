#include <cmath>

#include "harness/program/op_families.h"
#include "harness/program/shape_rules.h"

namespace uopdiff::families {
namespace {

using Sources = std::vector<Formula>;
using Expansion = decltype(OpInfo::expansion);

// Most expansions need neither the program nor attributes.
Expansion of_one(Formula (*formula)(const Formula&)) {
  return [formula](Program&, const Node&, const Sources& x) { return formula(x[0]); };
}
Expansion of_two(Formula (*formula)(const Formula&, const Formula&)) {
  return [formula](Program&, const Node&, const Sources& x) { return formula(x[0], x[1]); };
}

Formula absolute(const Formula& x) {
  if (!is_signed(x.dtype())) return x;
  return choose(less(x, x.constant(0)), -x, x);
}
Formula sign(const Formula& x) {
  const Formula zero = x.constant(0), up = choose(less(zero, x), x.constant(1), zero);
  return is_signed(x.dtype()) ? choose(less(x, zero), x.constant(-1), up) : up;
}
Formula floor(const Formula& x) {
  const Formula whole = x.apply("trunc");
  return choose(less(x, whole), whole - 1, whole);
}
Formula ceil(const Formula& x) {
  const Formula whole = x.apply("trunc");
  return choose(less(whole, x), whole + 1, whole);
}
// Of the two whole numbers beside x the nearer; halfway the even one.
Formula round(const Formula& x) {
  const Formula lower = floor(x), distance = x - lower, half = x.constant(0.5);
  const Formula is_odd = unequal(lower, floor(lower * 0.5) * 2.0);
  const Formula up = either(less(half, distance), both(equal(distance, half), is_odd));
  return choose(up, lower + 1, lower);
}
Formula clamp(const Node& node, const Formula& x) {
  const Formula low = x.constant(node.attr<double>("min")), high = x.constant(node.attr<double>("max"));
  const Formula raised = choose(less(x, low), low, x);
  return choose(less(high, raised), high, raised);
}

// Where the truncating remainder is not zero and has the other sign than the divisor, floor and truncation
// differ.
Formula floor_differs(const Formula& remainder, const Formula& divisor) {
  const Formula zero = divisor.constant(0);
  return both(unequal(remainder, zero), unequal(less(remainder, zero), less(divisor, zero)));
}
Formula floordiv(const Formula& a, const Formula& b) {
  const Formula quotient = a.apply("truncdiv", b);
  if (!is_signed(a.dtype())) return quotient;
  return choose(floor_differs(a.apply("truncmod", b), b), quotient - 1, quotient);
}
Formula floormod(const Formula& a, const Formula& b) {
  const Formula remainder = a.apply("truncmod", b);
  if (!is_signed(a.dtype())) return remainder;
  return choose(floor_differs(remainder, b), remainder + b, remainder);
}

void add_unary(Table& t) {
  const auto add = [&t](const char* name, std::vector<DType> dtypes, const char* meaning,
                        Expansion expansion = {}, std::vector<Domain> domains = {}) {
    t.push_back({.name = name,
                 .category = Category::unary,
                 .dtypes = std::move(dtypes),
                 .meaning = meaning,
                 .infer = rules::elementwise,
                 .expansion = std::move(expansion),
                 .domains = std::move(domains)});
  };
  using enum Domain;
  add("neg", kNumbers, "-x; integers wrap");
  t.back().weight = 2;
  add("abs", kNumbers, "|x|; integers wrap", of_one(absolute));
  add("sign", kNumbers, "-1, 0 or 1", of_one(sign));
  add("square", kNumbers, "x*x", of_one([](const Formula& x) { return x * x; }));
  add("bitwise_not", kInts, "all bits inverted", of_one([](const Formula& x) { return -x - 1.0; }));
  add("logical_not", kBool, "true where x is false");
  add("isnan", kFloats, "x is no number", of_one([](const Formula& x) { return unequal(x, x); }));
  t.back().infer = rules::to_bool;
  add("isinf", kFloats, "x is an infinity", of_one([](const Formula& x) {
        return either(equal(x, x.constant(INFINITY)), equal(x, x.constant(-INFINITY)));
      }));
  t.back().infer = rules::to_bool;
  add("sqrt", kFloats, "square root; NaN below zero", {}, {positive});
  add("rsqrt", kFloats, "1/sqrt(x)",
      of_one([](const Formula& x) { return x.apply("sqrt").apply("reciprocal"); }), {positive});
  add("reciprocal", kFloats, "1/x", {}, {positive});
  add("exp", kFloats, "e^x", {}, {moderate});
  add("exp2", kFloats, "2^x", {}, {moderate});
  add("log", kFloats, "natural logarithm", {}, {positive});
  add("log2", kFloats, "logarithm to base 2", {}, {positive});
  add("sin", kFloats, "sine of x radians");
  add("trunc", kFloats, "rounded to zero");
  add("floor", kFloats, "rounded to minus infinity", of_one(floor));
  add("ceil", kFloats, "rounded to plus infinity", of_one(ceil));
  add("round", kFloats, "rounded to the nearest, halves to even", of_one(round));
  t.push_back({.name = "clamp",
               .category = Category::unary,
               .dtypes = kNumbers,
               .attrs = {required("min", AttrKind::number), required("max", AttrKind::number)},
               .meaning = "min below min, max above max, else x",
               .infer = rules::clamp,
               .expansion = [](Program&, const Node& node, const Sources& x) { return clamp(node, x[0]); }});
}

void add_binary(Table& t) {
  const auto add = [&t](const char* name, std::vector<DType> dtypes, double weight, const char* meaning,
                        Expansion expansion = {}, Domain second = Domain::any) {
    t.push_back({.name = name,
                 .category = Category::binary,
                 .min_arity = 2,
                 .max_arity = 2,
                 .dtypes = std::move(dtypes),
                 .weight = weight,
                 .meaning = meaning,
                 .infer = rules::elementwise,
                 .expansion = std::move(expansion),
                 .domains = {Domain::any, second}});
  };
  using enum Domain;
  add("add", kNumbers, 4, "x + y; integers wrap");
  add("sub", kNumbers, 2, "x - y; integers wrap");
  add("mul", kNumbers, 4, "x * y; integers wrap");
  add("div", kFloats, 1, "x / y", {}, positive);
  add("pow", kFloats, 0.7, "x^y; NaN for x below 0 and y not whole", {}, moderate);
  t.back().domains[0] = positive;
  add("floordiv", kInts, 1, "quotient rounded to minus infinity", of_two(floordiv), nonzero);
  add("truncdiv", kInts, 1, "quotient rounded to zero", {}, nonzero);
  add("floormod", kInts, 1, "remainder with the divisor's sign", of_two(floormod), nonzero);
  add("truncmod", kInts, 1, "remainder with the dividend's sign", {}, nonzero);
  add("maximum", kNumbers, 2, "the larger");
  add("minimum", kNumbers, 2, "the smaller",
      of_two([](const Formula& a, const Formula& b) { return choose(less(a, b), a, b); }));
  add("and", kBits, 1, "bitwise and");
  add("or", kBits, 1, "bitwise or");
  add("xor", kBits, 1, "bitwise exclusive or");
  add("shl", kInts, 0.5, "x * 2^y, wraps; y in 0..width-1", {}, shift);
  add("shr", kInts, 0.5, "floor(x / 2^y); y in 0..width-1", {}, shift);

  const auto add_compare = [&](const char* name, std::vector<DType> dtypes, const char* meaning,
                               Expansion expansion = {}) {
    add(name, std::move(dtypes), 1, meaning, std::move(expansion));
    t.back().category = Category::compare;
    t.back().infer = rules::to_bool;
  };
  add_compare("lt", kNumbers, "x < y");
  t.back().weight = 2;
  add_compare("gt", kNumbers, "x > y", of_two([](const Formula& a, const Formula& b) { return less(b, a); }));
  add_compare("le", kNumbers, "x <= y",
              of_two([](const Formula& a, const Formula& b) { return negate(less(b, a)); }));
  add_compare("ge", kNumbers, "x >= y",
              of_two([](const Formula& a, const Formula& b) { return negate(less(a, b)); }));
  add_compare("eq", kAll, "x == y");
  add_compare("ne", kAll, "x != y");
}

}  // namespace

void add_elementwise(Table& t) {
  add_unary(t);
  add_binary(t);
  t.push_back({.name = "where",
               .category = Category::ternary,
               .min_arity = 3,
               .max_arity = 3,
               .dtypes = kBool,
               .weight = 3,
               .meaning = "the second operand where the first is true, else the third",
               .infer = rules::where});
  t.push_back(
      {.name = "lerp",
       .category = Category::ternary,
       .min_arity = 3,
       .max_arity = 3,
       .dtypes = kFloats,
       .meaning = "x + (y - x) * z",
       .infer = rules::elementwise,
       .expansion = [](Program&, const Node&, const Sources& x) { return x[0] + (x[1] - x[0]) * x[2]; }});
  t.push_back({.name = "cast",
               .category = Category::cast,
               .dtypes = kAll,
               .attrs = {required("to", AttrKind::word)},
               .weight = 3,
               .meaning = "to bool: x != 0; float to integer: rounded to zero; integers wrap",
               .infer = rules::cast});
  t.push_back({.name = "bitcast",
               .category = Category::cast,
               .dtypes = kNumbers,
               .attrs = {required("to", AttrKind::word)},
               .meaning = "the same bits read as another dtype of that width",
               .infer = rules::bitcast});
}

}  // namespace uopdiff::families
