#include "tests/reference/adversary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/reference/scalar.h"

namespace uopdiff::adversary {
namespace {

constexpr const char* kUnary[] = {
    "neg",  "abs", "relu",  "sqrt", "reciprocal", "exp2",       "exp",  "log2",     "log",   "sin",
    "cos",  "tan", "asin",  "acos", "atan",       "sinh",       "cosh", "asinh",    "acosh", "atanh",
    "tanh", "erf", "rsqrt", "silu", "sigmoid",    "square",     "gelu", "softsign", "mish",  "hardswish",
    "elu",  "neg", "relu6", "exp2", "softplus",   "reciprocal", "log2", "sqrt"};
constexpr std::array kReduces{"sum", "prod", "max"};

double special_value(Random& random, DType dtype) {
  const FloatFormat& format = float_format(dtype);
  const auto largest = static_cast<double>(format.largest()),
             tiny = static_cast<double>(format.smallest_normal());
  const std::array values{0.0,
                          -0.0,
                          static_cast<double>(INFINITY),
                          -static_cast<double>(INFINITY),
                          static_cast<double>(NAN),
                          std::ldexp(1.0, format.digits),
                          1e-3,
                          largest * 0.95,
                          tiny / 8,
                          std::sqrt(tiny) / 8,
                          std::sqrt(largest) * 3,
                          -tiny};
  return values[random() % values.size()];
}

double leaf_value(Random& random, DType dtype, Values values) {
  const auto rounded = [&](double x) { return static_cast<double>(round_to(dtype, x)); };
  switch (values) {
    case Values::whole:
      return static_cast<double>(static_cast<int>(random() % 9) - 4);
    case Values::special:
      if (random() % 3 == 0) return rounded(special_value(random, dtype));
      [[fallthrough]];
    case Values::ordinary:
      if (random() % 3 == 0) return static_cast<double>(static_cast<int>(random() % 17) - 8) / 2;
      return rounded(
          std::ldexp(static_cast<double>(random() >> 11) * 0x1p-52 - 1, static_cast<int>(random() % 12) - 6));
  }
  return 0;
}

}  // namespace

ExprPtr leaf(double value) { return std::make_shared<const Expr>(Expr{"leaf", value, {}}); }
ExprPtr node(std::string op, std::vector<ExprPtr> src) {
  return std::make_shared<const Expr>(Expr{std::move(op), 0, std::move(src)});
}

ExprPtr random_expr(Random& random, DType dtype, Values values, int depth) {
  if (depth == 0 || random() % 6 == 0) return leaf(leaf_value(random, dtype, values));
  const auto sub = [&] { return random_expr(random, dtype, values, depth - 1); };
  const auto pick = random() % 16;
  if (values == Values::whole || pick < 8) {
    static constexpr std::array kBinary{"add",     "sub",     "mul", "add", "mul",
                                        "maximum", "minimum", "div", "pow"};
    const auto op = kBinary[random() % (kBinary.size() - (values == Values::whole ? 2 : 0))];
    const ExprPtr first = sub();
    if (op == std::string("pow") && random() % 2)
      return node(op, std::vector<ExprPtr>{first, leaf(static_cast<double>(random() % 6))});
    // The same value twice is where compilers cancel.
    return node(op, std::vector<ExprPtr>{first, random() % 8 == 0 ? first : sub()});
  }
  if (pick < 11) return node(kUnary[random() % std::size(kUnary)], {sub()});
  if (pick == 11) return node("less", {sub(), sub(), sub(), sub()});
  if (pick == 12) {  // shapes that have rewrites of their own
    const ExprPtr x = sub(), c = random_expr(random, dtype, values, 0), one = leaf(1);
    switch (random() % 4) {
      case 0:
        return node("div", {x, node("add", {one, x})});
      case 1:
        return node("div", {node("mul", {x, c}), c});
      case 2:
        return node("add", {node("mul", {x, c}), x});
      default:
        return node("reciprocal", {node("mul", {x, node("mul", {x, c})})});
    }
  }
  std::vector<ExprPtr> elements;
  const ExprPtr factor = random_expr(random, dtype, values, 0);
  const bool scaled = random() % 2;
  for (size_t n = 1 + random() % 6; n > 0; --n)
    elements.push_back(scaled ? node("mul", {sub(), factor}) : sub());
  return node(kReduces[random() % kReduces.size()], std::move(elements));
}

std::string text_of(const Expr& expr) {
  if (expr.op == "leaf") return fmt::format("{}", expr.value);
  std::string text = expr.op + "(";
  for (const ExprPtr& e : expr.src) text += (text.back() == '(' ? "" : ", ") + text_of(*e);
  return text + ")";
}

Element bound_of(DType dtype, const Expr& expr) {
  if (expr.op == "leaf") return exact_float(expr.value);
  std::vector<Element> src;
  for (const ExprPtr& e : expr.src) src.push_back(bound_of(dtype, *e));
  if (std::ranges::find(kReduces, expr.op) != kReduces.end()) return reduce_elements(expr.op, dtype, src);
  if (expr.op == "less") {
    if (is_open(src[0]) || is_open(src[1])) return undetermined(Undetermined::data);
    const Element condition = scalar_function("lt")(dtype, std::span(src).first(2));
    return is_open(condition) ? condition : condition.i ? src[2] : src[3];
  }
  if (std::ranges::any_of(src, is_open)) return undetermined(Undetermined::data);
  return scalar_function(expr.op, {{"alpha", 1.0}, {"beta", 1.0}})(dtype, src);
}

}  // namespace uopdiff::adversary
