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
  std::string kind;  // "out-of-bounds", "store-cover", "store-order", "buffer-as-value"
  size_t kernel = 0;
  std::string reason;
};

struct ScheduleContent {
  // By buffer name, one per element: outputs and temps, and inputs that are written.
  std::map<std::string, std::vector<uint64_t>> fields;
  std::map<std::string, std::vector<ReadSet>> reads;  // likewise, when asked for
  bool data_indexed = false;             // an element is chosen by data: `reads` has all that it may be
  std::vector<ContentProblem> problems;  // at most one of a kind for each kernel
  bool complete = true;                  // false: more evaluations than the limit, nothing can be said
  std::string unreadable;                // why a kernel has a form that is not understood; empty otherwise
};

// Where each input's elements start in a ReadSet.
using ReadLayout = std::map<std::string, int64_t>;
ReadLayout layout_of(const Schedule& left, const Schedule& right);

// The fields of an input's elements as they are given.
std::vector<uint64_t> input_fields(const BufferRef& buffer);

// Evaluates every kernel on its whole iteration domain, at most `limit` node evaluations in all.
ScheduleContent evaluate_content(const Schedule& schedule, const ReadLayout* reads, int64_t limit = 4000000);

}  // namespace uopdiff
