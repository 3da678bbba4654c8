// Casts and bitcasts between all dtypes.
#include <cmath>

#include "harness/reference/float_model.h"
#include "harness/reference/scalar.h"

namespace uopdiff {
namespace {

Real as_real(DType dtype, int64_t value) {
  return dtype == DType::u64 ? static_cast<Real>(static_cast<uint64_t>(value)) : static_cast<Real>(value);
}

Element int_to_float(DType from, DType to, int64_t value) {
  const FloatModel& m = float_model(to);
  const Real real = as_real(from, value);
  if (!m.fits(real)) return m.constant(real);
  Element e = exact_float(real);
  e.sign_known = true;
  return e;
}

Element float_to_bool(DType from, const Element& x) {
  const FloatModel& m = float_model(from);
  if (is_nan(x)) return undetermined(Undetermined::nan_order);
  if ((!is_exact(x) && may_be_zero(x)) || m.may_flush(x)) return undetermined(Undetermined::interval);
  return exact_int(x.f != 0);
}

Element float_to_int(DType to, const Element& x) {
  const Real low = std::trunc(x.f - x.error), high = std::trunc(x.f + x.error);
  if (!(low >= as_real(to, int_lowest(to)) && high <= as_real(to, int_largest(to))))
    return undetermined(Undetermined::cast_range);
  if (low != high) return undetermined(Undetermined::interval);
  return exact_int(to == DType::u64 ? static_cast<int64_t>(static_cast<uint64_t>(low))
                                    : static_cast<int64_t>(low));
}

bool widens(DType from, DType to) {
  const FloatFormat &a = float_format(from), &b = float_format(to);
  return a.digits <= b.digits && a.max_exponent <= b.max_exponent;
}

// A cast to a wider dtype and back is none: the polynomial goes on (tinygrad 0.12.0 uop/symbolic.py,
// "b.cast(a).cast(b) -> b"). Other casts round once, or twice where f32 is between.
Element float_to_float(DType from, DType to, const Element& x) {
  const FloatModel& m = float_model(to);
  if (float_model(from).overflowed(x) && !is_nan(x)) {
    Element e = x;
    if (!std::isinf(x.f)) return undetermined(Undetermined::overflow);
    e.high = std::numeric_limits<Real>::infinity();
    return e;
  }
  if (is_special(x)) return exact_float(x.f);
  if (is_simple(x) && m.fits(x.f)) {
    Element e = exact_float(x.f);
    e.sign_known = x.sign_known;
    if (float_model(from).may_flush(x) || m.may_flush(x)) {  // a cast may flush
      e.error = e.leaf_error = std::abs(x.f);
      e.sign_known = false;
    }
    return e;
  }
  const bool wider = widens(from, to);
  const Real rounding = wider ? 0 : (std::abs(x.f) + x.error) * m.unit * (1 + 0x1p-10L);
  Element e = m.leaf(x.f, x.error + rounding);
  if (is_open(e) || is_special(e)) return e;
  if (!wider && !x.widened) return e;
  e = x;
  e.leaf_error = x.error + rounding;
  e.grain = x.error == 0 && m.fits(x.f) ? x.grain : 0;
  e.widened = wider;
  return m.finish(e);
}

}  // namespace

Element cast_element(DType from, DType to, const Element& x) {
  if (is_open(x)) return undetermined(Undetermined::data);
  if (from == to) return x;
  if (!is_float(from)) {
    if (to == DType::boolean) return exact_int(x.i != 0);
    return is_float(to) ? int_to_float(from, to, x.i) : exact_int(wrap_int(to, x.i));
  }
  if (to == DType::boolean) return float_to_bool(from, x);
  if (is_float(to)) return float_to_float(from, to, x);
  return is_nan(x) ? undetermined(Undetermined::cast_range) : float_to_int(to, x);
}

Element bitcast_element(DType from, DType to, const Element& x) {
  if (is_open(x)) return undetermined(Undetermined::data);
  if (from == to) return x;
  auto bits = static_cast<uint64_t>(x.i);
  if (is_float(from)) {
    if (!is_exact(x) || is_nan(x)) return undetermined(Undetermined::bits);
    if (x.f == 0 && !x.sign_known) return undetermined(Undetermined::zero_sign);
    if (float_model(from).overflowed(x)) return undetermined(Undetermined::overflow);
    bits = float_bits(from, x.f);
  }
  if (!is_float(to)) return exact_int(wrap_int(to, static_cast<int64_t>(bits)));
  if (bit_width(to) < 64) bits &= (uint64_t{1} << bit_width(to)) - 1;
  Element e = exact_float(float_from_bits(to, bits));
  e.sign_known = true;
  return e;
}

}  // namespace uopdiff
