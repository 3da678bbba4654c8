#include "harness/program/formula.h"

#include <algorithm>
#include <numeric>

namespace uopdiff {
namespace {

Ints all_axes(int64_t rank) {
  Ints axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), int64_t{0});
  return axes;
}

Formula source(Program& program, const std::string& op, DType dtype, Shape shape, Attrs attrs) {
  return {program, append_source(program, op, dtype, std::move(shape), std::move(attrs))};
}

}  // namespace

Formula Formula::apply(const std::string& op, Attrs attrs) const {
  return {*program_, append(*program_, op, {position_}, std::move(attrs))};
}
Formula Formula::apply(const std::string& op, const Formula& other, Attrs attrs) const {
  return {*program_, append(*program_, op, {position_, other.position_}, std::move(attrs))};
}

Formula Formula::reshape(const Shape& wanted) const {
  return shape() == wanted ? *this : apply("reshape", {{"shape", wanted}});
}
Formula Formula::expand(const Shape& wanted) const {
  return shape() == wanted ? *this : apply("expand", {{"shape", wanted}});
}
Formula Formula::permute(const Ints& axes) const {
  return axes == all_axes(rank()) ? *this : apply("permute", {{"axes", axes}});
}
Formula Formula::pad(const Pairs& padding) const {
  const bool nothing = std::ranges::all_of(padding, [](auto p) { return p.first == 0 && p.second == 0; });
  return nothing ? *this : apply("pad", {{"padding", padding}});
}
Formula Formula::shrink(const Pairs& bounds) const {
  bool nothing = true;
  for (size_t d = 0; d < bounds.size(); ++d)
    nothing &= bounds[d] == std::pair<int64_t, int64_t>(0, node().shape[d]);
  return nothing ? *this : apply("shrink", {{"bounds", bounds}});
}
Formula Formula::flip(const Ints& axes) const {
  return axes.empty() ? *this : apply("flip", {{"axes", axes}});
}

Formula Formula::insert_axis(int64_t axis, int64_t extent) const {
  Shape wanted = shape();
  wanted.insert(wanted.begin() + axis, 1);
  const Formula wide = reshape(wanted);
  wanted[static_cast<size_t>(axis)] = extent;
  return wide.expand(wanted);
}

Formula Formula::move_axis(int64_t from, int64_t to) const {
  Ints axes = all_axes(rank());
  axes.erase(axes.begin() + from);
  axes.insert(axes.begin() + to, from);
  return permute(axes);
}

Formula Formula::shrink_axis(int64_t axis, int64_t begin, int64_t end) const {
  Pairs bounds;
  for (int64_t extent : shape()) bounds.emplace_back(0, extent);
  bounds[static_cast<size_t>(axis)] = {begin, end};
  return shrink(bounds);
}

Formula Formula::pad_axis(int64_t axis, int64_t before, int64_t after) const {
  Pairs padding(static_cast<size_t>(rank()));
  padding[static_cast<size_t>(axis)] = {before, after};
  return pad(padding);
}

Formula Formula::constant(double value) const { return fill(shape(), value); }
Formula Formula::fill(const Shape& wanted, double value) const {
  const double rounded = is_float(dtype()) ? static_cast<double>(round_to(dtype(), value)) : value;
  return source(*program_, "full", dtype(), wanted, {{"value", rounded}});
}

Formula Formula::index_along(int64_t axis) const {
  Shape along(static_cast<size_t>(rank()), 1);
  along[static_cast<size_t>(axis)] = extent(axis);
  return source(*program_, "arange", DType::i32, {extent(axis)}, {}).reshape(along).expand(shape());
}

Formula Formula::cast(DType to) const {
  return dtype() == to ? *this : apply("cast", {{"to", std::string(dtype_name(to))}});
}

Formula Formula::reduce(const std::string& op, const Ints& axes, bool keepdim) const {
  return apply(op, {{"axes", axes}, {"keepdim", keepdim}});
}
Formula Formula::spread(const std::string& op, const Ints& axes) const {
  return reduce(op, axes, true).expand(shape());
}

Formula operator+(const Formula& a, const Formula& b) { return a.apply("add", b); }
Formula operator-(const Formula& a, const Formula& b) { return a.apply("sub", b); }
Formula operator*(const Formula& a, const Formula& b) { return a.apply("mul", b); }
Formula operator/(const Formula& a, const Formula& b) { return a.apply("div", b); }
Formula operator-(const Formula& a) { return a.apply("neg"); }
Formula operator+(const Formula& a, double b) { return a + a.constant(b); }
Formula operator-(const Formula& a, double b) { return a - a.constant(b); }
Formula operator*(const Formula& a, double b) { return a * a.constant(b); }
Formula operator/(const Formula& a, double b) { return a / a.constant(b); }
Formula operator-(double a, const Formula& b) { return b.constant(a) - b; }

Formula less(const Formula& a, const Formula& b) { return a.apply("lt", b); }
Formula equal(const Formula& a, const Formula& b) { return a.apply("eq", b); }
Formula unequal(const Formula& a, const Formula& b) { return a.apply("ne", b); }
Formula both(const Formula& a, const Formula& b) { return a.apply("and", b); }
Formula either(const Formula& a, const Formula& b) { return a.apply("or", b); }
Formula negate(const Formula& a) { return a.apply("logical_not"); }
Formula larger(const Formula& a, const Formula& b) { return a.apply("maximum", b); }
Formula smaller(const Formula& a, const Formula& b) { return a.apply("minimum", b); }
Formula choose(const Formula& condition, const Formula& a, const Formula& b) {
  Program& program = condition.program();
  return {program, append(program, "where", {condition.position(), a.position(), b.position()})};
}

}  // namespace uopdiff
