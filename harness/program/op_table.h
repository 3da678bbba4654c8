// The one operation table: everything else (parser, generator, reference, adapters' check) reads it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/program/program.h"

namespace uopdiff {

enum class Category { source, movement, unary, binary, compare, ternary, cast, reduce, composite };

enum class AttrKind { boolean, integer, number, word, ints, pairs };

struct AttrSpec {
  std::string name;
  AttrKind kind;
  std::optional<AttrValue> fallback;  // used when the attribute is not written
};

struct OpInfo {
  std::string name;
  Category category;
  int min_arity, max_arity;
  std::vector<DType> dtypes;  // of the first value operand (sources: of the result)
  std::vector<AttrSpec> attrs;
  double weight;        // how often the generator takes it, against the others of its category
  std::string meaning;  // one line for people
  // Fills in dtype and shape of `node`, whose operands are `src`; throws Error(input).
  std::function<void(Node& node, const std::vector<const Node*>& src)> infer;
  // Composites, and operations that the front ends spell differently: appends the definition in primitive
  // operations to `program` and returns the result's position. Kernels are compared on the expanded program.
  std::function<int(Program& program, const Node& node, const std::vector<int>& src)> expansion;

  bool takes(DType dtype) const;
};

const std::vector<OpInfo>& op_table();
const OpInfo* find_op(const std::string& name);  // null when unknown
const OpInfo& get_op(const std::string& name);   // throws Error(input) that lists what is known
std::string category_name(Category category);

}  // namespace uopdiff
