// The third opinion on hand-computed values, and every reason why it may have none.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

#include "harness/program/fill.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"
#include "harness/reference/reference.h"
#include "harness/reference/scalar.h"

namespace uopdiff {
namespace {

Reference run(const std::string& text) {
  const Program program = parse_program(text, "t");
  std::map<std::string, Bytes> inputs;
  for (int n : inputs_of(program))
    inputs[program.nodes[static_cast<size_t>(n)].name] = make_data(program.nodes[static_cast<size_t>(n)]);
  return evaluate_reference(program, inputs);
}

// The output's elements as text; bounds left out.
std::string values(const std::string& lines) {
  std::vector<std::string> texts;
  const RefTensor output = run(lines + "\noutput r\n").outputs[0];
  for (const Element& e : output.elements) {
    std::string text = element_text(output.dtype, e);
    texts.push_back(text.substr(0, text.find(" +-")));
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

struct Computed {
  const char* lines;
  const char* result;
};
class Computes : public testing::TestWithParam<Computed> {};
TEST_P(Computes, HandComputedValues) {
  EXPECT_EQ(values(GetParam().lines), GetParam().result) << GetParam().lines;
}

#define IOTA "a = input f32[2,3] iota\n"
#define INTS "a = arange i32[5] start=-2\nb = full i32[5] value=-2\n"
#define TEST_REALS "a = arange f32[4] start=-1\n"

INSTANTIATE_TEST_SUITE_P(
    Movement, Computes,
    testing::Values(Computed{IOTA "r = reshape a shape=[3,2]", "0 1 2 3 4 5"},
                    Computed{IOTA "r = permute a axes=[1,0]", "0 3 1 4 2 5"},
                    Computed{IOTA "x = reshape a shape=[2,1,3]\nr = expand x shape=[2,2,3]",
                             "0 1 2 0 1 2 3 4 5 3 4 5"},
                    Computed{IOTA "r = pad a padding=[[0,1],[1,0]]", "0 0 1 2 0 3 4 5 0 0 0 0"},
                    Computed{IOTA "r = shrink a bounds=[[1,2],[1,3]]", "4 5"},
                    Computed{IOTA "r = flip a axes=[1]", "2 1 0 5 4 3"},
                    Computed{IOTA "r = flip a axes=[0,1]", "5 4 3 2 1 0"},
                    Computed{IOTA "b = shrink a bounds=[[0,2],[0,1]]\nr = cat a b axis=1", "0 1 2 0 3 4 5 3"},
                    Computed{IOTA "r = cat a a axis=0", "0 1 2 3 4 5 0 1 2 3 4 5"},
                    Computed{IOTA "r = contiguous a", "0 1 2 3 4 5"},
                    Computed{"r = full bool[2] value=true", "true true"},
                    Computed{"r = arange f32[3] start=5 step=-2", "5 3 1"}));

INSTANTIATE_TEST_SUITE_P(
    Elementwise, Computes,
    testing::Values(
        Computed{INTS "r = neg a", "2 1 0 -1 -2"}, Computed{INTS "r = abs a", "2 1 0 1 2"},
        Computed{INTS "r = relu a", "0 0 0 1 2"}, Computed{INTS "r = add a b", "-4 -3 -2 -1 0"},
        Computed{INTS "r = sub a b", "0 1 2 3 4"}, Computed{INTS "r = mul a b", "4 2 0 -2 -4"},
        Computed{INTS "r = floordiv a b", "1 0 0 -1 -1"}, Computed{INTS "r = truncdiv a b", "1 0 0 0 -1"},
        Computed{INTS "r = floormod a b", "0 -1 0 -1 0"}, Computed{INTS "r = truncmod a b", "0 -1 0 1 0"},
        Computed{INTS "r = maximum a b", "-2 -1 0 1 2"}, Computed{INTS "r = minimum a b", "-2 -2 -2 -2 -2"},
        Computed{INTS "r = and a b", "-2 -2 0 0 2"}, Computed{INTS "r = or a b", "-2 -1 -2 -1 -2"},
        Computed{INTS "r = xor a b", "0 1 -2 -1 -4"},
        Computed{INTS "r = lt a b", "false false false false false"},
        Computed{INTS "r = eq a b", "true false false false false"},
        Computed{INTS "r = ne a b", "false true true true true"},
        Computed{INTS "c = lt b a\nr = where c a b", "-2 -1 0 1 2"},
        Computed{INTS "r = cast a to=bool", "true true false true true"},
        Computed{INTS "r = cast a to=f32", "-2 -1 0 1 2"},
        Computed{"a = full f32[2] value=-2.5\nr = cast a to=i32", "-2 -2"},
        Computed{INTS "c = lt a b\nr = logical_not c", "true true true true true"},
        Computed{"a = full i32[1] value=2147483647\nb = full i32[1] value=2\nr = add a b", "-2147483647"},
        Computed{"a = full i32[1] value=65537\nr = mul a a", "131073"},
        Computed{"a = full i32[1] value=-2147483648\nr = neg a", "-2147483648"},
        Computed{"a = full i32[1] value=3\nb = full i32[1] value=31\nr = shl a b", "-2147483648"},
        Computed{"a = full i32[1] value=-5\nb = full i32[1] value=1\nr = shr a b", "-3"},
        Computed{TEST_REALS "r = exp2 a", "0.5 1 2 4"}, Computed{"a = full f32[1] value=8\nr = log2 a", "3"},
        Computed{"a = full f32[1] value=9\nr = sqrt a", "3"},
        Computed{"a = full f32[1] value=4\nr = reciprocal a", "0.25"},
        Computed{"a = full f32[1] value=0\nr = sin a", "0"},
        Computed{"a = full f32[1] value=0\nr = exp a", "1"},
        Computed{"a = full f32[1] value=1\nr = log a", "0"},
        Computed{"a = full f32[1] value=-1\nr = sqrt a", "nan"}));

INSTANTIATE_TEST_SUITE_P(
    Reduce, Computes,
    testing::Values(Computed{IOTA "r = sum a axes=[0]", "3 5 7"},
                    Computed{IOTA "r = sum a axes=[1] keepdim=true", "3 12"},
                    Computed{IOTA "r = sum a axes=[0,1]", "15"}, Computed{IOTA "r = prod a axes=[1]", "0 60"},
                    Computed{IOTA "r = max a axes=[1]", "2 5"}, Computed{IOTA "r = min a axes=[0]", "0 1 2"},
                    Computed{INTS "r = prod a axes=[0]", "0"},
                    Computed{"a = full i32[40] value=3\nr = prod a axes=[0]", "689956897"},
                    Computed{IOTA "b = permute a axes=[1,0]\nr = matmul a b", "5 14 14 50"},
                    Computed{IOTA "r = mean a axes=[0]", "1.5 2.5 3.5"},
                    Computed{IOTA "r = cumsum a axis=1", "0 1 3 3 7 12"},
                    Computed{IOTA "r = cumsum a axis=0", "0 1 2 3 5 7"},
                    Computed{"a = full f32[4] value=3\nr = softmax a axis=0", "0.25 0.25 0.25 0.25"}));

// Groups of elements that lie together, and others.
INSTANTIATE_TEST_SUITE_P(
    ReduceAxes, Computes,
    testing::Values(Computed{"a = input i16[2,1,3] iota\nr = sum a axes=[0]", "3 5 7"},
                    Computed{"a = input i16[2,1,3] iota\nr = sum a axes=[1]", "0 1 2 3 4 5"},
                    Computed{"a = input i16[2,1,3] iota\nr = sum a axes=[0,2]", "15"},
                    Computed{"a = input i16[2,2,2] iota\nr = sum a axes=[0,2]", "10 18"},
                    Computed{"a = input i16[2,2,2] iota\nr = sum a axes=[1]", "2 4 10 12"},
                    Computed{"a = input i16[2,2,2] iota\nr = sum a axes=[1,2]", "6 22"}));

INSTANTIATE_TEST_SUITE_P(
    Empty, Computes,
    testing::Values(Computed{"a = input f16[0,3] iota\nr = sum a axes=[0]", "0 0 0"},
                    Computed{"a = input u8[0,3] iota\nr = prod a axes=[0]", "1 1 1"},
                    Computed{"a = input bf16[2,0] iota\nr = prod a axes=[1] keepdim=true", "1 1"},
                    Computed{"a = input i64[0,3] iota\nr = sum a axes=[1]", ""},
                    Computed{"a = input f64[0,3] iota\nr = exp a", ""},
                    Computed{"a = input i8[1,2] iota\nr = expand a shape=[0,2]", ""},
                    Computed{"a = input i8[2,2] iota\nx = shrink a bounds=[[1,1],[0,2]]\nr = pad x "
                             "padding=[[0,1],[0,0]]",
                             "0 0"},
                    Computed{"a = input u16[0,2] iota\nb = input u16[1,2] iota\nr = cat a b a axis=0", "0 1"},
                    Computed{"a = input f32[0] iota\nx = cast a to=bool\nr = any x axes=[0]", "false"},
                    Computed{"a = input f32[0] iota\nx = cast a to=bool\nr = all x axes=[0]", "true"}));

INSTANTIATE_TEST_SUITE_P(
    DTypes, Computes,
    testing::Values(
        Computed{"a = full u8[1] value=200\nr = add a a", "144"},
        Computed{"a = full i8[1] value=100\nr = add a a", "-56"},
        Computed{"a = full i64[1] value=-1\nx = cast a to=u64\nr = cast x to=f64", "1.8446744073709552e+19"},
        Computed{"a = full i16[1] value=-1\nr = cast a to=u64", "18446744073709551615"},
        Computed{"a = full u32[2] value=4294967295\nr = sum a axes=[0]", "4294967294"},
        Computed{"a = full u16[1] value=65535\nb = full u16[1] value=15\nr = shr a b", "1"},
        Computed{"a = full f16[1] value=2048\nb = full f16[1] value=1\nr = sub a b", "2047"},
        Computed{"a = full f16[1] value=1.5\nr = bitcast a to=u16", "15872"},
        Computed{"a = full i64[1] value=1023\nb = full i64[1] value=52\nx = shl a b\nr = bitcast x to=f64",
                 "1"},
        Computed{"a = full bf16[1] value=-2.5\nr = floor a", "-3"},
        Computed{"a = full f64[1] value=2.5\nr = round a", "2"},
        Computed{"a = input f64[3] iota seed=-1\nr = clamp a min=-0.5 max=0.5", "-0.5 0 0.5"},
        Computed{"a = arange i8[4] start=-1\nr = clamp a min=0 max=1", "0 0 1 1"}));

TEST(Division, AllSignsAgainstTheDefinition) {
  for (int64_t a = -8; a <= 8; ++a)
    for (int64_t b = -8; b <= 8; ++b) {
      const std::array<Element, 2> x{exact_int(a), exact_int(b)};
      const auto of = [&](const char* op) { return scalar_function(op)(DType::i32, x); };
      if (b == 0) {
        for (const char* op : {"floordiv", "truncdiv", "floormod", "truncmod"})
          EXPECT_EQ(of(op).undetermined, Undetermined::division_by_zero);
        continue;
      }
      const auto floor_quotient =
          static_cast<int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
      const auto trunc_quotient =
          static_cast<int64_t>(std::trunc(static_cast<double>(a) / static_cast<double>(b)));
      EXPECT_EQ(of("floordiv").i, floor_quotient);
      EXPECT_EQ(of("truncdiv").i, trunc_quotient);
      EXPECT_EQ(of("floormod").i, a - b * floor_quotient);
      EXPECT_EQ(of("truncmod").i, a - b * trunc_quotient);
    }
}

// Every i32 operation against 64-bit arithmetic reduced to 32 bits, on extremes and small values.
TEST(Integers, WrapAround) {
  const std::array<int64_t, 11> values{0,     1,      -1,         2,           -7,         31,
                                       65536, -65537, 2147483647, -2147483648, -2147483647};
  const auto wrap = [](int64_t value) { return static_cast<int64_t>(static_cast<int32_t>(value)); };
  for (int64_t a : values)
    for (int64_t b : values) {
      const std::array<Element, 2> x{exact_int(a), exact_int(b)};
      const auto of = [&](const char* op) { return scalar_function(op)(DType::i32, x); };
      EXPECT_EQ(of("add").i, wrap(a + b));
      EXPECT_EQ(of("sub").i, wrap(a - b));
      EXPECT_EQ(of("mul").i, wrap(a * b));
      EXPECT_EQ(of("and").i, a & b);
      EXPECT_EQ(of("or").i, a | b);
      EXPECT_EQ(of("xor").i, a ^ b);
      EXPECT_EQ(of("neg").i, wrap(-a));
      EXPECT_EQ(of("abs").i, wrap(a < 0 ? -a : a));
      EXPECT_EQ(of("relu").i, a < 0 ? 0 : a);
      EXPECT_EQ(of("lt").i, a < b);
      EXPECT_EQ(of("eq").i, a == b);
      EXPECT_EQ(of("ne").i, a != b);
      EXPECT_EQ(of("maximum").i, a < b ? b : a);
      EXPECT_EQ(of("minimum").i, a < b ? a : b);
      EXPECT_EQ(reduce_elements("sum", DType::i32, x).i, wrap(a + b));
      EXPECT_EQ(reduce_elements("prod", DType::i32, x).i, wrap(a * b));
    }
}

TEST(Integers, ShiftsByEveryAmount) {
  for (int64_t a : {int64_t{1}, int64_t{-1}, int64_t{-5}, int64_t{2147483647}, int64_t{-2147483648}})
    for (int64_t by = -2; by < 40; ++by) {
      const std::array<Element, 2> x{exact_int(a), exact_int(by)};
      const Element left = scalar_function("shl")(DType::i32, x),
                    right = scalar_function("shr")(DType::i32, x);
      if (by < 0 || by > 31) {
        EXPECT_EQ(left.undetermined, Undetermined::shift_amount);
        EXPECT_EQ(right.undetermined, Undetermined::shift_amount);
        continue;
      }
      EXPECT_EQ(left.i, static_cast<int32_t>(a * (int64_t{1} << by)));
      EXPECT_EQ(right.i,
                static_cast<int64_t>(std::floor(std::ldexp(static_cast<double>(a), static_cast<int>(-by)))));
    }
}

struct Cast {
  DType from;
  double value;
  DType to;
  const char* result;
};
class Casts : public testing::TestWithParam<Cast> {};
TEST_P(Casts, HandComputed) {
  const Cast& c = GetParam();
  const Element x = is_float(c.from) ? exact_float(c.value) : exact_int(static_cast<int64_t>(c.value));
  EXPECT_EQ(element_text(c.to, cast_element(c.from, c.to, x)), c.result) << c.value;
}
constexpr DType kBool = DType::boolean, kInt = DType::i32, kReal = DType::f32;
INSTANTIATE_TEST_SUITE_P(
    All, Casts,
    testing::Values(
        Cast{kReal, 2.9, kInt, "2"}, Cast{kReal, -2.9, kInt, "-2"}, Cast{kReal, -0.0, kInt, "0"},
        Cast{kReal, 2147483520, kInt, "2147483520"}, Cast{kReal, -2147483648.0, kInt, "-2147483648"},
        Cast{kReal, 2147483648.0, kInt, "undetermined (float to integer out of range)"},
        Cast{kReal, -2147483904.0, kInt, "undetermined (float to integer out of range)"},
        Cast{kReal, INFINITY, kInt, "undetermined (float to integer out of range)"},
        Cast{kReal, NAN, kInt, "undetermined (float to integer out of range)"},
        Cast{kReal, NAN, kBool, "undetermined (NaN in an ordering)"}, Cast{kReal, -0.0, kBool, "false"},
        Cast{kReal, 0.25, kBool, "true"}, Cast{kReal, -INFINITY, kBool, "true"},
        Cast{kReal, 1e-40, kBool, "undetermined (decision inside the error interval)"},
        Cast{kInt, 16777217, kReal, "16777217 +- 1.0e+00"}, Cast{kInt, -16777216, kReal, "-16777216"},
        Cast{kInt, -3, kBool, "true"}, Cast{kInt, 0, kBool, "false"}, Cast{kBool, 1, kInt, "1"},
        Cast{kBool, 1, kReal, "1"}, Cast{kBool, 0, kReal, "0"}, Cast{kReal, 1e-40, kReal, "1e-40"}));

std::string reason(const std::string& lines) {
  const Reference reference = run(lines + "\noutput r\n");
  const Element& e = reference.outputs[0].elements[0];
  return std::string(reason_name(e.undetermined)) + (reference.may_trap ? ", may trap" : "");
}

TEST(Undetermined, EveryReason) {
  EXPECT_EQ(reason("a = full i32[1] value=1\nb = full i32[1] value=0\nr = truncdiv a b"),
            "integer division by zero, may trap");
  EXPECT_EQ(reason("a = full i32[1] value=-2147483648\nb = full i32[1] value=-1\nr = floormod a b"),
            "integer division by zero, may trap");
  EXPECT_EQ(reason("a = full i32[1] value=1\nb = full i32[1] value=32\nr = shl a b"),
            "shift beyond the width");
  EXPECT_EQ(reason("a = full f32[1] value=3e9\nr = cast a to=i32"), "float to integer out of range");
  EXPECT_EQ(reason("a = full f32[1] value=nan\nr = maximum a a"), "NaN in an ordering");
  EXPECT_EQ(reason("a = full f32[1] value=nan\nr = lt a a"), "NaN in an ordering");
  EXPECT_EQ(reason("a = full f32[1] value=3\nb = reciprocal a\nr = lt b b"),
            "decision inside the error interval");
  EXPECT_EQ(reason("a = full f32[1] value=0\nr = reciprocal a"), "sign of zero or zero times infinity");
  EXPECT_EQ(reason("a = full f32[1] value=inf\nr = sub a a"), "sign of zero or zero times infinity");
  EXPECT_EQ(reason("a = full f32[1] value=inf\nb = full f32[1] value=0\nr = mul a b"),
            "sign of zero or zero times infinity");
  EXPECT_EQ(reason("a = full f32[4] value=1.7014118346046923e+38\nr = sum a axes=[0]"),
            "near or order-dependent overflow");
  EXPECT_EQ(reason("a = full f32[1] value=1000000\nr = sin a"), "sine of a large argument");
  EXPECT_EQ(reason("a = full f32[1] value=nan\nb = lt a a\nr = logical_not b"),
            "follows from an undetermined operand");
}

// Rewrites that change a special value: the reference has to know them all.
TEST(Undetermined, WhereCompilersMayRewrite) {
  const auto of = [](const std::string& line) {
    return reason(
        "i = full f32[1] value=inf\nn = full f32[1] value=nan\nz = full f32[1] value=0\n"
        "big = full f32[1] value=2.0769187434139311e+34\nhuge = full f32[1] value=2.9774707105582116e+38\n"
        "tiny = full f32[1] value=5.877471754111438e-39\n" +
        line);
  };
  const std::string zero = "sign of zero or zero times infinity",
                    overflow = "near or order-dependent overflow",
                    interval = "decision inside the error interval", nan = "NaN in an ordering";
  EXPECT_EQ(of("r = sub n n"), zero);  // x - x is 0
  EXPECT_EQ(of("r = div i i"), zero);  // x / x is 1
  EXPECT_EQ(of("r = div z z"), zero);
  EXPECT_EQ(of("r = mul n z"), zero);                                        // x * 0 is 0
  EXPECT_EQ(of("r = div big i"), zero);                                      // a * (1/b)
  EXPECT_EQ(of("m = neg i\nr = relu m"), zero);                              // (x > 0) * x
  EXPECT_EQ(of("m = neg i\nx = cat i m axis=0\nr = sum x axes=[0]"), zero);  // c * sum(x)
  EXPECT_EQ(of("r = abs n"), nan);                                           // x * sign(x)
  EXPECT_EQ(of("r = abs i"), zero);  // with a sign that is computed by x*0, too
  EXPECT_EQ(of("r = relu n"), nan);
  EXPECT_EQ(of("x = cat n z axis=0\nr = max x axes=[0]"), nan);
  EXPECT_EQ(of("x = cat n z axis=0\nr = min x axes=[0]"), nan);
  EXPECT_EQ(of("r = eq n n"), nan);
  EXPECT_EQ(of("x = mul big big\nr = div x big"), overflow);  // (x * y) / y is x
  EXPECT_EQ(of("x = add huge huge\nr = sub x huge"), overflow);
  EXPECT_EQ(of("x = add huge huge\ny = neg huge\nr = lt x y"), overflow);
  EXPECT_EQ(of("x = add huge huge\ny = sqrt x\nr = neg y"), "follows from an undetermined operand");
  EXPECT_EQ(of("r = reciprocal tiny"), overflow);  // 1/0 where subnormals are flushed
  EXPECT_EQ(of("r = log2 tiny"), overflow);
  EXPECT_EQ(of("r = sqrt tiny"), overflow);
  EXPECT_EQ(of("r = lt z tiny"), interval);
  EXPECT_EQ(of("r = ne z tiny"), interval);
  // c + x < d is x < d - c, which rounds here: -1 < 2^-30 - 1.
  EXPECT_EQ(
      of("c = full f32[1] value=1\nx = full f32[1] value=-1\nd = full f32[1] value=9.313225746154785e-10\n"
         "s = add c x\nr = lt s d"),
      interval);
  EXPECT_EQ(of("r = add i z"), "determined");
  EXPECT_EQ(of("r = add n z"), "determined");
  EXPECT_EQ(of("r = add huge huge"), "determined");  // inf in any order
  EXPECT_EQ(of("r = mul big big"), "determined");
  EXPECT_EQ(of("x = cat n z axis=0\nr = sum x axes=[0]"), "determined");
}

TEST(Undetermined, SpreadsThroughEveryKindOfOperation) {
  const std::string open = "a = full i32[2] value=1\nz = full i32[2] value=0\nu = truncdiv a z\n",
                    follows = "follows from an undetermined operand, may trap";
  for (const char* line : {"r = neg u", "r = add a u", "r = mul z u", "r = lt u u", "r = cast u to=f32",
                           "r = sum u axes=[0]", "r = max u axes=[0]", "b = eq u a\nr = where b a a",
                           "b = eq a a\nr = where b u a", "x = flip u axes=[0]\nr = neg x",
                           "r = cumsum u axis=0", "x = pad u padding=[[0,1]]\nr = prod x axes=[0]"})
    EXPECT_EQ(reason(open + line), std::string(line).find("where b u a") == std::string::npos
                                       ? follows
                                       : "integer division by zero, may trap")
        << line;
}

TEST(MayTrap, OnlyWhereAnIntegerDivisionIsOpen) {
  const auto may_trap = [](const std::string& lines) { return run(lines + "\noutput r\n").may_trap; };
  const std::string text =
      "a = full i32[1] value=7\nz = full i32[1] value=0\nm = full i32[1] value=-1\n"
      "w = full i32[1] value=40\nf = full f32[1] value=0\nn = reciprocal f\n";
  EXPECT_FALSE(may_trap(text + "r = truncdiv a m"));
  EXPECT_FALSE(may_trap(text + "r = shl a w"));
  EXPECT_FALSE(may_trap(text + "r = div f f"));
  EXPECT_FALSE(may_trap(text + "x = log2 n\nr = div f x"));
  EXPECT_TRUE(may_trap(text + "x = truncmod a z\nr = neg a"));
  EXPECT_TRUE(may_trap(text + "x = shl a w\nr = floordiv a x"));  // x may be 0
  EXPECT_TRUE(may_trap(text + "x = shl a w\nr = truncmod x m"));  // x may be INT_MIN
  EXPECT_FALSE(may_trap(text + "x = shl a w\nr = truncmod x a"));
}

TEST(Undetermined, OnlyTheChosenArmOfWhereCounts) {
  EXPECT_EQ(reason("a = full i32[1] value=1\nb = full i32[1] value=0\nd = truncdiv a b\nc = full bool[1] "
                   "value=false\nr = where c d a"),
            "determined, may trap");
}

TEST(Check, CountsWrongAndUndeterminedElements) {
  RefTensor expected{
      DType::f32,
      {4},
      {exact_float(0), exact_float(2), undetermined(Undetermined::interval), exact_float(NAN)}};
  expected.elements[1].error = 0.5;
  const auto bytes = [](std::vector<float> values) {
    Bytes data(values.size() * 4);
    std::memcpy(data.data(), values.data(), data.size());
    return data;
  };
  const ValueCheck good = check_values(expected, bytes({-0.0f, 2.5f, 77, NAN}));
  EXPECT_EQ(good.wrong, 0);
  EXPECT_EQ(good.undetermined, 1);
  const ValueCheck bad = check_values(expected, bytes({0, std::nextafter(2.5f, 3.0f), 0, 1}));
  EXPECT_EQ(bad.wrong, 2);
  EXPECT_EQ(bad.first_wrong, 1);
  ASSERT_EQ(bad.first.size(), 2u);
  EXPECT_EQ(bad.first[1].got, "1");
  EXPECT_EQ(check_values(expected, bytes({0})).wrong, 4);
  const RefTensor truth{DType::boolean, {1}, {exact_int(1)}};
  EXPECT_EQ(check_values(truth, {1}).wrong, 0);
  EXPECT_EQ(check_values(truth, {2}).wrong, 1);  // a bool is 0 or 1, nothing else
}

TEST(Reference, HasEveryOperationOfTheTable) {
  for (const OpInfo& op : op_table()) EXPECT_TRUE(has_own_meaning(op.name) || op.expansion) << op.name;
}

}  // namespace
}  // namespace uopdiff
