// The operations that cost something, whatever their spelling: what one side computes and the other does not.
#pragma once

#include <map>
#include <string>

#include "normalizers/graph.h"

namespace uopdiff {

// How often each kind is written in the kernels. Sums and products, casts, and what only decides where an
// element lies are left out: compilers spell those differently at no cost.
using Work = std::map<std::string, int>;
Work work_of(const Schedule& schedule);

// What `a` has more of than `b`: "exp, 2 log"; empty if nothing.
std::string more_work(const Work& a, const Work& b);

}  // namespace uopdiff
