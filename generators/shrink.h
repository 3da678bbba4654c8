// Simpler programs than a given one: the steps of every shrink loop, RapidCheck's and the engine's.
#pragma once

#include <array>
#include <vector>

#include "harness/program/program.h"

namespace uopdiff {

// What "simpler" means, compared in this order: operations, nodes, elements of all nodes, rank of operations
// (plain primitive ones first), size of attributes, rank of fills (ones, iota, small first), of dtypes (f32
// first), outputs.
using Complexity = std::array<int64_t, 8>;
Complexity complexity(const Program& program);

// Programs one step simpler, biggest cuts first; canonical, valid, without duplicates, each below `program`
// in Complexity, so that greedy shrinking ends.
std::vector<Program> shrink_candidates(const Program& program);

}  // namespace uopdiff
