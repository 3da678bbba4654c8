#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "generators/program_gen.h"
#include "harness/commands/commands.h"
#include "harness/program/json.h"
#include "harness/program/text.h"

namespace uopdiff {

Command add_generate(CLI::App& app) {
  struct Arguments {
    uint64_t seed = 1, cases = 10, from = 0;
    std::string profile = "mixed";
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("generate", "print random programs without running them");
  command->add_option("--cases", arguments->cases, "how many")->capture_default_str();
  command->add_option("--seed", arguments->seed, "which sequence of programs")->capture_default_str();
  command->add_option("--from", arguments->from, "index of the first one")->capture_default_str();
  command->add_option("--profile", arguments->profile, "kind of programs: " + profile_names())
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "print a list of {index, id, profile, program} as JSON");
  return [arguments] {
    nlohmann::json list = nlohmann::json::array();
    for (uint64_t index = arguments->from; index < arguments->from + arguments->cases; ++index) {
      const Generated generated = generate(arguments->profile, arguments->seed, index);
      if (arguments->json)
        list.push_back({{"index", index},
                        {"id", case_id(generated.program)},
                        {"profile", generated.profile},
                        {"program", program_to_json(generated.program)}});
      else
        fmt::print("# index {}, id {}, profile {}\n{}\n", index, case_id(generated.program),
                   generated.profile, print_program(generated.program));
    }
    if (arguments->json) fmt::print("{}\n", list.dump(1));
    return static_cast<int>(kExitNothing);
  };
}

}  // namespace uopdiff
