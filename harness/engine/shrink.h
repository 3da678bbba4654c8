// Greedy, budgeted shrinking of a divergence that keeps its cause.
#pragma once

#include <functional>
#include <string>

#include "harness/engine/evaluator.h"

namespace uopdiff {

struct ShrinkBudget {
  int evaluations = 300;
  double seconds = 60;
};

struct ShrinkResult {
  Program program;  // the smallest found
  int evaluations = 0;
  std::string ended;  // "minimal": no candidate keeps the cause; "evaluations" or "time": the budget ended it
};

// `cause_of` says how a candidate diverges; candidates that were seen before are not asked for again.
// `stop` is asked between evaluations and ends shrinking early (ended "time").
ShrinkResult shrink(const Program& start, const Cause& cause,
                    const std::function<Cause(const Program&)>& cause_of, const ShrinkBudget& budget,
                    const std::function<bool()>& stop);

}  // namespace uopdiff
