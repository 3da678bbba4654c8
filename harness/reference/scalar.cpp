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
using f32::rounded;

constexpr int64_t kIntMin = std::numeric_limits<int32_t>::min();

Element wrapped(int64_t value) { return exact_int(static_cast<int32_t>(static_cast<uint64_t>(value))); }

// ---- add, sub, mul, div

Element sum_of(const Element& a, const Element& b) {
  const double value = a.f + b.f;  // exact enough: both come from f32-sized values
  // x - x may be folded to 0 even where x is infinite or NaN.
  if (std::isnan(value) && !std::isfinite(a.f) && !std::isfinite(b.f))
    return undetermined(Undetermined::zero_sign);
  if (!std::isfinite(value)) return exact_float(value);
  Element e = exact_float(value);
  e.magnitude = a.magnitude + b.magnitude;
  e.grain = std::min(a.grain, b.grain);
  e.sum = true;
  if (is_exact(a) && is_exact(b) && f32::never_rounds(e)) return e;
  e = rounded(value, a.error + b.error, 1);
  e.error += f32::kUnit * (a.magnitude + b.magnitude);
  e.magnitude = a.magnitude + b.magnitude;
  e.sum = true;
  return e;
}

Element negated(Element x) {
  x.f = -x.f;
  return x;
}

Element add(DType dtype, Operands x) {
  return is_float(dtype) ? sum_of(x[0], x[1]) : wrapped(x[0].i + x[1].i);
}

Element sub(DType dtype, Operands x) {
  return is_float(dtype) ? sum_of(x[0], negated(x[1])) : wrapped(x[0].i - x[1].i);
}

Element mul(DType dtype, Operands x) {
  if (!is_float(dtype)) return wrapped(x[0].i * x[1].i);
  // Both compilers fold x*0 to 0 whatever x is.
  if ((is_special(x[0]) && std::abs(x[1].f) <= x[1].error) ||
      (is_special(x[1]) && std::abs(x[0].f) <= x[0].error))
    return undetermined(Undetermined::zero_sign);
  const double value = x[0].f * x[1].f;
  if (!std::isfinite(value)) return exact_float(value);
  // A factor may be distributed over the terms of a sum.
  Element e = exact_float(value);
  e.magnitude = x[0].magnitude * x[1].magnitude;
  const bool sums = x[0].sum || x[1].sum;
  e.sum = sums;
  if (sums) e.grain = std::min(e.grain, x[0].grain * x[1].grain);
  if (is_exact(x[0]) && is_exact(x[1]) && (sums ? f32::never_rounds(e) : is_f32(value))) return e;
  const double propagated =
      std::abs(x[0].f) * x[1].error + std::abs(x[1].f) * x[0].error + x[0].error * x[1].error;
  e = rounded(value, propagated, 1);
  e.magnitude = x[0].magnitude * x[1].magnitude;
  e.sum = sums;
  if (sums) e.error += 2 * f32::kUnit * e.magnitude;
  return e;
}

// 1/x; compilers may write a/b as a * (1/b), which rounds once more.
Element divide(const Element& a, const Element& b, double roundings) {
  if (is_special(a) && is_special(b)) return undetermined(Undetermined::zero_sign);  // x/x may be folded to 1
  if (is_nan(a) || is_nan(b)) return exact_float(NAN);
  if (std::abs(b.f) <= b.error) return undetermined(Undetermined::zero_sign);
  if (std::isinf(b.f)) return undetermined(Undetermined::zero_sign);
  // The reciprocal may leave the normal range although the quotient does not.
  if (std::abs(b.f) < 0x1p-120 || std::abs(b.f) > 0x1p120) return undetermined(Undetermined::overflow);
  const double value = a.f / b.f;
  if (!std::isfinite(value)) return exact_float(value);
  int exponent = 0;
  const bool power_of_two = std::abs(std::frexp(b.f, &exponent)) == 0.5;
  if (is_exact(a) && is_exact(b) && power_of_two && is_f32(value)) return exact_float(value);
  const double smallest = std::abs(b.f) - b.error;
  const double propagated = (a.error + std::abs(value) * b.error) / smallest;
  return rounded(value, propagated, roundings);
}

Element div(DType, Operands x) { return divide(x[0], x[1], 3); }
Element reciprocal(DType, Operands x) { return divide(exact_float(1), x[0], 2); }

// ---- one operand

Element neg(DType dtype, Operands x) { return is_float(dtype) ? negated(x[0]) : wrapped(-x[0].i); }

