// Floating-point arithmetic of the reference: every function bounds all permitted ways to evaluate in one
// dtype.
#pragma once

#include <cmath>
#include <span>

#include "harness/reference/element.h"

namespace uopdiff {

inline bool is_exact(const Element& x) { return x.error == 0; }
inline bool is_nan(const Element& x) { return std::isnan(x.f); }
inline bool is_special(const Element& x) { return !std::isfinite(x.f); }
// Computed in one step, or not at all.
inline bool is_simple(const Element& x) { return x.error == 0 && x.terms == 1 && x.factors == 1; }
inline bool may_be_zero(const Element& x) { return std::abs(x.f) <= x.error; }
inline Element negated(Element x) {
  x.f = -x.f;
  x.sign_known = false;
  return x;
}

struct FloatModel {
  Real unit;      // half an ulp at 1: the relative error of one rounding
  Real max;       // the largest finite value
  Real tiny;      // the smallest normal value
  Real smallest;  // the smallest positive value
  Real whole;     // multiples of g up to whole*g are values
  // f16, bf16: compilers keep intermediate results in f32 where they like, so that an overflow may or may not
  // happen.
  bool narrow;
  // f16: no compiler flushes its subnormal values to zero; those of other dtypes may be flushed anywhere.
  bool gradual;
  Real lost;    // the most that one result below tiny loses
  Real vanish;  // results below may become zero

  bool fits(Real value) const;  // a value of the dtype
  // Not zero, but counts as zero where subnormals are flushed.
  bool may_flush(const Element& x) const { return !gradual && x.f != 0 && std::abs(x.f) < tiny; }
  // Constants are folded in double, which does not overflow: only copies of such an infinity are determined
  // (tinygrad 0.12.0 uop/symbolic.py, "constant folding": exec_alu without truncating its output).
  bool overflowed(const Element& x) const { return x.high > max; }

  // A finite value that was not computed by additions and products, within f +- error.
  Element leaf(Real f, Real error) const;
  // The same for one that is the sum of two parts of that total size, of which later products and sums may
  // take hold; with the rounding of that sum.
  Element leaf_of_parts(Real f, Real error, Real size) const;
  // What was composed like this, but is a little off as a function: `value` with that in the bound.
  Element around(Real value, Element composed) const;
  Element constant(Real value) const;  // rounded to the dtype or not

  // Where subnormals are flushed, an operation that only passes its operand on may do so, too.
  Element passed_on(Element x) const;
  Element add(const Element& a, const Element& b) const;
  Element multiply(const Element& a, const Element& b) const;
  Element reciprocal(const Element& x) const;
  Element divide(const Element& a, const Element& b) const;
  Element sum(std::span<const Element> elements) const;
  Element product(std::span<const Element> elements) const;

  // The error from the polynomial's description; overflow.
  Element finish(Element e) const;

 private:
  Element beyond(Real value, Real high, Real low) const;
};

const FloatModel& float_model(DType dtype);  // of floats only

}  // namespace uopdiff
