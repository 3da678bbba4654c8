// Generated programs: valid, within their limits, the same for a seed, with operands in their domains.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "generators/operands.h"
#include "generators/program_gen.h"
#include "harness/program/error.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

TEST(Generator, EveryProfileMakesValidProgramsWithinTheLimits) {
  for (const Profile& profile : profiles())
    for (uint64_t index = 0; index < 400; ++index) {
      const Program program = generate(profile.name, 11, index).program;
      const std::string text = print_program(program);
      ASSERT_EQ(print_program(parse_program(text, profile.name)), text);
      ASSERT_FALSE(program.outputs.empty());
      ASSERT_NO_THROW(check_assigns(program)) << text;
      for (const Node& node : program.nodes) {
        ASSERT_LE(element_count(node.shape), kMaxWideElements) << text;
        ASSERT_LE(node.shape.size(), 6u) << text;
      }
      for (const Node& node : expand_composites(program).nodes)
        ASSERT_LE(element_count(node.shape), kMaxExpanded) << text;
    }
}

TEST(Generator, SameSeedSameProgramsInAnyOrderAndThread) {
  std::vector<std::string> ids(200), again(200);
  for (uint64_t index = 200; index-- > 0;) ids[index] = case_id(generate("mixed", 3, index).program);
  std::vector<std::thread> threads;
  for (uint64_t start = 0; start < 4; ++start)
    threads.emplace_back([&again, start] {
      for (uint64_t index = start; index < 200; index += 4)
        again[index] = case_id(generate("mixed", 3, index).program);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ids, again);
  std::ranges::sort(again);
  again.erase(std::unique(again.begin(), again.end()), again.end());
  EXPECT_GT(again.size(), 180u);  // hardly ever the same program twice
  EXPECT_NE(ids[0], case_id(generate("mixed", 4, 0).program));
}

TEST(Generator, DivisorsAreNeverZeroAndShiftsInRange) {
  int seen = 0;
  for (uint64_t index = 0; index < 1500; ++index) {
    const Program program = generate("integer", 5, index).program;
    for (const Node& node : program.nodes) {
      const bool division =
          node.op->name.ends_with("mod") || node.op->name == "floordiv" || node.op->name == "truncdiv";
      if (!division && node.op->name != "shl" && node.op->name != "shr") continue;
      ++seen;
      const Node* second = &program.nodes[static_cast<size_t>(node.src[1])];
      if (second->op->name == "neg") second = &program.nodes[static_cast<size_t>(second->src[0])];
      const int width = bit_width(node.dtype);
      if (second->op->name == "full")
        EXPECT_TRUE(division ? second->attr<double>("value") != 0
                             : second->attr<double>("value") >= 0 && second->attr<double>("value") < width);
      else if (division)
        EXPECT_EQ(second->attr<std::string>("fill"), "positive") << print_program(program);
      else
        EXPECT_EQ(second->attr<int64_t>("below"), width) << print_program(program);
    }
  }
  EXPECT_GT(seen, 150);
}

// Whether an output depends on what the target of assign `assign` is made of, other than by that assign.
bool sees_target(const Program& program, size_t assign) {
  std::vector<bool> part(program.nodes.size(), false);
  part[static_cast<size_t>(program.nodes[assign].src[0])] = true;
  for (size_t n = assign; n-- > 0;)
    for (int src : program.nodes[n].src)
      if (part[n]) part[static_cast<size_t>(src)] = true;
  for (size_t n = 0; n < program.nodes.size(); ++n)
    for (int src : program.nodes[n].src)
      if (n != assign && part[static_cast<size_t>(src)]) part[n] = true;
  return std::ranges::any_of(program.outputs, [&](int output) { return part[static_cast<size_t>(output)]; });
}

// Not even its sources: front ends let a buffer that is executed once more be the same one.
TEST(Generator, NothingOfATargetIsSeenBehindItsAssign) {
  int assigns = 0, to_inputs = 0, again = 0;
  for (uint64_t index = 0; index < 1500; ++index) {
    const Program program = generate("boundary", 5, index).program;
    for (size_t n = 0; n < program.nodes.size(); ++n) {
      const Node& node = program.nodes[n];
      if (!node.op->name.starts_with("assign")) continue;
      const std::string& target = program.nodes[static_cast<size_t>(node.src[0])].op->name;
      ++assigns;
      to_inputs += target == "input";
      again += target.starts_with("assign");
      EXPECT_FALSE(sees_target(program, n)) << print_program(program);
    }
  }
  EXPECT_GT(assigns, 300);
  EXPECT_GT(to_inputs, 30);
  EXPECT_GT(again, 3);
}

TEST(Generator, IndicesAreMostlyInRange) {
  int all = 0, outside = 0, computed = 0;
  for (uint64_t index = 0; index < 1500; ++index) {
    const Program program = generate("indexing", 5, index).program;
    for (const Node& node : program.nodes) {
      if (node.op->name != "gather" && node.op->name != "index_select") continue;
      const auto axis = static_cast<size_t>(node.attr<int64_t>("axis"));
      const int64_t extent = program.nodes[static_cast<size_t>(node.src[0])].shape[axis];
      const Node& wanted = program.nodes[static_cast<size_t>(node.src[1])];
      ++all;
      computed += wanted.op->category != Category::source;
      outside += wanted.op->name == "input" && wanted.attr<int64_t>("below") > std::max<int64_t>(extent, 1);
    }
  }
  EXPECT_GT(all, 150);
  EXPECT_GT(outside, 0);
  EXPECT_LT(outside * 10, all);
  EXPECT_GT(computed * 20, all);
}

TEST(Generator, AnUnknownProfileIsAnErrorThatListsTheKnownOnes) {
  try {
    get_profile("wild");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("known are mixed, general, movement"), std::string::npos);
  }
}

}  // namespace
}  // namespace uopdiff
