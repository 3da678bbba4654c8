#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "harness/program/op_table.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{}", value);
}

struct ValueText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return number_text(value); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const Ints& value) const { return shape_text(value); }
  std::string operator()(const Pairs& value) const {
    std::vector<std::string> pairs;
    for (const auto& [first, second] : value) pairs.push_back(fmt::format("[{},{}]", first, second));
    return fmt::format("[{}]", fmt::join(pairs, ","));
  }
};

}  // namespace

std::string print_node(const Program& program, size_t position) {
  const Node& node = program.nodes[position];
  std::string line = fmt::format("{} = {}", node.name, node.op->name);
  if (node.op->category == Category::source)
    line += fmt::format(" {}{}", dtype_name(node.dtype), shape_text(node.shape));
  for (int src : node.src) line += " " + program.nodes[static_cast<size_t>(src)].name;
  for (const AttrSpec& spec : node.op->attrs) {
    const AttrValue& value = node.attrs.at(spec.name);
    if (spec.name == "fill")
      line += " " + std::get<std::string>(value);
    else if (!spec.fallback || *spec.fallback != value)
      line += fmt::format(" {}={}", spec.name, std::visit(ValueText{}, value));
  }
  return line;
}

std::string print_program(const Program& program) {
  std::string text;
  for (size_t i = 0; i < program.nodes.size(); ++i) text += print_node(program, i) + "\n";
  std::vector<std::string> names;
  for (int output : program.outputs) names.push_back(program.nodes[static_cast<size_t>(output)].name);
  return text + fmt::format("output {}\n", fmt::join(names, ", "));
}

}  // namespace uopdiff
