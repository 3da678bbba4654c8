// Named mixes of weights and limits for the program generator.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace uopdiff {

struct Profile {
  std::string name;
  std::string meaning;  // one line for people
  // Relative weights of kinds of steps.
  double movement = 4, unary = 2, binary = 3, compare = 1, ternary = 1, cast = 1, reduce = 3, composite = 1,
         chain = 2;
  double bufferless = 0.15;  // share of sources without a buffer
  double integer = 0.3;      // share of i32 among sources (f32 the rest, a few bool)
  double special = 0;        // share of inputs filled with special values
  double threshold = 0.04;   // share of programs with one extent just beyond a threshold
  double several_outputs = 0.12;
};

const std::vector<Profile>& profiles();  // "mixed" is not in it: it draws one of these for each program
const Profile& get_profile(const std::string& name);  // throws Error(usage) that lists what is known
std::string profile_names();                          // comma separated, "mixed" first

}  // namespace uopdiff
