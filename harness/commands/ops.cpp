#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "harness/commands/commands.h"
#include "harness/program/op_table.h"

namespace uopdiff {
namespace {

std::vector<std::string> dtypes_of(const OpInfo& op) {
  std::vector<std::string> names;
  for (DType dtype : op.dtypes) names.push_back(dtype_name(dtype));
  return names;
}

std::vector<std::string> attributes_of(const OpInfo& op) {
  std::vector<std::string> names;
  for (const AttrSpec& spec : op.attrs) names.push_back(spec.name);
  return names;
}

}  // namespace

Command add_ops(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("ops", "list the operations of the program language");
  command->add_flag("--json", *json,
                    "print a list of {name, category, dtypes, attributes, expanded, meaning} as JSON");
  return [json] {
    nlohmann::json list = nlohmann::json::array();
    for (const OpInfo& op : op_table()) {
      if (*json)
        list.push_back({{"name", op.name},
                        {"category", category_name(op.category)},
                        {"dtypes", dtypes_of(op)},
                        {"attributes", attributes_of(op)},
                        {"expanded", op.expansion != nullptr},
                        {"meaning", op.meaning}});
      else
        fmt::print("{:<12} {:<10} {:<13} {:<14} {}\n", op.name, category_name(op.category),
                   fmt::join(dtypes_of(op), " "), fmt::format("{}", fmt::join(attributes_of(op), " ")),
                   op.meaning);
    }
    if (*json) fmt::print("{}\n", list.dump(1));
    return static_cast<int>(kExitNothing);
  };
}

}  // namespace uopdiff
