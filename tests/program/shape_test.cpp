// Shape and dtype inference of every operation, right and wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
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
        Inference{"r = full i32[2] value=1.5", "full: value 1.5 is not exactly of dtype i32"},
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
        Inference{"r = shrink f bounds=[[2,1],[0,3]]",
                  "shrink: bounds [2,1] of axis 0 do not lie in extent 2"},
        Inference{"r = shrink f bounds=[[-1,1],[0,3]]",
                  "shrink: bounds [-1,1] of axis 0 do not lie in extent 2"},
        Inference{"x = reshape f shape=[6]\nr = cat f x axis=1",
                  "cat: cannot cat [2,3] and [6] along axis 1"},
        Inference{"r = cat f f axis=2", "cat: axis 2 is not one of the 2 axes of the operand"},
        Inference{"r = where b f i", "where: operands differ in dtype: f32 and i32 (write a cast)"},
        Inference{"x = permute f axes=[1,0]\nr = where b f x",
                  "where: operands differ in shape: [2,3] and [3,2] (write reshape and expand)"},
        Inference{"r = cast f to=f128", "cast: unknown dtype 'f128'"},
        Inference{"r = arange bool[2]", "arange: does not take bool"},
        Inference{"r = arange i32[65536] step=1000",
                  "arange: arange has values that i32 does not hold exactly"},
        Inference{"x = full f32[4096] value=1\nr = cumsum x axis=0", "f32[4096]"},
        Inference{"x = full f32[4097] value=1\nr = cumsum x axis=0",
                  "cumsum: shape [4097,4097] has more than 16777216 elements"},
        Inference{"x = full f32[256,300] value=1\ny = full f32[300,256] value=1\nr = matmul x y",
                  "matmul: shape [256,300,256] has more than 16777216 elements"},
        Inference{"x = reshape f shape=[1,1,1,1,1,1,2,3]\nr = cumsum x axis=0", "cumsum: rank 9 is above 8"},
        Inference{"r = arange i8[128]", "arange: arange has values that i8 does not hold exactly"},
        Inference{"r = arange f16[2048] step=2", "arange: arange has values that f16 does not hold exactly"},
        Inference{"r = full u8[] value=-1", "full: value -1 is not exactly of dtype u8"},
        Inference{"r = full bf16[] value=257", "full: value 257 is not exactly of dtype bf16"},
        Inference{"r = linspace f32[3] start=0 stop=0.1",
                  "linspace: start, stop and step 0.05 of linspace are not exactly of dtype f32"},
        Inference{"r = eye f32[2]", "eye: eye has rank 2, not shape [2]"},
        Inference{"r = slice f bounds=[[0,2],[0,3]] steps=[1,0]",
                  "slice: step 0 of axis 1 is 0 or beyond 16777216"},
        Inference{"r = stack f f axis=3", "stack: axis 3 is not one of the 3 axes of the operand"},
        Inference{"r = squeeze f axis=0", "squeeze: axis 0 of shape [2,3] is not 1"},
        Inference{"r = flatten f start=1 end=0", "flatten: start 1 is behind end 0"},
        Inference{"r = tril s", "tril: a triangle wants at least two axes"},
        Inference{"x = neg f\nr = assign x f",
                  "assign: its target is the result of neg, not of input, realize or an assign"},
        Inference{"r = assign_view f f bounds=[[0,1],[0,3]]",
                  "assign_view: the window [1,3] and the value [2,3] differ in shape"},
        Inference{"r = bitcast f to=f64", "bitcast: cannot read the bits of f32 as f64"},
        Inference{"r = clamp f min=1 max=0",
                  "clamp: min 1 and max 0 are not in order or not exactly of dtype f32"},
        Inference{"r = softplus f beta=0.1", "softplus: beta is 0 or not exactly of the dtype"},
        Inference{"r = var f axes=[0,1]\nx = shrink f bounds=[[0,1],[0,3]]\nr = var x axes=[0]",
                  "'r' is defined twice"},
        Inference{"x = shrink f bounds=[[0,1],[0,3]]\nr = var x axes=[0]",
                  "var: it is over 1 elements and wants at least 2"},
        Inference{"x = shrink f bounds=[[0,0],[0,3]]\nr = max x axes=[0]",
                  "max: it is over 0 elements and wants at least 1"},
        Inference{"x = shrink f bounds=[[0,0],[0,3]]\nr = argmax x axis=0",
                  "argmax: its axis has no elements"},
        Inference{"r = topk f axis=1 k=4", "topk: k 4 is not in 1..3"},
        Inference{"r = dot f f", "dot: takes two vectors, not shape [2,3]"},
        Inference{"r = linear f f", "linear: takes [...,k] and [k,n], not [2,3] and [2,3]"},
        Inference{"r = einsum f f formula=ij_jk_ik", "einsum: letter j has two extents"},
        Inference{"r = einsum f formula=ii_i", "einsum: its formula repeats a letter within an operand"},
        Inference{"r = einsum f formula=ij_k", "einsum: letter k of the result is in no operand"},
        Inference{"r = einsum f f formula=ij_i",
                  "einsum: its formula names 1 operands and a result, 2 operands are given"},
        Inference{"r = conv f f stride=[1] dilation=[1] padding=[[0,0]]",
                  "conv: takes [n,c] and one or two more axes, not [2,3], with a kernel []"},
        Inference{"x = input f32[1,2,4]\nw = input f32[1,2,6]\nr = conv x w stride=[1] dilation=[1] "
                  "padding=[[0,0]]",
                  "conv: a window of 6 does not fit into an extent of 4"},
        Inference{"x = input f32[1,2,4]\nw = input f32[1,2,2]\nr = conv x w stride=[1] dilation=[1] "
                  "padding=[[0,0]] groups=2",
                  "conv: 2 groups do not divide 2 and 1 channels"},
        Inference{"r = layernorm f eps=0.1", "layernorm: eps 0.1 is not in 0..1 or not exactly of dtype f32"},
        Inference{"r = nll_loss f i reduction=mean", "nll_loss: the target has shape [2,3], not [2]"},
        Inference{"r = gather f f axis=0", "gather: the index is f32, not i32"},
        Inference{"x = input i32[4,4]\nr = gather f x axis=0",
                  "gather: an index of shape [4,4] does not fit [2,3]"},
        Inference{"r = scatter_reduce f i f axis=0 reduce=mean",
                  "scatter_reduce: reduce 'mean' is not sum, prod, amax or amin"},
        Inference{"x = input f32[2] index below=3\nr = neg x",
                  "input: the fill 'index' is for integers and wants below=N with N at least 1"},
        Inference{"x = input i32[2] small below=3\nr = neg x",
                  "input: below=N belongs to the fill 'index'"}));

