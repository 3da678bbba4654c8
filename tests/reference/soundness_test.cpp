// No correct evaluation may lie outside a bound: random operands through float code as compilers may write
// it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "harness/reference/scalar.h"
#include "harness/reference/scalar_float.h"
#include "tests/reference/adversary.h"

namespace uopdiff {
namespace {

constexpr int kRounds = 20000;

float random_float(std::mt19937_64& random) {
  switch (random() % 4) {
    case 0:
      return static_cast<float>(static_cast<int>(random() % 17) - 8);
    case 1:
      return std::ldexp(static_cast<float>(random() % 1000) / 997.0f - 0.5f,
                        static_cast<int>(random() % 20) - 10);
    case 2:
      return static_cast<float>(random() % 2000) / 64.0f - 15.0f;
    default:
      return std::ldexp(1.0f + static_cast<float>(random() % 4096) / 4096.0f,
                        static_cast<int>(random() % 60) - 30);
  }
}

// An operand that was itself computed: its float is anywhere in its bound.
struct Operand {
  Element element;
  float value;
};
Operand random_operand(std::mt19937_64& random) {
  const float value = random_float(random);
  Operand operand{exact_float(value), value};
  if (random() % 3) return operand;
  operand.element = f32::leaf(value, std::abs(value) * 1e-6);
  operand.value = static_cast<float>(value + operand.element.error *
                                                 (static_cast<double>(random() % 201) / 100 - 1) * 0.9);
  return operand;
}

bool inside(const Element& bound, float value) {
  if (bound.undetermined != Undetermined::no) return true;
  if (std::isnan(bound.f)) return std::isnan(value);
  return value == bound.f || std::abs(static_cast<double>(value) - bound.f) <= bound.error;
}

using Variant = float (*)(float, float);
struct Case {
  const char* op;
  int arity;
  std::vector<Variant> variants;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"add",
       2,
       {[](float x, float y) { return x + y; }, [](float x, float y) { return std::fma(x, 1.0f, y); }}},
      {"sub", 2, {[](float x, float y) { return x - y; }, [](float x, float y) { return x + y * -1.0f; }}},
      {"mul", 2, {[](float x, float y) { return x * y; }}},
      {"div", 2, {[](float x, float y) { return x / y; }, [](float x, float y) { return x * (1.0f / y); }}},
      {"reciprocal", 1, {[](float x, float) { return 1.0f / x; }}},
      {"sqrt", 1, {[](float x, float) { return std::sqrt(x); }}},
      {"exp2",
       1,
       {[](float x, float) { return std::exp2(x); },
        [](float x, float) { return adversary::polynomial_exp2(x); }}},
      {"exp",
       1,
       {[](float x, float) { return std::exp(x); },
        [](float x, float) { return std::exp2(x * 1.4426950408889634f); }}},
      {"log2",
       1,
       {[](float x, float) { return std::log2(x); },
        [](float x, float) { return adversary::polynomial_log2(x); }}},
      {"log",
       1,
       {[](float x, float) { return std::log(x); },
        [](float x, float) { return std::log2(x) * 0.6931471805599453f; }}},
      {"sin",
       1,
       {[](float x, float) { return std::sin(x); },
        [](float x, float) { return adversary::polynomial_sin(x); }}},
      {"abs",
       1,
       {[](float x, float) { return std::abs(x); },
        [](float x, float) { return x * static_cast<float>((x > 0) - (x < 0)); }}},
      {"relu",
       1,
       {[](float x, float) { return x > 0 ? x : 0.0f; }, [](float x, float) { return std::max(x, 0.0f); }}},
      {"maximum",
       2,
       {[](float x, float y) { return std::max(x, y); }, [](float x, float y) { return x < y ? y : x; }}},
      {"minimum",
       2,
       {[](float x, float y) { return std::min(x, y); }, [](float x, float y) { return -std::max(-x, -y); }}},
  };
  return all;
}

