// Operations mean the same as their definitions: the reference of a program agrees with that of its
// expansion.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "generators/examples.h"
#include "generators/program_gen.h"
#include "harness/program/fill.h"
#include "harness/program/text.h"
#include "harness/reference/reference.h"
#include "tests/reference/random_chain.h"

namespace uopdiff {
namespace {

bool contradict(DType dtype, const Element& a, const Element& b) {
  if (is_open(a) || is_open(b)) return false;
  if (!is_float(dtype)) return a.i != b.i;
  if (!std::isfinite(a.f) || !std::isfinite(b.f)) return std::isnan(a.f) ? !std::isnan(b.f) : a.f != b.f;
  return std::abs(a.f - b.f) > a.error + b.error;
}

std::map<std::string, Bytes> data_of(const Program& program) {
  std::map<std::string, Bytes> inputs;
  for (int n : inputs_of(program))
    inputs[program.nodes[static_cast<size_t>(n)].name] = make_data(program.nodes[static_cast<size_t>(n)]);
  return inputs;
}

void expect_agreement(const Program& program) {
  const auto inputs = data_of(program);
  const Reference direct = evaluate_reference(program, inputs),
                  expanded = evaluate_reference(expand_composites(program), inputs);
  for (size_t k = 0; k < direct.outputs.size(); ++k) {
    const RefTensor &one = direct.outputs[k], &two = expanded.outputs[k];
    ASSERT_TRUE(one.dtype == two.dtype && one.shape == two.shape) << print_program(program);
    ASSERT_EQ(one.elements.size(), two.elements.size());
    for (size_t e = 0; e < one.elements.size(); ++e)
      ASSERT_FALSE(contradict(one.dtype, one.elements[e], two.elements[e]))
          << print_program(program) << "element " << e << ": " << element_text(one.dtype, one.elements[e])
          << " against " << element_text(one.dtype, two.elements[e]);
  }
}

TEST(Expansion, OfEveryOperationMeansTheSame) {
  for (const Example& example : examples()) expect_agreement(example.program);
}

TEST(Expansion, OfRandomChainsMeansTheSame) {
  for (uint64_t index = 0; index < 10000; ++index) expect_agreement(random_chain(8, index));
}

TEST(Expansion, OfGeneratedProgramsMeansTheSame) {
  for (uint64_t index = 0; index < 500; ++index) expect_agreement(generate("mixed", 8, index).program);
}

// A reference that leaves much open, or has wide bounds, would see nothing.
TEST(Reference, SaysMuchAboutRandomPrograms) {
  int64_t elements = 0, open = 0, exact = 0;
  std::map<DType, std::vector<double>> ulps;
  for (uint64_t index = 0; index < 4000; ++index) {
    const Program program = index % 4 ? random_chain(7, index) : generate("mixed", 7, index).program;
    for (const RefTensor& output : evaluate_reference(program, data_of(program)).outputs)
      for (const Element& e : output.elements) {
        ++elements;
        open += is_open(e);
        exact += !is_open(e) && e.error == 0;
        if (!is_float(output.dtype) || is_open(e) || e.error == 0) continue;
        const FloatFormat& format = float_format(output.dtype);
        const int exponent = std::max(e.f == 0 ? 0 : std::ilogb(e.f), format.min_exponent);
        ulps[output.dtype].push_back(static_cast<double>(std::ldexp(e.error, format.digits - 1 - exponent)));
      }
  }
  fmt::print("{} elements, {} undetermined, {} exact\n", elements, open, exact);
  EXPECT_LT(open, elements / 5);
  for (auto& [dtype, bounds] : ulps) {
    std::ranges::sort(bounds);
    fmt::print("{} bounds in ulp: median {:.1f}, 90% {:.1f}\n", dtype_name(dtype), bounds[bounds.size() / 2],
               bounds[bounds.size() * 9 / 10]);
    EXPECT_LT(bounds[bounds.size() / 2], 64);
  }
}

}  // namespace
}  // namespace uopdiff
