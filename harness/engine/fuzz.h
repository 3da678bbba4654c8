// The fuzz loop: programs through both compilers on several jobs, divergences shrunk, confirmed and saved.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/backends/worker.h"
#include "harness/compare/known.h"
#include "harness/engine/finding_book.h"
#include "harness/engine/run_dir.h"
#include "harness/engine/shrink.h"

namespace uopdiff {

struct FuzzOptions {
  BackendSpec left, right;
  uint64_t seed = 1;
  std::string profile = "mixed";
  std::optional<double> seconds;  // shrinking included
  std::optional<uint64_t> cases;  // programs; both given: whichever ends first
  int jobs = 1;
  bool values = true;         // false: tier schedule
  double shrink_share = 0.5;  // of the jobs' time, while programs are left to run
  ShrinkBudget shrink;
  WorkerLimits limits;
};

struct FuzzProgress {
  double seconds = 0;
  int64_t programs = 0;   // run and judged
  int64_t supported = 0;  // by both backends
  int64_t compared = 0;   // of the supported: structure compared
  int64_t agreeing = 0;
  std::map<std::string, int64_t> by_class;  // every class, programs
  std::map<std::string, int64_t> by_profile;
  std::map<std::string, int64_t> operations;    // programs that use an operation
  std::map<std::string, int64_t> unsupported;   // by reason
  std::map<std::string, int64_t> not_compared;  // by reason
  int64_t elements = 0, undetermined = 0;
  int64_t shrink_evaluations = 0;
  double shrink_seconds = 0;  // of jobs' time
  int64_t worker_restarts = 0;
  int shrinking = 0;  // jobs that shrink at this moment
  size_t findings = 0;
};

struct FuzzResult {
  FuzzProgress progress;
  std::vector<Finding> findings;                // new ones, in order of discovery
  std::map<std::string, int64_t> known_counts;  // by signature
  int64_t unshrunk = 0;                         // divergences that time did not allow to look at
  bool interrupted = false;
};

// Runs to the end of time or cases, or until `interrupted` says so. `report` is called about once a second,
// from one thread at a time. Throws Error(environment) when a worker cannot be started.
FuzzResult fuzz(const FuzzOptions& options, const Known& known, RunDir& run_dir,
                const std::function<void(const FuzzProgress&)>& report,
                const std::function<bool()>& interrupted);

// A divergence shrunk, run again and on fresh data; of class flaky when it did not reproduce each time.
// `stop` ends shrinking early.
Case investigate(Evaluator& evaluator, const Program& program, const Cause& cause, const ShrinkBudget& budget,
                 const std::function<bool()>& stop);

nlohmann::json progress_to_json(const FuzzProgress& progress);

}  // namespace uopdiff