Element abs_of(DType dtype, Operands x) {
  if (!is_float(dtype)) return wrapped(std::abs(x[0].i));
  // Written as x * sign(x) by tinygrad, which is NaN for infinities' zero sign and for NaN.
  if (is_nan(x[0])) return undetermined(Undetermined::nan_order);
  Element e = x[0];
  e.f = std::abs(e.f);
  return e;
}

Element relu(DType dtype, Operands x) {
  if (!is_float(dtype)) return exact_int(std::max<int64_t>(x[0].i, 0));
  if (is_nan(x[0])) return undetermined(Undetermined::nan_order);
  // As (x > 0) * x an infinity below zero is 0 * inf.
  if (std::isinf(x[0].f) && x[0].f < 0) return undetermined(Undetermined::zero_sign);
  Element e = x[0];
  e.f = std::max(e.f, 0.0);
  return e;
}

Element sqrt_of(DType, Operands x) {
  if (is_nan(x[0])) return x[0];
  if (x[0].f + x[0].error < 0) return exact_float(NAN);
  if (x[0].f - x[0].error < 0) return undetermined(Undetermined::interval);
  const double value = std::sqrt(x[0].f);
  if (is_exact(x[0]) && is_f32(value)) return exact_float(value);
  const double low = std::sqrt(x[0].f - x[0].error), high = std::sqrt(x[0].f + x[0].error);
  return rounded(value, std::max(value - low, high - value), 1);
}

// The limits below are for the two compilers' own polynomial versions (tinygrad 0.12.0
// uop/decompositions.py, Morok 0.1.0-alpha.2 ir/src/decompositions/transcendentals.rs), which state 1 ulp for
// the core; exp and log pass through base 2 with one more rounded product.
constexpr double kCoreRoundings = 6;  // 3 ulp: the stated 1, and the few operations around the core

Element exponential(const Element& x, double base_log2, double argument_roundings) {
  if (is_nan(x)) return x;
  if (std::isinf(x.f)) return x.f > 0 ? x : exact_float(0);
  const double power = x.f * base_log2;
  const double slack = x.error * base_log2 + argument_roundings * f32::kUnit * std::abs(power);
  if (power + slack < -126) {  // subnormal results may be flushed
    Element e = rounded(0, 0, 0);
    e.error = std::max(std::exp2(power + slack), 0x1p-126);
    return e;
  }
  const double value = std::exp2(power);
  return rounded(value, value * std::expm1(slack * M_LN2), kCoreRoundings);
}

Element exp2_of(DType, Operands x) { return exponential(x[0], 1, 0); }
Element exp_of(DType, Operands x) { return exponential(x[0], M_LOG2E, 3); }

Element logarithm(const Element& x, double unit) {
  if (is_nan(x)) return x;
  if (x.f + x.error < 0) return exact_float(NAN);
  if (std::isinf(x.f)) return x;
  if (x.f == 0 && is_exact(x)) return exact_float(-INFINITY);
  const double low = x.f - x.error;
  if (low <= 0) return undetermined(Undetermined::interval);
  if (low < 0x1p-126) return undetermined(Undetermined::overflow);  // subnormals may count as zero
  const double value = std::log2(x.f) * unit;
  const double propagated = (std::log2(x.f) - std::log2(low)) * unit;
  Element e = rounded(value, propagated, kCoreRoundings + 2);
  // Near 1 the result is small against the exponent's part that cancels in it.
  e.error += 0x1p-23 * unit;
  return e;
}

Element log2_of(DType, Operands x) { return logarithm(x[0], 1); }
Element log_of(DType, Operands x) { return logarithm(x[0], M_LN2); }

