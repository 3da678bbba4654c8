#include "harness/reference/limits.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "harness/program/error.h"
#include "harness/reference/float_model.h"

namespace uopdiff {
namespace {

constexpr const char* kAny = "f16 bf16 f32 f64";

struct Row {
  const char* op;
  const char* dtypes;
  double relative;  // in ulp of the result
  double absolute;  // in ulp of 1
  double argument;  // relative error of the argument, in ulp
  double apart;     // absolute, the same in every dtype
  const char* formula;
  const char* reason;
};

// Functions that the compilers compose of others (exp, log, tanh, sinh, pow, ...) have small limits here or
// none: scalar functions evaluate the composition with its own bound (transcendental.cpp, activation.cpp).
constexpr std::array kRows{
    Row{"exp2", kAny, 2, 0, 0, 0, "polynomial of x - round(x), scaled by 2^round(x); libm",
        "tinygrad 0.12.0 uop/decompositions.py xexp2 states 1 ulp; the sums around the core bring more"},
    Row{"exp2", "f16", 2, 0, 0, 0x1p-22, "the same",
        "results are 0 for x below -22, above the smallest value"},
    Row{"log2", kAny, 2.5, 1, 0, 0, "exponent + polynomial of (m-1)/(m+1); libm",
        "xlog2 states 1 ulp; near 1 the exponent cancels against the mantissa: absolute"},
    Row{"sin", "f32 f64", 1, 2, 0.5, 0, "argument less multiples of pi, polynomial; libm",
        "xsin: the multiples of pi are subtracted in a few pieces of the dtype"},
    Row{"sin", "f16 bf16", 1, 1.5, 0x1p-6, 0, "the same", "both reduce the argument in f32"},
    Row{"sin beyond 30", "f64", 0, 0, 0x1p22, 0, "the argument by 96 bits of 2/pi",
        "tinygrad 0.12.0 payne_hanek_reduction keeps 32 bits of the argument, also of an f64"},
    Row{"asin", kAny, 1, 5, 0, 3e-8, "pi/2 - sqrt(1-|x|)*polynomial(|x|)",
        "Abramowitz and Stegun 4.4.46 (2e-8), with coefficients and constants near pi/2 in the dtype"},
    Row{"erf", kAny, 1, 5, 0, 3e-7, "1 - polynomial(1/(1+p|x|))*exp(-x^2)",
        "Abramowitz and Stegun 7.1.26 (1.5e-7); coefficients of both signs up to 1.5 cancel"},
    Row{"gelu", kAny, 0, 0, 0, 4e-12, "x/2*(1+tanh(sqrt(2/pi)*(x+0.044715x^3)))",
        "Morok 0.1.0-alpha.2 tensor/src/activation.rs writes sqrt(2/pi) with ten digits; of that constant"},
};

constexpr std::array kFloats{DType::f16, DType::bf16, DType::f32, DType::f64};

using Limits = std::array<Limit, kFloats.size()>;

std::map<std::string, Limits> make_limits() {
  std::map<std::string, Limits> all;
  for (const Row& row : kRows)
    for (size_t k = 0; k < kFloats.size(); ++k) {
      if (fmt::format(" {} ", row.dtypes).find(fmt::format(" {} ", dtype_name(kFloats[k]))) ==
          std::string::npos)
        continue;
      const Real ulp = 2 * float_model(kFloats[k]).unit;
      all[row.op][k] = {row.relative * ulp, row.absolute * ulp + row.apart, row.argument * ulp};
    }
  return all;
}

}  // namespace

const Limit& limit_of(const std::string& op, DType dtype) {
  static const std::map<std::string, Limits> all = make_limits();
  const auto found = all.find(op);
  if (found == all.end()) throw Error(ErrorKind::internal, fmt::format("no limit for '{}'", op));
  return found->second[static_cast<size_t>(dtype) - static_cast<size_t>(DType::f16)];
}

std::string limits_text() {
  std::string text =
      "| operation | dtypes | ulp of the result | ulp of 1 | ulp of the argument | absolute | formula | "
      "reason "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (const Row& row : kRows)
    text += fmt::format("| {} | {} | {:g} | {:g} | {:g} | {:g} | `{}` | {} |\n", row.op, row.dtypes,
                        row.relative, row.absolute, row.argument, row.apart, row.formula, row.reason);
  return text;
}

}  // namespace uopdiff
