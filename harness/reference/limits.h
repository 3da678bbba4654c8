// How far the two compilers' functions may be from the exact value: the one table of such numbers.
#pragma once

#include <string>

#include "harness/reference/element.h"

namespace uopdiff {

// A value f(x) lies within relative*|f(x)| + absolute + argument*|x * f'(x)| of the exact one, on top of
// what the operand's own error brings.
struct Limit {
  Real relative = 0;
  Real absolute = 0;
  Real argument = 0;
};

// Of a function in the table (throws Error(internal) for others) in a float dtype.
const Limit& limit_of(const std::string& op, DType dtype);

// The table for people, as Markdown: operation, dtypes, limits in ulp, formula, reason.
std::string limits_text();

}  // namespace uopdiff
