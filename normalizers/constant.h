// Constants of every dtype as values of the field: integers wrap, floats are rounded.
#pragma once

#include <string>

#include "normalizers/value.h"

namespace uopdiff {

// dtypes by their names in a graph; "index" is 64 bits wide.
bool is_real(const std::string& dtype);
bool is_narrow_real(const std::string& dtype);  // f16, bf16
int64_t wrap(int64_t value, const std::string& dtype);
double rounded(const std::string& dtype, double real);
bool less_ints(const std::string& dtype, int64_t a, int64_t b);  // a u64 is kept as the int64_t of its bits
uint64_t int_field(const std::string& dtype, int64_t value);

Value known_int(int64_t value);
Value known_in(const UOp& node, int64_t value);            // of the node's dtype
Value known_real(const std::string& dtype, double value);  // doubles are recognised as numbers of f32

uint64_t log2_of_e();  // stands for that number, however it is rounded

}  // namespace uopdiff
