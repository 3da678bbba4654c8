// One value of the reference: exact for integers and bools, with a sound error bound for floats,
// or undetermined where the language or the two compilers' rules leave it open.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "harness/program/dtype.h"

namespace uopdiff {

// Why an element has no determined value; such elements are counted and never reported as wrong.
enum class Undetermined : uint8_t {
  no,
  division_by_zero,  // integer division or remainder by zero, or the lowest integer by -1
  shift_amount,      // outside 0..width-1
  cast_range,        // float to integer out of range, or NaN
  nan_order,         // NaN in max, min, a comparison or a cast to bool
  interval,          // a decision (comparison, rounding, cast) inside the error interval of its operands
  zero_sign,         // depends on the sign of a zero or on 0*inf, which rewrites may change
  overflow,          // near the largest or below the smallest normal float in some order of evaluation
  large_argument,    // sine far outside the range in which compilers reduce precisely
  bits,              // the bits of an inexact float or of a NaN
  data,              // follows from an undetermined operand
};
const char* reason_name(Undetermined reason);

// What the reference computes with: more digits and range than any float dtype has.
using Real = long double;
static_assert(std::numeric_limits<Real>::digits >= 64);

// Compilers may reorder additions and products, even across operations, and distribute a factor over a sum.
// So a float knows the polynomial that it is, in leaves: values that are computed as they stand (inputs,
// results of exp, ...). The error covers every way to evaluate that polynomial.
struct Element {
  Real f = 0;           // floats: the exact result of the operation on the operands' f, in Real
  Real error = 0;       // floats: every permitted evaluation lies within f +- error; 0 = this value exactly
  Real leaf_error = 0;  // the part of error that the leaves bring
  Real magnitude = 0;   // the polynomial of the leaves' sizes
  Real grain = std::numeric_limits<Real>::infinity();  // weight of the lowest bit set in any monomial
  Real high = 1;       // no partial result of any order is larger; infinite once f may have overflowed
  Real low = 1;        // no partial product of any order is smaller, unless it is zero
  double terms = 1;    // additions on the longest way through the polynomial, plus one
  double factors = 1;  // products on the longest way, plus one
  int64_t i = 0;       // integers (u64: the same bits) and bools
  Undetermined undetermined = Undetermined::no;
  bool divided = false;     // there is a reciprocal in it, and so a product of divisors, which may overflow
  bool widened = false;     // of a narrower dtype until a cast, which a cast back undoes
  bool sign_known = false;  // of a zero: it comes from data, not from arithmetic
};

Element undetermined(Undetermined reason);
Element exact_float(Real value);
Element exact_int(int64_t value);
inline bool is_open(const Element& x) { return x.undetermined != Undetermined::no; }

// Element `index` of little-endian data, of a float dtype or of an integer or bool one.
Real read_float(DType dtype, const Bytes& bytes, int64_t index);
int64_t read_int(DType dtype, const Bytes& bytes, int64_t index);
Element element_from_bytes(DType dtype, const Bytes& bytes, int64_t index);

}  // namespace uopdiff
