// Index expressions of a kernel as exact integer functions of its ranges: affine or not, and at what cost.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "normalizers/graph.h"

namespace uopdiff {

// An index (or any other use of ranges) as a function; looked at only where its gate is open.
struct IndexFunction {
  int root = -1;            // the expression, Invalid stripped off
  std::vector<int> gates;   // conditions that must all hold
  std::vector<int> ranges;  // RANGE nodes that root depends on
  bool affine = false;      // root == base + sum of strides[r] * r wherever the gate is open
  int64_t base = 0;
  std::map<int, int64_t> strides;
  bool has_data = false;  // loaded values are in it, too: `base` says nothing
};

// Every maximal index expression of the kernel: of INDEX nodes (with their gates), comparisons and casts.
std::vector<IndexFunction> index_functions(const Kernel& kernel);

// where(v, i, Invalid), nested: the index i; its conditions v are added to `gates`.
int without_validity(const Kernel& kernel, int index, std::vector<int>& gates);

// RANGE nodes below a node, in order of position. Those of a REDUCE do not count behind it.
std::vector<int> ranges_below(const Kernel& kernel, int root);

std::optional<int64_t> constant_extent(const Kernel& kernel, int range);

// Operations on indices and gates, each node once: what the spelling costs.
struct IndexCost {
  int operations = 0, divisions = 0, modulos = 0;
  bool operator==(const IndexCost&) const = default;
};
IndexCost index_cost(const Kernel& kernel);
IndexCost index_cost(const Kernel& kernel, int index_node);  // of one INDEX alone

}  // namespace uopdiff