Element sin_of(DType, Operands x) {
  if (is_special(x[0])) return exact_float(NAN);
  if (std::abs(x[0].f) > 10000) return undetermined(Undetermined::large_argument);
  Element e = rounded(std::sin(x[0].f), 0, 0);
  // Absolute: the argument reduction subtracts multiples of pi in a few f32 pieces.
  e.error = std::min(2.0, x[0].error + 0x1p-21 + std::abs(x[0].f) * 0x1p-23);
  return e;
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

// ---- choosing

Element larger(DType dtype, const Element& a, const Element& b, double sign) {
  if (!is_float(dtype)) return exact_int(sign > 0 ? std::max(a.i, b.i) : std::min(a.i, b.i));
  if (is_nan(a) || is_nan(b)) return undetermined(Undetermined::nan_order);
  Element e = exact_float(sign > 0 ? std::max(a.f, b.f) : std::min(a.f, b.f));
  e.magnitude = std::max(a.magnitude, b.magnitude);
  e.grain = std::min(a.grain, b.grain);
  e.sum = a.sum || b.sum;
  // An operand that certainly loses does not widen the result.
  const double floor_a = sign * a.f - a.error, floor_b = sign * b.f - b.error;
  const double best = std::max(floor_a, floor_b);
  if (sign * a.f + a.error >= best) e.error = std::max(e.error, a.error);
  if (sign * b.f + b.error >= best) e.error = std::max(e.error, b.error);
  return e;
}

Element maximum(DType dtype, Operands x) { return larger(dtype, x[0], x[1], 1); }
Element minimum(DType dtype, Operands x) { return larger(dtype, x[0], x[1], -1); }

enum class Relation { less, equal, unequal };

Element relate(DType dtype, Operands x, Relation relation) {
  if (!is_float(dtype)) {
    if (relation == Relation::less) return exact_int(x[0].i < x[1].i);
    return exact_int((x[0].i == x[1].i) == (relation == Relation::equal));
  }
  if (is_nan(x[0]) || is_nan(x[1])) return undetermined(Undetermined::nan_order);
  const double slack = x[0].error + x[1].error;
  const bool infinite = is_special(x[0]) || is_special(x[1]);
  if (slack > 0 && !infinite && std::abs(x[0].f - x[1].f) <= slack)
    return undetermined(Undetermined::interval);
  if (relation == Relation::less) return exact_int(x[0].f < x[1].f);
  return exact_int((x[0].f == x[1].f) == (relation == Relation::equal));
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
    return is_f32(value) ? exact_float(value) : rounded(value, 0, 1);
  }
  if (is_nan(x))
    return undetermined(to == DType::boolean ? Undetermined::nan_order : Undetermined::cast_range);
  if (to == DType::boolean) {
    if (!is_exact(x) && std::abs(x.f) <= x.error) return undetermined(Undetermined::interval);
    return exact_int(x.f != 0);
  }
  const double low = std::trunc(x.f - x.error), high = std::trunc(x.f + x.error);
  if (!(low >= -2147483648.0 && high <= 2147483647.0)) return undetermined(Undetermined::cast_range);
  if (low != high) return undetermined(Undetermined::interval);
  return exact_int(static_cast<int64_t>(low));
}

namespace {

Element sum_floats(Operands x) {
  double total = 0, propagated = 0;
  Element terms;
  bool exact = true, special = false;
  for (const Element& e : x) {
    total += e.f;
    special |= is_special(e);
    if (is_special(e)) continue;
    terms.magnitude += e.magnitude + e.error;
    terms.grain = std::min(terms.grain, e.grain);
    propagated += e.error;
    exact &= is_exact(e);
  }
  if (terms.magnitude >= f32::kMax) return undetermined(Undetermined::overflow);
  if (special) return exact_float(total);
  terms.f = total;
  terms.sum = true;
  if (exact && f32::never_rounds(terms)) return terms;
  Element e = rounded(total, propagated, 1);
  e.error += static_cast<double>(x.size()) * f32::kUnit * 1.01 * terms.magnitude;
  e.magnitude = terms.magnitude;
  e.sum = true;
  return e;
}

Element prod_floats(Operands x) {
  double product = 1, largest = 1, smallest = 1, relative = 0;
  bool exact = true, zero = false, special = false;
  for (const Element& e : x) {
    special |= is_special(e);
    exact &= is_exact(e) && e.f == std::trunc(e.f);
    zero |= std::abs(e.f) <= e.error;
    product *= e.f;
    if (is_special(e) || e.f == 0) continue;
    relative += e.error / std::abs(e.f);
    (std::abs(e.f) > 1 ? largest : smallest) *= std::abs(e.f);
  }
  if (special && zero) return undetermined(Undetermined::zero_sign);
  if (special) return exact_float(product);
  if (exact && largest <= 0x1p24) return exact_float(product);
  if (largest >= f32::kMax || smallest <= f32::kTiny || (zero && !is_f32(product)))
    return undetermined(Undetermined::overflow);
  if (zero && product != 0) return undetermined(Undetermined::interval);
  return rounded(product, std::abs(product) * std::expm1(relative * 1.01), static_cast<double>(x.size()));
}

}  // namespace

Element reduce_elements(const std::string& op, DType dtype, Operands elements) {
  for (const Element& e : elements)
    if (e.undetermined != Undetermined::no) return undetermined(Undetermined::data);
  if (is_float(dtype) && op == "sum") return sum_floats(elements);
  if (is_float(dtype) && op == "prod") return prod_floats(elements);
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
