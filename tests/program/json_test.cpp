// The JSON form: what is refused, so that a worker or a saved case never sees a malformed program.
#include "harness/program/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/program/error.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

using nlohmann::json;

constexpr const char* kText =
    "a = input f32[2,3] iota\nb = pad a padding=[[0,1],[2,0]]\nc = full f32[3,5] value=nan\n"
    "d = add b c\noutput d, a\n";

std::string message_of(const json& value) {
  try {
    program_from_json(value);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "accepted";
}

// The example with the value at `pointer` replaced.
std::string with(const std::string& pointer, const json& value) {
  json program = program_to_json(parse_program(kText, "t"));
  program[json::json_pointer(pointer)] = value;
  return message_of(program);
}

TEST(Json, ReadsWhatItWrites) {
  const json value = program_to_json(parse_program(kText, "t"));
  EXPECT_EQ(print_program(program_from_json(value)), kText);
  EXPECT_EQ(value["nodes"][2]["attrs"]["value"], "nan");
}

TEST(Json, SaysWhatIsWrong) {
  EXPECT_EQ(with("/nodes/0/shape", json{2, 3.5}), "'3.5' is not an integer");
  EXPECT_EQ(with("/nodes/0/shape", json{2, true}), "'true' is not an integer");
  EXPECT_EQ(with("/nodes/0/shape", json{2, 18446744073709551615u}),
            "'18446744073709551615' is not an integer");
  EXPECT_EQ(with("/nodes/0/shape", 6), "expected a list of integers");
  EXPECT_EQ(with("/nodes/0/dtype", "f99"), "unknown dtype in node 'a'");
  EXPECT_EQ(with("/nodes/0/name", ""), "a node has no name");
  EXPECT_EQ(with("/nodes/0/name", "output"),
            "input: its result's name is not made of letters, digits and _, or is 'output'");
  EXPECT_EQ(with("/nodes/0/name", "a\nb"),
            "input: its result's name is not made of letters, digits and _, or is 'output'");
  EXPECT_EQ(with("/nodes/1/name", "a"), "'a' is defined twice");
  EXPECT_EQ(with("/nodes/1/src", json{"z"}), "node 'b' uses an undefined name");
  EXPECT_EQ(with("/nodes/1/src", json::array()), "pad: takes 1 operand(s), not 0");
  EXPECT_EQ(with("/nodes/1/shape", json{3, 6}), "node 'b' says a dtype or shape that does not follow");
  EXPECT_EQ(with("/nodes/1/attrs/padding", json{{0, 1}, {2}}), "expected a pair [a,b]");
  EXPECT_EQ(with("/nodes/1/attrs/padding", json{{0, 1}, {2, 0, 0}}), "expected a pair [a,b]");
  EXPECT_EQ(with("/nodes/1/attrs", json::object()), "pad: lacks the attribute 'padding'");
  EXPECT_EQ(with("/nodes/1/attrs/colour", 1), "pad has no attribute 'colour'");
  EXPECT_EQ(with("/nodes/2/attrs/value", "many"), "'many' is not a number");
  EXPECT_EQ(with("/outputs", json::array()), "the program has no output");
  EXPECT_EQ(with("/outputs", json{"z"}), "an output is not defined");
}

TEST(Json, EveryOtherTypeAnywhereIsAnErrorAndNothingElse) {
  const json program = program_to_json(parse_program(kText, "t"));
  const json flat = program.flatten();
  for (const auto& [pointer, unused] : flat.items())
    for (const json& value : {json(), json(7), json(-1), json(1e300), json("x"), json(true), json::array(),
                              json::object(), json{{1, 2}}}) {
      json changed = program;
      changed[json::json_pointer(pointer)] = value;
      message_of(changed);  // checks the kind of the error
      for (json::json_pointer parent(pointer); !parent.empty();) {
        parent.pop_back();
        json replaced = program;
        replaced[parent] = value;
        message_of(replaced);
      }
    }
  for (const char* text : {"null", "[]", "{}", "3", "\"nodes\"", R"({"nodes":{},"outputs":[]})"})
    EXPECT_NE(message_of(json::parse(text)), "accepted") << text;
}

}  // namespace
}  // namespace uopdiff
