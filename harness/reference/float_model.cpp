#include "harness/reference/float_model.h"

#include <algorithm>
#include <array>

namespace uopdiff {
namespace {

// For what the bounds themselves lose in Real, and for the second rounding where a wider format is between.
constexpr Real kSlack = 1 + 0x1p-10L;

FloatModel make_model(DType dtype) {
  const FloatFormat& format = float_format(dtype);
  FloatModel m{};
  m.unit = std::ldexp(Real{1}, -format.digits);
  m.max = format.largest();
  m.tiny = format.smallest_normal();
  m.smallest = m.tiny * m.unit * 2;
  m.whole = std::ldexp(Real{1}, format.digits);
  m.narrow = dtype == DType::f16 || dtype == DType::bf16;
  m.gradual = dtype == DType::f16;
  m.lost = m.gradual ? m.smallest / 2 : m.tiny;
  m.vanish = m.gradual ? m.smallest : m.tiny;
  return m;
}

Element infinity(Real sign) {
  Element e = exact_float(std::copysign(std::numeric_limits<Real>::infinity(), sign));
  e.high = std::numeric_limits<Real>::infinity();
  return e;
}

// (1 + unit)^count - 1 and a little more: the relative error of so many roundings.
Real growth(Real unit, Real count) {
  const Real first = count * unit;
  return kSlack * (first < 1 ? first * (1 + first) : std::expm1(first));
}

// The size of a sum, as the smallest partial result that later products may meet.
Real lowest(Real low, Real f) { return f == 0 ? low : std::min(low, std::abs(f)); }

}  // namespace

const FloatModel& float_model(DType dtype) {
  static const std::array<FloatModel, 4> models{make_model(DType::f16), make_model(DType::bf16),
                                                make_model(DType::f32), make_model(DType::f64)};
  return models[static_cast<size_t>(dtype) - static_cast<size_t>(DType::f16)];
}

bool FloatModel::fits(Real value) const {
  if (!std::isfinite(value) || value == 0) return true;
  const Real size = std::abs(value);
  if (size > max) return false;
  int exponent = 0;
  std::frexp(size, &exponent);  // size < 2^exponent
  const Real last = std::max(std::ldexp(2 * unit, exponent - 1), smallest), count = size / last;
  return std::trunc(count) == count;
}

Element FloatModel::finish(Element e) const {
  // Multiples of the smallest value are kept where no product of divisors overflows.
  const bool kept = gradual && e.factors <= 2 && e.grain >= smallest && !e.divided;
  if (e.low < tiny && e.magnitude > 0 && !kept)  // a lost part times what follows it
    e.leaf_error += 2 * (e.terms + e.factors) * (e.divided ? tiny : lost) * e.high;
  if (e.terms > 1 && e.grain < vanish) e.leaf_error += (e.terms - 1) * lost;  // lost partial sums
  // All partial results are multiples of the grain below 2^digits grains: no order rounds anywhere.
  const bool never_rounds = e.leaf_error == 0 && e.magnitude <= e.grain * whole;
  const Real relative = growth(unit, e.terms + e.factors - 2);
  e.error = never_rounds ? 0 : e.leaf_error + relative * (e.magnitude + e.leaf_error);
  if (e.high * (kSlack + relative) < max && std::abs(e.f) + e.error < max) return e;
  // A sum whose parts together stay below twice the largest float cannot pass by the other infinity.
  const bool one_way = e.terms == 1 || e.high < 2 * max;
  if (!narrow && one_way && std::abs(e.f) - e.error > max * kSlack) return infinity(e.f);
  return undetermined(Undetermined::overflow);
}

// An infinity or NaN, with the range of what was added to or multiplied with it: where a part of that
// overflows or is flushed first, the result is another.
Element FloatModel::beyond(Real value, Real high, Real low) const {
  if (high * kSlack >= max) return undetermined(Undetermined::overflow);
  Element e = exact_float(value);
  e.high = high;
  e.low = low;
  return e;
}

Element FloatModel::leaf(Real f, Real error) const {
  Element e;
  e.f = f;
  e.leaf_error = error;
  e.magnitude = std::abs(f);
  e.grain = 0;
  e.high = std::max(Real{1}, std::min(e.magnitude, max));
  const Real nearest = std::abs(f) - error;
  e.low = nearest > 0 ? std::min(Real{1}, nearest) : Real{1};
  return finish(e);
}

Element FloatModel::leaf_of_parts(Real f, Real error, Real size) const {
  Element e = leaf(f, error);
  if (is_open(e) || is_special(e)) return e;
  e.magnitude = std::max(size, e.magnitude);
  e.high = std::max(e.high, std::min(e.magnitude, max));
  e.terms = 2;
  return finish(e);
}

Element FloatModel::around(Real value, Element composed) const {
  if (is_open(composed) || is_special(composed)) return composed;
  composed.leaf_error += std::abs(composed.f - value);
  composed.f = value;
  composed.magnitude = std::max(composed.magnitude, std::abs(value));
  composed.grain = 0;
  return finish(composed);
}

Element FloatModel::constant(Real value) const { return leaf(value, kSlack * unit * std::abs(value)); }

Element FloatModel::passed_on(Element x) const {
  if (!may_flush(x)) return x;
  x.error += std::abs(x.f);
  x.leaf_error += std::abs(x.f);
  return x;
}

Element FloatModel::add(const Element& a, const Element& b) const {
  if (overflowed(a) || overflowed(b)) return undetermined(Undetermined::overflow);
  if (is_special(a) || is_special(b)) {
    // x - x may be folded to 0 even where x is infinite or NaN.
    if (is_special(a) && is_special(b) && std::isnan(a.f + b.f)) return undetermined(Undetermined::zero_sign);
    return beyond(a.f + b.f, a.high + b.high, std::min(a.low, b.low));
  }
  Element e;
  e.f = a.f + b.f;
  e.leaf_error = a.leaf_error + b.leaf_error;
  e.magnitude = a.magnitude + b.magnitude;
  e.grain = std::min(a.grain, b.grain);
  e.terms = a.terms + b.terms;
  e.factors = std::max(a.factors, b.factors);
  e.high = std::max(Real{1}, a.high + b.high);
  e.low = lowest(std::min(a.low, b.low), e.f);
  e.divided = a.divided || b.divided;
  return finish(e);
}

Element FloatModel::multiply(const Element& a, const Element& b) const {
  if (overflowed(a) || overflowed(b)) return undetermined(Undetermined::overflow);
  if (is_special(a) || is_special(b)) {
    // Both compilers fold x*0 to 0 whatever x is.
    if (may_be_zero(a) || may_be_zero(b) || a.low * b.low < vanish)
      return undetermined(Undetermined::zero_sign);
    return beyond(a.f * b.f, a.high * b.high, a.low * b.low);
  }
  Element e;
  e.f = a.f * b.f;
  e.low = a.low * b.low;
  e.leaf_error = a.leaf_error * (b.magnitude + b.leaf_error) + a.magnitude * b.leaf_error;
  e.magnitude = a.magnitude * b.magnitude;
  if (e.magnitude > 0) e.grain = a.grain * b.grain;
  e.terms = a.terms + b.terms - 1;
  e.factors = a.factors + b.factors;
  e.high = a.high * b.high;
  e.divided = a.divided || b.divided;
  // x * (1/(1+x)) becomes 1 - 1/(1+x), with the error of numbers near 1 (tinygrad 0.12.0 uop/symbolic.py,
  // `sym`). The two x are one value there, and the same in f, too.
  for (const auto& [x, r] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (r->error > 0 && std::abs(r->f * (1 + x->f) - 1) < 0x1p-40L) e.leaf_error += 2 * r->error + 2 * unit;
  return finish(e);
}

Element FloatModel::reciprocal(const Element& x) const {
  if (overflowed(x)) return undetermined(Undetermined::overflow);
  if (is_nan(x)) return exact_float(x.f);
  if (is_special(x) || may_be_zero(x)) return undetermined(Undetermined::zero_sign);
  if (may_flush(x)) return undetermined(Undetermined::overflow);
  const Real value = 1 / x.f, size = std::abs(value);
  int exponent = 0;
  Element e = exact_float(value);
  if (!is_exact(x) || std::abs(std::frexp(x.f, &exponent)) != 0.5L) {
    // 1/(x*c) becomes (1/x)*(1/c) (same file, `sym`): each factor may bring a rounding of its own, and one
    // more where the division itself is by an estimate.
    const Real own = growth(unit, 2 * x.factors) * size;
    e.leaf_error = size * x.error / (std::abs(x.f) - x.error) + own;
    e.grain = 0;
  }
  e.factors = x.factors;
  e.divided = true;
  // Divisors may be collected into one product, which is flushed before its reciprocal overflows.
  e.high = std::max(e.high, 4 / x.low);
  e.low = std::min(e.low, 1 / x.high);
  return finish(e);
}

Element FloatModel::divide(const Element& a, const Element& b) const {
  if (is_special(a) && is_special(b)) return undetermined(Undetermined::zero_sign);  // x/x may become 1
  const Element over = reciprocal(b);
  if (is_open(over)) return over;
  Element e = multiply(a, over);
  if (std::isfinite(e.f)) e.f = a.f / b.f;
  return e;
}

Element FloatModel::sum(std::span<const Element> elements) const {
  Element e;
  Real special = 0;
  bool any_special = false, any_nan = false;
  e.terms = 0;
  e.high = 0;
  for (const Element& x : elements) {
    if (overflowed(x)) return undetermined(Undetermined::overflow);
    if (is_special(x)) {
      special += x.f;
      any_special = true;
      any_nan |= is_nan(x);
      e.high += x.high;
      e.low = std::min(e.low, x.low);
      continue;
    }
    e.f += x.f;
    e.leaf_error += x.leaf_error;
    e.magnitude += x.magnitude;
    e.grain = std::min(e.grain, x.grain);
    e.terms += x.terms;
    e.factors = std::max(e.factors, x.factors);
    e.high += x.high;
    e.low = std::min(e.low, x.low);
    e.divided |= x.divided;
  }
  e.terms = std::max(e.terms, 1.0);
  e.high = std::max(e.high, Real{1});
  e.low = lowest(e.low, e.f);
  if (any_special) {
    // The sum of x*c becomes c times the sum of x (tinygrad 0.12.0 uop/symbolic.py, "move const multiply
    // after REDUCE"): opposite infinities are NaN in one order only.
    if (std::isnan(special) && !any_nan) return undetermined(Undetermined::zero_sign);
    return beyond(special, e.high, e.low);
  }
  return finish(e);
}

Element FloatModel::product(std::span<const Element> elements) const {
  Element e = elements[0];
  for (const Element& x : elements.subspan(1)) {
    e = multiply(e, x);
    if (is_open(e)) return e;
  }
  return e;
}

}  // namespace uopdiff
