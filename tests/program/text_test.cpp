// The parser: what it accepts, and file, line and column of what it does not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

// The value of a `full` after it was written and read once.
double full_value(const std::string& type, const std::string& value) {
  const std::string line = "a = full " + type + "[1] value=" + value + "\noutput a\n";
  const std::string text = print_program(parse_program(line, "f.uop"));
  const Program again = parse_program(text, "f.uop");
  EXPECT_EQ(print_program(again), text) << value;
  return again.nodes[0].attr<double>("value");
}

TEST(Text, NumbersOfFullRoundTripExactly) {
  using Limits = std::numeric_limits<float>;
  for (float value :
       {0.0f, -0.0f, 0.1f, -1.5f, 16777216.0f, Limits::denorm_min(), 3 * Limits::denorm_min(), -Limits::min(),
        Limits::max(), Limits::lowest(), Limits::infinity(), -Limits::infinity()}) {
    const double back = full_value("f32", fmt::format("{}", static_cast<double>(value)));
    EXPECT_EQ(back, value);
    EXPECT_EQ(std::signbit(back), std::signbit(value)) << value;
  }
  EXPECT_TRUE(std::isnan(full_value("f32", "nan")));
  EXPECT_EQ(full_value("i32", "-2147483648"), -2147483648.0);
  EXPECT_EQ(full_value("i32", "2147483647"), 2147483647.0);
  EXPECT_EQ(full_value("bool", "true"), 1);
  EXPECT_EQ(full_value("bool", "0"), 0);
  EXPECT_FALSE(std::signbit(full_value("i32", "-0")));  // else one program would have two ids
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
        Broken{"a = input f32[-1]\noutput a\n", "f.uop:1:5: input: extent -1 in shape [-1]"},
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
        Broken{"a = input i32[3]\nb = cast a to=f128\n", "f.uop:2:5: cast: unknown dtype 'f128'"},
        Broken{"a = full f32[1] value=1e999\n", "f.uop:1:23: '1e999' is not a number"},
        Broken{"a = full f32[1] value=0.1\n", "f.uop:1:5: full: value 0.1 is not exactly of dtype f32"},
        Broken{"a = full i32[1] value=2147483648\n",
               "f.uop:1:5: full: value 2147483648 is not exactly of dtype i32"},
        Broken{"a = full i32[1] value=nan\n", "f.uop:1:5: full: value nan is not exactly of dtype i32"},
        Broken{"a = full i32[1] value=1e300\n", "f.uop:1:5: full: value 1e+300 is not exactly of dtype i32"},
        Broken{"a = full bool[1] value=2\n", "f.uop:1:5: full: value 2 is not exactly of dtype bool"},
        Broken{"a = full f32[1] value=1x\n", "f.uop:1:23: '1x' is not a number"},
        Broken{"a = full f32[1]\n", "f.uop:1:5: full: lacks the attribute 'value'"},
        Broken{"a = arange i32[3] start=-9223372036854775808\n",
               "f.uop:1:5: arange: arange has values that i32 does not hold exactly"},
        Broken{"a = arange i32[3] step=9223372036854775807\n",
               "f.uop:1:5: arange: arange has values that i32 does not hold exactly"},
        Broken{"a = arange i32[3] step=9223372036854775808\n",
               "f.uop:1:24: '9223372036854775808' is not an integer"},
        Broken{"a = input f32[3] seed=1.5\n", "f.uop:1:23: '1.5' is not an integer"},
        Broken{"a = input f32[3]\nb = pad a padding=[[9223372036854775807,9223372036854775807]]\n",
               "f.uop:2:5: pad: padding [9223372036854775807,9223372036854775807] is above"},
        Broken{"a = input f32[3]\nb = pad a padding=[[1,2,3]]\n", "f.uop:2:20: expected a pair [a,b]"},
        Broken{"a = input f32[4097,4097]\n", "f.uop:1:5: input: shape [4097,4097] has more than 16777216"},
        Broken{"a = input f32[1,1,1,1,1,1,1]\n", "f.uop:1:5: input: rank 7 is above 6"},
        Broken{"a = input f32[-3]\n", "f.uop:1:5: input: extent -3 in shape [-3]"},
        Broken{"a = input f32[3,]\n", "f.uop:1:17: expected a number, found ']'"},
        Broken{"a = input f32\n", "f.uop:1:14: expected '[', found the end of the line"},
        Broken{"a = input\n", "f.uop:1:10: expected a dtype, found the end of the line"},
        Broken{"a =\n", "f.uop:1:4: expected an operation, found the end of the line"},
        Broken{"a\n", "f.uop:1:2: expected '=', found the end of the line"},
        Broken{"output\n", "f.uop:1:7: expected a name, found the end of the line"},
        Broken{"a = input f32[3]\noutput a,\n", "f.uop:2:10: expected a name, found the end of the line"},
        Broken{"a = input f32[3]\noutput a\noutput a\n", "f.uop:3:1: nothing may follow the output line"},
        Broken{"output = input f32[3]\n", "f.uop:1:8: expected a name, found '='"},
        Broken{"a = input f32[3]\r\nb = neg c\r\n", "f.uop:2:9: 'c' is not defined above"},
        Broken{"a = input f32[3]\n\tb = neg\tc\n", "f.uop:2:10: 'c' is not defined above"},
        Broken{"a = input f32[3] \xff\n", "f.uop:1:18: expected an operand or an attribute, found '\\xff'"},
        Broken{"a = input f32[3]\nb = neg a a=1\n", "f.uop:2:11: neg has no attribute 'a'"},
        Broken{"a = input f32[3]\nb = neg\n", "f.uop:2:5: neg: takes 1 operand(s), not 0"},
        Broken{"a = input f32[3]\nb = cat a axis=0\n", "f.uop:2:5: cat: takes 2 to 8 operands, not 1"},
        Broken{"a = input f32[3] iota b\n", "f.uop:1:23: 'b' is not defined above"}));

