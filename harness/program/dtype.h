// Element types of tensor programs and how their elements lie in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace uopdiff {

enum class DType : uint8_t { boolean, u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64 };

inline constexpr DType kAllDTypes[] = {DType::boolean, DType::u8,  DType::i8,  DType::u16, DType::i16,
                                       DType::u32,     DType::i32, DType::u64, DType::i64, DType::f16,
                                       DType::bf16,    DType::f32, DType::f64};

const char* dtype_name(DType dtype);  // "bool", "i32", "bf16"
std::optional<DType> dtype_from_name(const std::string& name);
std::string dtype_names();      // comma separated
size_t byte_size(DType dtype);  // a bool is one byte, 0 or 1
bool is_float(DType dtype);
bool is_int(DType dtype);     // of either sign, not bool
bool is_signed(DType dtype);  // integers below zero, and floats
int bit_width(DType dtype);   // 8, 16, 32, 64; 1 for bool

// Integers: `value` reduced to the width of the dtype. A u64 is kept as the int64_t of the same bits.
int64_t wrap_int(DType dtype, int64_t value);
int64_t int_lowest(DType dtype);   // bool, integers
int64_t int_largest(DType dtype);  // likewise; -1, the bits of the largest, for u64

// A binary floating-point format: `digits` of significand (with the hidden one), normal exponents
// min_exponent..max_exponent (as in 1.x * 2^exponent).
struct FloatFormat {
  int digits, min_exponent, max_exponent;
  long double largest() const;
  long double smallest_normal() const;
};
const FloatFormat& float_format(DType dtype);  // of floats only

// Rounded to the nearest value of the float dtype, ties to even; beyond the largest an infinity.
long double round_to(DType dtype, long double value);
uint64_t float_bits(DType dtype, long double value);  // of round_to(value)
long double float_from_bits(DType dtype, uint64_t bits);

using Shape = std::vector<int64_t>;
using Bytes = std::vector<uint8_t>;  // little-endian, C order, no padding

int64_t element_count(const Shape& shape);            // 1 for rank 0
std::vector<int64_t> strides_of(const Shape& shape);  // in elements, C order
std::string shape_text(const Shape& shape);           // "[3,4]"

}  // namespace uopdiff
