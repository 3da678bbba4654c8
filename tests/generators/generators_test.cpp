// Generated programs: valid, within their limits, the same for a seed, and of every operation.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>

#include "generators/operands.h"
#include "generators/program_gen.h"
#include "generators/samplers.h"
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

TEST(Generator, EveryOperationEveryProfileAndEveryRankOccurIn2000Programs) {
  std::map<std::string, int> operations, profiles_seen;
  std::map<size_t, int> ranks;
  std::map<DType, int> dtypes;
  std::map<int64_t, int> extents;
  int several_outputs = 0, beyond_threshold = 0, reused = 0;
  for (uint64_t index = 0; index < 2000; ++index) {
    const Generated generated = generate("mixed", 1, index);
    ++profiles_seen[generated.profile];
    several_outputs += generated.program.outputs.size() > 1;
    std::map<int, int> uses;
    bool wide = false;
    for (const Node& node : generated.program.nodes) {
      ++operations[node.op->name];
      ++ranks[node.shape.size()];
      ++dtypes[node.dtype];
      for (int64_t extent : node.shape) {
        wide |= extent >= 65;
        ++extents[extent];
      }
      for (int src : node.src) ++uses[src];
    }
    beyond_threshold += wide;
    reused += std::ranges::any_of(uses, [](const auto& use) { return use.second > 1; });
  }
  for (const OpInfo& op : op_table()) EXPECT_GT(operations[op.name], 0) << op.name;
  for (const Profile& profile : profiles()) EXPECT_GT(profiles_seen[profile.name], 20) << profile.name;
  for (size_t rank = 0; rank <= 6; ++rank) EXPECT_GT(ranks[rank], 0) << rank;
  for (DType dtype : kAllDTypes) EXPECT_GT(dtypes[dtype], 20) << dtype_name(dtype);
  for (int64_t extent : {65, 257, 513, 4097}) EXPECT_GT(extents[extent], 0) << extent;
  EXPECT_GT(extents[0], 20);
  EXPECT_GT(several_outputs, 50);
  EXPECT_GT(beyond_threshold, 20);
  EXPECT_GT(reused, 300);
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

// An operation that the samplers cannot do would silently be left out.
TEST(Generator, EveryOperationIsDrawnOnEachOfItsDtypes) {
  for (const OpInfo& op : op_table()) {
    if (op.category == Category::source) continue;
    for (DType dtype : op.name == "where" ? std::vector<DType>{} : op.dtypes) {
      bool drawn = false;
      for (uint64_t seed = 0; seed < 60 && !drawn; ++seed) {
        Workbench bench(Draw(rc::Random(seed)), get_profile("general"));
        const int n = bench.source(dtype, {2, 3});
        drawn = bench.node(sample(bench, op, n)).op == &op;
      }
      EXPECT_TRUE(drawn) << op.name << " " << dtype_name(dtype);
    }
  }
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
