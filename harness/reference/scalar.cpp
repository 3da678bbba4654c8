#include "harness/reference/scalar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "harness/program/error.h"
#include "harness/reference/scalar_float.h"

namespace uopdiff {
namespace {

using Operands = std::span<const Element>;
using f32::is_exact;
using f32::is_f32;
using f32::is_nan;
using f32::is_special;
using f32::kUnit;
using f32::may_flush;
using f32::overflowed;

constexpr int64_t kIntMin = std::numeric_limits<int32_t>::min();

Element wrapped(int64_t value) { return exact_int(static_cast<int32_t>(static_cast<uint64_t>(value))); }

// ---- arithmetic

Element add(DType dtype, Operands x) {
  return is_float(dtype) ? f32::add(x[0], x[1]) : wrapped(x[0].i + x[1].i);
}

Element sub(DType dtype, Operands x) {
  return is_float(dtype) ? f32::add(x[0], f32::negated(x[1])) : wrapped(x[0].i - x[1].i);
}

Element mul(DType dtype, Operands x) {
  return is_float(dtype) ? f32::multiply(x[0], x[1]) : wrapped(x[0].i * x[1].i);
}

// Compilers write a/b as a * (1/b), too.
Element div(DType, Operands x) { return f32::divide(x[0], x[1]); }
Element reciprocal(DType, Operands x) { return f32::reciprocal(x[0]); }

// ---- choosing

// Where subnormals are flushed, an operation that only passes its operand on may do so, too.
Element passed_on(Element x) {
  if (!may_flush(x)) return x;
  x.error += std::abs(x.f);
  x.leaf_error += std::abs(x.f);
  return x;
}

Element larger(const Element& given_a, const Element& given_b, double sign) {
  const Element a = passed_on(given_a), b = passed_on(given_b);
  if (is_nan(a) || is_nan(b)) return undetermined(Undetermined::nan_order);
  const double floor_a = sign * a.f - a.error, floor_b = sign * b.f - b.error;
  const double best = std::max(floor_a, floor_b);
  Element e = sign * a.f >= sign * b.f ? a : b;
  // An operand that certainly loses does not widen the result.
  for (const Element* x : {&a, &b}) {
    if (sign * x->f + x->error < best) continue;
    e.error = std::max(e.error, x->error);
    e.leaf_error = std::max(e.leaf_error, x->error);
  }
  e.magnitude = std::max(a.magnitude, b.magnitude);
  e.grain = std::min(a.grain, b.grain);
  e.terms = std::max(a.terms, b.terms);
  e.factors = std::max(a.factors, b.factors);
  e.high = std::max(a.high, b.high);
  e.low = std::min(a.low, b.low);
  return e;
}

Element maximum(DType dtype, Operands x) {
  return is_float(dtype) ? larger(x[0], x[1], 1) : exact_int(std::max(x[0].i, x[1].i));
}
Element minimum(DType dtype, Operands x) {
  return is_float(dtype) ? larger(x[0], x[1], -1) : exact_int(std::min(x[0].i, x[1].i));
}

// ---- one operand

Element neg(DType dtype, Operands x) {
  return is_float(dtype) ? f32::negated(passed_on(x[0])) : wrapped(-x[0].i);
}

Element abs_of(DType dtype, Operands x) {
  if (!is_float(dtype)) return wrapped(std::abs(x[0].i));
  // Written as where(x < 0, -x, x), or as x * (sign of x + x*0) (tinygrad 0.12.0 tensor.py, `sign`).
  if (is_nan(x[0])) return undetermined(Undetermined::nan_order);
  if (is_special(x[0])) return undetermined(Undetermined::zero_sign);
  Element e = passed_on(x[0]);
  e.f = std::abs(e.f);
  return e;
}

Element relu(DType dtype, Operands x) {
  if (!is_float(dtype)) return exact_int(std::max<int64_t>(x[0].i, 0));
  // As (x > 0) * x an infinity below zero is 0 * inf.
  if (std::isinf(x[0].f) && x[0].f < 0) return undetermined(Undetermined::zero_sign);
  return larger(x[0], exact_float(0), 1);
}

Element sqrt_of(DType, Operands x) {
  if (overflowed(x[0])) return undetermined(Undetermined::overflow);
  if (is_nan(x[0])) return x[0];
  if (x[0].f + x[0].error < 0)
    return may_flush(x[0]) ? undetermined(Undetermined::overflow) : exact_float(NAN);
  if (x[0].f - x[0].error < 0) return undetermined(Undetermined::interval);
  if (may_flush(x[0])) return undetermined(Undetermined::overflow);
  const double value = std::sqrt(x[0].f);
  if (is_exact(x[0]) && is_f32(value)) return exact_float(value);
  const double low = std::sqrt(x[0].f - x[0].error), high = std::sqrt(x[0].f + x[0].error);
  return f32::leaf(value, std::max(value - low, high - value) + kUnit * high * 1.01);
}

// The limits below are for the two compilers' own polynomial versions (tinygrad 0.12.0
// uop/decompositions.py, Morok 0.1.0-alpha.2 ir/src/decompositions/transcendentals.rs), which state 1 ulp for
// the core; exp and log pass through base 2 with one more rounded product.
constexpr double kCoreError = 6 * kUnit;  // 3 ulp: the stated 1, and the few operations around the core

// 2^x for a determined x that is not NaN.
Element exponential(const Element& x) {
  if (std::isinf(x.f)) return x.f > 0 ? x : exact_float(0);
  const double value = std::exp2(std::min(x.f, 1000.0));
  double error = value * (std::expm1(x.error * M_LN2) + kCoreError * std::exp2(x.error));
  if (std::exp2(x.f - x.error) < f32::kTiny) error += f32::kTiny;  // subnormal results may be flushed
  return f32::leaf(value, error);
}

// The constant as an f32, for products that a compiler inserts.
Element rounded_constant(double value) { return f32::leaf(value, kUnit * value); }

Element exp2_of(DType, Operands x) {
  if (overflowed(x[0])) return undetermined(Undetermined::overflow);
  return is_nan(x[0]) ? x[0] : exponential(x[0]);
}

// As exp2(x * log2(e)); that product may be merged with products inside x.
Element exp_of(DType dtype, Operands x) {
  if (is_special(x[0])) return exp2_of(dtype, x);
  const Element power = f32::multiply(x[0], rounded_constant(M_LOG2E));
  return power.undetermined == Undetermined::no ? exponential(power) : power;
}

Element log2_of(DType, Operands operands) {
  const Element& x = operands[0];
  if (overflowed(x)) return undetermined(Undetermined::overflow);
  if (is_nan(x)) return x;
  if (may_flush(x)) return undetermined(Undetermined::overflow);
  if (x.f + x.error < 0) return exact_float(NAN);
  if (std::isinf(x.f)) return x;
  if (x.f == 0 && is_exact(x)) return exact_float(-INFINITY);
  const double low = x.f - x.error;
  if (low <= 0) return undetermined(Undetermined::interval);
  if (low < f32::kTiny) return undetermined(Undetermined::overflow);
  const double value = std::log2(x.f);
  // Near 1 the result is small against the exponent's part that cancels in it: absolute.
  return f32::leaf(value, value - std::log2(low) + (kCoreError + 2 * kUnit) * std::abs(value) + 0x1p-23);
}

Element log_of(DType dtype, Operands x) {
  const Element binary = log2_of(dtype, x);
  if (binary.undetermined != Undetermined::no || is_special(binary)) return binary;
  return f32::multiply(binary, rounded_constant(M_LN2));
}

Element sin_of(DType, Operands x) {
  if (overflowed(x[0])) return undetermined(Undetermined::overflow);
  if (is_special(x[0])) return exact_float(NAN);
  if (std::abs(x[0].f) + x[0].error > 10000) return undetermined(Undetermined::large_argument);
  // Absolute: the argument reduction subtracts multiples of pi in a few f32 pieces.
  return f32::leaf(std::sin(x[0].f), std::min(2.0, x[0].error + 0x1p-21 + std::abs(x[0].f) * 0x1p-23));
}

Element logical_not(DType, Operands x) { return exact_int(x[0].i == 0); }

// ---- integers

Element divide_ints(int64_t a, int64_t b, bool floor, bool quotient) {
  if (b == 0 || (a == kIntMin && b == -1)) return undetermined(Undetermined::division_by_zero);
  int64_t q = a / b, r = a % b;
  if (floor && r != 0 && (r < 0) != (b < 0)) {
    --q;
    r += b;
  }
  return exact_int(quotient ? q : r);
}

Element floordiv(DType, Operands x) { return divide_ints(x[0].i, x[1].i, true, true); }
Element floormod(DType, Operands x) { return divide_ints(x[0].i, x[1].i, true, false); }
Element truncdiv(DType, Operands x) { return divide_ints(x[0].i, x[1].i, false, true); }
Element truncmod(DType, Operands x) { return divide_ints(x[0].i, x[1].i, false, false); }

Element bit_and(DType, Operands x) { return exact_int(x[0].i & x[1].i); }
Element bit_or(DType, Operands x) { return exact_int(x[0].i | x[1].i); }
Element bit_xor(DType, Operands x) { return exact_int(x[0].i ^ x[1].i); }

Element shl(DType, Operands x) {
  if (x[1].i < 0 || x[1].i > 31) return undetermined(Undetermined::shift_amount);
  return wrapped(static_cast<int64_t>(static_cast<uint64_t>(x[0].i) << x[1].i));
}
Element shr(DType, Operands x) {
  if (x[1].i < 0 || x[1].i > 31) return undetermined(Undetermined::shift_amount);
  return exact_int(x[0].i >> x[1].i);
}

// ---- comparing

enum class Relation { less, equal, unequal };

bool holds(Relation relation, double a, double b) {
  return relation == Relation::less ? a < b : (a == b) == (relation == Relation::equal);
}

Element relate(DType dtype, Operands x, Relation relation) {
  const Element &a = x[0], &b = x[1];
  if (!is_float(dtype))
    return exact_int(relation == Relation::less ? a.i < b.i : (a.i == b.i) == (relation == Relation::equal));
  if (is_nan(a) || is_nan(b)) return undetermined(Undetermined::nan_order);
  if (overflowed(a) || overflowed(b)) return undetermined(Undetermined::overflow);
  if (!is_special(a) && !is_special(b)) {
    double slack = a.error + b.error;
    // c + x < d becomes x < d - c (tinygrad 0.12.0 uop/symbolic.py, "two stage ALU folding").
    if (a.terms > 1 || b.terms > 1) {
      const Element difference = f32::add(a, f32::negated(b));
      if (difference.undetermined != Undetermined::no) return difference;
      slack = difference.error;
    }
    if (slack > 0 && std::abs(a.f - b.f) <= slack) return undetermined(Undetermined::interval);
  }
  const bool result = holds(relation, a.f, b.f);
  const auto flushed = [](const Element& e) { return may_flush(e) ? 0 : e.f; };
  if (result != holds(relation, flushed(a), flushed(b))) return undetermined(Undetermined::interval);
  return exact_int(result);
}

Element lt(DType dtype, Operands x) { return relate(dtype, x, Relation::less); }
Element eq(DType dtype, Operands x) { return relate(dtype, x, Relation::equal); }
Element ne(DType dtype, Operands x) { return relate(dtype, x, Relation::unequal); }

// The table's functions see determined operands only.
Element where(DType, Operands x) { return x[0].i ? x[1] : x[2]; }

}  // namespace

ScalarFunction scalar_function(const std::string& op) {
  static const std::map<std::string, ScalarFunction> table{{"add", add},
                                                           {"sub", sub},
                                                           {"mul", mul},
                                                           {"div", div},
                                                           {"neg", neg},
                                                           {"abs", abs_of},
                                                           {"sqrt", sqrt_of},
                                                           {"exp2", exp2_of},
                                                           {"log2", log2_of},
                                                           {"sin", sin_of},
                                                           {"exp", exp_of},
                                                           {"log", log_of},
                                                           {"reciprocal", reciprocal},
                                                           {"relu", relu},
                                                           {"logical_not", logical_not},
                                                           {"floordiv", floordiv},
                                                           {"truncdiv", truncdiv},
                                                           {"floormod", floormod},
                                                           {"truncmod", truncmod},
                                                           {"maximum", maximum},
                                                           {"minimum", minimum},
                                                           {"and", bit_and},
                                                           {"or", bit_or},
                                                           {"xor", bit_xor},
                                                           {"shl", shl},
                                                           {"shr", shr},
                                                           {"lt", lt},
                                                           {"eq", eq},
                                                           {"ne", ne},
                                                           {"where", where}};
  const auto found = table.find(op);
  return found == table.end() ? nullptr : found->second;
}

Element cast_element(DType from, DType to, const Element& x) {
  if (x.undetermined != Undetermined::no) return undetermined(Undetermined::data);
  if (from == to) return x;
  if (!is_float(from)) {
    if (to == DType::boolean) return exact_int(x.i != 0);
    if (!is_float(to)) return exact_int(x.i);
    const auto value = static_cast<double>(x.i);
    return is_f32(value) ? exact_float(value) : f32::leaf(value, kUnit * std::abs(value));
  }
  if (is_nan(x))
    return undetermined(to == DType::boolean ? Undetermined::nan_order : Undetermined::cast_range);
  if (to == DType::boolean) {
    if ((!is_exact(x) && f32::may_be_zero(x)) || may_flush(x)) return undetermined(Undetermined::interval);
    return exact_int(x.f != 0);
  }
  const double low = std::trunc(x.f - x.error), high = std::trunc(x.f + x.error);
  if (!(low >= -2147483648.0 && high <= 2147483647.0)) return undetermined(Undetermined::cast_range);
  if (low != high) return undetermined(Undetermined::interval);
  return exact_int(static_cast<int64_t>(low));
}

Element reduce_elements(const std::string& op, DType dtype, Operands elements) {
  for (const Element& e : elements)
    if (e.undetermined != Undetermined::no) return undetermined(Undetermined::data);
  if (is_float(dtype) && elements.size() == 1) return passed_on(elements[0]);
  if (is_float(dtype) && op == "sum") return f32::sum(elements);
  if (is_float(dtype) && op == "prod") return f32::product(elements);
  const std::string step = op == "sum" ? "add" : op == "prod" ? "mul" : op == "max" ? "maximum" : "minimum";
  const ScalarFunction combine = scalar_function(step);
  Element result = elements[0];
  for (const Element& e : elements.subspan(1)) {
    const std::array<Element, 2> pair{result, e};
    result = combine(dtype, pair);
    if (result.undetermined != Undetermined::no) return result;
  }
  return result;
}

}  // namespace uopdiff
