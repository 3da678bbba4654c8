// The outside programs that the backends need: where they are, whether they are new enough, how to install
// them.
#pragma once

#include <string>
#include <vector>

namespace uopdiff {

std::string source_dir();  // of this project: $UOPDIFF_HOME, else where it was built from
std::string state_dir();   // for build output of adapters: $UOPDIFF_STATE, else build/ of the source

// Absolute paths. Throw Error(environment) with how to install what is missing.
std::string find_uv();
std::string find_cargo();
std::string find_clang();  // $UOPDIFF_CLANG, else clang-19, else clang of version 19 or newer

// A directory whose only entry is `clang`, to be put first in a worker's PATH; removed when the program ends.
std::string clang_directory();

struct ToolCheck {
  std::string name, wanted, path, version;  // path and version are empty when missing
  bool ok = false;
  std::string install;  // one line for people
};
std::vector<ToolCheck> check_tools();

}  // namespace uopdiff
