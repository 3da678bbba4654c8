#include "harness/reference/scalar_float.h"

#include <algorithm>

namespace uopdiff::f32 {
namespace {

constexpr double kSlack = 1 + 0x1p-16;  // for the terms of second order

Element infinity(double sign) {
  Element e = exact_float(std::copysign(INFINITY, sign));
  e.high = INFINITY;
  return e;
}

// The error from the polynomial's description; overflow.
Element finish(Element e) {
  if (e.low < kTiny && e.magnitude > 0)
    e.leaf_error += 2 * (e.terms + e.factors) * kTiny * e.high;  // a flushed part times what follows it
  if (e.terms > 1 && e.grain < kTiny) e.leaf_error += (e.terms - 1) * kTiny;  // flushed partial sums
  // All partial results are multiples of the grain below 2^24 grains: no order rounds anywhere.
  const bool never_rounds = e.leaf_error == 0 && e.magnitude <= e.grain * 0x1p24;
  e.error = never_rounds
                ? 0
                : e.leaf_error + kSlack * (e.terms + e.factors - 2) * kUnit * (e.magnitude + e.leaf_error);
  if (e.high * kSlack < kMax && std::abs(e.f) + e.error < kMax) return e;
  // A sum whose parts together stay below twice the largest float cannot pass by the other infinity.
  const bool one_way = e.terms == 1 || e.high < 2 * kMax;
  if (one_way && std::abs(e.f) - e.error > kMax * kSlack) return infinity(e.f);
  return undetermined(Undetermined::overflow);
}

// An infinity or NaN, with the range of what was added to or multiplied with it: where a part of that
// overflows or is flushed first, the result is another.
Element beyond(double value, double high, double low) {
  if (high * kSlack >= kMax) return undetermined(Undetermined::overflow);
  Element e = exact_float(value);
  e.high = high;
  e.low = low;
  return e;
}

// The size of a sum, as the smallest partial result that later products may meet.
double lowest(double low, double f) { return f == 0 ? low : std::min(low, std::abs(f)); }

}  // namespace

Element leaf(double f, double error) {
  Element e;
  e.f = f;
  e.leaf_error = error;
  e.magnitude = std::abs(f);
  e.grain = 0;
  e.high = std::max(1.0, std::min(e.magnitude, kMax));
  e.low = e.magnitude > error ? std::min(1.0, e.magnitude - error) : 1.0;
  return finish(e);
}

Element add(const Element& a, const Element& b) {
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
  e.high = std::max(1.0, a.high + b.high);
  e.low = lowest(std::min(a.low, b.low), e.f);
  return finish(e);
}

Element negated(Element x) {
  x.f = -x.f;
  return x;
}

Element multiply(const Element& a, const Element& b) {
  if (overflowed(a) || overflowed(b)) return undetermined(Undetermined::overflow);
  if (is_special(a) || is_special(b)) {
    // Both compilers fold x*0 to 0 whatever x is.
    if (may_be_zero(a) || may_be_zero(b) || a.low * b.low < kTiny)
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
  // x * (1/(1+x)) becomes 1 - 1/(1+x), with the error of numbers near 1
  // (tinygrad 0.12.0 uop/symbolic.py, `sym`).
  for (const auto& [x, r] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (r->error > 0 && std::abs(r->f * (1 + x->f) - 1) < 1e-5 + 2 * r->error * std::abs(1 + x->f))
      e.leaf_error += 2 * r->error + 2 * kUnit;
  return finish(e);
}

Element reciprocal(const Element& x) {
  if (overflowed(x)) return undetermined(Undetermined::overflow);
  if (is_nan(x)) return exact_float(NAN);
  if (is_special(x) || may_be_zero(x)) return undetermined(Undetermined::zero_sign);
  if (may_flush(x)) return undetermined(Undetermined::overflow);
  const double value = 1 / x.f, size = std::abs(value);
  int exponent = 0;
  Element e = exact_float(value);
  if (!is_exact(x) || std::abs(std::frexp(x.f, &exponent)) != 0.5) {
    // 1/(x*c) becomes (1/x)*(1/c) (same file, `sym`): each factor may bring a rounding of its own, and one
    // more where the division itself is by an estimate.
    const double own = (2 * x.factors) * kUnit * size * kSlack;
    e.leaf_error = size * x.error / (std::abs(x.f) - x.error) + own;
    e.grain = 0;
  }
  e.factors = x.factors;
  // Divisors may be collected into one product, which is flushed before its reciprocal overflows.
  e.high = std::max(e.high, 4 / x.low);
  e.low = std::min(e.low, 1 / x.high);
  return finish(e);
}

Element divide(const Element& a, const Element& b) {
  if (is_special(a) && is_special(b)) return undetermined(Undetermined::zero_sign);  // x/x may become 1
  const Element over = reciprocal(b);
  if (over.undetermined != Undetermined::no) return over;
  Element e = multiply(a, over);
  if (std::isfinite(e.f)) e.f = a.f / b.f;
  return e;
}

Element sum(std::span<const Element> elements) {
  Element e;
  double special = 0;
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
  }
  e.terms = std::max(e.terms, 1.0);
  e.high = std::max(e.high, 1.0);
  e.low = lowest(e.low, e.f);
  if (any_special) {
    // The sum of x*c becomes c times the sum of x (tinygrad 0.12.0 uop/symbolic.py, "move const multiply
    // after REDUCE"): opposite infinities are NaN in one order only.
    if (std::isnan(special) && !any_nan) return undetermined(Undetermined::zero_sign);
    return beyond(special, e.high, e.low);
  }
  return finish(e);
}

Element product(std::span<const Element> elements) {
  Element e = elements[0];
  for (const Element& x : elements.subspan(1)) {
    e = multiply(e, x);
    if (e.undetermined != Undetermined::no) return e;
  }
  return e;
}

}  // namespace uopdiff::f32
