// Floating-point building blocks of scalar.cpp: rounding, exactness and error propagation for f32.
#pragma once

#include <cmath>
#include <limits>

#include "harness/reference/element.h"

namespace uopdiff::f32 {

inline constexpr double kUnit = 0x1p-24;   // half an ulp at 1.0: the relative error of one rounding
inline constexpr double kTiny = 0x1p-126;  // results below may be flushed to zero
inline constexpr double kMax = std::numeric_limits<float>::max();

inline bool is_f32(double value) { return static_cast<double>(static_cast<float>(value)) == value; }
inline bool is_exact(const Element& x) { return x.error == 0; }
inline bool is_nan(const Element& x) { return std::isnan(x.f); }
// No order of the additions that made x rounds.
inline bool never_rounds(const Element& x) { return x.error == 0 && x.magnitude <= x.grain * 0x1p24; }
inline bool is_special(const Element& x) { return !std::isfinite(x.f); }

// A finite result `value` with `propagated` error from the operands and `roundings` roundings of its own.
inline Element rounded(double value, double propagated, double roundings) {
  if (std::isnan(value)) return exact_float(value);
  if (!std::isfinite(value)) return exact_float(value);
  Element e;
  e.f = value;
  e.magnitude = std::abs(value);
  e.grain = 0;
  e.error = propagated + roundings * kUnit * (std::abs(value) + propagated);
  // Below the normal range a rounding is absolute, and flushing is allowed.
  if (roundings > 0 && value != 0 && std::abs(value) - propagated < kTiny) e.error += kTiny;
  if (std::abs(value) + e.error >= kMax) {
    if (std::abs(value) - e.error <= kMax * (1 + kUnit)) return undetermined(Undetermined::overflow);
    return exact_float(value < 0 ? -INFINITY : INFINITY);
  }
  return e;
}

}  // namespace uopdiff::f32
