#include "harness/program/fill.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace uopdiff {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kSpecialFloats[] = {
    0.0f,  -0.0f, 1.0f,        -1.0f,    kInf,  -kInf, std::numeric_limits<float>::quiet_NaN(),
    0.5f,  -2.5f, 16777217.0f, 3.25e38f, 1e-3f, 7.0f,  -1.17549435e-38f,
    1e-44f};
constexpr int32_t kSpecialInts[] = {0,
                                    1,
                                    -1,
                                    std::numeric_limits<int32_t>::min(),
                                    std::numeric_limits<int32_t>::max(),
                                    2,
                                    7,
                                    -7,
                                    31,
                                    32,
                                    65536,
                                    -65536,
                                    1 << 30};

// What every fill yields for one element, before it becomes an element of the dtype.
float float_element(const std::string& fill, uint64_t random, int64_t index) {
  if (fill == "zeros") return 0.0f;
  if (fill == "ones") return 1.0f;
  if (fill == "iota") return static_cast<float>(index);
  if (fill == "small") return static_cast<float>(static_cast<int64_t>(random % 9) - 4);
  if (fill == "positive") return 0.125f * static_cast<float>(1 + random % 32);
  if (fill == "special") return kSpecialFloats[random % std::size(kSpecialFloats)];
  return static_cast<float>(random >> 40) * 0x1p-22f - 2.0f;
}

int32_t int_element(const std::string& fill, uint64_t random, int64_t index) {
  if (fill == "zeros") return 0;
  if (fill == "ones") return 1;
  if (fill == "iota") return static_cast<int32_t>(index);
  if (fill == "small") return static_cast<int32_t>(random % 9) - 4;
  if (fill == "positive") return static_cast<int32_t>(1 + random % 9);
  if (fill == "special") return kSpecialInts[random % std::size(kSpecialInts)];
  return static_cast<int32_t>(random % 2000) - 1000;
}

uint8_t bool_element(const std::string& fill, uint64_t random, int64_t index) {
  if (fill == "zeros") return 0;
  if (fill == "ones") return 1;
  if (fill == "iota") return static_cast<uint8_t>(index & 1);
  return static_cast<uint8_t>(random & 1);
}

template <class T>
void put(Bytes& bytes, int64_t position, T value) {
  std::memcpy(bytes.data() + position * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

}  // namespace

const std::vector<std::string>& fills() {
  static const std::vector<std::string> names{"zeros",    "ones",    "iota",   "small",
                                              "positive", "uniform", "special"};
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
  Bytes bytes(static_cast<size_t>(count) * byte_size(input.dtype));
  for (int64_t k = 0; k < count; ++k) {
    const uint64_t random = mix64(mix64(seed) + static_cast<uint64_t>(k));
    const auto index = static_cast<int64_t>(static_cast<uint64_t>(k) + seed);  // may wrap
    switch (input.dtype) {
      case DType::boolean:
        put(bytes, k, bool_element(fill, random, index));
        break;
      case DType::i32:
        put(bytes, k, int_element(fill, random, index));
        break;
      case DType::f32:
        put(bytes, k, float_element(fill, random, index));
        break;
    }
  }
  return bytes;
}

}  // namespace uopdiff
