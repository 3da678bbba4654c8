// Floating-point arithmetic of the reference: every function bounds all permitted ways to evaluate in f32.
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "harness/reference/element.h"

namespace uopdiff::f32 {

inline constexpr double kUnit = 0x1p-24;   // half an ulp at 1.0: the relative error of one rounding
inline constexpr double kTiny = 0x1p-126;  // smaller values and results may be flushed to zero
inline constexpr double kMax = std::numeric_limits<float>::max();

inline bool is_f32(double value) { return static_cast<double>(static_cast<float>(value)) == value; }
inline bool is_exact(const Element& x) { return x.error == 0; }
inline bool is_nan(const Element& x) { return std::isnan(x.f); }
inline bool is_special(const Element& x) { return !std::isfinite(x.f); }
inline bool may_be_zero(const Element& x) { return std::abs(x.f) <= x.error; }
// Constants are folded in double, which does not overflow: only copies of such an infinity are determined
// (tinygrad 0.12.0 uop/symbolic.py, "constant folding": exec_alu without truncating its output).
inline bool overflowed(const Element& x) { return x.high > kMax; }
// Not zero, but counts as zero where subnormals are flushed.
inline bool may_flush(const Element& x) { return x.f != 0 && std::abs(x.f) < kTiny; }

// A finite value that was not computed by additions and products, within f +- error.
Element leaf(double f, double error);

Element add(const Element& a, const Element& b);
Element negated(Element x);
Element multiply(const Element& a, const Element& b);
Element reciprocal(const Element& x);
Element divide(const Element& a, const Element& b);
Element sum(std::span<const Element> elements);
Element product(std::span<const Element> elements);

}  // namespace uopdiff::f32
