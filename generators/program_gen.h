// Random tensor programs, valid by construction, as a RapidCheck generator.
#pragma once

#include <rapidcheck.h>

#include "generators/profile.h"
#include "harness/program/program.h"

namespace uopdiff {

// Shrinks by shrink_candidates. A plain callable inside: safe in any thread.
rc::Gen<Program> program_gen(const Profile& profile);

// Program `index` of the sequence that `seed` stands for; the same on every machine, in any order, in any
// thread. `profile` is a name of profiles(), or "mixed". The result is canonical.
struct Generated {
  Program program;
  std::string profile;  // the one drawn
};
Generated generate(const std::string& profile, uint64_t seed, uint64_t index);

}  // namespace uopdiff
