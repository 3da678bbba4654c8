// Shape and dtype inference of every operation, right and wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/program/error.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

// The last line's result as "f32[3,4]", or the message of the error.
std::string result_of(const std::string& lines) {
  try {
    const Program program =
        parse_program("f = input f32[2,3]\ni = input i32[2,3]\nb = input bool[2,3]\ns = input f32[]\n" +
                          lines + "\noutput r\n",
                      "t");
    const Node& node = program.nodes.back();
    return fmt::format("{}{}", dtype_name(node.dtype), shape_text(node.shape));
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.substr(text.find(": ") + 2);
  }
}

struct Inference {
  const char* line;
  const char* result;
};
class Infers : public testing::TestWithParam<Inference> {};
TEST_P(Infers, DtypeAndShapeOrReason) {
  EXPECT_EQ(result_of(GetParam().line), GetParam().result) << GetParam().line;
}

INSTANTIATE_TEST_SUITE_P(
    Right, Infers,
    testing::Values(Inference{"r = full bool[2] value=true", "bool[2]"},
                    Inference{"r = arange f32[4] start=1 step=-2", "f32[4]"},
                    Inference{"r = reshape f shape=[3,1,2]", "f32[3,1,2]"},
                    Inference{"r = reshape s shape=[1,1]", "f32[1,1]"},
                    Inference{"r = permute i axes=[1,0]", "i32[3,2]"},
                    Inference{"x = reshape f shape=[2,1,3]\nr = expand x shape=[2,4,3]", "f32[2,4,3]"},
                    Inference{"r = pad b padding=[[1,0],[0,2]]", "bool[3,5]"},
                    Inference{"r = shrink f bounds=[[1,2],[0,2]]", "f32[1,2]"},
                    Inference{"r = flip f axes=[0,1]", "f32[2,3]"},
                    Inference{"r = contiguous b", "bool[2,3]"},
                    Inference{"x = shrink f bounds=[[0,2],[0,1]]\nr = cat f x f axis=1", "f32[2,7]"},
                    Inference{"r = neg i", "i32[2,3]"}, Inference{"r = exp2 f", "f32[2,3]"},
                    Inference{"r = logical_not b", "bool[2,3]"}, Inference{"r = truncdiv i i", "i32[2,3]"},
                    Inference{"r = xor b b", "bool[2,3]"}, Inference{"r = lt i i", "bool[2,3]"},
                    Inference{"r = eq b b", "bool[2,3]"}, Inference{"r = where b i i", "i32[2,3]"},
                    Inference{"r = cast f to=bool", "bool[2,3]"}, Inference{"r = sum i axes=[0,1]", "i32[]"},
                    Inference{"r = max f axes=[1] keepdim=true", "f32[2,1]"},
                    Inference{"x = permute f axes=[1,0]\nr = matmul f x", "f32[2,2]"},
                    Inference{"r = mean f axes=[0]", "f32[3]"}, Inference{"r = softmax f axis=1", "f32[2,3]"},
                    Inference{"r = cumsum i axis=0", "i32[2,3]"}));

