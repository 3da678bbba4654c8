// The subcommands of `uopdiff`: each adds itself to the command line and returns what to run when it was
// chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace uopdiff {

// Exit codes of every command, listed in --help and README.md.
enum ExitCode {
  kExitNothing = 0,     // nothing new; for replay: no divergence any more
  kExitDivergence = 1,  // new findings; for replay: diverges in the same way
  kExitUsage = 2,
  kExitInput = 3,
  kExitEnvironment = 4,
  kExitOther = 5,  // replay: diverges in another way than the case says
  kExitInternal = 70,
};

using Command = std::function<int()>;

Command add_fuzz(CLI::App& app);
Command add_replay(CLI::App& app);
Command add_show(CLI::App& app);
Command add_generate(CLI::App& app);
Command add_ops(CLI::App& app);
Command add_doctor(CLI::App& app);

// Options that several commands share.
inline constexpr const char* kDefaultLeft = "tinygrad@0.12.0";
inline constexpr const char* kDefaultRight = "morok@0.1.0-alpha.2";

}  // namespace uopdiff
