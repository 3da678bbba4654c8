// Named mixes of weights and limits for the program generator.
#pragma once

#include <string>
#include <vector>

#include "harness/program/dtype.h"

namespace uopdiff {

struct Profile {
  std::string name;
  std::string meaning;  // one line for people
  double share = 1;     // of the programs of "mixed"
  // Relative weights of kinds of steps.
  double movement = 4, unary = 3, binary = 3, compare = 1, ternary = 1, cast = 1, reduce = 3, scan = 0.7,
         composite = 1.2, boundary = 0.3, chain = 2;
  double bufferless = 0.15;  // share of sources without a buffer
  double integer = 0.3;      // share of integers among sources (floats the rest, a few bool)
  double unusual = 0.3;      // of those, share of other dtypes than f32 and i32
  double special = 0;        // share of inputs filled with special values
  double threshold = 0.04;   // share of programs with one extent just beyond a threshold
  double empty = 0.04;       // share of programs in which an extent may be 0
  double several_outputs = 0.12;
  // Featured steps: a draw by weights alone leaves most of the many operations (and dtypes of each) to
  // chance. So a share of the programs has a step of an operation drawn from all, or from `favourites`.
  double featured = 0.9;
  std::vector<std::string> favourites = {};
  // The other dtypes, as often as they are named. bf16 rarely: on a machine without instructions for it one
  // compiler refuses nearly every program.
  std::vector<DType> others = {DType::f16, DType::f16, DType::f64, DType::f64, DType::bf16, DType::i8,
                               DType::u8,  DType::i16, DType::u16, DType::u32, DType::i64,  DType::u64};
};

const std::vector<Profile>& profiles();  // "mixed" is not in it: it draws one of these for each program
const Profile& get_profile(const std::string& name);  // throws Error(usage) that lists what is known
std::string profile_names();                          // comma separated, "mixed" first

}  // namespace uopdiff
