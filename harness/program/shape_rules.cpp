#include "harness/program/shape_rules.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "harness/program/error.h"
#include "harness/program/fill.h"

namespace uopdiff::rules {

void fail(const std::string& message) { throw Error(ErrorKind::input, message); }

void check_shape(const Shape& shape) {
  if (shape.size() > kMaxRank) fail(fmt::format("rank {} is above {}", shape.size(), kMaxRank));
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 0) fail(fmt::format("extent {} in shape {} is negative", extent, shape_text(shape)));
    // Extents of 0 do not excuse the others.
    if (extent > kMaxElements || (count *= std::max<int64_t>(extent, 1)) > kMaxElements)
      fail(fmt::format("shape {} has more than {} elements", shape_text(shape), kMaxElements));
  }
}

void check_axis(int64_t axis, const Shape& shape) {
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
    fail(fmt::format("axis {} is not one of the {} axes of the operand", axis, shape.size()));
}

void check_axes(const Ints& axes, const Shape& shape) {
  std::set<int64_t> seen;
  for (int64_t axis : axes) {
    check_axis(axis, shape);
    if (!seen.insert(axis).second) fail(fmt::format("axis {} is named twice", axis));
  }
}

void same_dtype(const Operands& src) {
  for (const Node* operand : src)
    if (operand->dtype != src[0]->dtype)
      fail(fmt::format("operands differ in dtype: {} and {} (write a cast)", dtype_name(src[0]->dtype),
                       dtype_name(operand->dtype)));
}

void same_shape(const Operands& src) {
  for (const Node* operand : src)
    if (operand->shape != src[0]->shape)
      fail(fmt::format("operands differ in shape: {} and {} (write reshape and expand)",
                       shape_text(src[0]->shape), shape_text(operand->shape)));
}

void check_per_axis(size_t given, const Node& operand, const char* what) {
  if (given != operand.shape.size())
    fail(fmt::format("{} names {} axes, the operand has shape {}", what, given, shape_text(operand.shape)));
}

void check_dtype(const Node& operand, DType wanted, const char* what) {
  if (operand.dtype != wanted)
    fail(fmt::format("the {} is {}, not {}", what, dtype_name(operand.dtype), dtype_name(wanted)));
}

bool is_of(DType dtype, double value) {
  if (is_float(dtype)) return !std::isfinite(value) || static_cast<double>(round_to(dtype, value)) == value;
  if (value != std::trunc(value)) return false;
  const auto lowest = static_cast<double>(int_lowest(dtype));
  const auto largest = dtype == DType::u64
                           ? std::ldexp(1.0, 53)
                           : std::min(static_cast<double>(int_largest(dtype)), std::ldexp(1.0, 53));
  return value >= std::max(lowest, -std::ldexp(1.0, 53)) && value <= largest;
}

void input(Node& node, const Operands&) {
  check_shape(node.shape);
  if (node.shape.size() > kMaxInputRank)
    fail(fmt::format("rank {} is above {}", node.shape.size(), kMaxInputRank));
  const auto& fill = node.attr<std::string>("fill");
  if (!is_fill(fill)) fail(fmt::format("unknown fill '{}'; known are {}", fill, fill_names()));
  const int64_t below = node.attr<int64_t>("below");
  if (fill == "index" && (!is_int(node.dtype) || below < 1))
    fail("the fill 'index' is for integers and wants below=N with N at least 1");
  if (fill != "index" && below != 0) fail("below=N belongs to the fill 'index'");
}

void full(Node& node, const Operands&) {
  check_shape(node.shape);
  const double value = node.attr<double>("value");
  if (!is_of(node.dtype, value))
    fail(fmt::format("value {} is not exactly of dtype {}", value, dtype_name(node.dtype)));
  if (!is_float(node.dtype) && value == 0) node.attrs["value"] = 0.0;  // integers know no -0
}

void arange(Node& node, const Operands&) {
  check_shape(node.shape);
  if (node.shape.size() != 1) fail(fmt::format("arange has rank 1, not shape {}", shape_text(node.shape)));
  const int64_t step = node.attr<int64_t>("step"), start = node.attr<int64_t>("start");
  if (step == 0) fail("arange needs a step other than 0");
  // The front ends compute it in the dtype, one step beyond the end included. The first test keeps the second
  // from overflowing.
  const auto too_large = [](int64_t value) { return value > kMaxElements || value < -kMaxElements; };
  const int64_t limit =
      is_float(node.dtype) ? int64_t{1} << std::min(float_format(node.dtype).digits, 24) : 0;
  const auto outside = [&](int64_t value) {
    if (limit > 0) return value > limit || value < -limit;
    return too_large(value) || !is_of(node.dtype, static_cast<double>(value));
  };
  if (too_large(start) || too_large(step) || outside(start) || outside(start + node.shape[0] * step))
    fail(fmt::format("arange has values that {} does not hold exactly", dtype_name(node.dtype)));
}

