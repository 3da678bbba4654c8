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
  division_by_zero,  // integer division or remainder by zero, or INT_MIN by -1
  shift_amount,      // outside 0..width-1
  cast_range,        // float to integer out of range, or NaN
  nan_order,         // NaN in max, min, a comparison or a cast to bool
  interval,          // a decision (comparison, cast) inside the error interval of its operands
  zero_sign,         // depends on the sign of a zero or on 0*inf, which rewrites may change
  overflow,          // near the largest or below the smallest normal float in some order of evaluation
  large_argument,    // sine far outside the range in which compilers reduce precisely
  data,              // follows from an undetermined operand
};
const char* reason_name(Undetermined reason);

// Compilers may reorder additions and products, even across operations, and distribute a factor over a sum.
// So a float knows the polynomial that it is, in leaves: values that are computed as they stand (inputs,
// results of exp, ...). The error covers every way to evaluate that polynomial.
struct Element {
  double f = 0;           // floats: the exact result of the operation on the operands' f, in double
  double error = 0;       // floats: every permitted evaluation lies within f +- error; 0 = this value exactly
  double leaf_error = 0;  // the part of error that the leaves bring
  double magnitude = 0;   // the polynomial of the leaves' sizes
  double grain = std::numeric_limits<double>::infinity();  // weight of the lowest bit set in any monomial
  double terms = 1;    // additions on the longest way through the polynomial, plus one
  double factors = 1;  // products on the longest way, plus one
  double high = 1;     // no partial result of any order is larger; infinite once f may have overflowed
  double low = 1;      // no partial product of any order is smaller, unless it is zero
  int64_t i = 0;       // integers and bools
  Undetermined undetermined = Undetermined::no;
};

Element undetermined(Undetermined reason);
Element exact_float(double value);
Element exact_int(int64_t value);

// Reads element `index` of little-endian data.
Element element_from_bytes(DType dtype, const Bytes& bytes, int64_t index);

}  // namespace uopdiff
