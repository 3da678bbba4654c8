// Functions that both compilers approximate, or compose of approximated ones: by their limits (limits.h), or
// by evaluating the composition with the bounds of its parts.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/reference/float_model.h"
#include "harness/reference/limits.h"
#include "harness/reference/scalar_families.h"

namespace uopdiff::scalars {
namespace {

using std::numbers::ln2_v;
using std::numbers::log2e_v;

constexpr Real kHalfPi = std::numbers::pi_v<Real> / 2;
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
// Beyond, compilers reduce the argument of a sine with what precision they have.
constexpr Real kLargeArgument = 10000;
constexpr Real kSwitchOver = 30;  // from here tinygrad reduces in another way

// Powers of two beyond which every float dtype has overflowed or underflowed, within the range of Real.
Real exp2_clamped(Real x) { return std::exp2(std::clamp<Real>(x, -16000, 16000)); }

// How far a monotone function strays over the interval of x.
Real spread(const Element& x, Real value, Real (*f)(Real)) {
  if (is_exact(x)) return 0;
  return std::max(std::abs(f(x.f - x.error) - value), std::abs(f(x.f + x.error) - value));
}

Element sqrt_of(DType dtype, Operands operands) {
  const FloatModel& m = float_model(dtype);
  const Element& x = operands[0];
  if (m.overflowed(x)) return undetermined(Undetermined::overflow);
  if (is_nan(x)) return x;
  if (x.f + x.error < 0) return m.may_flush(x) ? undetermined(Undetermined::overflow) : exact_float(NAN);
  if (x.f - x.error < 0) return undetermined(Undetermined::interval);
  if (m.may_flush(x)) return undetermined(Undetermined::overflow);
  const Real value = std::sqrt(x.f);
  if (is_exact(x) && value * value == x.f && m.fits(value)) return exact_float(value);
  const Real high = std::sqrt(x.f + x.error);  // correctly rounded everywhere
  return m.leaf(value, spread(x, value, std::sqrt) + m.unit * high * 1.01L);
}

Element rsqrt_of(DType dtype, Operands x) {
  const Element root = sqrt_of(dtype, x);
  return is_open(root) ? root : float_model(dtype).reciprocal(root);
}

Element exp2_of(DType dtype, Operands x) {
  if (float_model(dtype).overflowed(x[0])) return undetermined(Undetermined::overflow);
  return is_nan(x[0]) ? x[0] : exponential(dtype, x[0]);
}
Element exp_of(DType dtype, Operands x) { return exponential_of_e(dtype, x[0]); }

Element log2_of(DType dtype, Operands operands) {
  const FloatModel& m = float_model(dtype);
  const Element& x = operands[0];
  if (m.overflowed(x)) return undetermined(Undetermined::overflow);
  if (is_nan(x)) return x;
  if (m.may_flush(x)) return undetermined(Undetermined::overflow);
  if (x.f + x.error < 0) return exact_float(NAN);
  if (std::isinf(x.f)) return x;
  if (x.f == 0 && is_exact(x)) return exact_float(-kInfinity);
  const Real low = x.f - x.error;
  if (low <= 0) return undetermined(Undetermined::interval);
  if (low < m.vanish) return undetermined(Undetermined::overflow);
  const Real value = std::log2(x.f);
  const Limit& limit = limit_of("log2", dtype);
  return m.leaf(value, value - std::log2(low) + limit.relative * std::abs(value) + limit.absolute);
}
Element log_of(DType dtype, Operands x) { return logarithm_of_e(dtype, x[0]); }

// ---- trigonometric

Element sine(DType dtype, const Element& x, Real value) {
  const FloatModel& m = float_model(dtype);
  if (is_open(x)) return x;
  if (m.overflowed(x)) return undetermined(Undetermined::overflow);
  if (is_special(x)) return exact_float(NAN);
  if (std::abs(x.f) + x.error > kLargeArgument) return undetermined(Undetermined::large_argument);
  const Real size = std::abs(x.f) + x.error;
  const Limit& limit = limit_of("sin", dtype);
  Real argument = limit.argument;
  if (size > kSwitchOver) argument = std::max(argument, limit_of("sin beyond 30", dtype).argument);
  return m.leaf(value, std::min<Real>(
                           2, x.error + limit.absolute + limit.relative * std::abs(value) + argument * size));
}
Element sin_of(DType dtype, Operands x) { return sine(dtype, x[0], std::sin(x[0].f)); }

// As the sine of pi/2 - x.
Element cos_of(DType dtype, Operands x) {
  const FloatModel& m = float_model(dtype);
  if (m.overflowed(x[0])) return undetermined(Undetermined::overflow);
  if (is_special(x[0])) return exact_float(NAN);
  return sine(dtype, m.add(m.constant(kHalfPi), negated(x[0])), std::cos(x[0].f));
}
Element tan_of(DType dtype, Operands x) {
  const Element s = sin_of(dtype, x), c = cos_of(dtype, x);
  if (is_open(s) || is_special(s)) return s;
  if (is_open(c)) return c;
  return float_model(dtype).around(std::tan(x[0].f), float_model(dtype).divide(s, c));
}

// The operand, as far as it may be changed by what is added to it in one sum with its own terms.
Element beside_one(DType dtype, Element x) {
  if (is_simple(x)) return x;
  const Element sum = float_model(dtype).add(exact_float(1), negated(x));
  if (is_open(sum)) return sum;
  x.error = std::max(x.error, sum.error);
  return x;
}

// As sign(x) * (pi/2 - sqrt(1-|x|) * polynomial(|x|)).
Element asin_of(DType dtype, Operands operands) {
  const FloatModel& m = float_model(dtype);
  if (m.overflowed(operands[0])) return undetermined(Undetermined::overflow);
  if (is_special(operands[0])) return exact_float(NAN);
  const Element x = beside_one(dtype, operands[0]);
  if (is_open(x)) return x;
  if (std::abs(x.f) - x.error > 1) return exact_float(NAN);
  if (std::abs(x.f) + x.error > 1) return undetermined(Undetermined::interval);
  const Limit& limit = limit_of("asin", dtype);
  const Real value = std::asin(x.f);
  return m.leaf_of_parts(
      value, spread(x, value, std::asin) + limit.relative * std::abs(value) + limit.absolute, 2 * kHalfPi);
}
Element acos_of(DType dtype, Operands x) {
  const FloatModel& m = float_model(dtype);
  const Element opposite = asin_of(dtype, x);
  if (is_open(opposite) || is_special(opposite)) return opposite;
  return float_model(dtype).around(std::acos(x[0].f), m.add(m.constant(kHalfPi), negated(opposite)));
}

// As asin(z) of z = x / sqrt(1 + x^2), which is 1 where x is large.
Element atan_of(DType dtype, Operands operands) {
  const FloatModel& m = float_model(dtype);
  const Element& x = operands[0];
  if (is_nan(x)) return x;
  const Element square = m.multiply(x, x);
  if (is_open(square) || is_special(square)) return undetermined(Undetermined::overflow);
  const std::array<Element, 1> sum{m.add(square, exact_float(1))};
  if (is_open(sum[0])) return sum[0];
  const Element root = sqrt_of(dtype, sum);
  if (is_open(root)) return root;
  const Element z = m.divide(x, root);
  if (is_open(z)) return z;
  const Limit& limit = limit_of("asin", dtype);
  const Real value = std::atan(x.f), sine = std::sin(value), own = z.error;
  // The root of 1 - |z| is NaN where |z| comes out above 1: with more roundings than those of root and
  // quotient, or where both x are not quite the same.
  if ((m.narrow || !is_simple(x)) && std::abs(sine) + own > 1) return undetermined(Undetermined::interval);
  const Real low = std::asin(std::clamp<Real>(sine - own, -1, 1)),
             high = std::asin(std::clamp<Real>(sine + own, -1, 1));
  return m.leaf_of_parts(value,
                         std::max(high - value, value - low) + spread(x, value, std::atan) +
                             limit.relative * std::abs(value) + limit.absolute,
                         2 * kHalfPi);
}

// ---- hyperbolic, as both compilers write them

Element half(DType dtype, const Element& x) { return float_model(dtype).multiply(x, exact_float(0.5L)); }

Element sinh_or_cosh(DType dtype, const Element& x, bool sine) {
  const FloatModel& m = float_model(dtype);
  const Element up = exponential_of_e(dtype, x), down = exponential_of_e(dtype, negated(x));
  for (const Element* e : {&up, &down})
    if (is_open(*e) || is_nan(*e)) return *e;
  const Element sum = m.add(up, sine ? negated(down) : down);
  if (is_open(sum)) return sum;
  return float_model(dtype).around(sine ? std::sinh(x.f) : std::cosh(x.f), half(dtype, sum));
}
Element sinh_of(DType dtype, Operands x) { return sinh_or_cosh(dtype, x[0], true); }
Element cosh_of(DType dtype, Operands x) { return sinh_or_cosh(dtype, x[0], false); }

// log(x + sqrt(x^2 + offset))
Element area(DType dtype, const Element& x, Real offset, Real value) {
  const FloatModel& m = float_model(dtype);
  if (is_nan(x)) return x;
  if (is_special(x)) return undetermined(Undetermined::zero_sign);
  const Element square = m.multiply(x, x);
  if (is_open(square) || is_special(square)) return undetermined(Undetermined::overflow);
  const std::array<Element, 1> inner{m.add(square, exact_float(offset))};
  if (is_open(inner[0])) return inner[0];
  const Element root = sqrt_of(dtype, inner);
  if (is_open(root) || is_special(root)) return root;
  const Element sum = m.add(x, root);
  return is_open(sum) ? sum : float_model(dtype).around(value, logarithm_of_e(dtype, sum));
}
Element asinh_of(DType dtype, Operands x) { return area(dtype, x[0], 1, std::asinh(x[0].f)); }
Element acosh_of(DType dtype, Operands x) { return area(dtype, x[0], -1, std::acosh(x[0].f)); }

Element atanh_of(DType dtype, Operands operands) {
  const FloatModel& m = float_model(dtype);
  const Element &x = operands[0], one = exact_float(1);
  if (is_nan(x)) return x;
  const Element above = m.add(one, x), below = m.add(one, negated(x));
  if (is_open(above)) return above;
  if (is_open(below)) return below;
  const Element ratio = m.divide(above, below);
  if (is_open(ratio)) return ratio;
  const Element log = logarithm_of_e(dtype, ratio);
  return is_open(log) ? log : float_model(dtype).around(std::atanh(x.f), half(dtype, log));
}

Element sigmoid_of(DType dtype, Operands x) { return sigmoid(dtype, x[0]); }
Element tanh_of(DType dtype, Operands x) { return tanh(dtype, x[0]); }

Element erf_of(DType dtype, Operands operands) {
  const FloatModel& m = float_model(dtype);
  const Element& x = operands[0];
  if (m.overflowed(x)) return undetermined(Undetermined::overflow);
  if (is_nan(x)) return x;
  if (is_special(x)) return undetermined(Undetermined::zero_sign);  // as the sign of an infinity
  const Limit& limit = limit_of("erf", dtype);
  const Real value = std::erf(x.f);
  Real error = spread(x, value, std::erf) + limit.relative * std::abs(value) + limit.absolute;
  const Element square = m.multiply(x, x);
  const Element power = is_open(square) ? square : m.multiply(square, m.constant(log2e_v<Real>));
  if (is_open(power) && !is_simple(x)) return power;  // else e^-x^2 is 0
  if (!is_open(power)) {
    const Real relative = exp2_clamped(power.error) * (1 + limit_of("exp2", dtype).relative) - 1;
    error += std::min<Real>(1, (1 - std::abs(value)) * relative);
  }
  return m.leaf_of_parts(value, std::min<Real>(error, 2), 2);
}

// As exp2(y * log2|x|), with the sign of an odd whole y; by products and square roots for some constant y.
Element pow_of(DType dtype, Operands operands) {
  const FloatModel& m = float_model(dtype);
  const Element &x = operands[0], &y = operands[1];
  if (m.overflowed(x) || m.overflowed(y)) return undetermined(Undetermined::overflow);
  if (is_nan(x) || is_nan(y)) return undetermined(Undetermined::nan_order);
  if (is_special(x) || is_special(y)) return undetermined(Undetermined::zero_sign);
  if (m.may_flush(x) || m.may_flush(y)) return undetermined(Undetermined::overflow);
  if (!is_exact(x) && may_be_zero(x)) return undetermined(Undetermined::interval);
  const bool fixed = is_exact(y), whole = std::trunc(y.f) == y.f;
  if (fixed && y.f == 0) return exact_float(1);
  if (x.f == 0) {
    if (may_be_zero(y)) return undetermined(Undetermined::interval);
    if (y.f < 0) return undetermined(Undetermined::zero_sign);
    // Partial products of the powers of its factors.
    return std::pow(x.high, y.f + y.error) < m.max ? exact_float(0) : undetermined(Undetermined::overflow);
  }
  if (x.f < 0) {
    if (!fixed) return undetermined(Undetermined::interval);
    // The whole part goes through an i32, or an i16 for f16.
    if (std::abs(y.f) >= (dtype == DType::f16 ? 0x1p15L : 0x1p31L))
      return undetermined(Undetermined::cast_range);
    if (!whole) return exact_float(NAN);
  }
  const std::array<Element, 1> size{x.f < 0 ? negated(x) : x};
  const Element log = log2_of(dtype, size);
  if (is_open(log)) return log;
  const Element power = m.multiply(y, log);
  if (is_open(power)) return power;
  Element e = exponential(dtype, power);
  if (is_open(e)) return e;
  if (fixed && whole && y.f > 0 && y.f <= 16 && !is_special(e)) {
    Element product = size[0];
    for (int k = 1; k < static_cast<int>(y.f); ++k) {
      product = m.multiply(product, size[0]);
      if (is_open(product)) return product;
    }
    product.leaf_error += e.error + std::abs(e.f - product.f);
    e = m.finish(product);
    if (is_open(e)) return e;
  }
  return x.f < 0 && std::fmod(std::abs(y.f), 2) == 1 ? negated(e) : e;
}

}  // namespace

Element exponential(DType dtype, const Element& x) {
  const FloatModel& m = float_model(dtype);
  if (std::isinf(x.f)) return x.f > 0 ? x : exact_float(0);
  if (is_exact(x) && x.f == 0) return exact_float(1);
  const Limit& limit = limit_of("exp2", dtype);
  const Real value = exp2_clamped(x.f), high = exp2_clamped(x.f + x.error), low = exp2_clamped(x.f - x.error);
  Real error = std::max(high - value, value - low) + limit.relative * high + limit.absolute;
  if (low < m.tiny) error += m.tiny;  // subnormal results may be flushed
  return m.leaf(value, error);
}

// As exp2(x * log2(e)); that product may be merged with products inside x.
Element exponential_of_e(DType dtype, const Element& x) {
  const FloatModel& m = float_model(dtype);
  if (m.overflowed(x)) return undetermined(Undetermined::overflow);
  if (is_nan(x)) return x;
  if (is_special(x)) return exponential(dtype, x);
  const Element power = m.multiply(x, m.constant(log2e_v<Real>));
  if (is_open(power)) return power;
  const Element e = exponential(dtype, power);
  return x.f == 0 ? e : m.around(std::exp(x.f), e);
}

Element logarithm_of_e(DType dtype, const Element& x) {
  const FloatModel& m = float_model(dtype);
  const Element binary = log2_of(dtype, std::span(&x, 1));
  if (is_open(binary) || is_special(binary)) return binary;
  return m.multiply(binary, m.constant(ln2_v<Real>));
}

// As 1 / (1 + exp2(x * -log2(e))).
Element sigmoid(DType dtype, const Element& x) {
  const FloatModel& m = float_model(dtype);
  if (m.overflowed(x)) return undetermined(Undetermined::overflow);
  if (is_nan(x)) return x;
  if (is_special(x)) return exact_float(x.f > 0 ? 1 : 0);
  const Element power = m.multiply(x, m.constant(-log2e_v<Real>));
  if (is_open(power) || is_special(power)) return undetermined(Undetermined::overflow);
  const Real width = power.error + limit_of("exp2", dtype).relative * log2e_v<Real> * 1.1L;
  const auto at = [](Real exponent) { return 1 / (1 + exp2_clamped(exponent)); };
  const Real value = at(power.f), high = at(power.f - width), low = at(power.f + width);
  Real error = std::max(high - value, value - low) + 4 * m.unit * high + limit_of("exp2", dtype).absolute;
  if (exp2_clamped(power.f + width) > m.max / 4) error = std::max(error, high);  // 1/inf
  return m.leaf(value, error);
}

// As 2 * sigmoid(2x) - 1.
Element tanh(DType dtype, const Element& x) {
  const FloatModel& m = float_model(dtype);
  if (m.overflowed(x)) return undetermined(Undetermined::overflow);
  if (is_nan(x)) return x;
  if (is_special(x)) return m.leaf_of_parts(x.f > 0 ? 1 : -1, 0, 3);
  const Element twice = m.multiply(x, exact_float(2));
  if (is_open(twice)) return twice;
  const Element s = sigmoid(dtype, twice);
  if (is_open(s)) return s;
  const Real value = std::tanh(x.f);
  return m.leaf_of_parts(value, 2 * s.error + 2 * m.unit * (2 * s.f + std::abs(value)), 2 * s.f + 1);
}

void add_transcendental(std::map<std::string, Plain>& table) {
  table.insert({{"sqrt", sqrt_of},   {"rsqrt", rsqrt_of}, {"exp2", exp2_of},   {"exp", exp_of},
                {"log2", log2_of},   {"log", log_of},     {"sin", sin_of},     {"cos", cos_of},
                {"tan", tan_of},     {"asin", asin_of},   {"acos", acos_of},   {"atan", atan_of},
                {"sinh", sinh_of},   {"cosh", cosh_of},   {"asinh", asinh_of}, {"acosh", acosh_of},
                {"atanh", atanh_of}, {"tanh", tanh_of},   {"erf", erf_of},     {"sigmoid", sigmoid_of},
                {"pow", pow_of}});
}

}  // namespace uopdiff::scalars
