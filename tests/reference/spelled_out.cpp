// The formulas by which tinygrad 0.12.0 (tensor.py, mixin/math.py) and Morok 0.1.0-alpha.2
// (tensor/src/{math,activation}.rs) write their functions.
#include <cmath>
#include <map>
#include <numbers>

#include "tests/reference/adversary.h"

namespace uopdiff::adversary {
namespace {

ExprPtr add(ExprPtr a, ExprPtr b) { return node("add", {std::move(a), std::move(b)}); }
ExprPtr sub(ExprPtr a, ExprPtr b) { return node("sub", {std::move(a), std::move(b)}); }
ExprPtr mul(ExprPtr a, ExprPtr b) { return node("mul", {std::move(a), std::move(b)}); }
ExprPtr div(ExprPtr a, ExprPtr b) { return node("div", {std::move(a), std::move(b)}); }
ExprPtr mul(ExprPtr a, double b) { return mul(std::move(a), leaf(b)); }
ExprPtr add(ExprPtr a, double b) { return add(std::move(a), leaf(b)); }
ExprPtr of(const char* op, ExprPtr a) { return node(op, {std::move(a)}); }
ExprPtr negative(ExprPtr a) { return of("neg", std::move(a)); }
ExprPtr when_less(ExprPtr a, double b, ExprPtr c, ExprPtr d) {
  return node("less", {std::move(a), leaf(b), std::move(c), std::move(d)});
}
ExprPtr sign(const ExprPtr& x) {
  return when_less(x, 0, leaf(-1), node("less", {leaf(0), x, leaf(1), leaf(0)}));
}
ExprPtr polynomial(const ExprPtr& x, std::initializer_list<double> coefficients) {
  ExprPtr sum = leaf(0);
  for (const double c : coefficients) sum = add(mul(sum, x), c);
  return sum;
}

ExprPtr sigmoid(const ExprPtr& x) {
  return of("reciprocal", add(of("exp2", mul(x, -std::numbers::log2e)), 1));
}
ExprPtr tanh(const ExprPtr& x) { return sub(mul(sigmoid(mul(x, 2)), 2), leaf(1)); }
ExprPtr asin(const ExprPtr& x) {
  const ExprPtr size = of("abs", x),
                poly = polynomial(size, {-0.0012624911, 0.0066700901, -0.0170881256, 0.0308918810,
                                         -0.0501743046, 0.0889789874, -0.2145988016, 1.5707963050});
  return mul(sign(x), sub(leaf(M_PI / 2), mul(of("sqrt", sub(leaf(1), size)), poly)));
}
ExprPtr erf(const ExprPtr& x) {
  const ExprPtr t = of("reciprocal", add(mul(of("abs", x), 0.3275911), 1));
  const ExprPtr poly = polynomial(t, {1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592});
  return mul(sign(x), sub(leaf(1), mul(mul(t, poly), of("exp", negative(mul(x, x))))));
}
ExprPtr area(const ExprPtr& x, double offset) {
  return of("log", add(x, of("sqrt", add(mul(x, x), offset))));
}
ExprPtr softplus(const ExprPtr& x) {
  const ExprPtr top = node("maximum", {x, leaf(0)});
  return add(of("log", add(of("exp", sub(x, top)), of("exp", sub(leaf(0), top)))), top);
}
ExprPtr relu6(const ExprPtr& x) { return sub(of("relu", x), of("relu", add(x, -6))); }
ExprPtr gelu(const ExprPtr& x) {
  const ExprPtr cube = mul(mul(x, x), x);
  return mul(mul(x, 0.5), add(tanh(mul(add(x, mul(cube, 0.044715)), 0.7978845608)), 1));
}
ExprPtr pow(const Expr& expr) {
  const ExprPtr &x = expr.src[0], &y = expr.src[1];
  if (y->op == "leaf" && y->value == 2) return mul(x, x);
  if (y->op == "leaf" && y->value == 3) return mul(mul(x, x), x);
  if (y->op == "leaf" && y->value == 0.5) return of("sqrt", x);
  const ExprPtr size = of("exp2", mul(of("log2", of("abs", x)), y));
  if (y->op != "leaf" || y->value == 0) return nullptr;  // libm
  const bool whole = std::trunc(y->value) == y->value, odd = std::fmod(std::abs(y->value), 2) == 1;
  return when_less(x, 0, whole ? mul(size, odd ? -1 : 1) : leaf(NAN), size);
}

}  // namespace

ExprPtr spelled_out(const Expr& expr) {
  if (expr.op == "pow") return pow(expr);
  using Formula = ExprPtr (*)(const ExprPtr&);
  static const std::map<std::string, Formula> formulas{
      {"exp", [](const ExprPtr& x) { return of("exp2", mul(x, std::numbers::log2e)); }},
      {"log", [](const ExprPtr& x) { return mul(of("log2", x), std::numbers::ln2); }},
      {"cos", [](const ExprPtr& x) { return of("sin", sub(leaf(M_PI / 2), x)); }},
      {"tan", [](const ExprPtr& x) { return div(of("sin", x), of("cos", x)); }},
      {"asin", asin},
      {"acos", [](const ExprPtr& x) { return sub(leaf(M_PI / 2), asin(x)); }},
      {"atan", [](const ExprPtr& x) { return asin(div(x, of("sqrt", add(mul(x, x), 1)))); }},
      {"sinh", [](const ExprPtr& x) { return mul(sub(of("exp", x), of("exp", negative(x))), 0.5); }},
      {"cosh", [](const ExprPtr& x) { return mul(add(of("exp", x), of("exp", negative(x))), 0.5); }},
      {"asinh", [](const ExprPtr& x) { return area(x, 1); }},
      {"acosh", [](const ExprPtr& x) { return area(x, -1); }},
      {"atanh", [](const ExprPtr& x) { return mul(of("log", div(add(x, 1), sub(leaf(1), x))), 0.5); }},
      {"sigmoid", sigmoid},
      {"tanh", tanh},
      {"erf", erf},
      {"rsqrt", [](const ExprPtr& x) { return of("reciprocal", of("sqrt", x)); }},
      {"square", [](const ExprPtr& x) { return mul(x, x); }},
      {"silu", [](const ExprPtr& x) { return mul(x, sigmoid(x)); }},
      {"gelu", gelu},
      {"mish", [](const ExprPtr& x) { return mul(x, tanh(softplus(x))); }},
      {"softsign", [](const ExprPtr& x) { return div(x, add(of("abs", x), 1)); }},
      {"relu6", relu6},
      {"hardswish", [](const ExprPtr& x) { return mul(mul(x, relu6(add(x, 3))), 1.0 / 6); }},
      {"softplus", softplus},
      {"elu", [](const ExprPtr& x) { return sub(of("relu", x), of("relu", sub(leaf(1), of("exp", x)))); }},
  };
  const auto found = formulas.find(expr.op);
  return found == formulas.end() ? nullptr : found->second(expr.src[0]);
}

}  // namespace uopdiff::adversary
