#include "harness/program/fill.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace uopdiff {
namespace {

// By position in the list: the same kinds of value for every format.
long double special_float(const FloatFormat& format, uint64_t position) {
  constexpr long double kInf = std::numeric_limits<long double>::infinity();
  constexpr long double kNan = std::numeric_limits<long double>::quiet_NaN();
  const long double values[] = {
      0.0L,
      -0.0L,
      1.0L,
      -1.0L,
      kInf,
      -kInf,
      kNan,
      0.5L,
      -2.5L,
      std::ldexp(1.0L, format.digits) + 1,
      format.digits == 24 ? 3.25e38L : format.largest() * 0.95L,
      1e-3L,
      7.0L,
      -format.smallest_normal(),
      format.digits == 24 ? 1e-44L : std::ldexp(format.smallest_normal(), 4 - format.digits)};
  return values[position % std::size(values)];
}

int64_t special_int(DType dtype, uint64_t position) {
  const int width = bit_width(dtype);
  const int64_t half = int64_t{1} << (width / 2);
  const int64_t values[] = {
      0,     1,    -1,    int_lowest(dtype),        int_largest(dtype), 2, 7, -7, width - 1,
      width, half, -half, int64_t{1} << (width - 2)};
  return values[position % std::size(values)];
}

// What every fill yields for one element, before it becomes an element of the dtype.
long double float_element(const Node& input, const std::string& fill, uint64_t random, int64_t index) {
  if (fill == "zeros") return 0;
  if (fill == "ones") return 1;
  if (fill == "iota") return static_cast<long double>(index);
  if (fill == "small") return static_cast<long double>(static_cast<int64_t>(random % 9) - 4);
  if (fill == "positive") return 0.125L * static_cast<long double>(1 + random % 32);
  if (fill == "special") return special_float(float_format(input.dtype), random);
  const long double uniform = static_cast<long double>(random >> 40) * 0x1p-22L - 2;  // in [-2,2)
  return fill == "unit" ? uniform * 0.5L : uniform;
}

int64_t int_element(const Node& input, const std::string& fill, uint64_t random, int64_t index) {
  if (fill == "zeros") return 0;
  if (fill == "ones") return 1;
  if (fill == "iota") return index;
  if (fill == "small") return static_cast<int64_t>(random % 9) - (is_signed(input.dtype) ? 4 : 0);
  if (fill == "positive") return static_cast<int64_t>(1 + random % 9);
  if (fill == "special") return special_int(input.dtype, random);
  if (fill == "index")
    return static_cast<int64_t>(random % static_cast<uint64_t>(input.attr<int64_t>("below")));
  if (fill == "unit") return static_cast<int64_t>(random % 3) - 1;
  return static_cast<int64_t>(random % 2000) - 1000;
}

int64_t bool_element(const std::string& fill, uint64_t random, int64_t index) {
  if (fill == "zeros") return 0;
  if (fill == "ones") return 1;
  if (fill == "iota") return index & 1;
  return static_cast<int64_t>(random & 1);
}

uint64_t element_bits(const Node& input, const std::string& fill, uint64_t random, int64_t index) {
  if (input.dtype == DType::boolean) return static_cast<uint64_t>(bool_element(fill, random, index));
  if (is_float(input.dtype)) return float_bits(input.dtype, float_element(input, fill, random, index));
  return static_cast<uint64_t>(int_element(input, fill, random, index));
}

}  // namespace

const std::vector<std::string>& fills() {
  static const std::vector<std::string> names{"zeros",   "ones",    "iota", "small", "positive",
                                              "uniform", "special", "unit", "index"};
  return names;
}

bool is_fill(const std::string& name) { return std::ranges::find(fills(), name) != fills().end(); }

std::string fill_names() { return fmt::format("{}", fmt::join(fills(), ", ")); }

uint64_t mix64(uint64_t value) {
  value += 0x9e3779b97f4a7c15ull;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
  return value ^ (value >> 31);
}

Bytes make_data(const Node& input) {
  const auto& fill = input.attr<std::string>("fill");
  const auto seed = static_cast<uint64_t>(input.attr<int64_t>("seed"));
  const int64_t count = element_count(input.shape);
  const size_t size = byte_size(input.dtype);
  Bytes bytes(static_cast<size_t>(count) * size);
  for (int64_t k = 0; k < count; ++k) {
    const uint64_t random = mix64(mix64(seed) + static_cast<uint64_t>(k));
    const auto index = static_cast<int64_t>(static_cast<uint64_t>(k) + seed);  // may wrap
    const uint64_t bits = element_bits(input, fill, random, index);
    std::memcpy(bytes.data() + static_cast<size_t>(k) * size, &bits, size);  // little-endian machines only
  }
  return bytes;
}

}  // namespace uopdiff
