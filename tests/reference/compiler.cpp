// The hostile compiler: evaluates in the dtype, rewriting at random.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <type_traits>

#include "harness/program/error.h"
#include "tests/reference/adversary.h"
#include "tests/reference/polynomials.h"

namespace uopdiff::adversary {
namespace {

bool constant(const Expr& expr) {
  if (expr.op == "leaf") return true;
  return std::ranges::all_of(expr.src, [](const ExprPtr& e) { return constant(*e); });
}

// Rounded to bf16 by its bits, to f16 by the machine's conversion: not by what is under test.
float round_narrow(DType dtype, float x) {
  if (dtype == DType::f16) {
    __extension__ const auto half = static_cast<_Float16>(x);
    return static_cast<float>(half);
  }
  if (!std::isfinite(x)) return x;
  const auto bits = std::bit_cast<uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u);
}

template <class T>
class Compiler {
 public:
  Compiler(DType dtype, Random& random)
      : dtype_(dtype),
        random_(random),
        flush_(dtype != DType::f16 && random() % 4 == 0),
        rounding_(dtype == DType::f16 || dtype == DType::bf16 ? random() % 4 : 0) {}

  T run(const Expr& expr) {
    const T value = evaluate(expr);
    return rounding_ == 0 && !is_narrow() ? value : round_narrow_value(value);
  }

 private:
  bool is_narrow() const { return dtype_ == DType::f16 || dtype_ == DType::bf16; }
  T round_narrow_value(T x) const {
    if constexpr (std::is_same_v<T, float>) return round_narrow(dtype_, x);
    return x;
  }
  bool coin() { return random_() % 2; }

  // What one operation leaves: rounded to a narrow dtype always, never or now and then; flushed.
  T settle(T x) {
    if (is_narrow() && (rounding_ == 0 || (rounding_ >= 2 && coin()))) x = round_narrow_value(x);
    const T tiny = dtype_ == DType::f64 ? static_cast<T>(0x1p-1022) : static_cast<T>(0x1p-126);
    return flush_ && std::abs(x) < tiny ? T{0} : x;
  }

