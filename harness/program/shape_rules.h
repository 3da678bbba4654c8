// Shape and dtype inference, one function for a family of operations; used by the operation table only.
#pragma once

#include "harness/program/op_table.h"

namespace uopdiff::rules {

using Operands = std::vector<const Node*>;

// Each fills in node.dtype and node.shape, or throws Error(input) with the reason.
void input(Node& node, const Operands& src);
void full(Node& node, const Operands& src);
void arange(Node& node, const Operands& src);
void reshape(Node& node, const Operands& src);
void permute(Node& node, const Operands& src);
void expand(Node& node, const Operands& src);
void pad(Node& node, const Operands& src);
void shrink(Node& node, const Operands& src);
void flip(Node& node, const Operands& src);
void cat(Node& node, const Operands& src);
void elementwise(Node& node, const Operands& src);  // all operands and the result alike
void compare(Node& node, const Operands& src);      // operands alike, result bool
void where(Node& node, const Operands& src);
void cast(Node& node, const Operands& src);
void reduce(Node& node, const Operands& src);
void matmul(Node& node, const Operands& src);
void along_axis(Node& node, const Operands& src);  // keeps the shape, checks `axis`
void cumsum(Node& node, const Operands& src);

}  // namespace uopdiff::rules
