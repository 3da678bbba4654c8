// Every operation in every dtype, once, on both real compilers against the reference.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "generators/examples.h"
#include "harness/compare/known.h"
#include "harness/engine/evaluator.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

class Operations : public testing::Test {
 protected:
  Operations() : evaluator_(BackendSpec::parse("tinygrad"), BackendSpec::parse("morok"), {}) {}

  void run_group(const ExampleGroup& group) {
    const Evaluation evaluation = evaluator_.evaluate(group.program, true);
    if (evaluation.verdict.cause.verdict_class != VerdictClass::agree) return run_one_by_one(group);
    count(evaluation.verdict, group.program.outputs.size());
  }

  void run_one_by_one(const ExampleGroup& group) {
    for (int output : group.program.outputs) {
      Program single = group.program;
      single.outputs = {output};
      run_single(canonical(single), group.op);
    }
  }

  void run_single(const Program& program, const std::string& op) {
    const Evaluation evaluation = evaluator_.evaluate(program, true);
    const Verdict& verdict = evaluation.verdict;
    count(verdict, 1);
    if (verdict.cause.verdict_class == VerdictClass::unsupported)
      unsupported_.push_back(fmt::format("{}: {}: {}", op, verdict.cause.path, verdict.cause.message));
    if (!is_divergence(verdict.cause.verdict_class)) return;
    const auto operations = operations_of(program);
    if (known_.find(verdict.cause, operations, evaluation.left.spec, evaluation.right.spec)) {
      ++accepted_;
      return;
    }
    ADD_FAILURE() << signature_of(verdict.cause, operations) << " " << verdict.cause.path << "\n"
                  << print_program(program) << verdict.facets.at(0).reason;
  }

  void count(const Verdict& verdict, size_t programs) {
    examples_ += programs;
    elements_ += verdict.elements;
    undetermined_ += verdict.undetermined;
  }

  Evaluator evaluator_;
  const Known known_ = Known::load(CORPUS_DIR "/known.toml");
  size_t examples_ = 0, accepted_ = 0;
  int64_t elements_ = 0, undetermined_ = 0;
  std::vector<std::string> unsupported_;
};

TEST_F(Operations, EachInEachDtypeAgreesWithTheReferenceOnBothCompilers) {
  const auto all = examples();
  std::map<std::string, std::set<DType>> covered;
  for (const Example& example : all) covered[example.op].insert(example.dtype);
  for (const OpInfo& op : op_table()) EXPECT_GE(covered[op.name].size(), op.dtypes.size()) << op.name;
  for (const ExampleGroup& group : example_groups(all)) run_group(group);
  EXPECT_EQ(examples_, all.size());
  std::printf(
      "%zu programs, %lld elements, %lld of them undetermined; %zu programs diverge as corpus/known.toml "
      "says; "
      "%zu unsupported\n",
      examples_, static_cast<long long>(elements_), static_cast<long long>(undetermined_), accepted_,
      unsupported_.size());
  for (const std::string& reason : unsupported_) std::printf("  %s\n", reason.c_str());
  EXPECT_LT(undetermined_ * 5, elements_);
  EXPECT_LE(unsupported_.size() * 100, all.size() * 3);
}

}  // namespace
}  // namespace uopdiff
