// Random expressions, rewritten at random: none of the results may lie outside the reference's bound.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "harness/reference/reference.h"
#include "tests/reference/adversary.h"

namespace uopdiff::adversary {
namespace {

constexpr int kExpressions = 40000, kEvaluations = 6;

Bytes bytes_of(float value) {
  Bytes bytes(4);
  std::memcpy(bytes.data(), &value, 4);
  return bytes;
}
bool wrong(const Element& bound, float value) {
  return check_values({DType::f32, {1}, {bound}}, bytes_of(value)).wrong != 0;
}

struct Summary {
  int determined = 0, exact = 0;
  std::vector<double> ulps;  // the bounds of determined results that are not exact
  std::map<std::string, int> reasons;
};

Summary attack(Values values, uint64_t seed, int depth) {
  Random random(seed);
  Summary summary;
  for (int k = 0; k < kExpressions; ++k) {
    const ExprPtr expr = random_expr(random, values, 1 + k % depth);
    const Element bound = bound_of(*expr);
    if (bound.undetermined != Undetermined::no) {
      ++summary.reasons[reason_name(bound.undetermined)];
      continue;
    }
    ++summary.determined;
    summary.exact += bound.error == 0;
    if (bound.error > 0 && std::abs(bound.f) > 0x1p-100)
      summary.ulps.push_back(bound.error / std::ldexp(1.0, std::ilogb(bound.f) - 23));
    for (int n = 0; n < kEvaluations; ++n) {
      const float value = Compiler(random).evaluate(*expr);
      if (wrong(bound, value)) {
        ADD_FAILURE() << text_of(*expr) << " = " << fmt::format("{:.9g}", value) << " is outside "
                      << element_text(DType::f32, bound);
        if (testing::Test::HasFailure() && ++summary.reasons["failures"] > 5) return summary;
        break;
      }
    }
  }
  std::ranges::sort(summary.ulps);
  const auto at = [&](double share) {
    return summary.ulps.empty()
               ? 0
               : summary.ulps[static_cast<size_t>(share * (static_cast<double>(summary.ulps.size()) - 1))];
  };
  fmt::print("{} of {} determined, {} exactly; bounds in ulp: median {:.1f}, 90% {:.1f}\n",
             summary.determined, kExpressions, summary.exact, at(0.5), at(0.9));
  for (const auto& [reason, count] : summary.reasons) fmt::print("  {:6} {}\n", count, reason);
  return summary;
}

TEST(Adversary, OrdinaryValues) {
  const Summary summary = attack(Values::ordinary, 1, 5);
  EXPECT_GT(summary.determined, kExpressions / 2);
  EXPECT_LT(summary.ulps[summary.ulps.size() / 2], 16);  // a bound that allows everything is no bound
}

TEST(Adversary, SpecialValues) {
  const Summary summary = attack(Values::special, 2, 5);
  EXPECT_GT(summary.determined, kExpressions / 4);
}

TEST(Adversary, WholeNumbersAreExact) {
  const Summary summary = attack(Values::whole, 3, 4);
  EXPECT_EQ(summary.determined, kExpressions);
  EXPECT_EQ(summary.exact, kExpressions);
}

TEST(Adversary, OneStepBeyondAnyBoundIsWrong) {
  Random random(4);
  int tried = 0;
  for (int k = 0; k < kExpressions; ++k) {
    const Element bound = bound_of(*random_expr(random, Values::special, 1 + k % 4));
    if (bound.undetermined != Undetermined::no || !std::isfinite(bound.f)) continue;
    for (float side : {-INFINITY, INFINITY}) {
      auto outside = static_cast<float>(bound.f + std::copysign(bound.error, side));
      if (std::abs(outside - bound.f) <= bound.error) outside = std::nextafter(outside, side);
      if (std::abs(outside - bound.f) <= bound.error) continue;  // the step is below a double's resolution
      ASSERT_TRUE(wrong(bound, outside)) << outside << " " << element_text(DType::f32, bound);
      ++tried;
    }
    ASSERT_TRUE(wrong(bound, NAN));
    ASSERT_TRUE(wrong(bound, INFINITY));
  }
  EXPECT_GT(tried, kExpressions / 4);
}

}  // namespace
}  // namespace uopdiff::adversary
