// The classes a verdict can have, from grave to mild.
#pragma once

#include <optional>
#include <string>

namespace uopdiff {

enum class VerdictClass {
  failure,       // one side crashed, panicked, hung, refused or made code that does not compile
  both_failed,   // both did
  wrong_values,  // one side's executed values are outside the reference's bounds
  both_wrong,    // both sides' are
  schedule,      // a kernel reads or writes outside a buffer, or does not write its output exactly once
  access,        // some output element reads other input elements
  kernel_split,  // kernels split or fused differently
  ranges,        // loop nests differ
  reduce,        // reduces differ in operator, accumulate dtype or extents
  expression,    // same reads, computed by another expression
  index_cost,    // same index functions, one side spends more operations on them
  flaky,         // did not reproduce when run again
  agree,         // equal, spelling aside
  undetermined,  // the program does something the language leaves open; nothing can be said
  unsupported,   // an adapter cannot express the program
};

const char* class_name(VerdictClass verdict_class);  // "wrong-values"
std::optional<VerdictClass> class_from_name(const std::string& name);
bool is_divergence(VerdictClass verdict_class);  // all but agree, undetermined, unsupported

}  // namespace uopdiff
