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
  double value = 0;  // of a leaf
  std::vector<std::shared_ptr<const Expr>> src;
};
using ExprPtr = std::shared_ptr<const Expr>;

ExprPtr leaf(double value);
ExprPtr node(std::string op, std::vector<ExprPtr> src);
std::string text_of(const Expr& expr);

enum class Values { whole, ordinary, special };  // of leaves
ExprPtr random_expr(Random& random, DType dtype, Values values, int depth);

// The reference's opinion of `expr`.
Element bound_of(DType dtype, const Expr& expr);

// The operation in terms of simpler ones, as one of the compilers writes it; null for those that stay.
ExprPtr spelled_out(const Expr& expr);

// The value in the dtype: with rewrites that are right for real numbers (reordered, distributed and factored
// sums and products, fused multiply-add, subnormals flushed to zero, other spellings of each operation,
// constants in double), f16 and bf16 rounded after each operation or some or the last only.
double evaluate(DType dtype, const Expr& expr, Random& random);

}  // namespace uopdiff::adversary
