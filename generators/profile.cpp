#include "generators/profile.h"

#include <fmt/format.h>

#include "harness/program/error.h"

namespace uopdiff {

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> table = [] {
    Profile general{"general", "a bit of everything"};
    Profile movement{"movement", "chains of pad, shrink, reshape, permute, flip, expand and cat"};
    movement.movement = 10, movement.chain = 5, movement.unary = movement.compare = movement.ternary = 0.5;
    movement.reduce = 1.5;
    Profile reduce{"reduce", "several, nested and sibling reduces over one source"};
    reduce.reduce = 8, reduce.chain = 4, reduce.binary = 4, reduce.unary = reduce.compare = 1;
    Profile integer{"integer", "division, remainder, shifts and bits with negative numbers"};
    integer.integer = 0.9, integer.binary = 7, integer.compare = 2, integer.cast = 0.7, integer.unary = 1;
    Profile special{"special", "inputs of NaN, infinities, zeros of both signs and extremes"};
    special.special = 0.6, special.unary = 4, special.ternary = 2, special.compare = 2;
    Profile bufferless{"bufferless", "arange and full instead of inputs"};
    bufferless.bufferless = 0.8, bufferless.reduce = 4;
    Profile composite{"composite", "matmul, mean, softmax and cumsum among the others"};
    composite.composite = 6, composite.movement = 4;
    return std::vector<Profile>{general, movement, reduce, integer, special, bufferless, composite};
  }();
  return table;
}

const Profile& get_profile(const std::string& name) {
  for (const Profile& profile : profiles())
    if (profile.name == name) return profile;
  throw Error(ErrorKind::usage, fmt::format("unknown profile '{}'; known are {}", name, profile_names()));
}

std::string profile_names() {
  std::string names = "mixed";
  for (const Profile& profile : profiles()) names += ", " + profile.name;
  return names;
}

}  // namespace uopdiff
