// What a whole schedule computes, kernel split invisible: each buffer element as a field value over the
// inputs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "normalizers/graph.h"
#include "normalizers/value.h"

namespace uopdiff {

struct ContentProblem {
  std::string kind;  // "out-of-bounds" or "store-cover"
  size_t kernel = 0;
  std::string reason;
};

struct ScheduleContent {
  std::map<std::string, std::vector<uint64_t>> fields;  // by buffer name: outputs and temps, one per element
  std::map<std::string, std::vector<ReadSet>> reads;    // likewise, when asked for
  std::vector<ContentProblem> problems;                 // at most one of a kind for each kernel
  bool complete = true;    // false: more evaluations than the limit, nothing can be said
  std::string unreadable;  // why a kernel has a form that is not understood; empty otherwise
};

// Where each input's elements start in a ReadSet.
using ReadLayout = std::map<std::string, int64_t>;
ReadLayout layout_of(const Schedule& left, const Schedule& right);

// Evaluates every kernel on its whole iteration domain, at most `limit` node evaluations in all.
// Division of indices truncates, as in both compilers (tinygrad 0.12.0 uop/ops.py python_alu, cdiv; Morok
// 0.1.0-alpha.2 ir/src/types.rs BinaryOp::Idiv).
ScheduleContent evaluate_content(const Schedule& schedule, const ReadLayout* reads, int64_t limit = 4000000);

}  // namespace uopdiff
