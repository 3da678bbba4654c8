#include <fmt/format.h>

#include "harness/program/error.h"
#include "harness/program/shape_rules.h"

namespace uopdiff::rules {

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
  check_axes(axes, src[0]->shape);
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

void pad_value(Node& node, const Operands& src) {
  pad(node, src);
  const double value = node.attr<double>("value");
  if (!is_of(node.dtype, value))
    fail(fmt::format("value {} is not exactly of dtype {}", value, dtype_name(node.dtype)));
}

void shrink(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  const auto& bounds = node.attr<Pairs>("bounds");
  check_per_axis(bounds.size(), *src[0], "bounds");
  node.shape.clear();
  for (size_t i = 0; i < bounds.size(); ++i) {
    const auto [begin, end] = bounds[i];
    if (begin < 0 || end > src[0]->shape[i] || begin > end)
      fail(fmt::format("bounds [{},{}] of axis {} do not lie in extent {}", begin, end, i, src[0]->shape[i]));
    node.shape.push_back(end - begin);
  }
}

void slice(Node& node, const Operands& src) {
  shrink(node, src);
  const auto& steps = node.attr<Ints>("steps");
  check_per_axis(steps.size(), *src[0], "steps");
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] == 0 || steps[i] > kMaxElements || steps[i] < -kMaxElements)
      fail(fmt::format("step {} of axis {} is 0 or beyond {}", steps[i], i, kMaxElements));
    node.shape[i] = (node.shape[i] + std::abs(steps[i]) - 1) / std::abs(steps[i]);
  }
}

void flip(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  node.shape = src[0]->shape;
  check_axes(node.attr<Ints>("axes"), node.shape);
}

void cat(Node& node, const Operands& src) {
  same_dtype(src);
  node.dtype = src[0]->dtype;
  const int64_t axis = node.attr<int64_t>("axis");
  check_axis(axis, src[0]->shape);
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

void stack(Node& node, const Operands& src) {
  elementwise(node, src);
  const int64_t axis = node.attr<int64_t>("axis");
  node.shape.push_back(1);
  check_axis(axis, node.shape);
  node.shape.pop_back();
  node.shape.insert(node.shape.begin() + axis, static_cast<int64_t>(src.size()));
  check_shape(node.shape);
}

void repeat(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  node.shape = src[0]->shape;
  const auto& repeats = node.attr<Ints>("repeats");
  check_per_axis(repeats.size(), *src[0], "repeats");
  for (size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] < 1 || repeats[i] > kMaxElements)
      fail(fmt::format("repeats {} is not in 1..{}", repeats[i], kMaxElements));
    node.shape[i] *= repeats[i];
  }
  check_shape(node.shape);
}

void squeeze(Node& node, const Operands& src) {
  along_axis(node, src);
  const int64_t axis = node.attr<int64_t>("axis");
  if (node.shape[axis] != 1) fail(fmt::format("axis {} of shape {} is not 1", axis, shape_text(node.shape)));
  node.shape.erase(node.shape.begin() + axis);
}

void unsqueeze(Node& node, const Operands& src) { stack(node, src); }

void flatten(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  const int64_t start = node.attr<int64_t>("start"), end = node.attr<int64_t>("end");
  check_axis(start, src[0]->shape);
  check_axis(end, src[0]->shape);
  if (start > end) fail(fmt::format("start {} is behind end {}", start, end));
  const Shape& shape = src[0]->shape;
  node.shape.assign(shape.begin(), shape.begin() + start);
  node.shape.push_back(element_count({shape.begin() + start, shape.begin() + end + 1}));
  node.shape.insert(node.shape.end(), shape.begin() + end + 1, shape.end());
}

void triangle(Node& node, const Operands& src) {
  elementwise(node, src);
  if (node.shape.size() < 2) fail("a triangle wants at least two axes");
  const int64_t diagonal = node.attr<int64_t>("diagonal");
  if (diagonal < -kMaxElements || diagonal > kMaxElements)
    fail(fmt::format("diagonal is beyond +-{}", kMaxElements));
}

void assign(Node& node, const Operands& src) {
  elementwise(node, src);
  const auto& target = src[0]->op->name;
  if (target != "input" && target != "realize" && !target.starts_with("assign"))
    fail(fmt::format("its target is the result of {}, not of input, realize or an assign", target));
}

void assign_view(Node& node, const Operands& src) {
  same_dtype(src);
  assign(node, {src[0], src[0]});
  Node window = node;
  shrink(window, src);
  if (window.shape != src[1]->shape)
    fail(fmt::format("the window {} and the value {} differ in shape", shape_text(window.shape),
                     shape_text(src[1]->shape)));
}

}  // namespace uopdiff::rules
