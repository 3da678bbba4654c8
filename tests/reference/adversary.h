// Small float expressions, evaluated as a hostile but correct compiler might: rewritten at random.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "harness/reference/element.h"

namespace uopdiff::adversary {

using Random = std::mt19937_64;

// One of: "leaf", an elementwise operation on floats, "less" (where(lt(a, b), c, d)), or "sum", "prod",
// "max".
struct Expr {
  std::string op;
  float value = 0;  // of a leaf
  std::vector<std::shared_ptr<const Expr>> src;
};
using ExprPtr = std::shared_ptr<const Expr>;

enum class Values { whole, ordinary, special };  // of leaves
ExprPtr random_expr(Random& random, Values values, int depth);
std::string text_of(const Expr& expr);

// The reference's opinion of `expr`.
Element bound_of(const Expr& expr);

// Evaluates in f32 with rewrites that are right for real numbers: reordered, distributed and factored sums
// and products, fused multiply-add, subnormals flushed to zero, other spellings of each operation, constants
// in double.
class Compiler {
 public:
  explicit Compiler(Random& random);
  float evaluate(const Expr& expr);

 private:
  bool coin() { return random_() % 2; }
  float settle(float x) const;
  double folded(const Expr& expr);  // in double, as for constants
  void terms_of(const Expr& expr, float sign, std::vector<float>& terms);
  void factors_of(const Expr& expr, std::vector<float>& factors);
  template <class Combine>
  float any_order(std::vector<float> values, Combine combine);
  float sum(const Expr& expr);
  float multiply(const Expr& a, const Expr& b);
  float divide(const Expr& a, const Expr& b);
  float reduced_sum(const Expr& expr);

  Random& random_;
  bool flush_;
};

// The two compilers' own polynomials in f32 (tinygrad 0.12.0 uop/decompositions.py, xexp2, xlog2 and xsin;
// the same in Morok 0.1.0-alpha.2 ir/src/decompositions/transcendentals.rs).
float polynomial_exp2(float x);
float polynomial_log2(float x);
float polynomial_sin(float x);

}  // namespace uopdiff::adversary
