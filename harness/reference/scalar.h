// The one table of scalar meaning: (operation, dtype) -> value with error bound.
#pragma once

#include <span>
#include <string>

#include "harness/reference/element.h"

namespace uopdiff {

// `dtype` is that of the value operands (of the source for cast, of the arms for where).
using ScalarFunction = Element (*)(DType dtype, std::span<const Element> operands);

// Null for names that are not elementwise operations. `cast` is apart: it needs the target.
ScalarFunction scalar_function(const std::string& op);
Element cast_element(DType from, DType to, const Element& x);

// Reduces in any order: the error covers every association.
Element reduce_elements(const std::string& op, DType dtype, std::span<const Element> elements);

}  // namespace uopdiff
