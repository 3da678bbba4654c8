#include "generators/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/program/error.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

// What the lines below name; T is the dtype. Values are such that every operation is defined on most of them.
constexpr const char* kOperands =
    "x = input T[2,3] small seed=1\n"       // any
    "y = input T[2,3] small seed=2\n"       //
    "p = input T[2,3] positive seed=3\n"    // above 0
    "u = input T[2,3] unit seed=4\n"        // within -1..1
    "s = input T[2,3] ones\n"               // shift amounts
    "q = input bool[2,3] small seed=5\n"    // conditions
    "t = input T[3,2] uniform seed=6\n"     //
    "v = input T[3] small seed=7\n"         //
    "o = input T[3] positive seed=8\n"      //
    "n = input T[4] small seed=9\n"         //
    "c = input T[2,4,5,6] small seed=10\n"  // an image, with weights for it
    "k = input T[4,4,2,2] small seed=11\n"  //
    "g = input T[4,2,2,2] small seed=12\n"  //
    "w = input T[2,2] small seed=13\n"      //
    "i = input i32[2] index seed=14 below=2\n"
    "j = input i32[2,2] index seed=15 below=2\n"
    "m = input bool[2,2] ones\n";

constexpr size_t kMaxOutputs = 16;  // of a group: one failure makes all of it be run one by one

constexpr const char* kWalk = " stride=[2,1] dilation=[1,2] padding=[[1,0],[0,2]]";

// Operations that the rules of line_of do not reach.
const std::multimap<std::string, std::string>& special_lines() {
  static const std::multimap<std::string, std::string> lines{
      {"input", "r = input T[2,3] special seed=16"},
      {"full", "r = full T[2,3] value=1"},
      {"arange", "r = arange T[7] start=1 step=2"},
      {"linspace", "r = linspace T[5] start=0 stop=1"},
      {"eye", "r = eye T[2,3]"},
      {"reshape", "r = reshape x shape=[3,2]"},
      {"permute", "r = permute x axes=[1,0]"},
      {"expand", "e = reshape x shape=[2,1,3]\nr = expand e shape=[2,4,3]"},
      {"pad", "r = pad x padding=[[1,0],[0,2]]"},
      {"shrink", "r = shrink x bounds=[[1,2],[0,2]]"},
      {"flip", "r = flip x axes=[0,1]"},
      {"pad_value", "r = pad_value x padding=[[1,0],[0,2]] value=1"},
      {"slice", "r = slice x bounds=[[0,2],[0,3]] steps=[-1,2]"},
      {"repeat", "r = repeat x repeats=[1,3]"},
      {"unsqueeze", "r = unsqueeze x axis=2"},
      {"squeeze", "e = reshape x shape=[2,1,3]\nr = squeeze e axis=1"},
      {"flatten", "r = flatten x start=0 end=1"},
      {"tril", "r = tril x diagonal=1"},
      {"assign", "r = assign x y"},
      {"assign_view", "e = shrink y bounds=[[0,2],[1,3]]\nr = assign_view x e bounds=[[0,2],[1,3]]"},
      {"clamp", "r = clamp x min=0 max=2"},
      {"pow", "r = pow p y"},
      {"where", "r = where q x y"},
      {"topk", "r = topk x axis=1 k=2"},
      {"matmul", "r = matmul x t"},
      {"linear", "b = shrink v bounds=[[0,2]]\nr = linear x t b"},
      {"dot", "r = dot v o"},
      {"einsum", "r = einsum x t formula=ij_jk_ki"},
      {"sdpa", "r = sdpa x y u m"},
      {"conv", fmt::format("r = conv c k n{}", kWalk)},
      {"conv_transpose",
       "r = conv_transpose c g n stride=[2,1] dilation=[1,2] padding=[[1,0],[0,1]] output_padding=[1,0] "
       "groups=2"},
      {"avg_pool", fmt::format("r = avg_pool c kernel=[2,2]{}", kWalk)},
      {"max_pool", fmt::format("r = max_pool c kernel=[2,2]{}", kWalk)},
      {"batchnorm", "r = batchnorm x v v o o"},
      {"nll_loss", "r = nll_loss x i"},
      {"cross_entropy", "r = cross_entropy x i"},
      {"gather", "r = gather x j axis=1"},
      {"index_select", "r = index_select x i axis=0"},
      {"scatter", "r = scatter x j w axis=1"},
      {"scatter_reduce", "r = scatter_reduce x j w axis=1 reduce=sum"},
      {"scatter_reduce", "r = scatter_reduce x j w axis=0 reduce=amax include_self=false"},
      {"one_hot", "r = one_hot i classes=3"},
  };
  return lines;
}

std::string operand_for(const OpInfo& op, size_t position) {
  const Domain domain = position < op.domains.size() ? op.domains[position] : Domain::any;
  switch (domain) {
    case Domain::nonzero:
    case Domain::positive:
      return "p";
    case Domain::shift:
      return "s";
    case Domain::unit:
      return "u";
    case Domain::any:
    case Domain::moderate:
      return position % 2 == 0 ? "x" : "y";
  }
  return "x";
}

std::vector<std::string> lines_of(const OpInfo& op, DType dtype) {
  std::vector<std::string> lines;
  const auto [first, last] = special_lines().equal_range(op.name);
  for (auto line = first; line != last; ++line) lines.push_back(line->second);
  if (!lines.empty()) return lines;
  std::string line = "r = " + op.name;
  for (int k = 0; k < op.min_arity; ++k) line += " " + operand_for(op, static_cast<size_t>(k));
  for (const AttrSpec& spec : op.attrs) {
    if (spec.fallback) continue;
    if (spec.name == "axis") {
      line += " axis=1";
    } else if (spec.name == "axes") {
      line += " axes=[1]";
    } else if (spec.name == "to") {
      for (DType to : kAllDTypes) {
        const bool bits = op.name != "bitcast" || (to != DType::boolean && byte_size(to) == byte_size(dtype));
        if (to != dtype && bits) lines.push_back(line + " to=" + dtype_name(to));
      }
      return lines;
    } else {
      throw Error(ErrorKind::internal,
                  fmt::format("generators/examples.cpp: {} wants an example, it has an attribute '{}'",
                              op.name, spec.name));
    }
  }
  return {line};
}

Program program_of(const std::string& line, DType dtype) {
  std::string text = std::string(kOperands) + line + "\noutput r\n";
  for (size_t at = text.find(" T["); at != std::string::npos; at = text.find(" T["))
    text.replace(at + 1, 1, dtype_name(dtype));
  return canonical(parse_program(text, "example"));
}

}  // namespace

std::vector<Example> examples() {
  std::vector<Example> all;
  for (const OpInfo& op : op_table())
    for (DType dtype : op.name == "where" ? get_op("reshape").dtypes : op.dtypes)
      for (const std::string& line : lines_of(op, dtype))
        all.push_back({op.name, dtype, program_of(line, dtype)});
  return all;
}

std::vector<ExampleGroup> example_groups(const std::vector<Example>& all) {
  std::vector<ExampleGroup> groups;
  for (const Example& example : all) {
    const bool fits = !groups.empty() && groups.back().op == example.op &&
                      groups.back().program.outputs.size() < kMaxOutputs;
    if (!fits) groups.push_back({example.op, {}});
    Program& program = groups.back().program;
    const auto base = static_cast<int>(program.nodes.size());
    for (Node node : example.program.nodes) {
      for (int& src : node.src) src += base;
      node.name.clear();
      append(program, std::move(node));
    }
    for (int output : example.program.outputs) program.outputs.push_back(base + output);
  }
  return groups;
}

}  // namespace uopdiff
