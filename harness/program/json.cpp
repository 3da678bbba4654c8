#include "harness/program/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/program/error.h"
#include "harness/program/op_table.h"

namespace uopdiff {
namespace {

using nlohmann::json;

json attr_to_json(const AttrValue& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    if (std::isnan(*number)) return "nan";
    if (std::isinf(*number)) return *number < 0 ? "-inf" : "inf";
  }
  return std::visit([](const auto& v) { return json(v); }, value);
}

double number_from_json(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (!value.is_string()) return value.get<double>();
  const auto text = value.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw Error(ErrorKind::input, fmt::format("'{}' is not a number", text));
}

// The library would take 1.5 and true for 1.
int64_t integer_from_json(const json& value) {
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX))
    throw Error(ErrorKind::input, fmt::format("'{}' is not an integer", value.dump()));
  return value.get<int64_t>();
}

Ints ints_from_json(const json& value) {
  if (!value.is_array()) throw Error(ErrorKind::input, "expected a list of integers");
  Ints ints;
  for (const json& item : value) ints.push_back(integer_from_json(item));
  return ints;
}

Pairs pairs_from_json(const json& value) {
  if (!value.is_array()) throw Error(ErrorKind::input, "expected a list of pairs");
  Pairs pairs;
  for (const json& item : value) {
    const Ints pair = ints_from_json(item);
    if (pair.size() != 2) throw Error(ErrorKind::input, "expected a pair [a,b]");
    pairs.emplace_back(pair[0], pair[1]);
  }
  return pairs;
}

AttrValue attr_from_json(const json& value, AttrKind kind) {
  switch (kind) {
    case AttrKind::boolean:
      return value.get<bool>();
    case AttrKind::integer:
      return integer_from_json(value);
    case AttrKind::number:
      return number_from_json(value);
    case AttrKind::word:
      return value.get<std::string>();
    case AttrKind::ints:
      return ints_from_json(value);
    case AttrKind::pairs:
      return pairs_from_json(value);
  }
  throw Error(ErrorKind::internal, "unknown kind of attribute");
}

Node node_from_json(const json& value, const std::map<std::string, int>& positions) {
  Node node;
  node.name = value.at("name").get<std::string>();
  if (node.name.empty()) throw Error(ErrorKind::input, "a node has no name");
  node.op = &get_op(value.at("op").get<std::string>());
  const auto dtype = dtype_from_name(value.at("dtype").get<std::string>());
  if (!dtype) throw Error(ErrorKind::input, fmt::format("unknown dtype in node '{}'", node.name));
  node.dtype = *dtype;
  node.shape = ints_from_json(value.at("shape"));
  for (const auto& src : value.at("src")) {
    const auto found = positions.find(src.get<std::string>());
    if (found == positions.end())
      throw Error(ErrorKind::input, fmt::format("node '{}' uses an undefined name", node.name));
    node.src.push_back(found->second);
  }
  for (const auto& [key, attr] : value.at("attrs").get<std::map<std::string, json>>()) {
    const AttrSpec* spec = node.op->find_attr(key);
    if (!spec) throw Error(ErrorKind::input, fmt::format("{} has no attribute '{}'", node.op->name, key));
    node.attrs[key] = attr_from_json(attr, spec->kind);
  }
  return node;
}

}  // namespace

json program_to_json(const Program& program) {
  json nodes = json::array(), outputs = json::array();
  for (const Node& node : program.nodes) {
    json src = json::array(), attrs = json::object();
    for (int s : node.src) src.push_back(program.nodes[static_cast<size_t>(s)].name);
    for (const auto& [key, value] : node.attrs) attrs[key] = attr_to_json(value);
    nodes.push_back({{"name", node.name},
                     {"op", node.op->name},
                     {"dtype", dtype_name(node.dtype)},
                     {"shape", node.shape},
                     {"src", src},
                     {"attrs", attrs}});
  }
  for (int output : program.outputs) outputs.push_back(program.nodes[static_cast<size_t>(output)].name);
  return {{"nodes", nodes}, {"outputs", outputs}};
}

Program program_from_json(const json& value) {
  try {
    Program program;
    std::map<std::string, int> positions;
    for (const auto& item : value.at("nodes")) {
      Node node = node_from_json(item, positions);
      const Node said = node;
      const int position = append(program, std::move(node));
      const Node& inferred = program.nodes.back();
      if (inferred.dtype != said.dtype || inferred.shape != said.shape)
        throw Error(ErrorKind::input,
                    fmt::format("node '{}' says a dtype or shape that does not follow", said.name));
      if (!positions.emplace(said.name, position).second)
        throw Error(ErrorKind::input, fmt::format("'{}' is defined twice", said.name));
    }
    for (const auto& name : value.at("outputs")) {
      const auto found = positions.find(name.get<std::string>());
      if (found == positions.end()) throw Error(ErrorKind::input, "an output is not defined");
      program.outputs.push_back(found->second);
    }
    if (program.outputs.empty()) throw Error(ErrorKind::input, "the program has no output");
    check_assigns(program);
    return program;
  } catch (const json::exception& error) {
    throw Error(ErrorKind::input, fmt::format("not a program: {}", error.what()));
  }
}

}  // namespace uopdiff
