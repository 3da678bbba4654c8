// A second opinion on contents that differ in the field: both schedules run on the same drawn inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "normalizers/graph.h"

namespace uopdiff {

// Whether the elements of `buffers` are the same numbers on every input that was tried, up to the rounding of
// operations and constants; casts to f16 and bf16 do round. What the language leaves undetermined (division
// by zero, NaN) says nothing; false, too, when hardly anything is determined, or it takes more than `limit`
// node evaluations.
bool same_on_samples(const Schedule& left, const Schedule& right, const std::vector<std::string>& buffers,
                     int64_t limit = 4000000);

}  // namespace uopdiff
