// The definitions of operations in primitive ones; used by the operation table only.
#pragma once

#include "harness/program/op_table.h"

namespace uopdiff::composites {

// Each appends the definition of `node` on the operands at `src` and returns the position of its result.
int matmul(Program& program, const Node& node, const std::vector<int>& src);
int mean(Program& program, const Node& node, const std::vector<int>& src);
int softmax(Program& program, const Node& node, const std::vector<int>& src);
int cumsum(Program& program, const Node& node, const std::vector<int>& src);

// Elementwise operations that the two front ends write in different ways: their kernels are compared by this
// one.
int absolute(Program& program, const Node& node, const std::vector<int>& src);
int relu(Program& program, const Node& node, const std::vector<int>& src);
int minimum(Program& program, const Node& node, const std::vector<int>& src);
int floordiv(Program& program, const Node& node, const std::vector<int>& src);
int floormod(Program& program, const Node& node, const std::vector<int>& src);

}  // namespace uopdiff::composites
