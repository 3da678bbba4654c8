// Greedy shrinking reaches the smallest program that can be expected.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "generators/examples.h"
#include "generators/program_gen.h"
#include "generators/shrink.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

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

// Attributes that are not needed go, whatever the operation is called.
TEST(Shrink, ReachesAPlainConvolution) {
  for (const char* op : {"conv", "conv_transpose"})
    expect_minimum(
        "neural",
        [&](const Program& p) { return any_node(p, [&](const Node& n) { return n.op->name == op; }); }, 1, 3);
}

TEST(Shrink, ReachesAGatherOfOneElement) {
  expect_minimum(
      "indexing",
      [](const Program& p) { return any_node(p, [](const Node& n) { return n.op->name == "gather"; }); }, 1,
      3);
}

TEST(Shrink, ReachesAnAssignToAnInput) {
  expect_minimum(
      "boundary",
      [](const Program& p) { return any_node(p, [](const Node& n) { return n.op->name == "assign"; }); }, 1,
      3);
}

TEST(Shrink, ReachesANarrowProduct) {
  expect_minimum(
      "narrow",
      [](const Program& p) {
        return any_node(p, [](const Node& n) { return n.op->name == "mul" && n.dtype == DType::f16; });
      },
      1, 3);
}

TEST(Shrink, ReachesAnOperationBelowAScan) {
  expect_minimum(
      "composite",
      [](const Program& p) {
        return any_node(p, [&](const Node& n) {
          return n.op->category == Category::scan &&
                 p.nodes[static_cast<size_t>(n.src[0])].op->category != Category::source;
        });
      },
      2, 6);
}

// The example of every operation comes down to that operation on sources, with no more elements than it
// needs.
TEST(Shrink, ReachesEveryOperationAlone) {
  for (const Example& example : examples()) {
    const OpInfo& op = get_op(example.op);
    if (op.category == Category::source || example.dtype != op.dtypes[0]) continue;
    const Greedy result = greedy(example.program, [&](const Program& p) {
      return any_node(p, [&](const Node& n) { return n.op == &op; });
    });
    EXPECT_EQ(operation_count(result.program), 1) << print_program(result.program);
    int64_t total = 0;
    for (const Node& node : result.program.nodes) total += element_count(node.shape);
    EXPECT_LE(total, 8) << print_program(result.program);
    EXPECT_LE(result.calls, 200) << print_program(result.program);
  }
}

}  // namespace
}  // namespace uopdiff
