// The third opinion: evaluates a program in C++ with a sound error bound per element, and judges outputs by
// it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/program/program.h"
#include "harness/reference/element.h"

namespace uopdiff {

struct RefTensor {
  DType dtype = DType::f32;
  Shape shape;
  std::vector<Element> elements;  // C order
};

struct Reference {
  std::vector<RefTensor> outputs;
  // An integer division that the language leaves open was evaluated somewhere: real hardware may trap on it.
  bool may_trap = false;
};

// Operations that the reference evaluates as they stand; all others by their definition.
bool has_own_meaning(const std::string& op);
Program reference_form(const Program& program);  // with only such ones

// `inputs`: data by input name (make_data).
Reference evaluate_reference(const Program& program, const std::map<std::string, Bytes>& inputs);

struct WrongElement {
  int64_t index = 0;  // flat
  std::string expected, got;
};

// How an output compares with the reference.
struct ValueCheck {
  int64_t elements = 0, wrong = 0, undetermined = 0;
  int64_t first_wrong = -1;                  // flat index
  std::string expected, got;                 // text of the first wrong element
  std::vector<WrongElement> first;           // at most 8 wrong elements
  std::map<std::string, int64_t> by_reason;  // undetermined elements
};
ValueCheck check_values(const RefTensor& expected, const Bytes& got);

std::string element_text(DType dtype, const Element& element);  // "5", "0.25 +- 3e-08", "undetermined (...)"

}  // namespace uopdiff
