// Random programs for comparing the reference with numpy: short chains over all dtypes, also empty tensors.
#pragma once

#include <cstdint>

#include "harness/program/program.h"

namespace uopdiff {

Program random_chain(uint64_t seed, uint64_t index);

}  // namespace uopdiff