TEST(Text, ANulByteIsAnError) {
  const std::string text("a = input f32[3]\0\noutput a\n", 27);
  EXPECT_EQ(message_of(text), "f.uop:1:17: expected an operand or an attribute, found '\\x00'");
}

TEST(Text, AMegabyteOfGarbageIsOneShortError) {
  const std::string long_word(1 << 20, '1');
  for (const std::string& text :
       {std::string(1 << 20, '('), "a = input f32[" + long_word + "]", long_word + " = neg a",
        "a = " + long_word, "a = neg " + long_word, "a = input " + long_word, "output " + long_word,
        std::string(1 << 20, '['), std::string(1 << 20, '\0')}) {
    const std::string message = message_of(text);
    EXPECT_TRUE(message.starts_with("f.uop:1:")) << message.substr(0, 100);
    EXPECT_LT(message.size(), 200) << message.substr(0, 100);
  }
}

TEST(Text, AVeryLongProgramDoesNotExhaustTheStack) {
  std::string text = "v0 = input f32[1]\n";
  for (int k = 1; k < 100000; ++k) text += fmt::format("v{} = neg v{}\n", k, k - 1);
  const Program program = parse_program(text + "output v99999\n", "f");
  EXPECT_EQ(canonical(program).nodes.size(), 100000u);
}

// These never change: saved cases and run logs name programs by them.
TEST(Text, CaseIdsAndCanonicalTextAreStable) {
  struct Golden {
    const char *text, *canonical, *id;
  };
  for (const Golden& golden :
       {Golden{"x = input f32[3]\ny = neg x\noutput y\n", "a = input f32[3] small\nb = neg a\noutput b\n",
               "69ed66e0f90beedd"},
        Golden{"a = arange i32[5] start=-2 step=3\nb = full i32[5] value=7\nc = add b a\noutput c\n",
               "a = full i32[5] value=7\nb = arange i32[5] start=-2 step=3\nc = add a b\noutput c\n",
               "000a5b4e721da13a"},
        Golden{"a = input f32[3,4] iota seed=1\ndead = neg a\nb = permute a axes=[1,0]\n"
               "c = sum b keepdim=true axes=[0]\noutput c, a, c\n",
               "a = input f32[3,4] iota seed=1\nb = permute a axes=[1,0]\nc = sum b axes=[0] keepdim=true\n"
               "output c, a, c\n",
               "505d6afbe09c4997"},
        Golden{"a = full f32[2] value=-0\nb = pad a padding=[[1,2]]\nc = cast b to=bool\noutput c\n",
               "a = full f32[2] value=-0\nb = pad a padding=[[1,2]]\nc = cast b to=bool\noutput c\n",
               "a6567b808605eccf"}}) {
    const Program program = parse_program(golden.text, "f");
    EXPECT_EQ(print_program(canonical(program)), golden.canonical);
    EXPECT_EQ(case_id(program), golden.id);
  }
}

}  // namespace
}  // namespace uopdiff
