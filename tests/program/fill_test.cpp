// Input data: bytes that never change, because saved cases hold a recipe and not the data.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "harness/program/fill.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

std::string first_bytes(const std::string& type, const std::string& fill, int seed) {
  const Program program =
      parse_program(fmt::format("a = input {}[8] {} seed={}\noutput a\n", type, fill, seed), "t");
  std::string text;
  for (uint8_t byte : make_data(program.nodes[0])) text += fmt::format("{:02x}", byte);
  return text;
}

// Computed once by an independent implementation of the recipe (splitmix64 of splitmix64(seed) + index).
TEST(Fill, GoldenBytes) {
  EXPECT_EQ(first_bytes("bool", "zeros", 3), "0000000000000000");
  EXPECT_EQ(first_bytes("bool", "ones", 3), "0101010101010101");
  EXPECT_EQ(first_bytes("bool", "iota", 3), "0100010001000100");
  EXPECT_EQ(first_bytes("bool", "small", 3), "0101000000000001");
  EXPECT_EQ(first_bytes("bool", "positive", 3), "0101000000000001");
  EXPECT_EQ(first_bytes("bool", "uniform", 3), "0101000000000001");
  EXPECT_EQ(first_bytes("bool", "special", 3), "0101000000000001");
  EXPECT_EQ(first_bytes("i32", "zeros", 3),
            "0000000000000000000000000000000000000000000000000000000000000000");
  EXPECT_EQ(first_bytes("i32", "ones", 3),
            "0100000001000000010000000100000001000000010000000100000001000000");
  EXPECT_EQ(first_bytes("i32", "iota", 3),
            "030000000400000005000000060000000700000008000000090000000a000000");
  EXPECT_EQ(first_bytes("i32", "small", 3),
            "010000000100000002000000fdffffffffffffff00000000ffffffffffffffff");
  EXPECT_EQ(first_bytes("i32", "positive", 3),
            "0600000006000000070000000200000004000000050000000400000004000000");
  EXPECT_EQ(first_bytes("i32", "uniform", 3),
            "7ffeffff35030000620200003efcffffbe020000800000007efdffff85030000");
  EXPECT_EQ(first_bytes("i32", "special", 3),
            "00000100ffffff7f000000801f00000000000000000000401f000000ffffffff");
  EXPECT_EQ(first_bytes("f32", "zeros", 3),
            "0000000000000000000000000000000000000000000000000000000000000000");
  EXPECT_EQ(first_bytes("f32", "ones", 3),
            "0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f");
  EXPECT_EQ(first_bytes("f32", "iota", 3),
            "00004040000080400000a0400000c0400000e040000000410000104100002041");
  EXPECT_EQ(first_bytes("f32", "small", 3),
            "0000803f0000803f00000040000040c0000080bf00000000000080bf000080bf");
  EXPECT_EQ(first_bytes("f32", "positive", 3),
            "000040400000e03f00005840000038400000603f0000903f0000384000007040");
  EXPECT_EQ(first_bytes("f32", "uniform", 3),
            "f437733f0890723f701cb9bf38e4edbfa6419ebfb87421bfaefadfbf2c3e893f");
  EXPECT_EQ(first_bytes("f32", "special", 3),
            "000080ff6f12833a00000000000080800000e04000008080000080bf0000c07f");
}

template <class T>
std::vector<T> data(const std::string& type, const std::string& fill) {
  const Program program =
      parse_program(fmt::format("a = input {}[512] {} seed=9\noutput a\n", type, fill), "t");
  const Bytes bytes = make_data(program.nodes[0]);
  std::vector<T> values(512);
  EXPECT_EQ(bytes.size(), 512 * sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <class T>
void expect_range(const std::string& type, const std::string& fill, T least, T largest, size_t distinct) {
  const auto values = data<T>(type, fill);
  EXPECT_GE(std::ranges::min(values), least) << type << " " << fill;
  EXPECT_LE(std::ranges::max(values), largest) << type << " " << fill;
  EXPECT_GE(std::set<T>(values.begin(), values.end()).size(), distinct) << type << " " << fill;
}

TEST(Fill, ValuesKeepTheirRangesAndCoverThem) {
  expect_range<int32_t>("i32", "small", -4, 4, 9);
  expect_range<float>("f32", "small", -4, 4, 9);
  expect_range<int32_t>("i32", "positive", 1, 9, 9);
  expect_range<float>("f32", "positive", 0.125f, 4, 32);
  expect_range<int32_t>("i32", "uniform", -1000, 999, 300);
  expect_range<float>("f32", "uniform", -2, std::nextafter(2.0f, 0.0f), 500);
  expect_range<float>("f32", "unit", -1, 1, 500);
  expect_range<uint8_t>("u8", "small", 0, 8, 9);
  expect_range<int8_t>("i8", "small", -4, 4, 9);
  expect_range<double>("f64", "uniform", -2, 2, 500);
  for (const std::string& fill : fills())
    if (fill != "index") expect_range<uint8_t>("bool", fill, 0, 1, 1);
  expect_range<int32_t>("i32", "index below=5", 0, 4, 5);
}

TEST(Fill, SpecialHasWhatItPromises) {
  int nan = 0, negative_zero = 0, infinite = 0, subnormal = 0;
  for (float value : data<float>("f32", "special")) {
    nan += std::isnan(value);
    infinite += std::isinf(value);
    negative_zero += value == 0 && std::signbit(value);
    subnormal += std::fpclassify(value) == FP_SUBNORMAL;
  }
  EXPECT_TRUE(nan && negative_zero && infinite && subnormal);
  const auto ints = data<int32_t>("i32", "special");
  EXPECT_EQ(std::ranges::min(ints), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(std::ranges::max(ints), std::numeric_limits<int32_t>::max());
}

TEST(Fill, DependsOnTheSeed) { EXPECT_NE(first_bytes("f32", "small", 1), first_bytes("f32", "small", 2)); }

}  // namespace
}  // namespace uopdiff
