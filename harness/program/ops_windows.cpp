#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/program/op_families.h"
#include "harness/program/shape_rules.h"

namespace uopdiff::families {
namespace {

using Sources = std::vector<Formula>;

// The attributes of windows over the spatial axes: those behind the first two.
struct Walk {
  Ints kernel, stride, dilation;
  Pairs padding;
};

Walk walk_of(const Node& node, const Ints& kernel) {
  return {kernel, node.attr<Ints>("stride"), node.attr<Ints>("dilation"), node.attr<Pairs>("padding")};
}

void check_walk(const Walk& walk, const Shape& x) {
  const size_t axes = walk.kernel.size();
  if (axes < 1 || axes > 2 || x.size() != axes + 2)
    rules::fail(fmt::format("takes [n,c] and one or two more axes, not {}, with a kernel {}", shape_text(x),
                            shape_text(walk.kernel)));
  if (walk.stride.size() != axes || walk.dilation.size() != axes || walk.padding.size() != axes)
    rules::fail(
        fmt::format("stride, dilation and padding name one entry for each of its {} spatial axes", axes));
  for (const auto& [before, after] : walk.padding)
    if (before < 0 || after < 0 || std::max(before, after) > rules::kMaxElements)
      rules::fail(fmt::format("padding [{},{}] is negative or above {}", before, after, rules::kMaxElements));
}

// The extents of the places that windows have.
Shape places(const Walk& walk, const Shape& x) {
  Shape result;
  for (size_t k = 0; k < walk.kernel.size(); ++k)
    result.push_back(rules::window_count(x[k + 2] + walk.padding[k].first + walk.padding[k].second,
                                         walk.kernel[k], walk.stride[k], walk.dilation[k]));
  return result;
}

// Row j of [k, extent] is the axis from element j*dilation on: the repeated axis, read in rows that are
// longer than it by the dilation. Of each row every stride-th element begins a window.
Formula windows_along(const Formula& x, int64_t axis, int64_t kernel, int64_t stride, int64_t dilation) {
  const int64_t extent = x.extent(axis), count = rules::window_count(extent, kernel, stride, dilation);
  const int64_t row = extent + dilation, repeats = (kernel * row + extent - 1) / extent;
  Shape flat = x.shape(), rows = flat;
  flat[static_cast<size_t>(axis)] = repeats * extent;
  rows[static_cast<size_t>(axis)] = kernel;
  rows.insert(rows.begin() + axis + 1, row);
  Formula y = x.insert_axis(axis, repeats).reshape(flat).shrink_axis(axis, 0, kernel * row).reshape(rows);
  const int64_t used = (count - 1) * stride + 1;
  y = y.shrink_axis(axis + 1, 0, used).pad_axis(axis + 1, 0, count * stride - used);
  Shape cut = y.shape();
  cut[static_cast<size_t>(axis) + 1] = count;
  const Shape wanted = cut;
  cut.insert(cut.begin() + axis + 2, stride);
  y = y.reshape(cut).shrink_axis(axis + 2, 0, 1).reshape(wanted);
  return y.move_axis(axis, y.rank() - 1);
}

// [n,c,spatial...] padded as [n,c,places...,kernel...].
Formula windows(const Formula& padded, const Walk& walk) {
  Formula y = padded;
  for (size_t k = 0; k < walk.kernel.size(); ++k)
    y = windows_along(y, static_cast<int64_t>(k) + 2, walk.kernel[k], walk.stride[k], walk.dilation[k]);
  return y;
}

Pairs with_channels(const Pairs& padding) {
  Pairs all(2);
  all.insert(all.end(), padding.begin(), padding.end());
  return all;
}

Ints last_axes(const Formula& x, size_t count) {
  Ints axes;
  for (size_t k = 0; k < count; ++k) axes.push_back(x.rank() - static_cast<int64_t>(count - k));
  return axes;
}

Formula plus_bias(const Formula& y, const Formula& bias) {
  Shape channels(static_cast<size_t>(y.rank()), 1);
  channels[1] = y.extent(1);
  return y + bias.reshape(channels).expand(y.shape());
}

// ---- convolution

Ints kernel_of(const Shape& weight) {
  return weight.size() < 2 ? Ints{} : Ints(weight.begin() + 2, weight.end());
}

void check_channels(const Node& node, const Operands& src, int64_t channels, int64_t results) {
  const int64_t groups = node.attr<int64_t>("groups");
  if (groups < 1 || channels < 1 || results < 1 || channels % groups != 0 || results % groups != 0)
    rules::fail(fmt::format("{} groups do not divide {} and {} channels", groups, channels, results));
  if (src.size() == 3 && src[2]->shape != Shape{results})
    rules::fail(fmt::format("the bias has shape {}, not [{}]", shape_text(src[2]->shape), results));
}

void infer_conv(Node& node, const Operands& src) {
  rules::same_dtype(src);
  node.dtype = src[0]->dtype;
  const Shape &x = src[0]->shape, &w = src[1]->shape;
  const Walk walk = walk_of(node, kernel_of(w));
  check_walk(walk, x);
  check_channels(node, src, x[1], w[0]);
  if (w[1] * node.attr<int64_t>("groups") != x[1])
    rules::fail(fmt::format("the weight {} is not for {} channels in {} groups", shape_text(w), x[1],
                            node.attr<int64_t>("groups")));
  const Shape spatial = places(walk, x);
  node.shape = {x[0], w[0]};
  node.shape.insert(node.shape.end(), spatial.begin(), spatial.end());
  Shape products = node.shape;
  products.push_back(w[1] * element_count(walk.kernel));
  rules::check_shape(products);
}

Formula conv(Program&, const Node& node, const Sources& x) {
  const Walk walk = walk_of(node, kernel_of(x[1].shape()));
  const int64_t groups = node.attr<int64_t>("groups"), out = x[1].extent(0) / groups, in = x[1].extent(1);
  const size_t axes = walk.kernel.size();
  const Shape spatial(node.shape.begin() + 2, node.shape.end());
  // Both as [n, group, out, in, places..., kernel...].
  Shape x_shape{node.shape[0], groups, 1, in}, w_shape{1, groups, out, in},
      full{node.shape[0], groups, out, in};
  for (int64_t extent : spatial) {
    x_shape.push_back(extent);
    w_shape.push_back(1);
    full.push_back(extent);
  }
  for (int64_t extent : walk.kernel) {
    for (Shape* shape : {&x_shape, &w_shape, &full}) shape->push_back(extent);
  }
  const Formula taken = windows(x[0].pad(with_channels(walk.padding)), walk).reshape(x_shape).expand(full);
  const Formula product = taken * x[1].reshape(w_shape).expand(full);
  Ints summed = last_axes(product, axes);
  summed.insert(summed.begin(), 3);
  const Formula result = product.reduce("sum", summed, false).reshape(node.shape);
  return x.size() == 3 ? plus_bias(result, x[2]) : result;
}

void infer_conv_transpose(Node& node, const Operands& src) {
  rules::same_dtype(src);
  node.dtype = src[0]->dtype;
  const Shape &x = src[0]->shape, &w = src[1]->shape;
  const Walk walk = walk_of(node, kernel_of(w));
  check_walk(walk, x);
  const int64_t groups = node.attr<int64_t>("groups");
  check_channels(node, src, x[1], w[1] * std::clamp<int64_t>(groups, 1, rules::kMaxElements));
  if (w[0] != x[1]) rules::fail(fmt::format("the weight {} is not for {} channels", shape_text(w), x[1]));
  const auto& more = node.attr<Ints>("output_padding");
  if (more.size() != walk.kernel.size()) rules::fail("output_padding names one entry for each spatial axis");
  node.shape = {x[0], w[1] * groups};
  for (size_t k = 0; k < walk.kernel.size(); ++k) {
    const auto [before, after] = walk.padding[k];
    rules::window_count(rules::kMaxElements, walk.kernel[k], walk.stride[k], walk.dilation[k]);
    const int64_t reach = walk.dilation[k] * (walk.kernel[k] - 1);
    if (before > reach || after > reach)
      rules::fail(fmt::format("padding is beyond {}, the window's reach", reach));
    if (more[k] < 0 || more[k] >= walk.stride[k]) rules::fail("output_padding is not in 0..stride-1");
    if (x[k + 2] < 1) rules::fail("a spatial axis has no elements");
    const int64_t extent = (x[k + 2] - 1) * walk.stride[k] + 1 + reach - before - after + more[k];
    if (extent < 1) rules::fail("nothing is left of a spatial axis");
    node.shape.push_back(extent);
  }
  Shape products = node.shape;
  products.push_back(x[1] * element_count(walk.kernel));
  rules::check_shape(products);
}

// A convolution of the source with zeros between its elements and the weight turned around.
Formula conv_transpose(Program& program, const Node& node, const Sources& x) {
  const Walk walk = walk_of(node, kernel_of(x[1].shape()));
  const auto& more = node.attr<Ints>("output_padding");
  const int64_t groups = node.attr<int64_t>("groups"), in = x[1].extent(0) / groups, out = x[1].extent(1);
  const size_t axes = walk.kernel.size();
  Formula source = x[0];
  Pairs padding;
  for (size_t k = 0; k < axes; ++k) {
    const auto axis = static_cast<int64_t>(k) + 2;
    const int64_t extent = source.extent(axis), stride = walk.stride[k];
    Shape joined = source.shape();
    joined[k + 2] = extent * stride;
    source = source.insert_axis(axis + 1).pad_axis(axis + 1, 0, stride - 1).reshape(joined);
    source = source.shrink_axis(axis, 0, (extent - 1) * stride + 1);
    const int64_t reach = walk.dilation[k] * (walk.kernel[k] - 1);
    padding.emplace_back(reach - walk.padding[k].first, reach - walk.padding[k].second + more[k]);
  }
  Shape grouped{groups, in, out}, joined{groups * out, in};
  for (Shape* shape : {&grouped, &joined})
    shape->insert(shape->end(), walk.kernel.begin(), walk.kernel.end());
  const Formula weight = x[1].flip(last_axes(x[1], axes)).reshape(grouped).move_axis(1, 2).reshape(joined);
  std::vector<int> operands{source.position(), weight.position()};
  if (x.size() == 3) operands.push_back(x[2].position());
  return {program, append(program, "conv", operands,
                          {{"stride", Ints(axes, 1)},
                           {"dilation", walk.dilation},
                           {"padding", padding},
                           {"groups", groups}})};
}

// ---- pooling

void infer_pool(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  const Shape& x = src[0]->shape;
  const Walk walk = walk_of(node, node.attr<Ints>("kernel"));
  check_walk(walk, x);
  const Shape spatial = places(walk, x);
  node.shape = {x[0], x[1]};
  node.shape.insert(node.shape.end(), spatial.begin(), spatial.end());
  Shape taken = node.shape;
  taken.push_back(element_count(walk.kernel));
  rules::check_shape(taken);
}

Formula pooled(const Formula& padded, const Walk& walk, const char* op) {
  const Formula taken = windows(padded, walk);
  return taken.reduce(op, last_axes(taken, walk.kernel.size()), false);
}

Formula avg_pool(Program&, const Node& node, const Sources& x) {
  const Walk walk = walk_of(node, node.attr<Ints>("kernel"));
  const Pairs padding = with_channels(walk.padding);
  const Formula total = pooled(x[0].pad(padding), walk, "sum");
  if (node.attr<bool>("count_include_pad")) return total / static_cast<double>(element_count(walk.kernel));
  return total / pooled(x[0].constant(1).pad(padding), walk, "sum");
}

Formula max_pool(Program&, const Node& node, const Sources& x) {
  const Walk walk = walk_of(node, node.attr<Ints>("kernel"));
  const double lowest = is_float(node.dtype) ? -INFINITY : static_cast<double>(int_lowest(node.dtype));
  return pooled(x[0].apply("pad_value", {{"padding", with_channels(walk.padding)}, {"value", lowest}}), walk,
                "max");
}

}  // namespace

void add_windows(Table& t) {
  using enum AttrKind;
  const auto add = [&t](const char* name, int min_arity, int max_arity, std::vector<AttrSpec> attrs,
                        const char* meaning, auto infer, auto expansion) {
    t.push_back({.name = name,
                 .category = Category::composite,
                 .min_arity = min_arity,
                 .max_arity = max_arity,
                 .dtypes = kFloats,
                 .attrs = std::move(attrs),
                 .meaning = meaning,
                 .infer = infer,
                 .expansion = expansion});
  };
  const std::vector<AttrSpec> walk{required("stride", ints), required("dilation", ints),
                                   required("padding", pairs)};
  const auto and_walk = [&](std::vector<AttrSpec> attrs) {
    attrs.insert(attrs.end(), walk.begin(), walk.end());
    return attrs;
  };
  const AttrSpec groups = with_default("groups", integer, int64_t{1});
  add("conv", 2, 3, and_walk({groups}), "[n,c,spatial...] by weight [o,c/groups,kernel...], plus a bias [o]",
      infer_conv, conv);
  add("conv_transpose", 2, 3, and_walk({groups, required("output_padding", ints)}),
      "transposed convolution: weight [c,o/groups,kernel...], plus a bias [o]", infer_conv_transpose,
      conv_transpose);
  add("avg_pool", 1, 1,
      and_walk({required("kernel", ints), with_default("count_include_pad", boolean, true)}),
      "mean of each window, with or without the padding", infer_pool, avg_pool);
  add("max_pool", 1, 1, and_walk({required("kernel", ints)}), "largest of each window", infer_pool, max_pool);
  t.back().dtypes.push_back(DType::i32);
}

}  // namespace uopdiff::families
