// Operations mean the same as their definitions: the reference of a program agrees with that of its
// expansion.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "generators/program_gen.h"
#include "harness/program/fill.h"
#include "harness/program/text.h"
#include "harness/reference/reference.h"

namespace uopdiff {
namespace {

bool contradict(DType dtype, const Element& a, const Element& b) {
  if (a.undetermined != Undetermined::no || b.undetermined != Undetermined::no) return false;
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

RC_GTEST_PROP(Expansion, MeansTheSame, ()) {
  std::vector<std::string> names;
  for (const Profile& profile : profiles()) names.push_back(profile.name);
  const Program program = *program_gen(get_profile(*rc::gen::elementOf(names)));
  const auto inputs = data_of(program);
  const Reference direct = evaluate_reference(program, inputs),
                  expanded = evaluate_reference(expand_composites(program), inputs);
  for (size_t k = 0; k < direct.outputs.size(); ++k) {
    const RefTensor &one = direct.outputs[k], &two = expanded.outputs[k];
    RC_ASSERT(one.shape == two.shape && one.elements.size() == two.elements.size());
    for (size_t e = 0; e < one.elements.size(); ++e)
      if (contradict(one.dtype, one.elements[e], two.elements[e]))
        RC_FAIL(print_program(program) + "element " + std::to_string(e) + ": " +
                element_text(one.dtype, one.elements[e]) + " against " +
                element_text(one.dtype, two.elements[e]));
  }
}

// A reference that leaves much open, or has wide bounds, would see nothing.
TEST(Reference, SaysMuchAboutOrdinaryPrograms) {
  int64_t elements = 0, open = 0, exact = 0;
  std::vector<double> ulps;
  for (uint64_t index = 0; index < 400; ++index) {
    const Program program = generate("general", 7, index).program;
    for (const RefTensor& output : evaluate_reference(program, data_of(program)).outputs)
      for (const Element& e : output.elements) {
        ++elements;
        open += e.undetermined != Undetermined::no;
        exact += e.undetermined == Undetermined::no && e.error == 0;
        if (is_float(output.dtype) && e.error > 0 && std::abs(e.f) > 0x1p-100)
          ulps.push_back(e.error / std::ldexp(1.0, std::ilogb(e.f) - 23));
      }
  }
  std::ranges::sort(ulps);
  fmt::print("{} elements, {} undetermined, {} exact; bounds in ulp: median {:.1f}, 90% {:.1f}\n", elements,
             open, exact, ulps[ulps.size() / 2], ulps[ulps.size() * 9 / 10]);
  EXPECT_LT(open, elements / 5);
  EXPECT_LT(ulps[ulps.size() / 2], 64);
}

}  // namespace
}  // namespace uopdiff