TEST(Soundness, EveryVariantOfEveryOperationLiesInsideItsBound) {
  std::mt19937_64 random(1);
  for (const Case& each : cases()) {
    int determined = 0;
    for (int k = 0; k < kRounds; ++k) {
      const Operand x = random_operand(random), y = random_operand(random);
      const std::array<Element, 2> both{x.element, y.element};
      const Element bound = scalar_function(each.op)(
          DType::f32, std::span<const Element>(both).first(static_cast<size_t>(each.arity)));
      determined += bound.undetermined == Undetermined::no;
      for (size_t v = 0; v < each.variants.size(); ++v) {
        const float value = each.variants[v](x.value, y.value);
        ASSERT_TRUE(inside(bound, value))
            << each.op << " variant " << v << " of " << x.value << ", " << y.value << " is " << value
            << ", bound " << bound.f << " +- " << bound.error;
      }
    }
    EXPECT_GT(determined, kRounds / 3) << each.op;  // a bound that never says anything would pass, too
  }
}

TEST(Soundness, ReducesInAnyOrder) {
  std::mt19937_64 random(2);
  std::vector<double> ulps;
  for (int k = 0; k < 3000; ++k) {
    std::vector<Element> elements;
    std::vector<float> values;
    for (size_t n = 1 + random() % 40; n > 0; --n) {
      const Operand operand = random_operand(random);
      elements.push_back(operand.element);
      values.push_back(operand.value);
    }
    const Element sum = reduce_elements("sum", DType::f32, elements),
                  product = reduce_elements("prod", DType::f32, elements);
    for (int order = 0; order < 4; ++order) {
      std::shuffle(values.begin(), values.end(), random);
      ASSERT_TRUE(inside(sum, std::accumulate(values.begin(), values.end(), 0.0f)));
      ASSERT_TRUE(inside(product, std::accumulate(values.begin(), values.end(), 1.0f, std::multiplies<>())));
      float lanes[4] = {0, 0, 0, 0};
      for (size_t n = 0; n < values.size(); ++n) lanes[n % 4] += values[n];
      ASSERT_TRUE(inside(sum, (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])));
    }
    if (sum.error > 0 && sum.f != 0) ulps.push_back(sum.error / (std::abs(sum.f) * 0x1p-23));
  }
  std::ranges::sort(ulps);
  fmt::print("sums of up to 40: bounds in ulp, median {:.1f}\n", ulps[ulps.size() / 2]);
  RecordProperty("median_sum_bound_in_ulp", std::to_string(ulps[ulps.size() / 2]));
  EXPECT_LT(ulps[ulps.size() / 2], 64);  // a bound is not useless
}

// (x + c1) + c2 may become x + (c1 + c2), (x + c)*k may become x*k + c*k.
TEST(Soundness, ChainsOfAdditionsInAnyOrder) {
  std::mt19937_64 random(4);
  const auto apply = [](const char* op, const Element& a, const Element& b) {
    const std::array<Element, 2> both{a, b};
    return scalar_function(op)(DType::f32, both);
  };
  for (int k = 0; k < kRounds; ++k) {
    const float x = random_float(random), c = random_float(random), d = random_float(random);
    const Element chain = apply("sub", apply("add", exact_float(x), exact_float(c)), exact_float(d));
    for (float value : {(x + c) - d, x + (c - d), (x - d) + c})
      ASSERT_TRUE(inside(chain, value)) << x << " " << c << " " << d;
    const Element product = apply("mul", apply("add", exact_float(x), exact_float(c)), exact_float(d));
    for (float value : {(x + c) * d, x * d + c * d, std::fma(x, d, c * d)})
      ASSERT_TRUE(inside(product, value)) << x << " " << c << " " << d;
  }
}

TEST(Soundness, WholeNumbersStayExact) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 2000; ++k) {
    std::vector<Element> elements;
    double total = 0;
    for (size_t n = 1 + random() % 60; n > 0; --n) {
      const double value = static_cast<double>(static_cast<int>(random() % 201) - 100) / 8;
      elements.push_back(exact_float(value));
      total += value;
    }
    const Element sum = reduce_elements("sum", DType::f32, elements);
    EXPECT_EQ(sum.f, total);
    EXPECT_EQ(sum.error, 0);
  }
}

TEST(Soundness, OneStepBeyondTheBoundIsOutside) {
  const std::array<Element, 1> x{exact_float(3)};
  const Element bound = scalar_function("reciprocal")(DType::f32, x);
  ASSERT_GT(bound.error, 0);
  float outside = static_cast<float>(bound.f + bound.error);
  while (inside(bound, outside)) outside = std::nextafter(outside, 1.0f);
  EXPECT_LT((outside - bound.f) / (bound.f * 0x1p-23), 8);
}

}  // namespace
}  // namespace uopdiff
