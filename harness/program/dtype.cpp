#include "harness/program/dtype.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <limits>

namespace uopdiff {
namespace {

enum class Kind { boolean, unsigned_int, signed_int, floating };

struct Traits {
  const char* name;
  Kind kind;
  int bits;
  FloatFormat format;
};

// In the order of the enumeration.
constexpr std::array<Traits, std::size(kAllDTypes)> kTraits{{{"bool", Kind::boolean, 1, {}},
                                                             {"u8", Kind::unsigned_int, 8, {}},
                                                             {"i8", Kind::signed_int, 8, {}},
                                                             {"u16", Kind::unsigned_int, 16, {}},
                                                             {"i16", Kind::signed_int, 16, {}},
                                                             {"u32", Kind::unsigned_int, 32, {}},
                                                             {"i32", Kind::signed_int, 32, {}},
                                                             {"u64", Kind::unsigned_int, 64, {}},
                                                             {"i64", Kind::signed_int, 64, {}},
                                                             {"f16", Kind::floating, 16, {11, -14, 15}},
                                                             {"bf16", Kind::floating, 16, {8, -126, 127}},
                                                             {"f32", Kind::floating, 32, {24, -126, 127}},
                                                             {"f64", Kind::floating, 64, {53, -1022, 1023}}}};

const Traits& traits(DType dtype) { return kTraits[static_cast<size_t>(dtype)]; }

}  // namespace

const char* dtype_name(DType dtype) { return traits(dtype).name; }

std::optional<DType> dtype_from_name(const std::string& name) {
  for (DType dtype : kAllDTypes)
    if (name == dtype_name(dtype)) return dtype;
  return std::nullopt;
}

std::string dtype_names() {
  std::vector<std::string> names;
  for (DType dtype : kAllDTypes) names.emplace_back(dtype_name(dtype));
  return fmt::format("{}", fmt::join(names, ", "));
}

size_t byte_size(DType dtype) {
  return dtype == DType::boolean ? 1 : static_cast<size_t>(traits(dtype).bits) / 8;
}
bool is_float(DType dtype) { return traits(dtype).kind == Kind::floating; }
bool is_int(DType dtype) {
  return traits(dtype).kind == Kind::unsigned_int || traits(dtype).kind == Kind::signed_int;
}
bool is_signed(DType dtype) {
  return traits(dtype).kind == Kind::signed_int || traits(dtype).kind == Kind::floating;
}
int bit_width(DType dtype) { return traits(dtype).bits; }

int64_t wrap_int(DType dtype, int64_t value) {
  const int unused = 64 - bit_width(dtype);
  const auto shifted = static_cast<uint64_t>(value) << unused;
  return is_signed(dtype) ? static_cast<int64_t>(shifted) >> unused : static_cast<int64_t>(shifted >> unused);
}

int64_t int_lowest(DType dtype) {
  return is_signed(dtype) ? std::numeric_limits<int64_t>::min() >> (64 - bit_width(dtype)) : 0;
}

int64_t int_largest(DType dtype) {
  const int unused = 64 - bit_width(dtype) + (is_signed(dtype) ? 1 : 0);
  return static_cast<int64_t>(std::numeric_limits<uint64_t>::max() >> unused);
}

long double FloatFormat::largest() const {
  return std::ldexp(2.0L - std::ldexp(1.0L, 1 - digits), max_exponent);
}
long double FloatFormat::smallest_normal() const { return std::ldexp(1.0L, min_exponent); }

const FloatFormat& float_format(DType dtype) { return traits(dtype).format; }

long double round_to(DType dtype, long double value) {
  if (!std::isfinite(value) || value == 0) return value;
  const FloatFormat& format = float_format(dtype);
  const int exponent = std::max(std::ilogb(value), format.min_exponent);
  const int last = exponent - format.digits + 1;  // exponent of the last digit kept
  const long double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
  const long double infinity = std::copysign(std::numeric_limits<long double>::infinity(), value);
  return std::abs(rounded) > format.largest() ? infinity : rounded;
}

uint64_t float_bits(DType dtype, long double given) {
  const FloatFormat& format = float_format(dtype);
  const int stored = format.digits - 1;  // digits without the hidden one
  const long double value = round_to(dtype, given);
  const uint64_t sign = uint64_t{std::signbit(value)} << (bit_width(dtype) - 1);
  const uint64_t special = static_cast<uint64_t>(format.max_exponent - format.min_exponent + 2) << stored;
  if (std::isnan(value)) return special | uint64_t{1} << (stored - 1);
  if (std::isinf(value)) return sign | special;
  if (value == 0) return sign;
  const int exponent = std::max(std::ilogb(value), format.min_exponent);
  // The hidden digit of a normal number adds one to the exponent field; a subnormal one has none.
  const auto significand = static_cast<uint64_t>(std::ldexp(std::abs(value), stored - exponent));
  return sign | ((static_cast<uint64_t>(exponent - format.min_exponent) << stored) + significand);
}

long double float_from_bits(DType dtype, uint64_t bits) {
  const FloatFormat& format = float_format(dtype);
  const int stored = format.digits - 1;
  const uint64_t mask = (uint64_t{1} << stored) - 1;
  const auto exponents = static_cast<uint64_t>(format.max_exponent - format.min_exponent + 2);
  const uint64_t field = (bits >> stored) & exponents, fraction = bits & mask;
  const bool negative = (bits >> (bit_width(dtype) - 1)) & 1;
  long double value = std::numeric_limits<long double>::quiet_NaN();
  if (field == exponents) {
    if (fraction == 0) value = std::numeric_limits<long double>::infinity();
  } else {
    const uint64_t significand = field == 0 ? fraction : fraction | (mask + 1);
    value = std::ldexp(static_cast<long double>(significand),
                       static_cast<int>(std::max<uint64_t>(field, 1)) - 1 + format.min_exponent - stored);
  }
  return negative ? -value : value;
}

int64_t element_count(const Shape& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}

std::vector<int64_t> strides_of(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::string shape_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

}  // namespace uopdiff
