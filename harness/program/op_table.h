// The one operation table: everything else (parser, generator, reference, adapters' check) reads it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/program/formula.h"
#include "harness/program/program.h"

namespace uopdiff {

enum class Category { source, movement, unary, binary, compare, ternary, cast, reduce, scan, composite };

enum class AttrKind { boolean, integer, number, word, ints, pairs };

struct AttrSpec {
  std::string name;
  AttrKind kind;
  std::optional<AttrValue> fallback;  // used when the attribute is not written
};

// What an operand has to be so that the operation is defined on most of its elements; for the generator.
enum class Domain {
  any,
  nonzero,   // divisors
  shift,     // 0..width-1
  positive,  // above 0
  moderate,  // small enough for exponentials
  unit,      // within -1..1
};

using Operands = std::vector<const Node*>;

struct OpInfo {
  std::string name;
  Category category;
  int min_arity = 1, max_arity = 1;
  std::vector<DType> dtypes;  // of the first value operand (sources: of the result)
  std::vector<AttrSpec> attrs = {};
  double weight = 1;    // how often the generator takes it, against the others of its category
  std::string meaning;  // one line for people
  // Fills in dtype and shape of `node`, whose operands are `src`; throws Error(input).
  std::function<void(Node& node, const Operands& src)> infer;
  // Composites, and operations that the front ends spell differently: the definition in other operations.
  // Kernels are compared on the expanded program.
  std::function<Formula(Program& program, const Node& node, const std::vector<Formula>& src)> expansion = {};
  std::vector<Domain> domains = {};  // by operand; of those beyond its end: any

  bool takes(DType dtype) const;
  const AttrSpec* find_attr(const std::string& attr) const;  // null when it has no such attribute
};

const std::vector<OpInfo>& op_table();
const OpInfo* find_op(const std::string& name);  // null when unknown
const OpInfo& get_op(const std::string& name);   // throws Error(input) that lists what is known
std::string category_name(Category category);

}  // namespace uopdiff
