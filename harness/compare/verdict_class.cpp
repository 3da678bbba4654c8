#include "harness/compare/verdict_class.h"

#include <array>
#include <utility>

namespace uopdiff {
namespace {

using enum VerdictClass;
constexpr std::array<std::pair<VerdictClass, const char*>, 15> kNames{{{failure, "failure"},
                                                                       {both_failed, "both-failed"},
                                                                       {wrong_values, "wrong-values"},
                                                                       {both_wrong, "both-wrong"},
                                                                       {schedule, "schedule"},
                                                                       {access, "access"},
                                                                       {kernel_split, "kernel-split"},
                                                                       {ranges, "ranges"},
                                                                       {reduce, "reduce"},
                                                                       {expression, "expression"},
                                                                       {index_cost, "index-cost"},
                                                                       {flaky, "flaky"},
                                                                       {agree, "agree"},
                                                                       {undetermined, "undetermined"},
                                                                       {unsupported, "unsupported"}}};

}  // namespace

const char* class_name(VerdictClass verdict_class) {
  for (const auto& [value, name] : kNames)
    if (value == verdict_class) return name;
  return "?";
}

std::optional<VerdictClass> class_from_name(const std::string& name) {
  for (const auto& [value, text] : kNames)
    if (name == text) return value;
  return std::nullopt;
}

bool is_divergence(VerdictClass verdict_class) { return verdict_class < agree; }

}  // namespace uopdiff
