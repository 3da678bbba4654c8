// Movement operations of the reference: they only choose which element goes where.
#pragma once

#include <vector>

#include "harness/reference/reference.h"

namespace uopdiff {

// Fills out.elements; out.shape is set. Padding is exact zero.
void move_elements(const Node& node, const std::vector<const RefTensor*>& src, RefTensor& out);

}  // namespace uopdiff
