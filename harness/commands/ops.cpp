#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "harness/backends/worker.h"
#include "harness/commands/commands.h"
#include "harness/program/error.h"
#include "harness/program/op_table.h"

namespace uopdiff {
namespace {

struct Arguments {
  std::vector<std::string> backends{kDefaultLeft, kDefaultRight};
  bool json = false, offline = false;
};

// What a backend says of itself when it starts.
struct Support {
  std::string spec;
  Handshake handshake;
};

std::vector<Support> ask_backends(const Arguments& arguments) {
  std::vector<Support> all;
  if (arguments.offline) return all;
  for (const std::string& text : arguments.backends) {
    const BackendSpec spec = BackendSpec::parse(text);
    Worker worker(spec, {});
    all.push_back({spec.text(), worker.start()});
  }
  return all;
}

std::vector<std::string> names_of(const std::vector<DType>& dtypes, const Support* support = nullptr) {
  std::vector<std::string> names;
  for (DType dtype : dtypes)
    if (!support || support->handshake.dtypes.count(dtype_name(dtype))) names.push_back(dtype_name(dtype));
  return names;
}

// "all", "numbers", ... instead of long lists.
std::string dtypes_text(const std::vector<DType>& dtypes) {
  const auto has = [&](auto predicate) {
    return std::vector<DType>(dtypes) == [&] {
      std::vector<DType> chosen;
      for (DType dtype : kAllDTypes)
        if (predicate(dtype)) chosen.push_back(dtype);
      return chosen;
    }();
  };
  if (has([](DType) { return true; })) return "all";
  if (has([](DType d) { return d != DType::boolean; })) return "numbers";
  if (has([](DType d) { return is_int(d); })) return "ints";
  if (has([](DType d) { return !is_float(d); })) return "ints bool";
  if (has([](DType d) { return is_float(d); })) return "floats";
  return fmt::format("{}", fmt::join(names_of(dtypes), " "));
}

std::vector<std::string> attributes_of(const OpInfo& op) {
  std::vector<std::string> names;
  for (const AttrSpec& spec : op.attrs) names.push_back(spec.name);
  return names;
}

bool does(const Support& support, const OpInfo& op) { return support.handshake.ops.count(op.name) > 0; }

std::string support_text(const std::vector<Support>& backends, const OpInfo& op) {
  std::vector<std::string> texts;
  for (const Support& support : backends) {
    const size_t able = names_of(op.dtypes, &support).size();
    texts.push_back(!does(support, op)         ? "-"
                    : able == op.dtypes.size() ? "yes"
                                               : fmt::format("{}/{}", able, op.dtypes.size()));
  }
  std::string text;
  for (const std::string& each : texts) text += fmt::format("{:<5}", each);
  return text;
}

void print_table(const std::vector<Support>& backends) {
  std::vector<std::string> heads;
  for (const Support& support : backends) heads.push_back(support.spec);
  if (!heads.empty()) fmt::print("supported by: {}\n", fmt::join(heads, ", "));
  fmt::print("{:<15} {:<10} {:<10} {:<11} {}{:<42} {}\n", "operation", "category", "", "dtypes",
             std::string(backends.size() * 5, ' '), "attributes", "meaning");
  for (const OpInfo& op : op_table())
    fmt::print("{:<15} {:<10} {:<10} {:<11} {}{:<42} {}\n", op.name, category_name(op.category),
               op.expansion ? "composite" : "primitive", dtypes_text(op.dtypes), support_text(backends, op),
               fmt::format("{}", fmt::join(attributes_of(op), " ")), op.meaning);
}

nlohmann::json table_json(const std::vector<Support>& backends) {
  nlohmann::json list = nlohmann::json::array();
  for (const OpInfo& op : op_table()) {
    nlohmann::json entry{{"name", op.name},
                         {"category", category_name(op.category)},
                         {"kind", op.expansion ? "composite" : "primitive"},
                         {"dtypes", names_of(op.dtypes)},
                         {"attributes", attributes_of(op)},
                         {"meaning", op.meaning},
                         {"backends", nlohmann::json::object()}};
    for (const Support& support : backends)
      entry["backends"][support.spec] =
          does(support, op) ? names_of(op.dtypes, &support) : std::vector<std::string>();
    list.push_back(std::move(entry));
  }
  return list;
}

int run(const Arguments& arguments) {
  const std::vector<Support> backends = ask_backends(arguments);
  if (arguments.json)
    fmt::print("{}\n", table_json(backends).dump(1));
  else
    print_table(backends);
  return kExitNothing;
}

}  // namespace

Command add_ops(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("ops", "list the operations of the program language");
  command->add_option("--backend", arguments->backends, "whose support is shown (default: both compilers)");
  command->add_flag("--offline", arguments->offline, "start no backend: the table alone");
  command->add_flag("--json", arguments->json,
                    "print a list of {name, category, kind, dtypes, attributes, meaning, backends} as JSON");
  return [arguments] { return run(*arguments); };
}

}  // namespace uopdiff
