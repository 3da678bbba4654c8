// A small program for every operation in every dtype: the exhaustive counterpart of the random ones.
#pragma once

#include <string>
#include <vector>

#include "harness/program/program.h"

namespace uopdiff {

struct Example {
  std::string op;
  DType dtype;  // of its first value operand (sources: of the result)
  Program program;
};

// In order of the table; casts to every dtype that they take. Throws Error(internal) when an operation wants
// an attribute that no example gives.
std::vector<Example> examples();

// The same as fewer programs, with an output for each example: up to 16 of one operation together.
struct ExampleGroup {
  std::string op;
  Program program;
};
std::vector<ExampleGroup> example_groups(const std::vector<Example>& all);

}  // namespace uopdiff
