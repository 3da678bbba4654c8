// Every function of the reference in every float dtype, and what only some of these dtypes do.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "harness/reference/float_model.h"
#include "harness/reference/scalar.h"

namespace uopdiff {
namespace {

constexpr DType kFloats[] = {DType::f16, DType::bf16, DType::f32, DType::f64};

// f(x) of a function in every float dtype, by the double function of the library.
struct Known {
  const char* op;
  double (*function)(double);
  std::vector<double> arguments;  // values of every float dtype
};

TEST(Floats, FunctionsAgainstTheLibrary) {
  const std::vector<Known> all{
      {"neg", [](double x) { return -x; }, {0.5, -3}},
      {"abs", std::fabs, {0.5, -3}},
      {"square", [](double x) { return x * x; }, {0.5, -3}},
      {"sqrt", std::sqrt, {0.25, 2, 9}},
      {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, {0.25, 2, 9}},
      {"reciprocal", [](double x) { return 1 / x; }, {0.25, -3}},
      {"exp", std::exp, {0, 1, -2.5, 5}},
      {"exp2", std::exp2, {0, 1, -2.5, 5}},
      {"log", std::log, {0.5, 1, 10}},
      {"log2", std::log2, {0.5, 1, 10}},
      {"sin", std::sin, {0.5, -3, 30}},
      {"cos", std::cos, {0.5, -3, 30}},
      {"tan", std::tan, {0.5, -3}},
      {"asin", std::asin, {0.5, -0.25, 1}},
      {"acos", std::acos, {0.5, -0.25, 1}},
      {"atan", std::atan, {0.5, -3}},
      {"sinh", std::sinh, {0.5, -3}},
      {"cosh", std::cosh, {0.5, -3}},
      {"asinh", std::asinh, {0.5, -3}},
      {"acosh", std::acosh, {1.5, 3}},
      {"atanh", std::atanh, {0.5, -0.25}},
      {"tanh", std::tanh, {0.5, -3, 0}},
      {"erf", std::erf, {0.5, -3, 0}},
      {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, {0.5, -3, 0}},
      {"silu", [](double x) { return x / (1 + std::exp(-x)); }, {0.5, -3, 0}},
      {"softsign", [](double x) { return x / (1 + std::fabs(x)); }, {0.5, -3, 0}},
      {"relu6", [](double x) { return std::min(std::max(x, 0.0), 6.0); }, {0.5, -3, 7}},
      {"hardswish", [](double x) { return x * std::min(std::max(x + 3, 0.0), 6.0) / 6; }, {0.5, -1, 7}},
      {"gelu",
       [](double x) { return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); },
       {0.5, -1, 2}},
      {"mish", [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }, {0.5, -1, 2}},
      {"floor", std::floor, {0.5, -2.5, 3}},
      {"ceil", std::ceil, {0.5, -2.5, 3}},
      {"trunc", std::trunc, {0.5, -2.5, 3}},
      {"round", std::nearbyint, {0.5, 1.5, -2.5, 3, 0.75}},
      {"sign", [](double x) { return x < 0   ? -1.0
                                     : x > 0 ? 1.0
                                             : 0.0; }, {0.5, -2.5, 0}},
  };
  for (const Known& known : all)
    for (const DType dtype : kFloats) {
      for (const double x : known.arguments) {
        const std::array<Element, 1> operand{exact_float(x)};
        const Element e = scalar_function(known.op)(dtype, operand);
        const double want = known.function(x);
        ASSERT_EQ(e.undetermined, Undetermined::no) << known.op << " " << x;
        EXPECT_NEAR(static_cast<double>(e.f), want, std::fabs(want) * 4e-12 + 1e-15) << known.op << " " << x;
        EXPECT_LE(e.error, 128 * float_model(dtype).unit * std::max(1.0, std::fabs(want)) + 4e-7)
            << dtype_name(dtype) << " " << known.op << " " << x;
        const double rounded = static_cast<double>(round_to(dtype, want));
        EXPECT_LE(std::fabs(rounded - static_cast<double>(e.f)), static_cast<double>(e.error))
            << known.op << " " << x;
      }
    }
}

TEST(Floats, PowersBySignAndWholeness) {
  const auto power = [](double x, double y) {
    return scalar_function("pow")(DType::f32, std::array<Element, 2>{exact_float(x), exact_float(y)});
  };
  EXPECT_NEAR(static_cast<double>(power(2, 10).f), 1024, 1e-9);
  EXPECT_NEAR(static_cast<double>(power(-2, 3).f), -8, 1e-9);
  EXPECT_NEAR(static_cast<double>(power(-2, -2).f), 0.25, 1e-12);
  EXPECT_NEAR(static_cast<double>(power(2, 0.5).f), std::sqrt(2), 1e-12);
  EXPECT_TRUE(std::isnan(power(-2, 0.5).f));
  EXPECT_EQ(power(-3, 0).f, 1);
  EXPECT_EQ(power(0, 0).f, 1);
  EXPECT_EQ(power(0, 2).f, 0);
  EXPECT_EQ(power(0, -1).undetermined, Undetermined::zero_sign);
  EXPECT_EQ(power(NAN, 2).undetermined, Undetermined::nan_order);
  EXPECT_EQ(power(-2, 3e9).undetermined, Undetermined::cast_range);
}

TEST(Floats, DecisionsInsideTheInterval) {
  for (const DType dtype : kFloats) {
    const FloatModel& m = float_model(dtype);
    const std::array<Element, 1> nearly_two{m.leaf(2, m.unit)}, nearly_zero{m.leaf(0, m.unit)};
    for (const char* op : {"floor", "ceil", "trunc"})
      EXPECT_EQ(scalar_function(op)(dtype, nearly_two).undetermined, Undetermined::interval) << op;
    EXPECT_EQ(scalar_function("sign")(dtype, nearly_zero).undetermined, Undetermined::interval);
    const std::array<Element, 1> infinite{exact_float(INFINITY)}, large{exact_float(m.max)};
    EXPECT_EQ(scalar_function("isinf")(dtype, infinite).i, 1);
    EXPECT_EQ(scalar_function("isinf")(dtype, large).i, 0);
    EXPECT_EQ(scalar_function("isnan")(dtype, infinite).i, 0);
    EXPECT_EQ(scalar_function("isnan")(dtype, std::array<Element, 1>{exact_float(NAN)}).i, 1);
    const Element doubled = m.add(exact_float(m.max), exact_float(m.max / 2));
    if (m.narrow) {
      EXPECT_EQ(doubled.undetermined, Undetermined::overflow);
    } else {
      EXPECT_EQ(doubled.f, INFINITY);
      EXPECT_EQ(scalar_function("isinf")(dtype, std::array<Element, 1>{doubled}).undetermined,
                Undetermined::overflow);
    }
  }
}

TEST(Floats, SubnormalsAreKeptInF16Only) {
  for (const DType dtype : kFloats) {
    const FloatModel& m = float_model(dtype);
    const Element small = exact_float(m.tiny / 2);
    const std::array<Element, 1> x{small};
    EXPECT_EQ(is_open(scalar_function("sqrt")(dtype, x)), dtype != DType::f16);
    EXPECT_EQ(m.add(small, exact_float(m.tiny)).error == 0, dtype == DType::f16);
    const std::array<Element, 2> both{exact_float(0), small};
    EXPECT_EQ(is_open(scalar_function("lt")(dtype, both)), dtype != DType::f16);
  }
}

}  // namespace
}  // namespace uopdiff
