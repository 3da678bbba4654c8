// Text and JSON forms round-trip; garbage is an error and never a crash; ids see the program and nothing
// else.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "generators/program_gen.h"
#include "harness/program/error.h"
#include "harness/program/fill.h"
#include "harness/program/json.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

Program any_program() {
  std::vector<std::string> names;
  for (const Profile& profile : profiles()) names.push_back(profile.name);
  return *program_gen(get_profile(*rc::gen::elementOf(names)));
}

RC_GTEST_PROP(ProgramForms, TextRoundTrips, ()) {
  const Program program = any_program();
  const std::string text = print_program(program);
  RC_ASSERT(print_program(parse_program(text, "t")) == text);
}

RC_GTEST_PROP(ProgramForms, JsonRoundTrips, ()) {
  const Program program = any_program();
  const nlohmann::json json = program_to_json(program);
  RC_ASSERT(program_to_json(program_from_json(nlohmann::json::parse(json.dump()))) == json);
  const Program expanded = expand_composites(program);
  RC_ASSERT(print_program(program_from_json(program_to_json(expanded))) == print_program(expanded));
}

RC_GTEST_PROP(ProgramForms, CanonicalIsAFixedPointAndIdsIgnoreNames, ()) {
  const Program program = any_program();
  RC_ASSERT(print_program(canonical(program)) == print_program(program));
  Program renamed = program;
  for (size_t n = 0; n < renamed.nodes.size(); ++n) renamed.nodes[n].name = "name" + std::to_string(n * 7);
  RC_ASSERT(case_id(renamed) == case_id(program));
}

// The same program in another valid order of its nodes, with dead nodes in between.
Program disordered(const Program& program) {
  Program result;
  std::vector<int> position(program.nodes.size(), -1);
  for (size_t placed = 0; placed < program.nodes.size();) {
    std::vector<size_t> ready;
    for (size_t n = 0; n < program.nodes.size(); ++n) {
      const auto& src = program.nodes[n].src;
      const auto done = [&](int s) { return position[static_cast<size_t>(s)] >= 0; };
      if (position[n] < 0 && std::ranges::all_of(src, done)) ready.push_back(n);
    }
    const size_t n = *rc::gen::elementOf(ready);
    Node node = program.nodes[n];
    node.name = "node" + std::to_string(n);
    for (int& src : node.src) src = position[static_cast<size_t>(src)];
    position[n] = append(result, node);
    if (*rc::gen::inRange(0, 3) == 0) {
      node.name.clear();
      append(result, node);
    }
    ++placed;
  }
  for (int output : program.outputs) result.outputs.push_back(position[static_cast<size_t>(output)]);
  return result;
}

RC_GTEST_PROP(ProgramForms, IdsIgnoreOrderAndDeadNodes, ()) {
  const Program program = any_program(), other = disordered(program);
  RC_ASSERT(case_id(other) == case_id(program));
  RC_ASSERT(print_program(canonical(other)) == print_program(program));
  RC_ASSERT(print_program(canonical(canonical(other))) == print_program(canonical(other)));
}

RC_GTEST_PROP(ProgramForms, DifferentProgramsHaveDifferentIds, ()) {
  const Program one = any_program(), two = any_program();
  RC_ASSERT((case_id(one) == case_id(two)) == (print_program(one) == print_program(two)));
}

void assert_same_outputs_and_inputs(const Program& program, const Program& other) {
  RC_ASSERT(print_program(parse_program(print_program(other), "t")) == print_program(other));
  RC_ASSERT(other.outputs.size() == program.outputs.size());
  for (size_t k = 0; k < program.outputs.size(); ++k) {
    const Node &before = program.nodes[static_cast<size_t>(program.outputs[k])],
               &after = other.nodes[static_cast<size_t>(other.outputs[k])];
    RC_ASSERT(before.shape == after.shape && before.dtype == after.dtype);
  }
  const auto inputs = inputs_of(program), kept = inputs_of(other);
  RC_ASSERT(inputs.size() == kept.size());
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Node &before = program.nodes[static_cast<size_t>(inputs[k])],
               &after = other.nodes[static_cast<size_t>(kept[k])];
    RC_ASSERT(before.name == after.name && make_data(before) == make_data(after));
  }
}

RC_GTEST_PROP(ProgramForms, ExpansionKeepsOutputsAndInputs, ()) {
  const Program program = any_program();
  const Program expanded = expand_composites(program);
  RC_ASSERT(!has_expansion(expanded));
  assert_same_outputs_and_inputs(program, expanded);
  assert_same_outputs_and_inputs(
      program, expand(program, [](const OpInfo& op) { return op.category == Category::composite; }));
}

RC_GTEST_PROP(ProgramForms, ContiguousBehindEveryOperationKeepsOutputsAndInputs, ()) {
  const Program program = any_program();
  const Program apart = with_contiguous(program);
  assert_same_outputs_and_inputs(program, apart);
  RC_ASSERT(operation_count(apart) >= operation_count(program));
}

RC_GTEST_PROP(ProgramForms, MutatedTextParsesOrSaysWhy, ()) {
  std::string text = print_program(any_program());
  const auto edits = *rc::gen::inRange(1, 5);
  for (int k = 0; k < edits && !text.empty(); ++k) {
    const auto at = static_cast<size_t>(*rc::gen::inRange<int>(0, static_cast<int>(text.size())));
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        text.erase(at, 1);
        break;
      case 1:
        text.insert(at, 1, *rc::gen::arbitrary<char>());
        break;
      default:
        text[at] = *rc::gen::arbitrary<char>();
    }
  }
  try {
    const std::string printed = print_program(parse_program(text, "t"));
    RC_ASSERT(print_program(parse_program(printed, "t")) == printed);
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
    RC_ASSERT(std::string(error.what()).starts_with("t:"));
  }
}

RC_GTEST_PROP(ProgramForms, GarbageIsAnError, (const std::string& text)) {
  try {
    parse_program(text, "t");
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
  }
}

}  // namespace
}  // namespace uopdiff
