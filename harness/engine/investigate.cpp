#include "harness/engine/fuzz.h"
#include "harness/program/op_table.h"

namespace uopdiff {
namespace {

// A hang costs the whole limit at each try; what hung once hangs within a quarter of it.
class QuickTimeouts {
 public:
  QuickTimeouts(Evaluator& evaluator, const Cause& cause)
      : evaluator_(evaluator), before_(evaluator.workers().left.limits().case_seconds) {
    if (cause.path.find("/limit") == std::string::npos) return;
    for (Worker* worker : {&evaluator_.workers().left, &evaluator_.workers().right})
      worker->limits().case_seconds /= 4;
  }
  ~QuickTimeouts() {
    for (Worker* worker : {&evaluator_.workers().left, &evaluator_.workers().right})
      worker->limits().case_seconds = before_;
  }
  QuickTimeouts(const QuickTimeouts&) = delete;
  QuickTimeouts& operator=(const QuickTimeouts&) = delete;

 private:
  Evaluator& evaluator_;
  double before_;
};

// Does the cause show without compiling and running? Then shrinking needs the schedules only. Those are of
// the program written out: what an operation's own call does shows in a run alone.
bool values_needed(const Cause& cause, const Program& program) {
  using enum VerdictClass;
  if (cause.verdict_class == wrong_values || cause.verdict_class == both_wrong) return true;
  const bool failed = cause.verdict_class == failure || cause.verdict_class == both_failed;
  const bool early = cause.path.ends_with("/schedule") || cause.path.ends_with("/build");
  return failed && (!early || has_expansion(program));
}

Program with_fresh_data(Program program) {
  for (Node& node : program.nodes)
    if (node.op->name == "input") node.attrs["seed"] = std::get<int64_t>(node.attrs["seed"]) + 1000;
  return program;
}

std::string fresh_data_result(Evaluator& evaluator, const Program& program, const Cause& cause) {
  if (inputs_of(program).empty()) return "no inputs";
  const Cause other =
      evaluator.evaluate(with_fresh_data(program), values_needed(cause, program)).verdict.cause;
  if (other == cause) return "same";
  return is_divergence(other.verdict_class) ? std::string("another: ") + class_name(other.verdict_class)
                                            : "agrees";
}

}  // namespace

Case investigate(Evaluator& evaluator, const Program& program, const Cause& cause, const ShrinkBudget& budget,
                 const std::function<bool()>& stop) {
  int evaluations = 0;
  bool values = values_needed(cause, program);
  const auto cause_of = [&](const Program& candidate) {
    return evaluator.evaluate(candidate, values).verdict.cause;
  };
  ShrinkResult shrunk{canonical(program), 0, "not shrunk"};
  bool again = false;
  const auto run_shrink = [&] {
    const QuickTimeouts quick(evaluator, cause);
    again = cause_of(program) == cause;
    ++evaluations;
    if (!again) return;
    shrunk = shrink(program, cause, cause_of, budget, stop);
    evaluations += shrunk.evaluations;
  };
  run_shrink();
  // With the whole time limit: what only ran out of a short one is not reproduced here.
  Evaluation last = evaluator.evaluate(shrunk.program, true, true);
  ++evaluations;
  // Run for real, the smallest program may show something graver: then keep that in sight from the start.
  if (again && !values && last.verdict.cause != cause) {
    values = true;
    run_shrink();
    last = evaluator.evaluate(shrunk.program, true, true);
    ++evaluations;
  }

  Case saved = make_case(last);
  saved.runs = 3;
  saved.reproduced = 1 + (again ? 1 : 0) + (last.verdict.cause == cause ? 1 : 0);
  if (saved.reproduced < saved.runs) {  // flaky: what was seen first is what is reported
    saved.cause = {VerdictClass::flaky, "flaky/" + cause.path, cause.message};
    saved.signature = signature_of(saved.cause, operations_of(saved.program));
    saved.reason = "did not reproduce each time";
  } else {
    if (!stop()) {
      saved.fresh_data = fresh_data_result(evaluator, shrunk.program, cause);
      ++evaluations;
    }
  }
  saved.evaluations = evaluations;
  saved.operations_before = operation_count(program);
  saved.shrink_ended = shrunk.ended;
  saved.clang = evaluator.clang();
  return saved;
}

}  // namespace uopdiff
