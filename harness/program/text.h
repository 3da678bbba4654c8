// The text form of programs: what people read, write and keep in the corpus. parse(print(p)) == p.
//
//   a = input f32[3,4] iota seed=0
//   b = permute a axes=[1,0]
//   c = sum b axes=[0] keepdim=true
//   output c
#pragma once

#include <string>

#include "harness/program/program.h"

namespace uopdiff {

std::string print_node(const Program& program, size_t position);  // one line, no line break
std::string print_program(const Program& program);

// `file` is only for messages: "FILE:LINE:COLUMN: what is wrong". Throws Error(input).
Program parse_program(const std::string& text, const std::string& file);

}  // namespace uopdiff
