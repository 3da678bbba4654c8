// The parts of the table of scalar meaning, one function a family; used by scalar.cpp only.
#pragma once

#include <map>
#include <span>
#include <string>

#include "harness/program/program.h"
#include "harness/reference/element.h"

namespace uopdiff::scalars {

using Operands = std::span<const Element>;
using Plain = Element (*)(DType dtype, Operands x);
using WithAttrs = Element (*)(DType dtype, Operands x, const Attrs& attrs);

void add_ints(std::map<std::string, Plain>& table);  // operations of integers and bools only
void add_transcendental(std::map<std::string, Plain>& table);
void add_activations(std::map<std::string, Plain>& table, std::map<std::string, WithAttrs>& with_attrs);

bool int_less(DType dtype, int64_t a, int64_t b);

// Of floats; `sign` -1 gives the smaller.
Element larger(DType dtype, const Element& a, const Element& b, int sign = 1);
Element magnitude(DType dtype, const Element& x);
Element relu(DType dtype, const Element& x);
Element exponential(DType dtype, const Element& x);       // 2^x
Element exponential_of_e(DType dtype, const Element& x);  // e^x
Element logarithm_of_e(DType dtype, const Element& x);
Element sigmoid(DType dtype, const Element& x);
Element tanh(DType dtype, const Element& x);

}  // namespace uopdiff::scalars
