// What a fixed stretch of generated programs holds: every operation, dtype, pair of them, rank and threshold.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "generators/program_gen.h"
#include "generators/samplers.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

DType operand_dtype(const Program& program, const Node& node) {
  if (node.src.empty()) return node.dtype;
  return program.nodes[static_cast<size_t>(node.src[node.op->name == "where" ? 1 : 0])].dtype;
}

TEST(Coverage, EveryOperationProfileDtypeRankAndThresholdIn2000Programs) {
  std::map<std::string, int> operations, profiles_seen;
  std::map<size_t, int> ranks;
  std::map<DType, int> inputs;
  std::map<int64_t, int> extents;
  int several_outputs = 0, beyond_threshold = 0, reused = 0, empty = 0;
  for (uint64_t index = 0; index < 2000; ++index) {
    const Generated generated = generate("mixed", 1, index);
    ++profiles_seen[generated.profile];
    several_outputs += generated.program.outputs.size() > 1;
    std::map<int, int> uses;
    std::set<int64_t> seen;
    for (const Node& node : generated.program.nodes) {
      ++operations[node.op->name];
      ++ranks[node.shape.size()];
      if (node.op->name == "input") ++inputs[node.dtype];
      seen.insert(node.shape.begin(), node.shape.end());
      for (int src : node.src) ++uses[src];
    }
    for (int64_t extent : seen) ++extents[extent];
    empty += seen.count(0) > 0;
    beyond_threshold += !seen.empty() && *seen.rbegin() >= 65;
    reused += std::ranges::any_of(uses, [](const auto& use) { return use.second > 1; });
  }
  for (const OpInfo& op : op_table()) EXPECT_GE(operations[op.name], 5) << op.name;
  for (const Profile& profile : profiles()) EXPECT_GT(profiles_seen[profile.name], 20) << profile.name;
  for (size_t rank = 0; rank <= 6; ++rank) EXPECT_GT(ranks[rank], 50) << rank;
  for (DType dtype : kAllDTypes) EXPECT_GT(inputs[dtype], 20) << dtype_name(dtype);
  for (int64_t extent : {65, 257, 513, 4097}) EXPECT_GT(extents[extent], 2) << extent;
  EXPECT_GT(empty, 30);
  EXPECT_LT(empty, 120);
  EXPECT_GT(several_outputs, 50);
  EXPECT_GT(beyond_threshold, 40);
  EXPECT_GT(reused, 300);
}

TEST(Coverage, EveryOperationOnEachOfItsDtypesIn20000Programs) {
  std::set<std::pair<std::string, DType>> seen;
  for (uint64_t index = 0; index < 20000; ++index) {
    const Program program = generate("mixed", 1, index).program;
    for (const Node& node : program.nodes) seen.emplace(node.op->name, operand_dtype(program, node));
  }
  int missing = 0;
  std::string names;
  for (const OpInfo& op : op_table())
    for (DType dtype : kAllDTypes) {
      const bool wanted = op.category == Category::source ? op.takes(dtype) : samples_on(op, dtype);
      if (!wanted || seen.count({op.name, dtype})) continue;
      ++missing;
      names += " " + op.name + ":" + dtype_name(dtype);
    }
  EXPECT_LE(missing, 10) << names;
}

TEST(Coverage, EveryDtypeIsCastToNearlyEveryOther) {
  std::set<std::pair<DType, DType>> casts;
  for (uint64_t index = 0; index < 6000; ++index) {
    const Program program = generate("mixed", 1, index).program;
    for (const Node& node : program.nodes)
      if (node.op->name == "cast") casts.emplace(operand_dtype(program, node), node.dtype);
  }
  EXPECT_GT(casts.size(), 145u);  // of 13 * 12, and to itself
}

// An operation that the samplers cannot do would silently be left out: one whose operands have shapes of
// their own wants a sampler, an attribute of a new name a way to draw it.
TEST(Coverage, EveryOperationCanBeDrawnOnEachOfItsDtypes) {
  for (const OpInfo& op : op_table()) {
    if (op.category == Category::source) continue;
    for (DType dtype : kAllDTypes) {
      bool drawn = !samples_on(op, dtype);
      for (uint64_t seed = 0; seed < 60 && !drawn; ++seed) {
        Workbench bench(Draw(rc::Random(seed)), get_profile("general"));
        const int n = bench.source(dtype, {2, 3});
        drawn = bench.node(sample(bench, op, n)).op == &op;
      }
      EXPECT_TRUE(drawn) << op.name << " " << dtype_name(dtype);
    }
  }
}

TEST(Coverage, FavouritesOfAProfileAreInMostOfItsPrograms) {
  for (const Profile& profile : profiles()) {
    if (profile.favourites.empty()) continue;
    const std::set<std::string> favourites(profile.favourites.begin(), profile.favourites.end());
    int with_one = 0;
    for (uint64_t index = 0; index < 200; ++index) {
      const Program program = generate(profile.name, 7, index).program;
      with_one += std::ranges::any_of(program.nodes,
                                      [&](const Node& node) { return favourites.count(node.op->name) > 0; });
    }
    EXPECT_GT(with_one, 130) << profile.name;
  }
}

// Of inputs that are not i32 or f32, nearly all have the dtypes that the profile names.
TEST(Coverage, NarrowAndWideKeepToTheirDtypes) {
  for (const char* name : {"narrow", "wide"}) {
    const Profile& profile = get_profile(name);
    const std::set<DType> own(profile.others.begin(), profile.others.end());
    int inside = 0, others = 0;
    for (uint64_t index = 0; index < 500; ++index) {
      const Program program = generate(name, 7, index).program;
      for (const Node& node : program.nodes)
        if (node.op->name == "input" && node.dtype != DType::boolean &&
            node.attr<std::string>("fill") != "index")
          ++(own.count(node.dtype) ? inside : others);
    }
    EXPECT_GT(inside, 2 * others) << name;
  }
}

TEST(Coverage, SpecialValuesOccurInEveryDtype) {
  std::set<DType> seen;
  for (uint64_t index = 0; index < 1500; ++index) {
    const Program program = generate("special", 7, index).program;
    for (const Node& node : program.nodes)
      if (node.op->name == "input" && node.attr<std::string>("fill") == "special") seen.insert(node.dtype);
  }
  EXPECT_EQ(seen.size(), std::size(kAllDTypes));
}

}  // namespace
}  // namespace uopdiff
