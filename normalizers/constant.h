// Constants of every dtype as values of the field: integers wrap, floats are rounded.
#pragma once

#include "normalizers/value.h"

namespace uopdiff {

inline bool is_narrow_real(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }
double rounded(DType dtype, double real);  // of floats only

Value known_bool(bool value);
Value known_integer(DType dtype, int64_t value);           // of a value in the dtype's range
Value known_real(DType dtype, double value);               // doubles are recognised as numbers of f32
Value known_number(const UOp& node, const Scalar& value);  // in the node's dtype

uint64_t log2_of_e();  // stands for that number, however it is rounded

}  // namespace uopdiff
