// The tensor program: a small typed SSA language whose every operation has one exact meaning (op_table.h).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/program/dtype.h"

namespace uopdiff {

struct OpInfo;

using Ints = std::vector<int64_t>;
using Pairs = std::vector<std::pair<int64_t, int64_t>>;
using AttrValue = std::variant<bool, int64_t, double, std::string, Ints, Pairs>;
using Attrs = std::map<std::string, AttrValue>;

struct Node {
  std::string name;
  const OpInfo* op = nullptr;
  std::vector<int> src;  // positions of earlier nodes
  DType dtype = DType::f32;
  Shape shape;
  Attrs attrs;

  template <class T>
  const T& attr(const std::string& key) const {
    return std::get<T>(attrs.at(key));
  }
};

struct Program {
  std::vector<Node> nodes;   // in topological order
  std::vector<int> outputs;  // at least one in a complete program
};

// Appends `node` (name, op, src, attrs; for sources dtype and shape too), fills in dtype, shape and default
// attributes, and returns its position. An empty name is replaced by a free one.
// Throws Error(input) with the reason when the operation does not take these operands or attributes.
int append(Program& program, Node node);

// Shorthand for everything but sources.
int append(Program& program, const std::string& op, std::vector<int> src, Attrs attrs = {});
int append_source(Program& program, const std::string& op, DType dtype, Shape shape, Attrs attrs = {});

// The same program without nodes that no output needs, in depth-first order from the outputs, named a, b,
// c...
Program canonical(const Program& program);

// Identifies a program: hash of the text of its canonical form, 16 hex digits.
std::string case_id(const Program& program);

// Operations that have a definition in other ones and that `which` picks replaced by it, again and again;
// names of inputs are kept.
Program expand(const Program& program, const std::function<bool(const OpInfo&)>& which);
Program expand_composites(const Program& program);  // all that have one: only primitive operations are left
bool has_expansion(const Program& program);

// A contiguous behind every operation that is neither an output nor the target of an assign.
Program with_contiguous(const Program& program);

// Throws Error(input) where the old contents of a buffer that an assign overwrites could still be seen: an
// output may depend on the target by way of the assign only. Nothing else says which of the two comes first.
void check_assigns(const Program& program);

std::vector<int> inputs_of(const Program& program);  // positions of the `input` nodes
int operation_count(const Program& program);         // nodes that are not sources
std::string default_name(size_t position);           // a, b, ..., z, v26, v27, ...
uint64_t stable_hash(const std::string& text);       // FNV-1a; the same on every machine, for ids

}  // namespace uopdiff
