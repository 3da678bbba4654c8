// Text and JSON forms round-trip; garbage is an error and never a crash; ids see the program and nothing
// else.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "generators/program_gen.h"
#include "harness/program/error.h"
#include "harness/program/fill.h"
#include "harness/program/json.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

Program any_program() { return *program_gen(get_profile("general")); }

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
