// Steps of a program under construction: an operation of a category, and the combinations of operations that
// public bug reports are made of.
#pragma once

#include "generators/samplers.h"

namespace uopdiff {

// Each returns its result, or `n` when nothing of the kind can be done.
int apply_op(Workbench& bench, const std::string& op, int n);
int apply_any(Workbench& bench, Category category, int n);  // by weight; on a cast where the dtype needs one
int apply_boundary(Workbench& bench, int n);                // executed, detached, assigned to
int apply_chain(Workbench& bench, int n);

}  // namespace uopdiff
