// Input data: bytes that never change, because saved cases hold a recipe and not the data.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

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

TEST(Fill, GoldenBytes) {
  EXPECT_EQ(first_bytes("bool", "iota", 1), "0100010001000100");
  EXPECT_EQ(first_bytes("i32", "iota", 2),
            "0200000003000000040000000500000006000000070000000800000009000000");
  EXPECT_EQ(first_bytes("f32", "ones", 0),
            "0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f");
  EXPECT_EQ(first_bytes("i32", "small", 3),
            "010000000100000002000000fdffffffffffffff00000000ffffffffffffffff");
  EXPECT_EQ(first_bytes("f32", "uniform", 3),
            "f437733f0890723f701cb9bf38e4edbfa6419ebfb87421bfaefadfbf2c3e893f");
  EXPECT_EQ(first_bytes("f32", "special", 4),
            "00008080000080ff000000000000e040000080ff00000080000020c00000803f");
  EXPECT_EQ(first_bytes("bool", "small", 5), "0100010000010001");
}

TEST(Fill, ValuesKeepTheirRanges) {
  const Program program = parse_program(
      "a = input i32[512] small\nb = input i32[512] positive\nc = input f32[512] uniform\noutput a\n", "t");
  const auto value = [&](size_t node, int k) {
    int32_t bits;
    std::memcpy(&bits, make_data(program.nodes[node]).data() + 4 * k, 4);
    return bits;
  };
  bool negative = false;
  for (int k = 0; k < 512; ++k) {
    EXPECT_LE(std::abs(value(0, k)), 4);
    negative |= value(0, k) < 0;
    EXPECT_GE(value(1, k), 1);
    EXPECT_LE(value(1, k), 9);
    const int32_t bits = value(2, k);
    float real;
    std::memcpy(&real, &bits, 4);
    EXPECT_GE(real, -2.0f);
    EXPECT_LT(real, 2.0f);
  }
  EXPECT_TRUE(negative);
}

TEST(Fill, DependsOnTheSeed) { EXPECT_NE(first_bytes("f32", "small", 1), first_bytes("f32", "small", 2)); }

}  // namespace
}  // namespace uopdiff