void linspace(Node& node, const Operands&) {
  check_shape(node.shape);
  if (node.shape.size() != 1 || node.shape[0] < 2)
    fail(fmt::format("linspace has rank 1 and at least 2 elements, not shape {}", shape_text(node.shape)));
  const double start = node.attr<double>("start"), stop = node.attr<double>("stop");
  const double step = (stop - start) / static_cast<double>(node.shape[0] - 1);
  if (!std::isfinite(step) || !is_of(node.dtype, start) || !is_of(node.dtype, stop) ||
      !is_of(node.dtype, step))
    fail(fmt::format("start, stop and step {} of linspace are not exactly of dtype {}", step,
                     dtype_name(node.dtype)));
}

void eye(Node& node, const Operands&) {
  check_shape(node.shape);
  if (node.shape.size() != 2) fail(fmt::format("eye has rank 2, not shape {}", shape_text(node.shape)));
}

void elementwise(Node& node, const Operands& src) {
  same_dtype(src);
  same_shape(src);
  node.dtype = src[0]->dtype;
  node.shape = src[0]->shape;
}

void to_bool(Node& node, const Operands& src) {
  elementwise(node, src);
  node.dtype = DType::boolean;
}

void clamp(Node& node, const Operands& src) {
  elementwise(node, src);
  const double lowest = node.attr<double>("min"), largest = node.attr<double>("max");
  if (!is_of(node.dtype, lowest) || !is_of(node.dtype, largest) || !(lowest <= largest))
    fail(fmt::format("min {} and max {} are not in order or not exactly of dtype {}", lowest, largest,
                     dtype_name(node.dtype)));
}

void where(Node& node, const Operands& src) {
  check_dtype(*src[0], DType::boolean, "condition");
  same_dtype({src[1], src[2]});
  same_shape(src);
  node.dtype = src[1]->dtype;
  node.shape = src[0]->shape;
}

void cast(Node& node, const Operands& src) {
  node.shape = src[0]->shape;
  const auto target = dtype_from_name(node.attr<std::string>("to"));
  if (!target) fail(fmt::format("unknown dtype '{}'", node.attr<std::string>("to")));
  node.dtype = *target;
}

void bitcast(Node& node, const Operands& src) {
  cast(node, src);
  if (node.dtype == DType::boolean || byte_size(node.dtype) != byte_size(src[0]->dtype))
    fail(fmt::format("cannot read the bits of {} as {}", dtype_name(src[0]->dtype), dtype_name(node.dtype)));
}

void reduce(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  const auto& axes = node.attr<Ints>("axes");
  if (axes.empty()) fail("a reduce names at least one axis");
  check_axes(axes, src[0]->shape);
  const std::set<int64_t> reduced(axes.begin(), axes.end());
  const bool keepdim = node.attr<bool>("keepdim");
  node.shape.clear();
  for (size_t i = 0; i < src[0]->shape.size(); ++i) {
    if (!reduced.count(static_cast<int64_t>(i)))
      node.shape.push_back(src[0]->shape[i]);
    else if (keepdim)
      node.shape.push_back(1);
  }
}

namespace {

void at_least(const Node& node, const Operands& src, int64_t least) {
  int64_t count = 1;
  for (int64_t axis : node.attr<Ints>("axes")) count *= src[0]->shape[static_cast<size_t>(axis)];
  if (count < least) fail(fmt::format("it is over {} elements and wants at least {}", count, least));
}

}  // namespace

void reduce_nonempty(Node& node, const Operands& src) {
  reduce(node, src);
  at_least(node, src, 1);
}

void reduce_variance(Node& node, const Operands& src) {
  reduce(node, src);
  at_least(node, src, 2);
}

void argreduce(Node& node, const Operands& src) {
  along_nonempty(node, src);
  node.dtype = DType::i32;
  const auto at = node.shape.begin() + node.attr<int64_t>("axis");
  if (node.attr<bool>("keepdim"))
    *at = 1;
  else
    node.shape.erase(at);
}

void along_axis(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  node.shape = src[0]->shape;
  check_axis(node.attr<int64_t>("axis"), node.shape);
}

void along_nonempty(Node& node, const Operands& src) {
  along_axis(node, src);
  if (node.shape[static_cast<size_t>(node.attr<int64_t>("axis"))] == 0) fail("its axis has no elements");
}

void argsort(Node& node, const Operands& src) {
  along_nonempty(node, src);
  node.dtype = DType::i32;
}

void topk(Node& node, const Operands& src) {
  along_nonempty(node, src);
  int64_t& extent = node.shape[static_cast<size_t>(node.attr<int64_t>("axis"))];
  const int64_t k = node.attr<int64_t>("k");
  if (k < 1 || k > extent) fail(fmt::format("k {} is not in 1..{}", k, extent));
  extent = k;
}

int64_t window_count(int64_t extent, int64_t kernel, int64_t stride, int64_t dilation) {
  if (kernel < 1 || stride < 1 || dilation < 1 || std::max({kernel, stride, dilation}) > kMaxElements)
    fail(fmt::format("kernel {}, stride {} and dilation {} are not in 1..{}", kernel, stride, dilation,
                     kMaxElements));
  const int64_t reach = dilation * (kernel - 1) + 1;
  if (reach > extent) fail(fmt::format("a window of {} does not fit into an extent of {}", reach, extent));
  return (extent - reach) / stride + 1;
}

}  // namespace uopdiff::rules
