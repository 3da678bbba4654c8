#include "harness/program/shape_rules.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "harness/program/error.h"
#include "harness/program/fill.h"

namespace uopdiff::rules {
namespace {

constexpr int64_t kMaxElements = 1 << 24;
constexpr size_t kMaxRank = 6;

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::input, message); }

void check_shape(const Shape& shape) {
  if (shape.size() > kMaxRank) fail(fmt::format("rank {} is above {}", shape.size(), kMaxRank));
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 1)
      fail(fmt::format("extent {} in shape {}: extents are at least 1", extent, shape_text(shape)));
    if (extent > kMaxElements || (count *= extent) > kMaxElements)
      fail(fmt::format("shape {} has more than {} elements", shape_text(shape), kMaxElements));
  }
}

void check_axis(int64_t axis, size_t rank) {
  if (axis < 0 || axis >= static_cast<int64_t>(rank))
    fail(fmt::format("axis {} is not one of the {} axes of the operand", axis, rank));
}

void check_axes(const Ints& axes, size_t rank) {
  std::set<int64_t> seen;
  for (int64_t axis : axes) {
    check_axis(axis, rank);
    if (!seen.insert(axis).second) fail(fmt::format("axis {} is named twice", axis));
  }
}

void same_dtype_as_first(Node& node, const Operands& src) {
  for (const Node* operand : src)
    if (operand->dtype != src[0]->dtype)
      fail(fmt::format("operands differ in dtype: {} and {} (write a cast)", dtype_name(src[0]->dtype),
                       dtype_name(operand->dtype)));
  node.dtype = src[0]->dtype;
}

void same_shape_as_first(Node& node, const Operands& src) {
  for (const Node* operand : src)
    if (operand->shape != src[0]->shape)
      fail(fmt::format("operands differ in shape: {} and {} (write reshape and expand)",
                       shape_text(src[0]->shape), shape_text(operand->shape)));
  node.shape = src[0]->shape;
}

void check_per_axis(size_t given, const Node& operand, const char* what) {
  if (given != operand.shape.size())
    fail(fmt::format("{} names {} axes, the operand has shape {}", what, given, shape_text(operand.shape)));
}

}  // namespace

void input(Node& node, const Operands&) {
  check_shape(node.shape);
  const auto& fill = node.attr<std::string>("fill");
  if (!is_fill(fill)) fail(fmt::format("unknown fill '{}'; known are {}", fill, fill_names()));
}

void full(Node& node, const Operands&) {
  check_shape(node.shape);
  const double value = node.attr<double>("value");
  if (is_float(node.dtype)) {
    if (std::isfinite(value) && static_cast<double>(static_cast<float>(value)) != value)
      fail(fmt::format("value {} is not exactly an f32", value));
    return;
  }
  const bool boolean = node.dtype == DType::boolean;
  const double least = boolean ? 0 : -2147483648.0, largest = boolean ? 1 : 2147483647.0;
  if (!(value >= least && value <= largest) || value != std::trunc(value))
    fail(fmt::format("value {} is not of dtype {}", value, dtype_name(node.dtype)));
  if (value == 0) node.attrs["value"] = 0.0;  // integers know no -0
}

void arange(Node& node, const Operands&) {
  check_shape(node.shape);
  if (node.shape.size() != 1) fail(fmt::format("arange has rank 1, not shape {}", shape_text(node.shape)));
  const int64_t step = node.attr<int64_t>("step"), start = node.attr<int64_t>("start");
  if (step == 0) fail("arange needs a step other than 0");
  // Beyond 2^24 an f32 would have to round; the first test keeps the second from overflowing.
  const auto too_large = [](int64_t value) { return value > kMaxElements || value < -kMaxElements; };
  if (too_large(start) || too_large(step) || too_large(start + (node.shape[0] - 1) * step))
    fail(fmt::format("arange has values beyond +-{}", kMaxElements));
}

void reshape(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  node.shape = node.attr<Ints>("shape");
  check_shape(node.shape);
  if (element_count(node.shape) != element_count(src[0]->shape))
    fail(fmt::format("cannot reshape {} to {}: {} elements against {}", shape_text(src[0]->shape),
                     shape_text(node.shape), element_count(src[0]->shape), element_count(node.shape)));
}

void permute(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  const auto& axes = node.attr<Ints>("axes");
  check_per_axis(axes.size(), *src[0], "permute");
  check_axes(axes, src[0]->shape.size());
  node.shape.clear();
  for (int64_t axis : axes) node.shape.push_back(src[0]->shape[axis]);
}

