// Which backend: a compiler at a version with options, written "tinygrad@0.12.0+noopt".
#pragma once

#include <string>
#include <vector>

namespace uopdiff {

struct BackendSpec {
  std::string compiler;              // "tinygrad", "morok", or "command" (any executable: tests of faults)
  std::string version;               // of "command": the command line, words split at spaces
  std::vector<std::string> options;  // sorted

  // Options that change the program instead of the compiler; no worker sees them.
  static constexpr const char* kExpanded = "expanded";      // composites written out in primitive operations
  static constexpr const char* kContiguous = "contiguous";  // a contiguous behind every operation

  // Throws Error(usage) with what is known.
  static BackendSpec parse(const std::string& text);
  std::string text() const;
  bool has(const std::string& option) const;
  std::vector<std::string> worker_options() const;
  bool operator==(const BackendSpec&) const = default;
};

// How the worker of a spec is started.
struct Launch {
  std::vector<std::string> command;      // argv; [0] is an absolute path
  std::vector<std::string> environment;  // "NAME=value", added to the harness's own
  std::string directory;
  bool needs_clang = true;  // the C compiler is to be first in PATH
};
Launch launch_of(const BackendSpec& spec);

// A command that makes the first start quick (builds the adapter); empty when there is nothing to prepare.
Launch preparation_of(const BackendSpec& spec);

}  // namespace uopdiff
