// Input data: named fills, drawn from a seed, bit-exact on every machine.
#pragma once

#include <string>

#include "harness/program/program.h"

namespace uopdiff {

// zeros, ones, iota (0,1,2,... shifted by the seed), small (integers -4..4, unsigned ones 0..8), positive
// (1..9, floats in [0.125,4]), uniform (floats in [-2,2), integers -1000..999), unit (floats in [-1,1]),
// special (NaN, inf, -0.0, extremes), index (integers 0..below-1). Values beyond the dtype wrap or are
// rounded.
bool is_fill(const std::string& name);
std::string fill_names();  // comma separated
const std::vector<std::string>& fills();

// The data of an `input` node: element_count(shape) elements of its dtype.
Bytes make_data(const Node& input);

// Deterministic 64-bit mixing generator (splitmix64), the only source of randomness in data.
uint64_t mix64(uint64_t value);

}  // namespace uopdiff
