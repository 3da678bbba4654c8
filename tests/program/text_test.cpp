// The parser: what it accepts, and file, line and column of what it does not.
#include <gtest/gtest.h>

#include "harness/program/error.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

std::string message_of(const std::string& text) {
  try {
    parse_program(text, "f.uop");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "no error";
}

TEST(Text, ReadsAndPrintsTheExampleUnchanged) {
  const std::string text =
      "a = input f32[3,4] iota\nb = permute a axes=[1,0]\nc = sum b axes=[0] keepdim=true\noutput c\n";
  const Program program = parse_program(text, "f.uop");
  EXPECT_EQ(print_program(program), text);
  EXPECT_EQ(program.nodes[2].shape, (Shape{1, 3}));
}

TEST(Text, CommentsSpacesTabsAndCarriageReturnsDoNotMatter) {
  const Program program = parse_program(
      "# a comment\r\n\n a=input f32 [ 3 , 4 ]\tiota  seed=2 # more\r\n  b = neg a\r\noutput a , b", "f.uop");
  EXPECT_EQ(print_program(program), "a = input f32[3,4] iota seed=2\nb = neg a\noutput a, b\n");
}

TEST(Text, NumbersOfFullRoundTripExactly) {
  for (const char* value :
       {"-0", "0.1", "1.401298464324817e-45", "3.4028234663852886e+38", "inf", "-inf", "nan", "16777217"}) {
    const std::string dtype = "f32";
    if (std::string(value) == "0.1" || std::string(value) == "16777217") {
      EXPECT_NE(message_of(std::string("a = full f32[1] value=") + value + "\noutput a\n"), "no error")
          << value;
      continue;
    }
    const std::string line = "a = full " + dtype + "[1] value=" + value;
    const std::string text = print_program(parse_program(line + "\noutput a\n", "f.uop"));
    EXPECT_EQ(print_program(parse_program(text, "f.uop")), text) << value;
  }
  EXPECT_EQ(message_of("a = full i32[1] value=-2147483648\noutput a\n"), "no error");
  EXPECT_EQ(message_of("a = full bool[1] value=true\noutput a\n"), "no error");
}

struct Broken {
  const char* text;
  const char* message;
};
class BrokenText : public testing::TestWithParam<Broken> {};

TEST_P(BrokenText, SaysWhereAndWhat) {
  const std::string message = message_of(GetParam().text);
  EXPECT_TRUE(message.starts_with(GetParam().message)) << message << "\nexpected " << GetParam().message;
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenText,
    testing::Values(
        Broken{"", "f.uop:1:1: the program has no output line"},
        Broken{"a = input f32[3]\n", "f.uop:2:1: the program has no output line"},
        Broken{"a = inptu f32[3]\n", "f.uop:1:5: unknown operation 'inptu'"},
        Broken{"a = input f23[3]\n", "f.uop:1:11: unknown dtype 'f23'"},
        Broken{"a = input f32[3] wild\n", "f.uop:1:5: input: unknown fill 'wild'"},
        Broken{"a = input f32[3\n", "f.uop:1:16: expected ']', found the end of the line"},
        Broken{"a = input f32[0]\noutput a\n", "f.uop:1:5: input: extent 0 in shape [0]"},
        Broken{"a = input f32[99999999999999999999]\n",
               "f.uop:1:15: '99999999999999999999' is not an integer"},
        Broken{"a = input f32[3]\na = neg a\n", "f.uop:2:1: 'a' is defined twice"},
        Broken{"a = input f32[3]\nb = neg c\n", "f.uop:2:9: 'c' is not defined above"},
        Broken{"a = input f32[3]\nb = neg a a\n", "f.uop:2:5: neg: takes 1 operand(s), not 2"},
        Broken{"a = input f32[3]\nb = sum a\n", "f.uop:2:5: sum: lacks the attribute 'axes'"},
        Broken{"a = input f32[3]\nb = sum a axis=[0]\n", "f.uop:2:11: sum has no attribute 'axis'"},
        Broken{"a = input f32[3]\nb = sum a axes=[0] axes=[0]\n",
               "f.uop:2:20: attribute 'axes' is given twice"},
        Broken{"a = input f32[3]\nb = sum a axes=[1]\n", "f.uop:2:5: sum: axis 1 is not one of the 1 axes"},
        Broken{"a = input f32[3]\nb = sum a axes=[0] keepdim=yes\n",
               "f.uop:2:28: expected true or false, not 'yes'"},
        Broken{"a = input f32[3]\noutput a\nb = neg a\n", "f.uop:3:1: nothing may follow the output line"},
        Broken{"a = input f32[3]\noutput a b\n", "f.uop:2:10: unexpected 'b'"},
        Broken{"a = input f32[3]\noutput b\n", "f.uop:2:8: 'b' is not defined above"},
        Broken{"a input f32[3]\n", "f.uop:1:3: expected '=', found 'i'"},
        Broken{"\xc3\xa4 = input f32[3]\n", "f.uop:1:1: expected a name"},
        Broken{"a = input f32[3]\nb = pad a padding=[1,1]\n", "f.uop:2:20: expected '[', found '1'"},
        Broken{"a = input i32[3]\nb = sqrt a\n", "f.uop:2:5: sqrt: does not take i32"},
        Broken{"a = input i32[3]\nb = cast a to=f16\n", "f.uop:2:5: cast: unknown dtype 'f16'"}));

TEST(Text, AMegabyteOfGarbageIsOneClearError) {
  EXPECT_TRUE(message_of(std::string(1 << 20, '(')).starts_with("f.uop:1:1: expected a name"));
  EXPECT_TRUE(message_of("a = input f32[" + std::string(1 << 20, '1') + "]").starts_with("f.uop:1:15: "));
}

// These never change: saved cases and run logs name programs by them.
TEST(Text, CaseIdsAreStable) {
  const auto id = [](const char* text) { return case_id(parse_program(text, "f")); };
  EXPECT_EQ(
      id("a = input f32[3,4] iota\nb = permute a axes=[1,0]\nc = sum b axes=[0] keepdim=true\noutput c\n"),
      id("x = input f32[3,4] iota\ndead = neg x\ny = permute x axes=[1,0]\nz = sum y axes=[0] "
         "keepdim=true\noutput z\n"));
  EXPECT_NE(id("a = input f32[3]\nb = neg a\noutput b\n"), id("a = input f32[4]\nb = neg a\noutput b\n"));
  EXPECT_EQ(id("a = input f32[3]\nb = neg a\noutput b\n"), "69ed66e0f90beedd");
  EXPECT_EQ(id("a = arange i32[5] start=-2 step=3\nb = full i32[5] value=7\nc = add a b\noutput c\n"),
            "41b3beeaf0ae27b2");
}

}  // namespace
}  // namespace uopdiff