  // Only what constant folding does in double without leaving it.
  double folded(const Expr& expr) {
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
  T any_order(std::vector<T> values, Combine combine) {
    std::ranges::shuffle(values, random_);
    while (values.size() > 1) {
      const size_t at = coin() ? 0 : random_() % (values.size() - 1);
      values[at] = settle(combine(settle(values[at]), settle(values[at + 1])));
      values.erase(values.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    return values[0];
  }

  // The terms of a sum, through nested sums, negations and (at random) factors.
  void terms_of(const Expr& expr, T sign, std::vector<T>& terms) {
    if (const ExprPtr formula = coin() ? spelled_out(expr) : nullptr) return terms_of(*formula, sign, terms);
    if (expr.op == "add" || expr.op == "sub" || (expr.op == "sum" && coin())) {
      for (size_t k = 0; k < expr.src.size(); ++k)
        terms_of(*expr.src[k], expr.op == "sub" && k == 1 ? -sign : sign, terms);
    } else if (expr.op == "neg" && coin()) {
      terms_of(*expr.src[0], -sign, terms);
    } else if (expr.op == "mul" && expr.src[0]->op != "mul" && coin()) {
      // (x + y) * c as x*c + y*c, with finite c.
      std::vector<T> inner;
      terms_of(*expr.src[0], sign, inner);
      const T factor = evaluate(*expr.src[1]);
      if (!std::isfinite(factor) || !std::ranges::all_of(inner, [](T x) { return std::isfinite(x); }))
        inner = {sign * evaluate(*expr.src[0])};
      for (T term : inner) terms.push_back(settle(term * factor));
    } else {
      terms.push_back(sign * evaluate(expr));
    }
  }

  void factors_of(const Expr& expr, std::vector<T>& factors) {
    if (expr.op != "mul" && !(expr.op == "prod" && coin())) {
      factors.push_back(evaluate(expr));
      return;
    }
    for (const ExprPtr& e : expr.src) factors_of(*e, factors);
  }

  T sum(const Expr& expr) {
    const Expr &a = *expr.src[0], &b = *expr.src[1];
    if (expr.op == "sub" && expr.src[0] == expr.src[1] && coin()) return 0;
    // x*c + x as x*(c+1).
    if (expr.op == "add" && a.op == "mul" && a.src[0] == expr.src[1] && a.src[1]->op == "leaf" && coin())
      return evaluate(b) * settle(static_cast<T>(a.src[1]->value + 1));
    if (expr.op == "add" && a.op == "mul" && coin())
      return std::fma(evaluate(*a.src[0]), evaluate(*a.src[1]), evaluate(b));
    std::vector<T> terms;
    terms_of(expr, 1, terms);
    return any_order(std::move(terms), [](T x, T y) { return x + y; });
  }

  T multiply(const Expr& a, const Expr& b) {
    for (const Expr* x : {&a, &b})
      if (x->op == "leaf" && x->value == 0 && coin()) return 0;
    std::vector<T> factors;
    factors_of(a, factors);
    factors_of(b, factors);
    return any_order(std::move(factors), [](T x, T y) { return x * y; });
  }

  T divide(const Expr& a, const Expr& b) {
    if (&a == &b && coin()) return 1;
    if (a.op == "mul" && a.src[1].get() == &b && coin()) return evaluate(*a.src[0]);
    if (b.op == "add" && b.src[0]->op == "leaf" && b.src[0]->value == 1 && b.src[1].get() == &a && coin())
      return 1 - settle(1 / settle(1 + evaluate(a)));
    if (a.op == "div" && coin())
      return settle(evaluate(*a.src[0])) / settle(settle(evaluate(*a.src[1])) * settle(evaluate(b)));
    const T x = settle(evaluate(a));
    if (b.op == "mul" && coin()) {  // 1/(y*z) as (1/y)*(1/z)
      std::vector<T> factors;
      factors_of(b, factors);
      for (T& factor : factors) factor = settle(1 / settle(factor));
      return settle(any_order(std::move(factors), [](T p, T q) { return p * q; })) * x;
    }
    const T y = settle(evaluate(b));
    return coin() ? x / y : x * settle(1 / y);
  }

  // The sum of x*c as c times the sum of x, or in any order.
  T reduced_sum(const Expr& expr) {
    const Expr& first = *expr.src[0];
    const bool scaled = first.op == "mul" && std::ranges::all_of(expr.src, [&](const ExprPtr& e) {
                          return e->op == "mul" && e->src[1] == first.src[1];
                        });
    std::vector<T> terms;
    for (const ExprPtr& e : expr.src) {
      if (scaled)
        terms.push_back(evaluate(*e->src[0]));
      else
        terms_of(*e, 1, terms);
    }
    const T total = any_order(std::move(terms), [](T x, T y) { return x + y; });
    return scaled ? settle(total) * settle(evaluate(*first.src[1])) : total;
  }

  T library(const std::string& op, T x) {
    using Function = T (*)(T);
    static const std::map<std::string, Function> functions{
        {"exp", std::exp},   {"log", std::log},     {"cos", std::cos},     {"tan", std::tan},
        {"asin", std::asin}, {"acos", std::acos},   {"atan", std::atan},   {"sinh", std::sinh},
        {"cosh", std::cosh}, {"asinh", std::asinh}, {"acosh", std::acosh}, {"atanh", std::atanh},
        {"tanh", std::tanh}, {"erf", std::erf},     {"exp2", std::exp2},   {"log2", std::log2},
        {"sin", std::sin},   {"sqrt", std::sqrt}};
    const auto found = functions.find(op);
    if (found == functions.end()) throw Error(ErrorKind::internal, "no such operation: " + op);
    return found->second(x);
  }

  T evaluate(const Expr& expr) {
    if (expr.op == "leaf") {
      const T value = static_cast<T>(expr.value);
      return is_narrow() && rounding_ != 1 ? round_narrow_value(value) : value;
    }
    if (expr.op != "less" && constant(expr) && random_() % 4 == 0)
      return settle(static_cast<T>(folded(expr)));
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
      const bool holds =
          moved ? settle(evaluate(*a.src[1])) < settle(at(1) - settle(static_cast<T>(a.src[0]->value)))
                : at(0) < at(1);
      return evaluate(*expr.src[holds ? 2 : 3]);
    }
    if (op == "prod" || op == "max") {
      std::vector<T> values;
      for (size_t k = 0; k < expr.src.size(); ++k) values.push_back(at(k));
      if (op == "prod") return any_order(std::move(values), [](T x, T y) { return x * y; });
      return any_order(std::move(values), [](T x, T y) { return x < y ? y : x; });
    }
    // Functions that neither library nor polynomial has, and others at random, by their formula.
    static const std::set<std::string> without_library{"sigmoid", "rsqrt",    "square",   "silu",
                                                       "gelu",    "mish",     "softsign", "hardswish",
                                                       "relu6",   "softplus", "elu"};
    const bool composed = without_library.count(op) != 0;
    if (composed || coin())
      if (const ExprPtr formula = spelled_out(expr)) return evaluate(*formula);
    const T x = at(0);
    if (op == "pow") return settle(std::pow(x, at(1)));
    if (op == "maximum") {
      const T y = at(1);
      return coin() ? std::max(x, y) : x < y ? y : x;
    }
    if (op == "minimum") {
      const T y = at(1);
      return coin() ? -std::max(-x, -y) : x < y ? x : y;
    }
    if (op == "neg") return coin() ? -x : x * T{-1};
    if (op == "abs") return coin() ? (x < 0 ? -x : x) : x * (static_cast<T>((x > 0) - (x < 0)) + x * 0);
    if (op == "relu")
      return random_() % 3 == 0 ? static_cast<T>(x > 0) * x : coin() ? std::max(x, T{0}) : x > 0 ? x : T{0};
    const auto step = [this](T y) { return settle(y); };
    if (op == "exp2" && coin()) return settle(polynomial_exp2(x, step));
    if (op == "log2" && coin()) return settle(polynomial_log2(x, step));
    if (op == "sin" && coin()) return settle(polynomial_sin(x, step));
    return settle(library(op, x));
  }

  DType dtype_;
  Random& random_;
  bool flush_;
  uint64_t rounding_;  // of a narrow dtype: 0 every operation, 1 the last one, else at random
};

}  // namespace

double evaluate(DType dtype, const Expr& expr, Random& random) {
  if (dtype == DType::f64) return Compiler<double>(dtype, random).run(expr);
  return Compiler<float>(dtype, random).run(expr);
}

}  // namespace uopdiff::adversary
