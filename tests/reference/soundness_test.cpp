// No correct evaluation may lie outside a bound, and no bound may allow everything: operation by operation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "harness/program/op_table.h"
#include "harness/reference/float_model.h"
#include "harness/reference/limits.h"
#include "harness/reference/scalar.h"
#include "tests/reference/adversary.h"

namespace uopdiff {
namespace {

using adversary::Random;

double rounded(DType dtype, double x) { return static_cast<double>(round_to(dtype, x)); }

double random_value(DType dtype, Random& random) {
  switch (random() % 4) {
    case 0:
      return static_cast<double>(static_cast<int>(random() % 17) - 8);
    case 1:
      return rounded(dtype, std::ldexp(static_cast<double>(random() % 1000) / 997 - 0.5,
                                       static_cast<int>(random() % 20) - 10));
    case 2:
      return rounded(dtype, static_cast<double>(random() % 2000) / 64 - 15);
    default:
      return rounded(dtype, std::ldexp(1 + static_cast<double>(random() % 4096) / 4096,
                                       static_cast<int>(random() % 20) - 10));
  }
}

bool inside(const Element& bound, double value) {
  if (is_open(bound)) return true;
  if (std::isnan(bound.f)) return std::isnan(value);
  return value == bound.f || std::abs(static_cast<Real>(value) - bound.f) <= bound.error;
}

// The bound in ulp of the value, or in ulp of 1 for smaller ones: many errors are absolute.
double ulps(DType dtype, const Element& e) {
  const Real size = std::max<Real>(1, std::abs(e.f));
  return static_cast<double>(e.error /
                             std::ldexp(Real{1}, std::ilogb(size) + 1 - float_format(dtype).digits));
}

// Their results are exact: in reference_test.
const std::set<std::string> kExact{"isnan", "isinf", "sign", "trunc", "floor", "ceil", "round"};

class Soundness : public testing::TestWithParam<DType> {};

// Also where the operand is itself a result of something.
TEST_P(Soundness, EveryOperationInEverySpelling) {
  const DType dtype = GetParam();
  Random random(1);
  constexpr int kRounds = 2500;
  for (const OpInfo& op : op_table()) {
    const bool plain = op.category == Category::unary || op.category == Category::binary;
    if (!plain || !op.takes(dtype) || !op.attrs.empty() || !scalar_function(op.name)) continue;
    if (kExact.count(op.name)) continue;
    int determined = 0;
    std::vector<double> widths;
    for (int k = 0; k < kRounds; ++k) {
      std::vector<adversary::ExprPtr> src;
      for (int n = 0; n < op.min_arity; ++n) {
        src.push_back(adversary::leaf(random_value(dtype, random)));
        if (random() % 3 == 0)
          src.back() = adversary::node("mul", {src.back(), adversary::leaf(random_value(dtype, random))});
      }
      const auto expr = adversary::node(op.name, src);
      const Element bound = adversary::bound_of(dtype, *expr);
      determined += !is_open(bound);
      if (!is_open(bound) && bound.error > 0 && bound.f != 0) widths.push_back(ulps(dtype, bound));
      for (int n = 0; n < 4; ++n) {
        const double value = adversary::evaluate(dtype, *expr, random);
        ASSERT_TRUE(inside(bound, value))
            << text_of(*expr) << " is " << value << ", bound " << static_cast<double>(bound.f) << " +- "
            << static_cast<double>(bound.error);
      }
    }
    std::ranges::sort(widths);
    const double median = widths.empty() ? 0 : widths[widths.size() / 2];
    fmt::print("{:5} {:11} {:3}% determined, bound in ulp: median {:.1f}\n", dtype_name(dtype), op.name,
               determined * 100 / kRounds, median);
    EXPECT_GT(determined, kRounds / 8) << op.name;
    // erf, asin, ... are approximations that f64 sees as such.
    if (dtype != DType::f64) {
      EXPECT_LT(median, dtype == DType::bf16 ? 512 : 64) << op.name;
    }
  }
}

TEST_P(Soundness, ReducesInAnyOrder) {
  const DType dtype = GetParam();
  Random random(2);
  std::vector<double> widths;
  for (int k = 0; k < 3000; ++k) {
    std::vector<Element> elements;
    std::vector<adversary::ExprPtr> src;
    for (size_t n = 1 + random() % 40; n > 0; --n) {
      src.push_back(adversary::leaf(random_value(dtype, random)));
      elements.push_back(exact_float(src.back()->value));
    }
    for (const char* op : {"sum", "prod"}) {
      const Element bound = reduce_elements(op, dtype, elements);
      const auto expr = adversary::node(op, src);
      for (int order = 0; order < 4; ++order)
        ASSERT_TRUE(inside(bound, adversary::evaluate(dtype, *expr, random))) << text_of(*expr);
      if (op == std::string("sum") && bound.error > 0 && bound.f != 0) widths.push_back(ulps(dtype, bound));
    }
  }
  std::ranges::sort(widths);
  const double median = widths[widths.size() / 2];
  fmt::print("{} sums of up to 40: bounds in ulp, median {:.1f}\n", dtype_name(dtype), median);
  EXPECT_LT(median, 64);  // a bound is not useless
}

TEST_P(Soundness, WholeNumbersStayExact) {
  const DType dtype = GetParam();
  Random random(3);
  const int largest = static_cast<int>(float_model(dtype).whole) > 1000 ? 100 : 5;
  for (int k = 0; k < 2000; ++k) {
    std::vector<Element> elements;
    double total = 0;
    for (size_t n = 1 + random() % 16; n > 0; --n) {
      const double value =
          static_cast<double>(static_cast<int>(random() % static_cast<uint64_t>(2 * largest + 1)) - largest) /
          8;
      elements.push_back(exact_float(value));
      total += value;
    }
    const Element sum = reduce_elements("sum", dtype, elements);
    EXPECT_EQ(sum.f, total);
    if (std::abs(total) * 8 <= 16 * largest && 16 * largest <= static_cast<int>(float_model(dtype).whole)) {
      EXPECT_EQ(sum.error, 0);
    }
  }
}

TEST_P(Soundness, OneStepBeyondTheBoundIsOutside) {
  const DType dtype = GetParam();
  const std::array<Element, 1> x{exact_float(3)};
  const Element bound = scalar_function("reciprocal")(dtype, x);
  ASSERT_GT(bound.error, 0);
  const Real step = float_model(dtype).unit / 2;  // an ulp below 1/2
  Real outside = round_to(dtype, bound.f);
  while (std::abs(outside - bound.f) <= bound.error) outside += step;
  EXPECT_LT((outside - bound.f) / step, 8);
}

INSTANTIATE_TEST_SUITE_P(Floats, Soundness, testing::Values(DType::f16, DType::bf16, DType::f32, DType::f64),
                         [](const auto& each) { return std::string(dtype_name(each.param)); });

// (x + c1) + c2 may become x + (c1 + c2), (x + c)*k may become x*k + c*k.
TEST(Soundness, ChainsOfAdditionsInAnyOrder) {
  Random random(4);
  const auto apply = [](const char* op, const Element& a, const Element& b) {
    return scalar_function(op)(DType::f32, std::array<Element, 2>{a, b});
  };
  for (int k = 0; k < 20000; ++k) {
    const auto draw = [&] { return static_cast<float>(random_value(DType::f32, random)); };
    const float x = draw(), c = draw(), d = draw();
    const Element chain = apply("sub", apply("add", exact_float(x), exact_float(c)), exact_float(d));
    for (float value : {(x + c) - d, x + (c - d), (x - d) + c})
      ASSERT_TRUE(inside(chain, value)) << x << " " << c << " " << d;
    const Element product = apply("mul", apply("add", exact_float(x), exact_float(c)), exact_float(d));
    for (float value : {(x + c) * d, x * d + c * d, std::fma(x, d, c * d)})
      ASSERT_TRUE(inside(product, value)) << x << " " << c << " " << d;
  }
}

// A cast to a wider dtype and back is taken out by compilers: the sum goes on as if it were not there.
TEST(Soundness, CastsToAWiderDTypeAndBack) {
  Random random(5);
  for (int k = 0; k < 20000; ++k) {
    const auto draw = [&] { return static_cast<float>(random_value(DType::f16, random)); };
    const float x = draw(), c = draw(), d = draw();
    const auto add = [](DType dtype, const Element& a, const Element& b) {
      return scalar_function("add")(dtype, std::array<Element, 2>{a, b});
    };
    Element e = add(DType::f16, exact_float(x), exact_float(c));
    e = cast_element(DType::f32, DType::f16, cast_element(DType::f16, DType::f32, e));
    if (!is_open(e)) e = add(DType::f16, e, exact_float(d));
    const auto half = [](float y) { return static_cast<float>(round_to(DType::f16, y)); };
    for (float value : {half(half(x + c) + d), half(x + half(c + d)), half(half(x + d) + c), half(x + c + d)})
      ASSERT_TRUE(inside(e, value)) << x << " " << c << " " << d;
  }
}

TEST(Limits, AreATableForPeople) {
  const std::string text = limits_text();
  EXPECT_NE(text.find("| erf | f16 bf16 f32 f64 |"), std::string::npos);
  fmt::print("{}", text);
}

}  // namespace
}  // namespace uopdiff
