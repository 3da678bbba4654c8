#include "harness/engine/fuzz.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "generators/program_gen.h"
#include "harness/program/error.h"

namespace uopdiff {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Task {
  enum Kind { program, shrink, done } kind = done;
  uint64_t index = 0;                  // of a program
  std::optional<Candidate> candidate;  // of a shrink
};

// What is kept of an evaluation until it is its turn.
struct Outcome {
  Program program;
  std::string profile;
  Cause cause;
  int64_t elements = 0, undetermined = 0;
  bool compared = false;
  std::string not_compared, unsupported;
};

class FuzzLoop {
 public:
  FuzzLoop(const FuzzOptions& options, const Known& known, RunDir& run_dir,
           const std::function<void(const FuzzProgress&)>& report, const std::function<bool()>& interrupted)
      : options_(options),
        run_dir_(run_dir),
        report_(report),
        interrupted_(interrupted),
        book_(known, options.left.text(), options.right.text()) {}

  FuzzResult run() {
    std::vector<std::thread> threads;
    for (int job = 0; job < options_.jobs; ++job) threads.emplace_back([this, job] { run_job(job); });
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
    FuzzResult result;
    update_progress();
    result.progress = progress_;
    result.findings = book_.findings();
    result.known_counts = book_.known_counts();
    result.unshrunk = book_.waiting() + static_cast<int64_t>(to_shrink_.size());
    result.interrupted = interrupted_();
    return result;
  }

 private:
  bool out_of_time() const { return options_.seconds && seconds_since(start_) > *options_.seconds; }
  bool stopping() const { return stop_ || out_of_time() || interrupted_(); }

  void run_job(int job) {
    try {
      Evaluator evaluator(options_.left, options_.right, options_.limits);
      evaluator.start();
      while (true) {
        Task task = next_task();
        if (task.kind == Task::done) break;
        if (task.kind == Task::program)
          run_program(job, evaluator, task.index);
        else
          run_shrink(job, evaluator, std::move(*task.candidate));
      }
      const std::lock_guard lock(mutex_);
      progress_.worker_restarts += evaluator.workers().left.restarts() + evaluator.workers().right.restarts();
      run_dir_.idle(job);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
      changed_.notify_all();
    }
  }

  // Shrinking goes first while it has used less than its share of the jobs' time; when no programs are left,
  // all of it.
  Task next_task() {
    std::unique_lock lock(mutex_);
    while (true) {
      if (stopping()) return {};
      const bool programs_left = !options_.cases || next_index_ < *options_.cases;
      const double share = progress_.shrink_seconds / (seconds_since(start_) * options_.jobs + 1e-9);
      if (!to_shrink_.empty() && (!programs_left || share < options_.shrink_share)) {
        Task task{Task::shrink, 0, std::move(to_shrink_.begin()->second)};
        to_shrink_.erase(to_shrink_.begin());
        ++progress_.shrinking;
        return task;
      }
      if (programs_left) {
        ++running_;
        return {Task::program, next_index_++, std::nullopt};
      }
      // Another job's program or shrink may still bring work.
      if (running_ == 0 && progress_.shrinking == 0) return {};
      changed_.wait_for(lock, std::chrono::milliseconds(200));
    }
  }

  void run_program(int job, Evaluator& evaluator, uint64_t index) {
    Generated generated = generate(options_.profile, options_.seed, index);
    run_dir_.starting(job, generated.program,
                      fmt::format("profile {}, seed {}, index {}", generated.profile, options_.seed, index));
    const Evaluation evaluation = evaluator.evaluate(generated.program, options_.values);
    Outcome outcome{std::move(generated.program),
                    generated.profile,
                    evaluation.verdict.cause,
                    evaluation.verdict.elements,
                    evaluation.verdict.undetermined,
                    evaluation.verdict.structure.settled,
                    evaluation.verdict.structure.unsettled_reason,
                    ""};
    if (outcome.cause.verdict_class == VerdictClass::unsupported)
      outcome.unsupported = outcome.cause.path + ": " + outcome.cause.message;
    const std::lock_guard lock(mutex_);
    --running_;
    outcomes_.emplace(index, std::move(outcome));
    while (!outcomes_.empty() && outcomes_.begin()->first == next_consumed_) {
      consume(next_consumed_++, outcomes_.begin()->second);
      outcomes_.erase(outcomes_.begin());
    }
    changed_.notify_all();
    maybe_report();
  }

