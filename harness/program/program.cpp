#include "harness/program/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "harness/program/error.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

[[noreturn]] void fail(const Node& node, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", node.op->name, reason));
}

bool has_kind(const AttrValue& value, AttrKind kind) {
  switch (kind) {
    case AttrKind::boolean:
      return std::holds_alternative<bool>(value);
    case AttrKind::integer:
      return std::holds_alternative<int64_t>(value);
    case AttrKind::number:
      return std::holds_alternative<double>(value);
    case AttrKind::word:
      return std::holds_alternative<std::string>(value);
    case AttrKind::ints:
      return std::holds_alternative<Ints>(value);
    case AttrKind::pairs:
      return std::holds_alternative<Pairs>(value);
  }
  return false;
}

void complete_attrs(Node& node) {
  for (const auto& [key, value] : node.attrs) {
    bool known = false;
    for (const AttrSpec& spec : node.op->attrs)
      if (spec.name == key) {
        known = true;
        if (!has_kind(value, spec.kind)) fail(node, fmt::format("attribute '{}' has the wrong form", key));
      }
    if (!known) fail(node, fmt::format("has no attribute '{}'", key));
  }
  for (const AttrSpec& spec : node.op->attrs) {
    if (node.attrs.count(spec.name)) continue;
    if (!spec.fallback) fail(node, fmt::format("lacks the attribute '{}'", spec.name));
    node.attrs[spec.name] = *spec.fallback;
  }
}

// The text form has to be able to write it.
bool is_name(const std::string& name) {
  return name != "output" && std::ranges::all_of(name, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
         });
}

std::string free_name(const Program& program) {
  for (size_t k = program.nodes.size();; ++k) {
    std::string name = default_name(k);
    if (std::ranges::find(program.nodes, name, &Node::name) == program.nodes.end()) return name;
  }
}

// Expansions take names as they come; only those of inputs carry meaning outside.
void rename_all_but_inputs(Program& result, const Program& original) {
  std::set<std::string> taken;
  for (int input : inputs_of(original)) taken.insert(original.nodes[static_cast<size_t>(input)].name);
  size_t next = 0;
  for (Node& node : result.nodes) {
    if (node.op->name == "input") continue;
    while (taken.count(default_name(next))) ++next;
    node.name = default_name(next++);
  }
}

Program expand_once(const Program& program, const std::function<bool(const Node&)>& picked) {
  Program result;
  std::vector<int> position;
  for (const Node& node : program.nodes) {
    std::vector<int> src;
    for (int old : node.src) src.push_back(position[static_cast<size_t>(old)]);
    if (picked(node)) {
      std::vector<Formula> operands;
      for (int each : src) operands.emplace_back(result, each);
      const Formula value = node.op->expansion(result, node, operands);
      const Node& made = result.nodes[static_cast<size_t>(value.position())];
      if (made.dtype != node.dtype || made.shape != node.shape)
        throw Error(ErrorKind::internal, fmt::format("{} is {}{} but its expansion gives {}{}", node.op->name,
                                                     dtype_name(node.dtype), shape_text(node.shape),
                                                     dtype_name(made.dtype), shape_text(made.shape)));
      position.push_back(value.position());
      continue;
    }
    Node copy = node;
    copy.src = std::move(src);
    if (node.op->name != "input") copy.name.clear();
    position.push_back(append(result, std::move(copy)));
  }
  for (int output : program.outputs) result.outputs.push_back(position[static_cast<size_t>(output)]);
  return result;
}

}  // namespace

std::string default_name(size_t position) {
  return position < 26 ? std::string(1, static_cast<char>('a' + position)) : fmt::format("v{}", position);
}

int append(Program& program, Node node) {
  const int arity = static_cast<int>(node.src.size());
  if (arity < node.op->min_arity || arity > node.op->max_arity)
    fail(node,
         node.op->min_arity == node.op->max_arity
             ? fmt::format("takes {} operand(s), not {}", node.op->min_arity, arity)
             : fmt::format("takes {} to {} operands, not {}", node.op->min_arity, node.op->max_arity, arity));
  std::vector<const Node*> operands;
  for (int src : node.src) operands.push_back(&program.nodes.at(static_cast<size_t>(src)));
  const DType dtype = operands.empty() ? node.dtype : operands[0]->dtype;
  if (!node.op->takes(dtype)) fail(node, fmt::format("does not take {}", dtype_name(dtype)));
  complete_attrs(node);
  if (!is_name(node.name))
    fail(node, "its result's name is not made of letters, digits and _, or is 'output'");
  if (node.name.empty()) node.name = free_name(program);
  try {
    node.op->infer(node, operands);
  } catch (const Error& error) {
    fail(node, error.what());
  }
  program.nodes.push_back(std::move(node));
  return static_cast<int>(program.nodes.size()) - 1;
}

