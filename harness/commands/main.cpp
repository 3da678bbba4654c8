#include <fmt/format.h>

#include <cstdio>

#include "harness/commands/commands.h"
#include "harness/program/error.h"

namespace {

int exit_code(uopdiff::ErrorKind kind) {
  switch (kind) {
    case uopdiff::ErrorKind::usage:
      return uopdiff::kExitUsage;
    case uopdiff::ErrorKind::input:
      return uopdiff::kExitInput;
    case uopdiff::ErrorKind::environment:
      return uopdiff::kExitEnvironment;
    case uopdiff::ErrorKind::internal:
      break;
  }
  return uopdiff::kExitInternal;
}

constexpr const char* kFooter =
    "Exit codes: 0 nothing new, or (replay) no divergence any more; 1 new findings, or (replay) the same "
    "divergence;\n"
    "2 wrong arguments; 3 a file or program that cannot be read; 4 something is missing on this machine;\n"
    "5 (replay) another divergence than the case says; 70 a fault of uopdiff itself.";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("uopdiff: differential testing of two tensor compilers, tinygrad and Morok", "uopdiff");
  app.set_version_flag("--version", "uopdiff " UOPDIFF_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
  std::vector<std::pair<std::string, uopdiff::Command>> commands;
  commands.emplace_back("fuzz", uopdiff::add_fuzz(app));
  commands.emplace_back("replay", uopdiff::add_replay(app));
  commands.emplace_back("show", uopdiff::add_show(app));
  commands.emplace_back("generate", uopdiff::add_generate(app));
  commands.emplace_back("ops", uopdiff::add_ops(app));
  commands.emplace_back("doctor", uopdiff::add_doctor(app));
  std::string known;
  bool is_known = argc < 2 || argv[1][0] == '-';
  for (const auto& [name, run] : commands) {
    known += (known.empty() ? "" : ", ") + name;
    is_known = is_known || name == argv[1];
  }
  if (!is_known) {
    fmt::print(stderr, "uopdiff: unknown command '{}'; known are {}\n", argv[1], known);
    return uopdiff::kExitUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    fmt::print(stderr, "uopdiff: {} (see uopdiff --help)\n", error.what());
    return uopdiff::kExitUsage;
  }
  try {
    for (const auto& [name, run] : commands)
      if (app.got_subcommand(name)) return run();
  } catch (const uopdiff::Error& error) {
    std::fflush(stdout);
    fmt::print(stderr, "uopdiff: {}\n", error.what());
    return exit_code(error.kind());
  } catch (const std::exception& error) {
    std::fflush(stdout);
    fmt::print(stderr, "uopdiff: internal error: {}\n", error.what());
    return uopdiff::kExitInternal;
  }
  return uopdiff::kExitUsage;
}
