#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/commands/commands.h"
#include "harness/engine/case_file.h"
#include "harness/program/text.h"
#include "harness/report/explain.h"

namespace uopdiff {

Command add_show(CLI::App& app) {
  struct Arguments {
    std::string file;
    bool json = false, expanded = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("show", "print a saved case, its program and data, without running it");
  command->add_option("CASE", arguments->file, "a case file, or a program in text form")->required();
  command->add_flag("--expanded", arguments->expanded,
                    "print the program with its operations written out in primitive ones");
  command->add_flag("--json", arguments->json, "print the case as JSON");
  return [arguments] {
    const Case saved = load_case(arguments->file);
    if (arguments->json)
      fmt::print("{}\n", case_to_json(saved).dump(1));
    else if (arguments->expanded)
      fmt::print("{}", print_program(expand_composites(saved.program)));
    else
      fmt::print("{}", describe(saved, terminal_style()));
    return static_cast<int>(kExitNothing);
  };
}

}  // namespace uopdiff
