// The shrink loop: keeps the cause, asks each candidate once, ends within its budget.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "harness/engine/shrink.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

const Cause kFault{VerdictClass::failure, "failure/x", ""}, kOther{VerdictClass::access, "access", ""}, kNone;

Program long_program() {
  return parse_program(
      "a = input f32[4,6] small seed=3\nb = pad a padding=[[1,1],[0,2]]\nc = sum b axes=[1] keepdim=true\nd "
      "= expand c shape=[6,8]\n"
      "e = mul d b\nf = flip e axes=[0,1]\ng = max f axes=[0]\nh = neg g\noutput h, e\n",
      "t");
}

bool has(const Program& program, const std::string& op) {
  return std::ranges::any_of(program.nodes, [&](const Node& node) { return node.op->name == op; });
}

TEST(ShrinkLoop, KeepsTheCauseAndNeverSlidesToAnother) {
  std::map<std::string, int> asked;
  const auto cause_of = [&](const Program& program) {
    ++asked[case_id(program)];
    if (has(program, "flip")) return kFault;
    return has(program, "pad") ? kOther : kNone;
  };
  const ShrinkResult result = shrink(long_program(), kFault, cause_of, {}, [] { return false; });
  EXPECT_EQ(result.ended, "minimal");
  EXPECT_EQ(operation_count(result.program), 1) << print_program(result.program);
  EXPECT_TRUE(has(result.program, "flip"));
  for (const auto& [id, times] : asked) EXPECT_EQ(times, 1);
  EXPECT_EQ(result.evaluations, static_cast<int>(asked.size()));
}

TEST(ShrinkLoop, EndsWithinItsBudgetWithTheBestSoFar) {
  const auto cause_of = [](const Program& program) { return has(program, "flip") ? kFault : kNone; };
  const ShrinkResult few = shrink(long_program(), kFault, cause_of, {3, 60}, [] { return false; });
  EXPECT_EQ(few.ended, "evaluations");
  EXPECT_EQ(few.evaluations, 3);
  const ShrinkResult stopped = shrink(long_program(), kFault, cause_of, {}, [] { return true; });
  EXPECT_EQ(stopped.ended, "time");
  EXPECT_EQ(print_program(stopped.program), print_program(canonical(long_program())));
}

}  // namespace
}  // namespace uopdiff