// The old contents of an assigned buffer are out of sight.
TEST(Assign, OutputsSeeTheTargetByWayOfTheAssignOnly) {
  EXPECT_EQ(result_of("t = realize f\nv = add t t\nr = assign t v"), "f32[2,3]");
  EXPECT_EQ(result_of("t = realize f\nv = add t t\na = assign t v\nr = assign a f"), "f32[2,3]");
  const std::string message = "output r can see what t was before it is assigned to (as a)";
  EXPECT_EQ(result_of("t = realize f\nv = add t t\na = assign t v\nr = add a v"), message);
  EXPECT_EQ(result_of("t = realize f\nv = add t t\na = assign t v\nr = neg t"), message);
}

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
      std::string reason = "accepted";
      try {
        append(program, node);
      } catch (const Error& error) {
        reason = error.what();  // also for lack of attributes
      }
      const std::string refusal = op.name + ": does not take " + dtype_name(dtype);
      EXPECT_EQ(reason == refusal, !op.takes(dtype)) << op.name << " " << dtype_name(dtype) << ": " << reason;
    }
}

// The dtype rule of every elementwise operation, for every dtype that it takes.
TEST(OpTable, ElementwiseResultsHaveTheOperandsShapeAndTheCategorysDtype) {
  const std::set<std::string> to_bool{"isnan", "isinf", "lt", "gt", "le", "ge", "eq", "ne"};
  for (const OpInfo& op : op_table()) {
    const bool elementwise =
        op.category == Category::unary || op.category == Category::binary || op.category == Category::compare;
    if (!elementwise) continue;
    for (DType dtype : op.dtypes) {
      Program program;
      const int a = append_source(program, "input", dtype, {3, 1, 2});
      Attrs attrs;
      for (const AttrSpec& spec : op.attrs)
        if (!spec.fallback) attrs[spec.name] = 1.0;
      const int r = append(program, op.name, std::vector<int>(static_cast<size_t>(op.min_arity), a), attrs);
      const Node& node = program.nodes[static_cast<size_t>(r)];
      EXPECT_EQ(node.shape, (Shape{3, 1, 2})) << op.name;
      EXPECT_EQ(node.dtype, to_bool.count(op.name) ? DType::boolean : dtype) << op.name;
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

// Every operation with a definition, in every dtype that it takes.
TEST(Expansion, IsPrimitiveAndKeepsShapesDtypesAndInputNames) {
  const char* const walk = "stride=[2,1] dilation=[1,2] padding=[[1,0],[0,2]]";
  std::vector<std::string> lines{"r = linspace T[5] start=0 stop=1",
                                 "r = eye T[2,3]",
                                 "r = pad_value x padding=[[1,0],[0,2]] value=1",
                                 "r = slice x bounds=[[0,2],[0,3]] steps=[-1,2]",
                                 "r = slice x bounds=[[1,1],[0,3]] steps=[3,-2]",
                                 "r = stack x x x axis=1",
                                 "r = repeat x repeats=[1,3]",
                                 "r = unsqueeze x axis=2",
                                 "y = unsqueeze x axis=1\nr = squeeze y axis=1",
                                 "r = flatten x start=0 end=1",
                                 "r = tril x diagonal=1",
                                 "r = triu x",
                                 "r = detach x",
                                 "r = realize x",
                                 "r = assign x x",
                                 "y = neg x\nr = assign_view x y bounds=[[0,2],[0,3]]",
                                 "r = clamp x min=0 max=1",
                                 "r = lerp x x x",
                                 "r = argmax x axis=1",
                                 "r = argmin x axis=0 keepdim=true",
                                 "r = any x axes=[0]",
                                 "r = all x axes=[0,1]",
                                 "r = mean x axes=[0,1] keepdim=true",
                                 "r = var x axes=[1]",
                                 "r = std x axes=[1]",
                                 "r = logsumexp x axes=[1,0]",
                                 "r = topk x axis=1 k=2 largest=false",
                                 "r = matmul x t",
                                 "r = linear x t",
                                 "r = dot v v",
                                 "r = einsum x t formula=ij_jk_ki",
                                 "r = einsum x formula=ij_",
                                 "r = sdpa x x x causal=true",
                                 "r = sdpa x x x m",
                                 fmt::format("r = conv c k {}", walk),
                                 fmt::format("r = conv c k2 n {} groups=2", walk),
                                 "r = conv_transpose c k3 n stride=[2,1] dilation=[1,2] "
                                 "padding=[[1,0],[0,1]] output_padding=[1,0] groups=2",
                                 fmt::format("r = avg_pool c kernel=[2,2] {} count_include_pad=false", walk),
                                 fmt::format("r = avg_pool c kernel=[1,2] {}", walk),
                                 fmt::format("r = max_pool c kernel=[2,2] {}", walk),
                                 "r = layernorm x",
                                 "r = rms_norm x",
                                 "r = batchnorm x v v v v",
                                 "r = nll_loss x i",
                                 "r = cross_entropy x i reduction=none",
                                 "r = gather x j axis=1",
                                 "r = index_select x i axis=0",
                                 "r = scatter x j y axis=1",
                                 "r = scatter_reduce x j y axis=0 reduce=amax include_self=false",
                                 "r = scatter_reduce x j y axis=1 reduce=prod",
                                 "r = one_hot i classes=4"};
  for (const OpInfo& op : op_table()) {
    if (!op.expansion || std::ranges::any_of(op.attrs, [](const AttrSpec& a) {
          return !a.fallback && a.name != "axis" && a.name != "axes";
        }))
      continue;
    const bool in_lines = std::ranges::any_of(
        lines, [&](const std::string& line) { return line.find(" " + op.name + " ") != std::string::npos; });
    if (in_lines) continue;
    lines.push_back(fmt::format("r = {}{}{}", op.name, op.min_arity == 1 ? " x" : " x x",
                                op.find_attr("axis")   ? " axis=1"
                                : op.find_attr("axes") ? " axes=[0]"
                                                       : ""));
  }
  std::set<std::string> expanded_ops;
  int programs = 0;
  for (const std::string& line : lines)
    for (DType dtype : kAllDTypes) {
      const std::string name = dtype_name(dtype);
      std::string source =
          "x = input T[2,3]\nt = input T[3,2]\nv = input T[3]\nn = input T[4]\nc = input T[2,4,5,6]\nk = "
          "input T[4,4,2,2]\n"
          "k2 = input T[4,2,2,2]\nk3 = input T[4,2,2,2]\ny = input T[2,2]\ni = input i32[2] index below=2\n"
          "j = input i32[2,2] index below=2\nm = input bool[2,2]\n";
      source += line + "\noutput r, i\n";
      if (line.find("y = ") != std::string::npos) source.replace(source.find("y = input T[2,2]\n"), 17, "");
      for (size_t at = source.find(" T["); at != std::string::npos; at = source.find(" T["))
        source.replace(at + 1, 1, name);
      Program program;
      try {
        program = parse_program(source, "t");
      } catch (const Error& error) {
        ASSERT_NE(std::string(error.what()).find("does not take " + name), std::string::npos)
            << source << error.what();
        continue;
      }
      ++programs;
      for (const Node& node : program.nodes)
        if (node.op->expansion) expanded_ops.insert(node.op->name);
      const Program expanded = expand_composites(program);
      EXPECT_FALSE(has_expansion(expanded)) << line;
      const Node &before = program.nodes[static_cast<size_t>(program.outputs[0])],
                 &after = expanded.nodes[static_cast<size_t>(expanded.outputs[0])];
      EXPECT_EQ(before.shape, after.shape) << line;
      EXPECT_EQ(before.dtype, after.dtype) << line;
      const Program again = parse_program(print_program(expanded), "expanded");
      EXPECT_EQ(print_program(again), print_program(expanded));
      for (int n : inputs_of(program))
        EXPECT_NE(std::ranges::find(expanded.nodes, program.nodes[static_cast<size_t>(n)].name, &Node::name),
                  expanded.nodes.end())
            << line;
    }
  EXPECT_GT(programs, 400);
  for (const OpInfo& op : op_table())
    EXPECT_TRUE(!op.expansion || expanded_ops.count(op.name)) << op.name << " has no line above";
}

}  // namespace
}  // namespace uopdiff
