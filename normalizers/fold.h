// Operations on constants, exact by width and sign of their dtype; the one place that says what integers do.
#pragma once

#include <optional>

#include "normalizers/graph.h"

namespace uopdiff {

// In the width of the dtype; bool is 0 or 1; floats unchanged.
int64_t wrap(DType dtype, int64_t value);

// `dtype` is the operands'. Nothing where no result is determined: division by zero, shifts beyond the width.
// Division truncates, as in both compilers (tinygrad 0.12.0 uop/ops.py python_alu, cdiv; Morok 0.1.0-alpha.2
// ir/src/types.rs BinaryOp::Idiv). Of bools ADD and MAX are or, MUL and MIN are and, SUB is xor.
std::optional<int64_t> fold_ints(UOpCode code, DType dtype, int64_t a, int64_t b);
std::optional<int64_t> fold_int(UOpCode code, DType dtype, int64_t a);

// In double, not rounded to any dtype; comparisons are no part of it.
std::optional<double> fold_reals(UOpCode code, double a, double b);
std::optional<double> fold_real(UOpCode code, double a);

// An integer or bool as a bit pattern of the dtype, and back.
uint64_t bits_of(DType dtype, int64_t integer, double real);

struct Scalar {
  int64_t i = 0;  // integers and bools
  double f = 0;   // floats
};
// Nothing where a float has no place in the integer dtype.
std::optional<Scalar> fold_cast(DType from, DType to, const Scalar& value);
Scalar fold_bitcast(DType from, DType to, const Scalar& value);

}  // namespace uopdiff