int append(Program& program, const std::string& op, std::vector<int> src, Attrs attrs) {
  Node node;
  node.op = &get_op(op);
  node.src = std::move(src);
  node.attrs = std::move(attrs);
  return append(program, std::move(node));
}

int append_source(Program& program, const std::string& op, DType dtype, Shape shape, Attrs attrs) {
  Node node;
  node.op = &get_op(op);
  node.dtype = dtype;
  node.shape = std::move(shape);
  node.attrs = std::move(attrs);
  return append(program, std::move(node));
}

Program canonical(const Program& program) {
  Program result;
  std::vector<int> position(program.nodes.size(), -1);
  // Depth first with a stack of its own: a chain may be longer than the machine's stack is deep.
  for (int output : program.outputs) {
    std::vector<std::pair<int, size_t>> open{{output, 0}};  // a node, and how many of its sources are done
    while (!open.empty()) {
      auto& [old, done] = open.back();
      const Node& node = program.nodes[static_cast<size_t>(old)];
      if (position[static_cast<size_t>(old)] < 0 && done < node.src.size()) {
        const int next = node.src[done++];
        if (position[static_cast<size_t>(next)] < 0) open.emplace_back(next, 0);
        continue;
      }
      if (position[static_cast<size_t>(old)] < 0) {
        Node copy = node;
        for (int& src : copy.src) src = position[static_cast<size_t>(src)];
        copy.name = default_name(result.nodes.size());
        position[static_cast<size_t>(old)] = static_cast<int>(result.nodes.size());
        result.nodes.push_back(std::move(copy));
      }
      open.pop_back();
    }
    result.outputs.push_back(position[static_cast<size_t>(output)]);
  }
  return result;
}

uint64_t stable_hash(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ull;
  return hash;
}

std::string case_id(const Program& program) {
  return fmt::format("{:016x}", stable_hash(print_program(canonical(program))));
}

bool has_expansion(const Program& program) {
  return std::ranges::any_of(program.nodes, [](const Node& node) { return bool(node.op->expansion); });
}

Program expand(const Program& program, const std::function<bool(const OpInfo&)>& which) {
  const auto picked = [&](const Node& node) { return node.op->expansion && which(*node.op); };
  Program result = program;
  while (std::ranges::any_of(result.nodes, picked)) result = expand_once(result, picked);
  rename_all_but_inputs(result, program);
  return result;
}

Program expand_composites(const Program& program) {
  return expand(program, [](const OpInfo&) { return true; });
}

Program with_contiguous(const Program& program) {
  std::set<int> as_they_are(program.outputs.begin(), program.outputs.end());
  for (const Node& node : program.nodes)
    if (node.op->name.starts_with("assign")) as_they_are.insert(node.src[0]);
  Program result;
  std::vector<int> position;
  for (size_t n = 0; n < program.nodes.size(); ++n) {
    Node copy = program.nodes[n];
    for (int& src : copy.src) src = position[static_cast<size_t>(src)];
    const bool is_source = copy.op->category == Category::source;
    if (copy.op->name != "input") copy.name.clear();
    position.push_back(append(result, std::move(copy)));
    if (!is_source && !as_they_are.count(static_cast<int>(n)))
      position.back() = append(result, "contiguous", {position.back()});
  }
  rename_all_but_inputs(result, program);
  for (int output : program.outputs) result.outputs.push_back(position[static_cast<size_t>(output)]);
  return result;
}

void check_assigns(const Program& program) {
  for (size_t assign = 0; assign < program.nodes.size(); ++assign) {
    if (!program.nodes[assign].op->name.starts_with("assign")) continue;
    const auto target = static_cast<size_t>(program.nodes[assign].src[0]);
    // What depends on the target otherwise than through this assign.
    std::vector<bool> depends(program.nodes.size(), false);
    depends[target] = true;
    for (size_t n = target + 1; n < program.nodes.size(); ++n)
      for (int src : program.nodes[n].src)
        if (n != assign && depends[static_cast<size_t>(src)]) depends[n] = true;
    for (int output : program.outputs)
      if (depends[static_cast<size_t>(output)])
        throw Error(ErrorKind::input,
                    fmt::format("output {} can see what {} was before it is assigned to (as {})",
                                program.nodes[static_cast<size_t>(output)].name, program.nodes[target].name,
                                program.nodes[assign].name));
  }
}

std::vector<int> inputs_of(const Program& program) {
  std::vector<int> inputs;
  for (size_t i = 0; i < program.nodes.size(); ++i)
    if (program.nodes[i].op->name == "input") inputs.push_back(static_cast<int>(i));
  return inputs;
}

int operation_count(const Program& program) {
  int count = 0;
  for (const Node& node : program.nodes) count += node.op->category != Category::source;
  return count;
}

}  // namespace uopdiff
