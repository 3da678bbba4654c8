#include "harness/engine/shrink.h"

#include <chrono>
#include <set>

#include "generators/shrink.h"

namespace uopdiff {

ShrinkResult shrink(const Program& start, const Cause& cause,
                    const std::function<Cause(const Program&)>& cause_of, const ShrinkBudget& budget,
                    const std::function<bool()>& stop) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(budget.seconds);
  ShrinkResult result{canonical(start), 0, "minimal"};
  std::set<std::string> seen{case_id(result.program)};
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (Program& candidate : shrink_candidates(result.program)) {
      // A candidate that failed once fails again: later rounds skip it.
      if (!seen.insert(case_id(candidate)).second) continue;
      if (result.evaluations >= budget.evaluations) {
        result.ended = "evaluations";
        return result;
      }
      if (std::chrono::steady_clock::now() > deadline || stop()) {
        result.ended = "time";
        return result;
      }
      ++result.evaluations;
      if (cause_of(candidate) != cause) continue;
      result.program = std::move(candidate);
      smaller = true;
      break;
    }
  }
  return result;
}

}  // namespace uopdiff
