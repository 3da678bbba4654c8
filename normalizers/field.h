// Arithmetic in the prime field 2^61-1: values of kernels are compared as polynomials over it.
#pragma once

#include <cstdint>

namespace uopdiff {

inline constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;

uint64_t field_add(uint64_t a, uint64_t b);
uint64_t field_sub(uint64_t a, uint64_t b);
uint64_t field_mul(uint64_t a, uint64_t b);
uint64_t field_inverse(uint64_t a);  // of 0: 0
uint64_t field_from_int(int64_t value);
uint64_t field_from_double(double value);     // m * 2^e exactly; NaN and infinities are fixed elements
uint64_t field_hash(uint64_t a, uint64_t b);  // mixes two words into a field element
uint64_t field_hash_text(const char* text);

}  // namespace uopdiff