INSTANTIATE_TEST_SUITE_P(
    Wrong, Infers,
    testing::Values(
        Inference{"r = full i32[2] value=1.5", "full: value 1.5 is not of dtype i32"},
        Inference{"r = arange i32[2,2]", "arange: arange has rank 1, not shape [2,2]"},
        Inference{"r = arange i32[2] step=0", "arange: arange needs a step other than 0"},
        Inference{"r = reshape f shape=[4]", "reshape: cannot reshape [2,3] to [4]: 6 elements against 4"},
        Inference{"r = permute f axes=[0,0]", "permute: axis 0 is named twice"},
        Inference{"r = permute f axes=[0]", "permute: permute names 1 axes, the operand has shape [2,3]"},
        Inference{"r = expand f shape=[2,6]", "expand: cannot expand [2,3] to [2,6]: axis 1 is not 1"},
        Inference{"r = pad f padding=[[-1,0],[0,0]]", "pad: padding is negative; use shrink"},
        Inference{"r = shrink f bounds=[[0,3],[0,3]]",
                  "shrink: bounds [0,3] of axis 0 do not lie in extent 2"},
        Inference{"r = cat f i axis=0", "cat: operands differ in dtype: f32 and i32 (write a cast)"},
        Inference{"x = permute f axes=[1,0]\nr = cat f x axis=0",
                  "cat: cannot cat [2,3] and [3,2] along axis 0"},
        Inference{"r = add f i", "add: operands differ in dtype: f32 and i32 (write a cast)"},
        Inference{"r = add f s", "add: operands differ in shape: [2,3] and [] (write reshape and expand)"},
        Inference{"r = where f f f", "where: does not take f32"},
        Inference{"r = sum f axes=[]", "sum: a reduce names at least one axis"},
        Inference{"r = sum s axes=[0]", "sum: axis 0 is not one of the 0 axes of the operand"},
        Inference{
            "r = matmul f f",
            "matmul: cannot multiply [2,3] by [2,3]: wants [...,m,k] and [...,k,n] with equal leading axes"},
        Inference{"r = softmax f axis=2", "softmax: axis 2 is not one of the 2 axes of the operand"},
        Inference{"r = softmax f axis=-1", "softmax: axis -1 is not one of the 2 axes of the operand"},
        Inference{"r = cumsum b axis=0", "cumsum: does not take bool"},
        Inference{"r = mean i axes=[0]", "mean: does not take i32"},
        Inference{"r = max f axes=[0,2]", "max: axis 2 is not one of the 2 axes of the operand"},
        Inference{"r = prod f axes=[1,1]", "prod: axis 1 is named twice"},
        Inference{"r = flip f axes=[2]", "flip: axis 2 is not one of the 2 axes of the operand"},
        Inference{"r = expand f shape=[2]", "expand: expand names 1 axes, the operand has shape [2,3]"},
        Inference{"r = pad f padding=[[0,0]]", "pad: padding names 1 axes, the operand has shape [2,3]"},
        Inference{"r = shrink f bounds=[[0,0],[0,3]]",
                  "shrink: bounds [0,0] of axis 0 do not lie in extent 2"},
        Inference{"r = shrink f bounds=[[-1,1],[0,3]]",
                  "shrink: bounds [-1,1] of axis 0 do not lie in extent 2"},
        Inference{"x = reshape f shape=[6]\nr = cat f x axis=1",
                  "cat: cannot cat [2,3] and [6] along axis 1"},
        Inference{"r = cat f f axis=2", "cat: axis 2 is not one of the 2 axes of the operand"},
        Inference{"r = where b f i", "where: operands differ in dtype: f32 and i32 (write a cast)"},
        Inference{"x = permute f axes=[1,0]\nr = where b f x",
                  "where: operands differ in shape: [2,3] and [3,2] (write reshape and expand)"},
        Inference{"r = cast f to=f64", "cast: unknown dtype 'f64'"},
        Inference{"r = arange bool[2]", "arange: does not take bool"},
        Inference{"r = arange i32[65536] step=1000", "arange: arange has values beyond +-16777216"},
        Inference{"x = full f32[4096] value=1\nr = cumsum x axis=0", "f32[4096]"},
        Inference{"x = full f32[4097] value=1\nr = cumsum x axis=0",
                  "cumsum: shape [4097,4097] has more than 16777216 elements"},
        Inference{"x = full f32[256,300] value=1\ny = full f32[300,256] value=1\nr = matmul x y",
                  "matmul: shape [256,300,256] has more than 16777216 elements"},
        Inference{"x = reshape f shape=[1,1,1,1,2,3]\nr = cumsum x axis=0", "cumsum: rank 7 is above 6"}));

