#include <cmath>

#include "harness/program/op_families.h"
#include "harness/program/shape_rules.h"

namespace uopdiff::families {
namespace {

using Sources = std::vector<Formula>;

// Factors whose inverse is not exact are written as divisions: the reference's bound of a division covers a
// product with the rounded inverse, but not the other way round.

Formula exp_of(const Formula& x) { return x.apply("exp"); }
Formula log_of(const Formula& x) { return x.apply("log"); }
Formula sigmoid(const Formula& x) { return (exp_of(-x) + 1.0).apply("reciprocal"); }
Formula tanh_of(const Formula& x) { return sigmoid(x * 2.0) * 2.0 - 1.0; }
Formula relu(const Formula& x) {
  const Formula zero = x.constant(0);
  return choose(less(zero, x), x, zero);
}
Formula bounded(const Formula& x, double low, double high) {
  const Formula least = x.constant(low), most = x.constant(high);
  return choose(less(x, least), least, choose(less(most, x), most, x));
}
Formula magnitude(const Formula& x) { return choose(less(x, x.constant(0)), -x, x); }

// Abramowitz and Stegun 7.1.26, whose error is below 1.5e-7.
Formula erf(const Formula& x) {
  const Formula size = magnitude(x), t = (size * 0.3275911 + 1.0).apply("reciprocal");
  Formula sum = t * 1.061405429;
  for (const double c : {-1.453152027, 1.421413741, -0.284496736, 0.254829592}) sum = (sum + c) * t;
  const Formula value = 1.0 - sum * exp_of(-(x * x));
  return choose(less(x, x.constant(0)), -value, value);
}

Formula gelu(const Formula& x) {
  const Formula inner = (x + x * x * x * 0.044715) * std::sqrt(2 / M_PI);
  return x * 0.5 * (tanh_of(inner) + 1.0);
}

// From the series of atan(z) around 0 for |z| below 1/16: halved three times by z / (1 + sqrt(1 + z^2)).
Formula atan(const Formula& x) {
  Formula z = x;
  for (int k = 0; k < 3; ++k) z = z / ((z * z + 1.0).apply("sqrt") + 1.0);
  const Formula square = z * z;
  Formula sum = square * (1.0 / 9) - 1.0 / 7;
  for (const double c : {1.0 / 5, -1.0 / 3, 1.0}) sum = sum * square + c;
  return sum * z * 8.0;
}
Formula asin(const Formula& x) { return atan(x / (1.0 - x * x).apply("sqrt")); }

Formula softplus(const Formula& x, double beta) {
  const Formula scaled = x * beta;
  // As log(1 + e^x) = max(x, 0) + log(1 + e^-|x|).
  return (relu(scaled) + log_of(exp_of(-magnitude(scaled)) + 1.0)) / beta;
}
Formula elu(const Formula& x, const Formula& scaled, double alpha) {
  return choose(less(x.constant(0), x), x, (exp_of(scaled) - 1.0) * alpha);
}

// Attributes are constants of the formula: exact in the dtype, so that they mean one number.
void with_constants(Node& node, const Operands& src) {
  rules::elementwise(node, src);
  for (const auto& [key, value] : node.attrs) {
    const double number = std::get<double>(value);
    if (!std::isfinite(number) || static_cast<double>(round_to(node.dtype, number)) != number || number == 0)
      rules::fail(key + " is 0 or not exactly of the dtype");
  }
}

}  // namespace

void add_activations(Table& t) {
  using Plain = Formula (*)(const Formula&);
  using enum Domain;
  const auto add = [&t](const char* name, const char* meaning, Plain formula, Domain domain = any) {
    t.push_back({.name = name,
                 .category = Category::unary,
                 .dtypes = kFloats,
                 .weight = 0.5,
                 .meaning = meaning,
                 .infer = rules::elementwise,
                 .expansion = [formula](Program&, const Node&, const Sources& x) { return formula(x[0]); },
                 .domains = {domain}});
  };
  add("relu", "max(x, 0)", relu);
  t.back().dtypes = kNumbers;
  t.back().weight = 1;
  add("cos", "cosine of x radians", [](const Formula& x) { return (M_PI / 2 - x).apply("sin"); });
  add("tan", "tangent of x radians",
      [](const Formula& x) { return x.apply("sin") / (M_PI / 2 - x).apply("sin"); });
  add("asin", "inverse sine", asin, unit);
  add("acos", "inverse cosine", [](const Formula& x) { return M_PI / 2 - asin(x); }, unit);
  add("atan", "inverse tangent", atan);
  add("sinh", "hyperbolic sine", [](const Formula& x) { return (exp_of(x) - exp_of(-x)) * 0.5; }, moderate);
  add("cosh", "hyperbolic cosine", [](const Formula& x) { return (exp_of(x) + exp_of(-x)) * 0.5; }, moderate);
  add("tanh", "hyperbolic tangent", tanh_of);
  add("asinh", "inverse hyperbolic sine",
      [](const Formula& x) { return log_of(x + (x * x + 1.0).apply("sqrt")); });
  add(
      "acosh", "inverse hyperbolic cosine",
      [](const Formula& x) { return log_of(x + (x * x - 1.0).apply("sqrt")); }, positive);
  add(
      "atanh", "inverse hyperbolic tangent",
      [](const Formula& x) { return log_of((x + 1.0) / (1.0 - x)) * 0.5; }, unit);
  add("sigmoid", "1 / (1 + e^-x)", sigmoid);
  add("erf", "error function", erf);
  add("gelu", "x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))", gelu);
  add("silu", "x * sigmoid(x)", [](const Formula& x) { return x * sigmoid(x); });
  add("softsign", "x / (1 + |x|)", [](const Formula& x) { return x / (magnitude(x) + 1.0); });
  add("relu6", "x held within 0..6", [](const Formula& x) { return bounded(x, 0, 6); });
  add("hardswish", "x * (x + 3 held within 0..6) / 6",
      [](const Formula& x) { return x * bounded(x + 3.0, 0, 6) / 6.0; });
  add("mish", "x * tanh(log(1 + e^x))", [](const Formula& x) { return x * tanh_of(softplus(x, 1)); });

  const auto add_with = [&t](const char* name, std::vector<AttrSpec> attrs, const char* meaning,
                             auto formula) {
    t.push_back({.name = name,
                 .category = Category::unary,
                 .dtypes = kFloats,
                 .attrs = std::move(attrs),
                 .weight = 0.5,
                 .meaning = meaning,
                 .infer = with_constants,
                 .expansion = [formula](Program&, const Node& node, const Sources& x) {
                   return formula(node, x[0]);
                 }});
  };
  const AttrSpec alpha = with_default("alpha", AttrKind::number, 1.0);
  add_with("softplus", {with_default("beta", AttrKind::number, 1.0)}, "log(1 + e^(beta x)) / beta",
           [](const Node& n, const Formula& x) { return softplus(x, n.attr<double>("beta")); });
  add_with("hardsigmoid",
           {with_default("alpha", AttrKind::number, 0.25), with_default("beta", AttrKind::number, 0.5)},
           "alpha x + beta held within 0..1", [](const Node& n, const Formula& x) {
             return bounded(x * n.attr<double>("alpha") + n.attr<double>("beta"), 0, 1);
           });
  add_with("leaky_relu", {with_default("slope", AttrKind::number, 0.25)}, "x above 0, else slope * x",
           [](const Node& n, const Formula& x) {
             return choose(less(x, x.constant(0)), x * n.attr<double>("slope"), x);
           });
  add_with("elu", {alpha}, "x above 0, else alpha * (e^x - 1)",
           [](const Node& n, const Formula& x) { return elu(x, x, n.attr<double>("alpha")); });
  add_with("celu", {alpha}, "x above 0, else alpha * (e^(x/alpha) - 1)", [](const Node& n, const Formula& x) {
    return elu(x, x / n.attr<double>("alpha"), n.attr<double>("alpha"));
  });
}

}  // namespace uopdiff::families
