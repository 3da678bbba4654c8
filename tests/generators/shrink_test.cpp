// Shrinks: every candidate is valid and simpler; greedy shrinking reaches the smallest program that can be
// expected.
#include "generators/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "generators/program_gen.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

TEST(Shrink, CandidatesAreValidDistinctAndSimpler) {
  for (uint64_t index = 0; index < 300; ++index) {
    const Program program = generate("mixed", 2, index).program;
    std::set<std::string> seen;
    for (const Program& candidate : shrink_candidates(program)) {
      const std::string text = print_program(candidate);
      ASSERT_EQ(print_program(parse_program(text, "candidate")), text);
      ASSERT_EQ(print_program(canonical(candidate)), text);
      ASSERT_LT(complexity(candidate), complexity(program)) << print_program(program) << "\n" << text;
      ASSERT_TRUE(seen.insert(case_id(candidate)).second) << text;
    }
  }
}

using Predicate = std::function<bool(const Program&)>;

struct Greedy {
  Program program;
  int calls = 0;
};
Greedy greedy(Program program, const Predicate& holds) {
  Greedy result{std::move(program), 0};
  std::set<std::string> seen;
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (Program& candidate : shrink_candidates(result.program)) {
      if (!seen.insert(case_id(candidate)).second) continue;
      ++result.calls;
      if (!holds(candidate)) continue;
      result.program = std::move(candidate);
      smaller = true;
      break;
    }
  }
  return result;
}

// Shrinks the first programs of the profile that have the property; returns the largest result and the calls'
// median.
void expect_minimum(const std::string& profile, const Predicate& holds, int operations, int64_t elements) {
  std::vector<int> calls;
  for (uint64_t index = 0; calls.size() < 12 && index < 3000; ++index) {
    const Program program = generate(profile, 9, index).program;
    if (!holds(program)) continue;
    const Greedy result = greedy(program, holds);
    calls.push_back(result.calls);
    EXPECT_LE(operation_count(result.program), operations) << print_program(program) << "became\n"
                                                           << print_program(result.program);
    int64_t total = 0;
    for (const Node& node : result.program.nodes) total += element_count(node.shape);
    EXPECT_LE(total, elements) << print_program(result.program);
  }
  ASSERT_EQ(calls.size(), 12u) << "too few programs with this property";
  std::ranges::sort(calls);
  EXPECT_LE(calls[6], 150);
}

bool any_node(const Program& program, const std::function<bool(const Node&)>& f) {
  return std::ranges::any_of(program.nodes, f);
}

TEST(Shrink, ReachesASingleFlip) {
  expect_minimum(
      "movement",
      [](const Program& p) {
        return any_node(p, [&](const Node& n) {
          if (n.op->name != "flip") return false;
          return std::ranges::any_of(n.attr<Ints>("axes"),
                                     [&](int64_t axis) { return n.shape[static_cast<size_t>(axis)] >= 3; });
        });
      },
      1, 6);
}

TEST(Shrink, ReachesASumOverTwoAxesOfIntegers) {
  expect_minimum(
      "reduce",
      [](const Program& p) {
        return any_node(p, [](const Node& n) {
          return n.op->name == "sum" && n.dtype == DType::i32 && n.attr<Ints>("axes").size() >= 2;
        });
      },
      1, 4);
}

TEST(Shrink, ReachesAPadBelowAReduce) {
  expect_minimum(
      "reduce",
      [](const Program& p) {
        std::vector<bool> padded(p.nodes.size(), false);
        for (size_t n = 0; n < p.nodes.size(); ++n) {
          for (int src : p.nodes[n].src) padded[n] = padded[n] || padded[static_cast<size_t>(src)];
          if (padded[n] && p.nodes[n].op->category == Category::reduce) return true;
          padded[n] = padded[n] || p.nodes[n].op->name == "pad";
        }
        return false;
      },
      2, 12);
}

TEST(Shrink, ReachesASquare) {
  expect_minimum(
      "general",
      [](const Program& p) {
        return any_node(p, [](const Node& n) { return n.op->name == "mul" && n.src[0] == n.src[1]; });
      },
      1, 2);
}

TEST(Shrink, ReachesACat) {
  expect_minimum(
      "movement",
      [](const Program& p) { return any_node(p, [](const Node& n) { return n.op->name == "cat"; }); }, 1, 6);
}

TEST(Shrink, KeepsAThresholdOnlyAsLargeAsNeeded) {
  expect_minimum(
      "general",
      [](const Program& p) {
        return any_node(p, [](const Node& n) {
          return std::ranges::any_of(n.shape, [](int64_t extent) { return extent >= 65; }) &&
                 n.op->category != Category::source;
        });
      },
      1, 160);
}

}  // namespace
}  // namespace uopdiff
