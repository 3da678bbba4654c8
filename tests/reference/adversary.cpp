#include "tests/reference/adversary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/program/error.h"
#include "harness/reference/scalar.h"

namespace uopdiff::adversary {
namespace {

constexpr std::array kUnary{"neg", "abs", "relu", "sqrt", "reciprocal", "exp2", "exp", "log2", "log", "sin"};
constexpr std::array kReduces{"sum", "prod", "max"};

float leaf_value(Random& random, Values values) {
  static constexpr float kSpecial[] = {0.0f,  -0.0f,    INFINITY, -INFINITY, NAN,   16777216.0f,
                                       1e-3f, 3.25e38f, 1e-44f,   1e-30f,    1e30f, -1.17549435e-38f};
  switch (values) {
    case Values::whole:
      return static_cast<float>(static_cast<int>(random() % 9) - 4);
    case Values::special:
      if (random() % 3 == 0) return kSpecial[random() % std::size(kSpecial)];
      [[fallthrough]];
    case Values::ordinary:
      if (random() % 3 == 0) return static_cast<float>(static_cast<int>(random() % 17) - 8) / 2;
      return std::ldexp(static_cast<float>(random() >> 40) * 0x1p-23f - 1.0f,
                        static_cast<int>(random() % 12) - 6);
  }
  return 0;
}

bool constant(const Expr& expr) {
  if (expr.op == "leaf") return true;
  return std::ranges::all_of(expr.src, [](const ExprPtr& e) { return constant(*e); });
}

ExprPtr make(std::string op, std::vector<ExprPtr> src) {
  return std::make_shared<const Expr>(Expr{std::move(op), 0, std::move(src)});
}

}  // namespace

ExprPtr random_expr(Random& random, Values values, int depth) {
  if (depth == 0 || random() % 6 == 0)
    return std::make_shared<const Expr>(Expr{"leaf", leaf_value(random, values), {}});
  const auto sub = [&] { return random_expr(random, values, depth - 1); };
  const auto pick = random() % 16;
  if (values == Values::whole || pick < 8) {
    static constexpr std::array kBinary{"add", "sub", "mul", "add", "mul", "maximum", "minimum", "div"};
    const auto op = kBinary[random() % (kBinary.size() - (values == Values::whole ? 1 : 0))];
    const ExprPtr first = sub();
    // The same value twice is where compilers cancel.
    return make(op, {first, random() % 8 == 0 ? first : sub()});
  }
  if (pick < 11) return make(kUnary[random() % kUnary.size()], {sub()});
  if (pick == 11) return make("less", {sub(), sub(), sub(), sub()});
  if (pick == 12) {  // shapes that have rewrites of their own
    const ExprPtr x = sub(), c = random_expr(random, values, 0),
                  one = std::make_shared<const Expr>(Expr{"leaf", 1, {}});
    switch (random() % 4) {
      case 0:
        return make("div", {x, make("add", {one, x})});
      case 1:
        return make("div", {make("mul", {x, c}), c});
      case 2:
        return make("add", {make("mul", {x, c}), x});
      default:
        return make("reciprocal", {make("mul", {x, make("mul", {x, c})})});
    }
  }
  std::vector<ExprPtr> elements;
  const ExprPtr factor = random_expr(random, values, 0);
  const bool scaled = random() % 2;
  for (size_t n = 1 + random() % 6; n > 0; --n)
    elements.push_back(scaled ? make("mul", {sub(), factor}) : sub());
  return make(kReduces[random() % kReduces.size()], std::move(elements));
}

std::string text_of(const Expr& expr) {
  if (expr.op == "leaf") return fmt::format("{}", expr.value);
  std::string text = expr.op + "(";
  for (const ExprPtr& e : expr.src) text += (text.back() == '(' ? "" : ", ") + text_of(*e);
  return text + ")";
}

Element bound_of(const Expr& expr) {
  if (expr.op == "leaf") return exact_float(expr.value);
  std::vector<Element> src;
  for (const ExprPtr& e : expr.src) src.push_back(bound_of(*e));
  if (std::ranges::find(kReduces, expr.op) != kReduces.end())
    return reduce_elements(expr.op, DType::f32, src);
  const auto open = [](const Element& e) { return e.undetermined != Undetermined::no; };
  if (expr.op == "less") {
    if (open(src[0]) || open(src[1])) return undetermined(Undetermined::data);
    const Element condition = scalar_function("lt")(DType::f32, std::span(src).first(2));
    return open(condition) ? condition : condition.i ? src[2] : src[3];
  }
  if (std::ranges::any_of(src, open)) return undetermined(Undetermined::data);
  return scalar_function(expr.op)(DType::f32, src);
}

Compiler::Compiler(Random& random) : random_(random), flush_(random() % 4 == 0) {}

float Compiler::settle(float x) const { return flush_ && std::abs(x) < 0x1p-126f ? 0.0f : x; }

// Only what constant folding does in double without leaving it.
double Compiler::folded(const Expr& expr) {
  if (expr.op == "leaf") return expr.value;
  const auto at = [&](size_t k) { return folded(*expr.src[k]); };
  if (expr.op == "add") return at(0) + at(1);
  if (expr.op == "sub") return at(0) + -1 * at(1);
  if (expr.op == "mul") return at(0) * at(1);
  if (expr.op == "exp2" && at(0) < 1000) return std::exp2(at(0));
  if (expr.op == "sqrt") return std::sqrt(at(0));
  return evaluate(expr);
}

template <class Combine>
float Compiler::any_order(std::vector<float> values, Combine combine) {
  std::ranges::shuffle(values, random_);
  while (values.size() > 1) {
    const size_t at = coin() ? 0 : random_() % (values.size() - 1);
    values[at] = settle(combine(settle(values[at]), settle(values[at + 1])));
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return values[0];
}

// The terms of a sum, through nested sums, negations and (at random) factors.
void Compiler::terms_of(const Expr& expr, float sign, std::vector<float>& terms) {
  if (expr.op == "add" || expr.op == "sub" || (expr.op == "sum" && coin())) {
    for (size_t k = 0; k < expr.src.size(); ++k)
      terms_of(*expr.src[k], expr.op == "sub" && k == 1 ? -sign : sign, terms);
  } else if (expr.op == "neg" && coin()) {
    terms_of(*expr.src[0], -sign, terms);
  } else if (expr.op == "mul" && expr.src[0]->op != "mul" && coin()) {
    // (x + y) * c as x*c + y*c, with finite c.
    std::vector<float> inner;
    terms_of(*expr.src[0], sign, inner);
    const float factor = evaluate(*expr.src[1]);
    if (!std::isfinite(factor) || !std::ranges::all_of(inner, [](float x) { return std::isfinite(x); }))
      inner = {sign * evaluate(*expr.src[0])};
    for (float term : inner) terms.push_back(settle(term * factor));
  } else {
    terms.push_back(sign * evaluate(expr));
  }
}

void Compiler::factors_of(const Expr& expr, std::vector<float>& factors) {
  if (expr.op != "mul" && !(expr.op == "prod" && coin())) {
    factors.push_back(evaluate(expr));
    return;
  }
  for (const ExprPtr& e : expr.src) factors_of(*e, factors);
}

float Compiler::sum(const Expr& expr) {
  const Expr &a = *expr.src[0], &b = *expr.src[1];
  if (expr.op == "sub" && expr.src[0] == expr.src[1] && coin()) return 0;
  // x*c + x as x*(c+1).
  if (expr.op == "add" && a.op == "mul" && a.src[0] == expr.src[1] && a.src[1]->op == "leaf" && coin())
    return evaluate(b) * static_cast<float>(static_cast<double>(a.src[1]->value) + 1);
  if (expr.op == "add" && a.op == "mul" && coin())
    return std::fma(evaluate(*a.src[0]), evaluate(*a.src[1]), evaluate(b));
  std::vector<float> terms;
  terms_of(expr, 1, terms);
  return any_order(std::move(terms), [](float x, float y) { return x + y; });
}

float Compiler::multiply(const Expr& a, const Expr& b) {
  for (const Expr* x : {&a, &b})
    if (x->op == "leaf" && x->value == 0 && coin()) return 0;
  std::vector<float> factors;
  factors_of(a, factors);
  factors_of(b, factors);
  return any_order(std::move(factors), [](float x, float y) { return x * y; });
}

float Compiler::divide(const Expr& a, const Expr& b) {
  if (&a == &b && coin()) return 1;
  if (a.op == "mul" && a.src[1].get() == &b && coin()) return evaluate(*a.src[0]);
  if (b.op == "add" && b.src[0]->op == "leaf" && b.src[0]->value == 1 && b.src[1].get() == &a && coin())
    return 1 - 1 / settle(1 + evaluate(a));
  if (a.op == "div" && coin())
    return settle(evaluate(*a.src[0])) / settle(settle(evaluate(*a.src[1])) * settle(evaluate(b)));
  const float x = settle(evaluate(a));
  if (b.op == "mul" && coin()) {  // 1/(y*z) as (1/y)*(1/z)
    std::vector<float> factors;
    factors_of(b, factors);
    for (float& factor : factors) factor = settle(1 / settle(factor));
    return settle(any_order(std::move(factors), [](float p, float q) { return p * q; })) * x;
  }
  const float y = settle(evaluate(b));
  return coin() ? x / y : x * settle(1 / y);
}

// The sum of x*c as c times the sum of x, or in any order.
float Compiler::reduced_sum(const Expr& expr) {
  const Expr& first = *expr.src[0];
  const bool scaled = first.op == "mul" && std::ranges::all_of(expr.src, [&](const ExprPtr& e) {
                        return e->op == "mul" && e->src[1] == first.src[1];
                      });
  std::vector<float> terms;
  for (const ExprPtr& e : expr.src) {
    if (scaled)
      terms.push_back(evaluate(*e->src[0]));
    else
      terms_of(*e, 1, terms);
  }
  const float total = any_order(std::move(terms), [](float x, float y) { return x + y; });
  return scaled ? settle(total) * settle(evaluate(*first.src[1])) : total;
}

float Compiler::evaluate(const Expr& expr) {
  if (expr.op == "leaf") return expr.value;
  if (expr.op != "less" && constant(expr) && random_() % 4 == 0)
    return settle(static_cast<float>(folded(expr)));
  const auto at = [&](size_t k) { return settle(evaluate(*expr.src[k])); };
  const std::string& op = expr.op;
  if (op == "add" || op == "sub") return settle(sum(expr));
  if (op == "mul") return settle(multiply(*expr.src[0], *expr.src[1]));
  if (op == "div") return settle(divide(*expr.src[0], *expr.src[1]));
  if (op == "reciprocal") return settle(divide(Expr{"leaf", 1, {}}, *expr.src[0]));
  if (op == "sum") return settle(reduced_sum(expr));
  if (op == "less") {
    const Expr& a = *expr.src[0];
    // c + x < d as x < d - c.
    const bool moved = a.op == "add" && a.src[0]->op == "leaf" && coin();
    const bool holds = moved ? settle(evaluate(*a.src[1])) < settle(at(1) - a.src[0]->value) : at(0) < at(1);
    return evaluate(*expr.src[holds ? 2 : 3]);
  }
  if (op == "prod" || op == "max") {
    std::vector<float> values;
    for (size_t k = 0; k < expr.src.size(); ++k) values.push_back(at(k));
    if (op == "prod") return any_order(std::move(values), [](float x, float y) { return x * y; });
    return any_order(std::move(values), [](float x, float y) { return x < y ? y : x; });
  }
  const float x = at(0);
  if (op == "maximum") {
    const float y = at(1);
    return coin() ? std::max(x, y) : x < y ? y : x;
  }
  if (op == "minimum") {
    const float y = at(1);
    return coin() ? -std::max(-x, -y) : x < y ? x : y;
  }
  if (op == "neg") return coin() ? -x : x * -1.0f;
  if (op == "abs") return coin() ? (x < 0 ? -x : x) : x * (static_cast<float>((x > 0) - (x < 0)) + x * 0);
  if (op == "relu")
    return random_() % 3 == 0 ? static_cast<float>(x > 0) * x : coin() ? std::max(x, 0.0f) : x > 0 ? x : 0.0f;
  if (op == "sqrt") return std::sqrt(x);
  if (op == "exp2") return settle(coin() ? std::exp2(x) : polynomial_exp2(x));
  if (op == "exp")
    return settle(coin()   ? std::exp(x)
                  : coin() ? std::exp2(x * 1.44269504f)
                           : polynomial_exp2(x * 1.44269504f));
  if (op == "log2") return coin() ? std::log2(x) : polynomial_log2(x);
  if (op == "log") return coin() ? std::log(x) : (coin() ? std::log2(x) : polynomial_log2(x)) * 0.693147181f;
  if (op == "sin") return coin() ? std::sin(x) : polynomial_sin(x);
  throw Error(ErrorKind::internal, "no such operation: " + op);
}

}  // namespace uopdiff::adversary