  // In order of the programs' indices, so that findings do not depend on which job was faster.
  void consume(uint64_t index, Outcome& outcome) {
    ++progress_.programs;
    ++progress_.by_class[class_name(outcome.cause.verdict_class)];
    ++progress_.by_profile[outcome.profile];
    for (const std::string& op : operations_of(outcome.program)) ++progress_.operations[op];
    progress_.elements += outcome.elements;
    progress_.undetermined += outcome.undetermined;
    if (outcome.cause.verdict_class == VerdictClass::unsupported) {
      ++progress_.unsupported[outcome.unsupported];
    } else {
      ++progress_.supported;
      if (outcome.compared)
        ++progress_.compared;
      else
        ++progress_.not_compared[outcome.not_compared];
    }
    progress_.agreeing += outcome.cause.verdict_class == VerdictClass::agree;
    nlohmann::json line{{"index", index},
                        {"id", case_id(outcome.program)},
                        {"profile", outcome.profile},
                        {"class", class_name(outcome.cause.verdict_class)},
                        {"path", outcome.cause.path}};
    if (!outcome.not_compared.empty()) line["not_compared"] = outcome.not_compared;
    run_dir_.log_program(line);
    if (!is_divergence(outcome.cause.verdict_class)) return;
    if (auto candidate = book_.offer({index, std::move(outcome.program), outcome.cause, outcome.profile}))
      queue_shrink(std::move(*candidate));
  }

  // Graver ones first.
  void queue_shrink(Candidate candidate) {
    to_shrink_.emplace(std::pair(candidate.cause.verdict_class, candidate.index), std::move(candidate));
  }

  void run_shrink(int job, Evaluator& evaluator, Candidate candidate) {
    run_dir_.starting(job, candidate.program,
                      fmt::format("shrinking; seed {}, index {}", options_.seed, candidate.index));
    const auto start = Clock::now();
    Case saved = investigate(evaluator, candidate.program, candidate.cause, options_.shrink,
                             [this] { return stopping(); });
    saved.seed = options_.seed;
    saved.index = candidate.index;
    saved.profile = candidate.profile;
    const std::lock_guard lock(mutex_);
    progress_.shrink_seconds += seconds_since(start);
    progress_.shrink_evaluations += saved.evaluations;
    --progress_.shrinking;
    auto next = book_.finish(candidate.cause, std::move(saved));
    save_new_findings();
    if (next) queue_shrink(std::move(*next));
    changed_.notify_all();
    maybe_report();
  }

  void save_new_findings() {
    for (; saved_ < book_.findings().size(); ++saved_) run_dir_.save_finding(book_.findings()[saved_].saved);
  }

  void update_progress() {
    progress_.seconds = seconds_since(start_);
    progress_.findings = book_.findings().size();
  }

  void maybe_report() {
    if (seconds_since(last_report_) < 1) return;
    last_report_ = Clock::now();
    update_progress();
    report_(progress_);
  }

  const FuzzOptions& options_;
  RunDir& run_dir_;
  const std::function<void(const FuzzProgress&)>& report_;
  const std::function<bool()>& interrupted_;

  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  FindingBook book_;
  FuzzProgress progress_;
  std::map<uint64_t, Outcome> outcomes_;  // ran, but an earlier one has not ended yet
  std::map<std::pair<VerdictClass, uint64_t>, Candidate> to_shrink_;
  uint64_t next_index_ = 0, next_consumed_ = 0;
  int running_ = 0;
  size_t saved_ = 0;
  std::exception_ptr error_;
  std::atomic<bool> stop_ = false;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_report_ = Clock::now();
};

}  // namespace

FuzzResult fuzz(const FuzzOptions& options, const Known& known, RunDir& run_dir,
                const std::function<void(const FuzzProgress&)>& report,
                const std::function<bool()>& interrupted) {
  return FuzzLoop(options, known, run_dir, report, interrupted).run();
}

nlohmann::json progress_to_json(const FuzzProgress& p) {
  return {{"programs", p.programs},
          {"supported", p.supported},
          {"compared", p.compared},
          {"agreeing", p.agreeing},
          {"by_class", p.by_class},
          {"by_profile", p.by_profile},
          {"operations", p.operations},
          {"unsupported", p.unsupported},
          {"not_compared", p.not_compared},
          {"elements", p.elements},
          {"undetermined", p.undetermined},
          {"shrink_evaluations", p.shrink_evaluations},
          {"shrink_seconds", p.shrink_seconds},
          {"worker_restarts", p.worker_restarts},
          {"seconds", p.seconds}};
}

}  // namespace uopdiff
