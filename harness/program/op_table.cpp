#include "harness/program/op_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/program/error.h"
#include "harness/program/op_families.h"

namespace uopdiff {

bool OpInfo::takes(DType dtype) const { return std::ranges::find(dtypes, dtype) != dtypes.end(); }

const AttrSpec* OpInfo::find_attr(const std::string& attr) const {
  const auto found = std::ranges::find(attrs, attr, &AttrSpec::name);
  return found == attrs.end() ? nullptr : &*found;
}

const std::vector<OpInfo>& op_table() {
  static const std::vector<OpInfo> table = [] {
    std::vector<OpInfo> t;
    families::add_sources(t);
    families::add_movement(t);
    families::add_elementwise(t);
    families::add_activations(t);
    families::add_reduces(t);
    families::add_scans(t);
    families::add_products(t);
    families::add_windows(t);
    families::add_norms(t);
    families::add_indexing(t);
    return t;
  }();
  return table;
}

const OpInfo* find_op(const std::string& name) {
  static const auto index = [] {
    std::map<std::string, const OpInfo*> by_name;
    for (const OpInfo& op : op_table()) by_name[op.name] = &op;
    return by_name;
  }();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

const OpInfo& get_op(const std::string& name) {
  if (const OpInfo* op = find_op(name)) return *op;
  std::vector<std::string> names;
  for (const OpInfo& op : op_table()) names.push_back(op.name);
  throw Error(ErrorKind::input,
              fmt::format("unknown operation '{}'; known are {}", name, fmt::join(names, ", ")));
}

std::string category_name(Category category) {
  using enum Category;
  switch (category) {
    case source:
      return "source";
    case movement:
      return "movement";
    case unary:
      return "unary";
    case binary:
      return "binary";
    case compare:
      return "compare";
    case ternary:
      return "ternary";
    case cast:
      return "cast";
    case reduce:
      return "reduce";
    case scan:
      return "scan";
    case composite:
      return "composite";
  }
  return "?";
}

}  // namespace uopdiff
