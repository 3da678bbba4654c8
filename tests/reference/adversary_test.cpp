// Random expressions, rewritten at random: none of the results may lie outside the reference's bound.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "harness/reference/reference.h"
#include "tests/reference/adversary.h"

namespace uopdiff::adversary {
namespace {

constexpr int kExpressions = 20000, kEvaluations = 6;

bool wrong(DType dtype, const Element& bound, double value) {
  const uint64_t bits = float_bits(dtype, value);
  Bytes bytes(byte_size(dtype));
  std::memcpy(bytes.data(), &bits, bytes.size());
  return check_values({dtype, {1}, {bound}}, bytes).wrong != 0;
}

double ulp_of(DType dtype, Real value) {
  return std::ldexp(1.0, std::ilogb(value) + 1 - float_format(dtype).digits);
}

struct Summary {
  int determined = 0, exact = 0;
  std::vector<double> ulps;  // the bounds of determined results that are not exact
  std::map<std::string, int> reasons;
  double median() const { return ulps.empty() ? 0 : ulps[ulps.size() / 2]; }
};

// For longer runs by hand: other expressions with another UOPDIFF_SEED.
uint64_t seed_offset() {
  const char* text = std::getenv("UOPDIFF_SEED");
  return text ? std::strtoull(text, nullptr, 10) << 8 : 0;
}

Summary attack(DType dtype, Values values, uint64_t seed, int depth) {
  Random random(seed + seed_offset());
  Summary summary;
  for (int k = 0; k < kExpressions; ++k) {
    const ExprPtr expr = random_expr(random, dtype, values, 1 + k % depth);
    const Element bound = bound_of(dtype, *expr);
    if (is_open(bound)) {
      ++summary.reasons[reason_name(bound.undetermined)];
      continue;
    }
    ++summary.determined;
    summary.exact += bound.error == 0;
    if (bound.error > 0 && std::abs(bound.f) > 8 * float_format(dtype).smallest_normal())
      summary.ulps.push_back(static_cast<double>(bound.error) / ulp_of(dtype, bound.f));
    for (int n = 0; n < kEvaluations; ++n) {
      const double value = evaluate(dtype, *expr, random);
      if (wrong(dtype, bound, value)) {
        ADD_FAILURE() << dtype_name(dtype) << " " << text_of(*expr) << " = " << fmt::format("{:.17g}", value)
                      << " is outside " << element_text(dtype, bound);
        if (++summary.reasons["failures"] > 5) return summary;
        break;
      }
    }
  }
  std::ranges::sort(summary.ulps);
  fmt::print("{}: {} of {} determined, {} exactly; bounds in ulp: median {:.1f}, 90% {:.1f}\n",
             dtype_name(dtype), summary.determined, kExpressions, summary.exact, summary.median(),
             summary.ulps.empty() ? 0 : summary.ulps[summary.ulps.size() * 9 / 10]);
  for (const auto& [reason, count] : summary.reasons) fmt::print("  {:6} {}\n", count, reason);
  return summary;
}

class Adversary : public testing::TestWithParam<DType> {};

TEST_P(Adversary, OrdinaryValues) {
  const Summary summary = attack(GetParam(), Values::ordinary, 1, 5);
  EXPECT_GT(summary.determined, kExpressions / 2);
  EXPECT_LT(summary.median(), 32);  // a bound that allows everything is no bound
}

TEST_P(Adversary, SpecialValues) {
  const Summary summary = attack(GetParam(), Values::special, 2, 5);
  EXPECT_GT(summary.determined, kExpressions / 4);
}

TEST_P(Adversary, WholeNumbersAreExact) {
  const bool few_digits = GetParam() == DType::f16 || GetParam() == DType::bf16;
  const Summary summary = attack(GetParam(), Values::whole, 3, few_digits ? 3 : 4);
  EXPECT_GT(summary.determined, few_digits ? kExpressions * 9 / 10 : kExpressions - 1);
  EXPECT_GT(summary.exact, few_digits ? kExpressions * 8 / 10 : kExpressions - 1);
}

TEST_P(Adversary, OneStepBeyondAnyBoundIsWrong) {
  const DType dtype = GetParam();
  Random random(4);
  int tried = 0;
  for (int k = 0; k < kExpressions; ++k) {
    const Element bound = bound_of(dtype, *random_expr(random, dtype, Values::special, 1 + k % 4));
    if (is_open(bound) || !std::isfinite(bound.f)) continue;
    for (const Real side : {-1, 1}) {
      Real outside = round_to(dtype, bound.f + side * bound.error);
      const Real step = outside == 0 ? 0 : static_cast<Real>(ulp_of(dtype, outside));
      for (int n = 0; n < 3 && std::abs(outside - bound.f) <= bound.error; ++n)
        outside = round_to(dtype, outside + side * step);
      if (!std::isfinite(outside) || std::abs(outside - bound.f) <= bound.error) continue;
      ASSERT_TRUE(wrong(dtype, bound, static_cast<double>(outside)))
          << static_cast<double>(outside) << " " << element_text(dtype, bound);
      ++tried;
    }
    ASSERT_TRUE(wrong(dtype, bound, NAN));
    ASSERT_TRUE(wrong(dtype, bound, INFINITY));
  }
  EXPECT_GT(tried, kExpressions / 4);
}

INSTANTIATE_TEST_SUITE_P(Floats, Adversary, testing::Values(DType::f16, DType::bf16, DType::f32, DType::f64),
                         [](const auto& each) { return std::string(dtype_name(each.param)); });

}  // namespace
}  // namespace uopdiff::adversary
