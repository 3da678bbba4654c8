#include "harness/program/op_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/program/composites.h"
#include "harness/program/error.h"
#include "harness/program/shape_rules.h"

namespace uopdiff {
namespace {

using enum Category;
constexpr DType B = DType::boolean, I = DType::i32, F = DType::f32;

AttrSpec required(std::string name, AttrKind kind) { return {std::move(name), kind, std::nullopt}; }
AttrSpec with_default(std::string name, AttrKind kind, AttrValue value) {
  return {std::move(name), kind, std::move(value)};
}

std::vector<OpInfo> make_table() {
  const std::vector<DType> all{B, I, F}, numbers{I, F}, floats{F}, ints{I}, bools{B}, bits{B, I};
  const std::vector<AttrSpec> reduce_attrs{required("axes", AttrKind::ints),
                                           with_default("keepdim", AttrKind::boolean, false)};
  const std::vector<AttrSpec> axis_attr{required("axis", AttrKind::integer)};
  std::vector<OpInfo> t;
  const auto add = [&t](const char* name, Category category, int min_arity, int max_arity,
                        std::vector<DType> dtypes, std::vector<AttrSpec> attrs, double weight,
                        const char* meaning, auto infer, decltype(OpInfo::expansion) expansion = nullptr) {
    t.push_back({name, category, min_arity, max_arity, std::move(dtypes), std::move(attrs), weight, meaning,
                 infer, std::move(expansion)});
  };

  add("input", source, 0, 0, all,
      {with_default("fill", AttrKind::word, std::string("small")),
       with_default("seed", AttrKind::integer, int64_t{0})},
      6, "a realised buffer", rules::input);
  add("full", source, 0, 0, all, {required("value", AttrKind::number)}, 1,
      "every element is value; no buffer", rules::full);
  add("arange", source, 0, 0, numbers,
      {with_default("start", AttrKind::integer, int64_t{0}),
       with_default("step", AttrKind::integer, int64_t{1})},
      1, "element k is start + k*step; no buffer", rules::arange);

  add("reshape", movement, 1, 1, all, {required("shape", AttrKind::ints)}, 4, "same elements in C order",
      rules::reshape);
  add("permute", movement, 1, 1, all, {required("axes", AttrKind::ints)}, 4,
      "result axis i is source axis axes[i]", rules::permute);
  add("expand", movement, 1, 1, all, {required("shape", AttrKind::ints)}, 3, "an extent of 1 is repeated",
      rules::expand);
  add("pad", movement, 1, 1, all, {required("padding", AttrKind::pairs)}, 4,
      "zeros before and after each axis", rules::pad);
  add("shrink", movement, 1, 1, all, {required("bounds", AttrKind::pairs)}, 4,
      "a half-open window of each axis", rules::shrink);
  add("flip", movement, 1, 1, all, {required("axes", AttrKind::ints)}, 3, "the named axes run backwards",
      rules::flip);
  add("contiguous", movement, 1, 1, all, {}, 2, "same values, materialised", rules::elementwise);
  add("cat", movement, 2, 8, all, axis_attr, 3, "operands one after another along axis", rules::cat);

  add("neg", unary, 1, 1, numbers, {}, 2, "-x; i32 wraps", rules::elementwise);
  add("abs", unary, 1, 1, numbers, {}, 1, "|x|; i32 wraps", rules::elementwise, composites::absolute);
  add("sqrt", unary, 1, 1, floats, {}, 1, "square root; NaN below zero", rules::elementwise);
  add("exp2", unary, 1, 1, floats, {}, 1, "2^x", rules::elementwise);
  add("log2", unary, 1, 1, floats, {}, 1, "logarithm to base 2", rules::elementwise);
  add("sin", unary, 1, 1, floats, {}, 1, "sine of x radians", rules::elementwise);
  add("exp", unary, 1, 1, floats, {}, 1, "e^x", rules::elementwise);
  add("log", unary, 1, 1, floats, {}, 1, "natural logarithm", rules::elementwise);
  add("reciprocal", unary, 1, 1, floats, {}, 1, "1/x", rules::elementwise);
  add("relu", unary, 1, 1, numbers, {}, 1, "max(x, 0)", rules::elementwise, composites::relu);
  add("logical_not", unary, 1, 1, bools, {}, 1, "true where x is false", rules::elementwise);

  add("add", binary, 2, 2, numbers, {}, 4, "x + y; i32 wraps", rules::elementwise);
  add("sub", binary, 2, 2, numbers, {}, 2, "x - y; i32 wraps", rules::elementwise);
  add("mul", binary, 2, 2, numbers, {}, 4, "x * y; i32 wraps", rules::elementwise);
  add("div", binary, 2, 2, floats, {}, 1, "x / y", rules::elementwise);
  add("floordiv", binary, 2, 2, ints, {}, 1, "quotient rounded to minus infinity", rules::elementwise,
      composites::floordiv);
  add("truncdiv", binary, 2, 2, ints, {}, 1, "quotient rounded to zero", rules::elementwise);
  add("floormod", binary, 2, 2, ints, {}, 1, "remainder with the divisor's sign", rules::elementwise,
      composites::floormod);
  add("truncmod", binary, 2, 2, ints, {}, 1, "remainder with the dividend's sign", rules::elementwise);
  add("maximum", binary, 2, 2, numbers, {}, 2, "the larger", rules::elementwise);
  add("minimum", binary, 2, 2, numbers, {}, 2, "the smaller", rules::elementwise, composites::minimum);
  add("and", binary, 2, 2, bits, {}, 1, "bitwise and", rules::elementwise);
  add("or", binary, 2, 2, bits, {}, 1, "bitwise or", rules::elementwise);
  add("xor", binary, 2, 2, bits, {}, 1, "bitwise exclusive or", rules::elementwise);
  add("shl", binary, 2, 2, ints, {}, 0.5, "x * 2^y, wraps; y in 0..31", rules::elementwise);
  add("shr", binary, 2, 2, ints, {}, 0.5, "floor(x / 2^y); y in 0..31", rules::elementwise);

  add("lt", Category::compare, 2, 2, numbers, {}, 2, "x < y", rules::compare);
  add("eq", Category::compare, 2, 2, all, {}, 1, "x == y", rules::compare);
  add("ne", Category::compare, 2, 2, all, {}, 1, "x != y", rules::compare);

  add("where", ternary, 3, 3, bools, {}, 1, "the second operand where the first is true, else the third",
      rules::where);
  add("cast", Category::cast, 1, 1, all, {required("to", AttrKind::word)}, 1,
      "to bool: x != 0; float to integer: rounded to zero", rules::cast);

  add("sum", Category::reduce, 1, 1, numbers, reduce_attrs, 4, "sum over axes, in the operand's dtype",
      rules::reduce);
  add("prod", Category::reduce, 1, 1, numbers, reduce_attrs, 1, "product over axes, in the operand's dtype",
      rules::reduce);
  add("max", Category::reduce, 1, 1, numbers, reduce_attrs, 2, "largest over axes", rules::reduce);
  add("min", Category::reduce, 1, 1, numbers, reduce_attrs, 2, "smallest over axes", rules::reduce);

  add("matmul", composite, 2, 2, numbers, {}, 2, "matrix product over the last two axes", rules::matmul,
      composites::matmul);
  add("mean", composite, 1, 1, floats, reduce_attrs, 2, "sum over axes, divided by their element count",
      rules::reduce, composites::mean);
  add("softmax", composite, 1, 1, floats, axis_attr, 2, "exp(x - max) divided by its sum along axis",
      rules::along_axis, composites::softmax);
  add("cumsum", composite, 1, 1, numbers, axis_attr, 2, "sum of the elements up to this one along axis",
      rules::cumsum, composites::cumsum);
  return t;
}

}  // namespace

bool OpInfo::takes(DType dtype) const { return std::ranges::find(dtypes, dtype) != dtypes.end(); }

const std::vector<OpInfo>& op_table() {
  static const std::vector<OpInfo> table = make_table();
  return table;
}

const OpInfo* find_op(const std::string& name) {
  static const auto index = [] {
    std::map<std::string, const OpInfo*> by_name;
    for (const OpInfo& op : op_table()) by_name[op.name] = &op;
    return by_name;
  }();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

const OpInfo& get_op(const std::string& name) {
  if (const OpInfo* op = find_op(name)) return *op;
  std::vector<std::string> names;
  for (const OpInfo& op : op_table()) names.push_back(op.name);
  throw Error(ErrorKind::input,
              fmt::format("unknown operation '{}'; known are {}", name, fmt::join(names, ", ")));
}

std::string category_name(Category category) {
  switch (category) {
    case source:
      return "source";
    case movement:
      return "movement";
    case unary:
      return "unary";
    case binary:
      return "binary";
    case Category::compare:
      return "compare";
    case ternary:
      return "ternary";
    case Category::cast:
      return "cast";
    case Category::reduce:
      return "reduce";
    case composite:
      return "composite";
  }
  return "?";
}

}  // namespace uopdiff
