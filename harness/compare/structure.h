// Compares two schedules in normal form and names what differs, most grave first.
#pragma once

#include <string>
#include <vector>

#include "harness/compare/verdict_class.h"
#include "normalizers/schedule_form.h"

namespace uopdiff {

// One thing that differs.
struct Facet {
  VerdictClass verdict_class;  // the class that this facet alone would have
  std::string path;            // stable: no numbers, e.g. "index-cost/morok/div+mod"
  std::string reason;          // for people: names what differs on both sides
  int left_kernel = -1, right_kernel = -1;
};

struct KernelMatch {
  int left = -1, right = -1;  // -1: only the other side has such a kernel
};

struct StructureDiff {
  std::vector<Facet> facets;
  std::vector<KernelMatch> matches;  // in order of the left side, unmatched ones of the right last
  bool settled = true;               // false: too large to compare
  std::string unsettled_reason;
};

// `left_name` and `right_name` stand for the sides in paths and reasons.
StructureDiff compare_structure(const ScheduleForm& left, const ScheduleForm& right,
                                const std::string& left_name, const std::string& right_name);

// Both sides' kernels beside each other; lines that differ are marked with '!' in the middle.
std::vector<std::string> side_by_side(const ScheduleForm& left, const ScheduleForm& right,
                                      const StructureDiff& diff, const std::string& left_name,
                                      const std::string& right_name, size_t width);

}  // namespace uopdiff
