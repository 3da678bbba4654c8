// The one table of scalar meaning: (operation, dtype) -> value with error bound.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "harness/program/program.h"
#include "harness/reference/element.h"

namespace uopdiff {

// `dtype` is that of the value operands (of the arms for where). Operands are determined, except for the arm
// of a where that is not taken.
using ScalarFunction = std::function<Element(DType dtype, std::span<const Element> operands)>;

// Empty for names that are no elementwise operations, or only by their expansion. `attrs`: of the node.
ScalarFunction scalar_function(const std::string& op, const Attrs& attrs = {});

Element cast_element(DType from, DType to, const Element& x);
Element bitcast_element(DType from, DType to, const Element& x);

// Reduces in any order: the error covers every association. No elements: 0 for sum, 1 for prod.
Element reduce_elements(const std::string& op, DType dtype, std::span<const Element> elements);

}  // namespace uopdiff
