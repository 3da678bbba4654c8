#include "harness/compare/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include "harness/program/op_table.h"

namespace uopdiff {

std::string normal_message(const std::string& message) {
  static const RE2 address("0x[0-9a-fA-F]+"), number(R"(-?\d+(\.\d+)?(e[-+]?\d+)?)"),
      list(R"(#(\s*[,x]\s*#)+,?)"), space(R"(\s+)");
  std::string text = message.substr(0, 2000);
  RE2::GlobalReplace(&text, address, "#");
  RE2::GlobalReplace(&text, number, "#");
  RE2::GlobalReplace(&text, list, "#");
  RE2::GlobalReplace(&text, space, " ");
  return text.substr(0, 400);
}

std::set<std::string> operations_of(const Program& program) {
  std::set<std::string> names;
  for (const Node& node : program.nodes)
    if (node.op->name != "input") names.insert(node.op->name);
  return names;
}

std::string signature_of(const Cause& cause, const std::set<std::string>& operations) {
  const std::string text = fmt::format("{}|{}|{}|{}", class_name(cause.verdict_class), cause.path,
                                       cause.message, fmt::join(operations, ","));
  const uint64_t hash = stable_hash(text);
  return fmt::format("{:08x}", static_cast<uint32_t>(hash ^ (hash >> 32)));
}

}  // namespace uopdiff
