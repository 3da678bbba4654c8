// The fuzz loop on fake workers: faults cost one program each, programs do not depend on jobs, what ran is
// written down.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/engine/fuzz.h"
#include "harness/program/error.h"
#include "harness/program/op_table.h"

namespace uopdiff {
namespace {

namespace fs = std::filesystem;

class FuzzLoop : public testing::Test {
 protected:
  FuzzLoop() {
    nlohmann::json ops = nlohmann::json::array();
    for (const OpInfo& op : op_table()) ops.push_back(op.name);
    setenv("FAKE_OPS", ops.dump().c_str(), 1);
    fs::remove_all(directory_);
  }
  ~FuzzLoop() override { fs::remove_all(directory_); }

  static BackendSpec fake(const std::string& behaviour) {
    return BackendSpec::parse(std::string("command:/usr/bin/env python3 ") + FAKE_WORKER + " " + behaviour);
  }

  // Fake workers give no values, so only schedules are asked for; shrinking is not the subject here.
  FuzzOptions options(const std::string& left, const std::string& right, uint64_t cases) {
    FuzzOptions result;
    result.left = fake(left);
    result.right = fake(right);
    result.cases = cases;
    result.values = false;
    result.shrink = {0, 0};
    result.shrink_share = 0;  // only when no programs are left: each worker counts its requests
    result.limits.case_seconds = 0.5;
    result.limits.memory_mb = 400;
    return result;
  }

  FuzzResult run(const FuzzOptions& given, const std::string& name) {
    RunDir run_dir(directory_ + "/" + name);
    const Known known;
    return fuzz(given, known, run_dir, [](const FuzzProgress&) {}, [] { return false; });
  }

  std::vector<std::string> lines(const std::string& name) {
    std::ifstream in(directory_ + "/" + name + "/programs.jsonl");
    std::vector<std::string> result;
    for (std::string line; std::getline(in, line);) result.push_back(line);
    return result;
  }

  const std::string directory_ = testing::TempDir() + "uopdiff-fuzz-loop-test-" + std::to_string(getpid());
};

TEST_F(FuzzLoop, SameProgramsWithOneAndWithThreeJobs) {
  FuzzOptions one = options("good", "good", 60), three = one;
  three.jobs = 3;
  EXPECT_EQ(run(one, "one").progress.agreeing, 60);
  EXPECT_EQ(run(three, "three").progress.agreeing, 60);
  EXPECT_EQ(lines("one").size(), 60u);
  EXPECT_EQ(lines("one"), lines("three"));
}

class LoopFault : public FuzzLoop, public testing::WithParamInterface<const char*> {};

TEST_P(LoopFault, CostsOneProgramAndTheRunGoesOn) {
  const FuzzResult result = run(options("good", std::string(GetParam()) + " 5", 12), "fault");
  EXPECT_EQ(result.progress.programs, 12);
  // Each process misbehaves at its fifth request: twice in twelve programs, and again when it is looked into.
  EXPECT_EQ(result.progress.agreeing, 10) << nlohmann::json(result.progress.by_class).dump();
  EXPECT_EQ(result.progress.by_class.at("failure"), 2);
  EXPECT_EQ(lines("fault").size(), 12u);
  EXPECT_TRUE(fs::is_empty(directory_ + "/fault/running"));
}

INSTANTIATE_TEST_SUITE_P(All, LoopFault,
                         testing::Values("segfault", "hang", "rubbish", "close", "half", "memory"));

TEST_F(FuzzLoop, AFaultThatDoesNotReproduceIsFlakyAndSavedAsSuch) {
  const FuzzResult result = run(options("good", "segfault 5", 12), "flaky");
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].saved.cause.verdict_class, VerdictClass::flaky);
  bool saved = false;
  for (const auto& entry : fs::directory_iterator(directory_ + "/flaky/findings"))
    saved |= entry.path().filename().string().starts_with("flaky-");
  EXPECT_TRUE(saved);
}

TEST_F(FuzzLoop, AWorkerThatNeverStartsEndsTheRunWithAReason) {
  FuzzOptions broken = options("good", "dies-at-start", 5);
  EXPECT_THROW(run(broken, "broken"), Error);
}

TEST_F(FuzzLoop, AnInterruptEndsInOrder) {
  RunDir run_dir(directory_ + "/interrupt");
  const Known known;
  int asked = 0;
  const FuzzResult result = fuzz(
      options("good", "good", 1000000), known, run_dir, [](const FuzzProgress&) {},
      [&] { return ++asked > 40; });
  EXPECT_TRUE(result.interrupted);
  EXPECT_LT(result.progress.programs, 50);
  EXPECT_EQ(lines("interrupt").size(), static_cast<size_t>(result.progress.programs));
}

TEST_F(FuzzLoop, AnUnsupportedOperationIsNoFindingAndCountedByReason) {
  setenv("FAKE_OPS", "[\"input\"]", 1);
  const FuzzResult result = run(options("good", "good", 20), "narrow");
  EXPECT_GT(result.progress.by_class.at("unsupported"), 10);
  EXPECT_FALSE(result.progress.unsupported.empty());
  EXPECT_TRUE(result.findings.empty());
}

TEST_F(FuzzLoop, AFolderThatIsInUseIsRefused) {
  fs::create_directories(directory_ + "/full/x");
  EXPECT_THROW(RunDir(directory_ + "/full"), Error);
}

}  // namespace
}  // namespace uopdiff
