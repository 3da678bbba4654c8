// Shrink candidates: valid, distinct, simpler than the program, for whatever programs there are.
#include "generators/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "generators/examples.h"
#include "generators/program_gen.h"
#include "harness/program/files.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

void expect_good_candidates(const Program& program) {
  std::set<std::string> seen;
  for (const Program& candidate : shrink_candidates(program)) {
    const std::string text = print_program(candidate);
    ASSERT_EQ(print_program(parse_program(text, "candidate")), text);  // assigns are checked as well
    ASSERT_EQ(print_program(canonical(candidate)), text);
    ASSERT_LT(complexity(candidate), complexity(program)) << print_program(program) << "\n" << text;
    ASSERT_TRUE(seen.insert(case_id(candidate)).second) << text;
    ASSERT_NO_THROW(expand_composites(candidate)) << text;
  }
}

TEST(Shrink, CandidatesOfEveryProfileAreValidDistinctAndSimpler) {
  for (const Profile& profile : profiles())
    for (uint64_t index = 0; index < 60; ++index)
      ASSERT_NO_FATAL_FAILURE(expect_good_candidates(generate(profile.name, 2, index).program));
}

TEST(Shrink, CandidatesOfExamplesAreValidDistinctAndSimpler) {
  for (const Example& example : examples()) {
    if (example.dtype != get_op(example.op).dtypes[0] && example.dtype != DType::f32) continue;
    ASSERT_NO_FATAL_FAILURE(expect_good_candidates(example.program));
  }
}

TEST(Shrink, CandidatesOfTheCorpusAreValidDistinctAndSimpler) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(UOPDIFF_TEST_DIR "/../../corpus/cases")) {
    const auto saved = nlohmann::json::parse(read_file(entry.path()));
    std::string text;
    for (const auto& line : saved.at("program")) text += line.get<std::string>() + "\n";
    ASSERT_NO_FATAL_FAILURE(expect_good_candidates(parse_program(text, entry.path())));
    ++cases;
  }
  EXPECT_GT(cases, 10);
}

// One input for both would let the output see, by way of v, what the assign overwrites.
TEST(Shrink, AnAssignStaysTheOnlyWayFromItsTarget) {
  const Program program = parse_program(
      "x = input i32[2] small\n"
      "t = realize x\n"
      "y = input i32[2] small seed=1\n"
      "v = add y y\n"
      "d = assign t v\n"
      "r = add d v\n"
      "output r\n",
      "t");
  int assigns = 0;
  for (const Program& candidate : shrink_candidates(program)) {
    const auto is_assign = [](const Node& node) { return node.op->name == "assign"; };
    if (!std::ranges::any_of(candidate.nodes, is_assign)) continue;
    ++assigns;
    EXPECT_EQ(static_cast<int>(candidate.nodes.size()) - operation_count(candidate), 2)
        << print_program(candidate);
  }
  EXPECT_GT(assigns, 3);
}

// Repeated changes end: each is below the one before.
TEST(Shrink, TakingTheLastCandidateAgainAndAgainEnds) {
  for (uint64_t index = 0; index < 40; ++index) {
    Program program = generate("mixed", 21, index).program;
    for (int rounds = 0;; ++rounds) {
      ASSERT_LT(rounds, 3000) << print_program(program);
      const auto candidates = shrink_candidates(program);
      if (candidates.empty()) break;
      program = candidates.back();
    }
  }
}

}  // namespace
}  // namespace uopdiff
