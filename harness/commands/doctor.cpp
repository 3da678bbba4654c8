#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/backends/toolchain.h"
#include "harness/commands/commands.h"

namespace uopdiff {

Command add_doctor(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("doctor", "say what is missing on this machine and how to install it");
  command->add_flag("--json", *json,
                    "print {ok, tools: [{name, ok, wanted, version, path, install}]} as JSON");
  return [json] {
    bool all = true;
    nlohmann::json tools = nlohmann::json::array();
    for (const ToolCheck& tool : check_tools()) {
      all &= tool.ok;
      tools.push_back({{"name", tool.name},
                       {"ok", tool.ok},
                       {"wanted", tool.wanted},
                       {"version", tool.version},
                       {"path", tool.path},
                       {"install", tool.ok ? "" : tool.install}});
      if (*json) continue;
      if (tool.ok)
        fmt::print("ok       {:<8} {:<9} {}\n", tool.name, tool.version, tool.path);
      else
        fmt::print("{:<8} {:<8} wants {}: {}\n", tool.path.empty() ? "missing" : "too old", tool.name,
                   tool.wanted, tool.install);
    }
    if (*json) fmt::print("{}\n", nlohmann::json{{"ok", all}, {"tools", tools}}.dump(1));
    return static_cast<int>(all ? kExitNothing : kExitEnvironment);
  };
}

}  // namespace uopdiff