void expand(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  node.shape = node.attr<Ints>("shape");
  check_shape(node.shape);
  check_per_axis(node.shape.size(), *src[0], "expand");
  for (size_t i = 0; i < node.shape.size(); ++i)
    if (src[0]->shape[i] != node.shape[i] && src[0]->shape[i] != 1)
      fail(fmt::format("cannot expand {} to {}: axis {} is not 1", shape_text(src[0]->shape),
                       shape_text(node.shape), i));
}

void pad(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  const auto& padding = node.attr<Pairs>("padding");
  check_per_axis(padding.size(), *src[0], "padding");
  node.shape = src[0]->shape;
  for (size_t i = 0; i < padding.size(); ++i) {
    if (padding[i].first < 0 || padding[i].second < 0) fail("padding is negative; use shrink");
    if (padding[i].first > kMaxElements || padding[i].second > kMaxElements)
      fail(fmt::format("padding [{},{}] is above {}", padding[i].first, padding[i].second, kMaxElements));
    node.shape[i] += padding[i].first + padding[i].second;
  }
  check_shape(node.shape);
}

void shrink(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  const auto& bounds = node.attr<Pairs>("bounds");
  check_per_axis(bounds.size(), *src[0], "bounds");
  node.shape.clear();
  for (size_t i = 0; i < bounds.size(); ++i) {
    const auto [begin, end] = bounds[i];
    if (begin < 0 || end > src[0]->shape[i] || begin >= end)
      fail(fmt::format("bounds [{},{}] of axis {} do not lie in extent {}", begin, end, i, src[0]->shape[i]));
    node.shape.push_back(end - begin);
  }
}

void flip(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  node.shape = src[0]->shape;
  check_axes(node.attr<Ints>("axes"), node.shape.size());
}

void cat(Node& node, const Operands& src) {
  same_dtype_as_first(node, src);
  const int64_t axis = node.attr<int64_t>("axis");
  check_axis(axis, src[0]->shape.size());
  node.shape = src[0]->shape;
  for (size_t k = 1; k < src.size(); ++k) {
    Shape expected = src[0]->shape;
    if (src[k]->shape.size() == expected.size()) expected[axis] = src[k]->shape[axis];
    if (src[k]->shape != expected)
      fail(fmt::format("cannot cat {} and {} along axis {}", shape_text(src[0]->shape),
                       shape_text(src[k]->shape), axis));
    node.shape[axis] += src[k]->shape[axis];
  }
  check_shape(node.shape);
}

void elementwise(Node& node, const Operands& src) {
  same_dtype_as_first(node, src);
  same_shape_as_first(node, src);
}

void compare(Node& node, const Operands& src) {
  elementwise(node, src);
  node.dtype = DType::boolean;
}

void where(Node& node, const Operands& src) {
  if (src[0]->dtype != DType::boolean)
    fail(fmt::format("the condition is {}, not bool", dtype_name(src[0]->dtype)));
  same_dtype_as_first(node, {src[1], src[2]});
  same_shape_as_first(node, src);
}

void cast(Node& node, const Operands& src) {
  node.shape = src[0]->shape;
  const auto target = dtype_from_name(node.attr<std::string>("to"));
  if (!target) fail(fmt::format("unknown dtype '{}'", node.attr<std::string>("to")));
  node.dtype = *target;
}

void reduce(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  const auto& axes = node.attr<Ints>("axes");
  if (axes.empty()) fail("a reduce names at least one axis");
  check_axes(axes, src[0]->shape.size());
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

void matmul(Node& node, const Operands& src) {
  same_dtype_as_first(node, src);
  const Shape &a = src[0]->shape, &b = src[1]->shape;
  const bool ranks_fit = a.size() >= 2 && a.size() == b.size();
  if (!ranks_fit || !std::equal(a.begin(), a.end() - 2, b.begin()) || a.back() != b[b.size() - 2])
    fail(fmt::format("cannot multiply {} by {}: wants [...,m,k] and [...,k,n] with equal leading axes",
                     shape_text(a), shape_text(b)));
  Shape products = a;  // of the definition (composites.h)
  products.push_back(b.back());
  check_shape(products);
  node.shape = a;
  node.shape.back() = b.back();
}

void along_axis(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  node.shape = src[0]->shape;
  check_axis(node.attr<int64_t>("axis"), node.shape.size());
}

void cumsum(Node& node, const Operands& src) {
  along_axis(node, src);
  Shape terms = node.shape;  // of the definition (composites.h)
  terms.push_back(node.shape[static_cast<size_t>(node.attr<int64_t>("axis"))]);
  check_shape(terms);
}

}  // namespace uopdiff::rules
