// Draws operands and attributes for one operation of the table.
#pragma once

#include "generators/operands.h"

namespace uopdiff {

// Whether a value of the dtype can be the `n` below: what the table says of the first operand, of `where` of
// the second and third.
bool samples_on(const OpInfo& op, DType dtype);

// Applies `op` to `n`, of a dtype that it samples on. Returns the result, or `n` when that does not fit or
// would become too large. What an operation needs is read from its table entry; only those whose operands
// have shapes of their own have a sampler.
int sample(Workbench& bench, const OpInfo& op, int n);

// An operation of the category that takes the dtype, by weight; null when there is none.
const OpInfo* pick(Workbench& bench, Category category, DType dtype);

// Draws that several samplers share.
Ints some_axes(Workbench& bench, int n);  // at least one; n has an axis
Ints shuffled_axes(Workbench& bench, int n);
Shape cut_anew(Workbench& bench, int n);  // n's elements in another shape

// The samplers by operation, in parts.
using Sampler = int (*)(Workbench& bench, const OpInfo& op, int n);
using Samplers = std::map<std::string, Sampler>;
Samplers movement_samplers();
Samplers window_samplers();
Samplers product_samplers();
Samplers indexing_samplers();

}  // namespace uopdiff