// Every operation refuses every dtype that its entry does not name, and says so.
TEST(OpTable, DtypesOfTheFirstOperandAreEnforced) {
  for (const OpInfo& op : op_table())
    for (DType dtype : kAllDTypes) {
      Program program;
      Node node;
      node.op = &op;
      node.dtype = dtype;
      node.shape = {2, 2};
      for (int k = 0; k < op.min_arity; ++k)
        node.src.push_back(append_source(program, "input", dtype, {2, 2}));
      const std::map<std::string, AttrValue> values{{"value", 1.0},
                                                    {"shape", Ints{2, 2}},
                                                    {"axes", Ints{0, 1}},
                                                    {"padding", Pairs{{0, 0}, {0, 0}}},
                                                    {"bounds", Pairs{{0, 2}, {0, 2}}},
                                                    {"axis", int64_t{0}},
                                                    {"to", std::string("i32")}};
      for (const AttrSpec& spec : op.attrs)
        if (!spec.fallback) node.attrs[spec.name] = values.at(spec.name);
      std::string reason = "accepted";
      try {
        append(program, node);
      } catch (const Error& error) {
        reason = error.what();
      }
      const std::string refusal = op.name + ": does not take " + dtype_name(dtype);
      EXPECT_EQ(reason == refusal, !op.takes(dtype)) << op.name << " " << dtype_name(dtype) << ": " << reason;
    }
}

// The dtype rule of every elementwise operation, for every dtype that it takes.
TEST(OpTable, ElementwiseResultsHaveTheOperandsShapeAndTheCategorysDtype) {
  for (const OpInfo& op : op_table()) {
    const bool elementwise =
        op.category == Category::unary || op.category == Category::binary || op.category == Category::compare;
    if (!elementwise) continue;
    for (DType dtype : op.dtypes) {
      Program program;
      const int a = append_source(program, "input", dtype, {3, 1, 2});
      const int r = append(program, op.name, std::vector<int>(static_cast<size_t>(op.min_arity), a));
      const Node& node = program.nodes[static_cast<size_t>(r)];
      EXPECT_EQ(node.shape, (Shape{3, 1, 2})) << op.name;
      EXPECT_EQ(node.dtype, op.category == Category::compare ? DType::boolean : dtype) << op.name;
    }
  }
}

TEST(OpTable, NamesAreDistinctAndEveryEntryIsComplete) {
  std::set<std::string> names;
  for (const OpInfo& op : op_table()) {
    EXPECT_TRUE(names.insert(op.name).second) << op.name;
    EXPECT_FALSE(op.dtypes.empty()) << op.name;
    EXPECT_FALSE(op.meaning.empty()) << op.name;
    EXPECT_TRUE(op.infer) << op.name;
    EXPECT_GT(op.weight, 0) << op.name;
    EXPECT_LE(op.min_arity, op.max_arity) << op.name;
    EXPECT_TRUE(op.category != Category::composite || op.expansion) << op.name;
  }
}

TEST(Expansion, IsPrimitiveAndKeepsShapesDtypesAndInputNames) {
  for (const char* line :
       {"r = matmul x f", "r = mean f axes=[0,1] keepdim=true", "r = softmax f axis=0", "r = cumsum i axis=1",
        "r = abs i", "r = relu f", "r = minimum f f", "r = floordiv i i", "r = floormod i i"}) {
    const Program program =
        parse_program(std::string("f = input f32[2,3]\ni = input i32[2,3]\nx = permute f axes=[1,0]\n") +
                          line + "\noutput r, i\n",
                      "t");
    const Program expanded = expand_composites(program);
    EXPECT_FALSE(has_expansion(expanded)) << line;
    const Node &before = program.nodes[static_cast<size_t>(program.outputs[0])],
               &after = expanded.nodes[static_cast<size_t>(expanded.outputs[0])];
    EXPECT_EQ(before.shape, after.shape) << line;
    EXPECT_EQ(before.dtype, after.dtype) << line;
    for (int n : inputs_of(program)) {
      bool found = false;
      for (int m : inputs_of(expanded))
        found |= expanded.nodes[static_cast<size_t>(m)].name == program.nodes[static_cast<size_t>(n)].name;
      EXPECT_TRUE(found) << line;
    }
    EXPECT_NO_THROW(parse_program(print_program(expanded), "expanded")) << print_program(expanded);
  }
}

}  // namespace
}  // namespace uopdiff
