#include "generators/operands.h"

#include <algorithm>

#include "harness/program/op_table.h"

namespace uopdiff {

Workbench::Workbench(Draw given, const Profile& chosen) : draw(given), profile(chosen) {
  wide_ = draw.chance(profile.threshold);
}

Shape Workbench::shape() {
  static const std::vector<double> rank_weights{0.3, 2, 5, 4, 2, 0.7};
  static const std::vector<double> extent_weights{0, 3, 4, 4, 4, 2, 2, 1, 1};  // extents 1..8
  Shape result(draw.weighted(rank_weights));
  for (int64_t& extent : result) extent = static_cast<int64_t>(draw.weighted(extent_weights));
  while (element_count(result) > kMaxElements / 4) *std::ranges::max_element(result) = 2;
  if (wide_ && !wide_used_ && !result.empty()) {
    wide_used_ = true;
    for (int64_t& extent : result) extent = std::min<int64_t>(extent, 3);
    if (result.size() > 2) result.resize(2);
    result[static_cast<size_t>(draw.range(0, static_cast<int64_t>(result.size()) - 1))] =
        draw.chance(0.7) ? 65 : 257;
  }
  return result;
}

DType Workbench::dtype() {
  if (draw.chance(0.06)) return DType::boolean;
  return draw.chance(profile.integer) ? DType::i32 : DType::f32;
}

std::string Workbench::fill() {
  if (draw.chance(profile.special)) return "special";
  static const std::vector<std::string> names{"small", "iota", "uniform", "positive", "ones"};
  return names[draw.weighted({6, 2, 1, 1, 0.2})];
}

int Workbench::input(DType dtype, Shape shape, const std::string& fill_name) {
  return append_source(
      program, "input", dtype, shape,
      {{"fill", fill_name},
       {"seed", fill_name == "iota" || fill_name == "ones" ? int64_t{0} : draw.range(0, 99)}});
}

int Workbench::full(DType dtype, Shape shape, double value) {
  return append_source(program, "full", dtype, shape, {{"value", value}});
}

int Workbench::source(DType dtype, Shape shape) {
  if (!draw.chance(profile.bufferless)) return input(dtype, shape, fill());
  if (dtype != DType::boolean && draw.chance(0.6) && !shape.empty()) {
    const int flat =
        append_source(program, "arange", dtype, {element_count(shape)},
                      {{"start", draw.chance(0.5) ? int64_t{0} : draw.range(-5, 5)},
                       {"step", draw.chance(0.5) ? int64_t{1} : draw.one_of<int64_t>({-2, -1, 2, 3})}});
    return to_shape(flat, shape);
  }
  if (dtype == DType::boolean) return full(dtype, shape, draw.chance(0.5));
  return full(dtype, shape,
              static_cast<double>(draw.range(-3, 4)) * (is_float(dtype) && draw.chance(0.3) ? 0.5 : 1));
}

int Workbench::any() {
  const auto count = static_cast<int64_t>(program.nodes.size());
  // The larger of two draws: a chain grows from its end, and every node can still be reused.
  return static_cast<int>(std::max(draw.range(0, count - 1), draw.range(0, count - 1)));
}

int Workbench::any_of(DType wanted) {
  const int n = any();
  if (node(n).dtype == wanted) return n;
  return draw.chance(0.7) ? to_dtype(n, wanted) : source(wanted, node(n).shape);
}

int Workbench::to_dtype(int n, DType wanted) {
  return node(n).dtype == wanted ? n
                                 : append(program, "cast", {n}, {{"to", std::string(dtype_name(wanted))}});
}

int Workbench::to_shape(int n, Shape wanted) {
  const Shape have = node(n).shape;
  if (have == wanted) return n;
  if (element_count(have) == element_count(wanted))
    return append(program, "reshape", {n}, {{"shape", wanted}});
  // Right-aligned as broadcasting is: missing axes and extents of 1 are repeated.
  if (have.size() <= wanted.size()) {
    Shape aligned(wanted.size() - have.size(), 1);
    aligned.insert(aligned.end(), have.begin(), have.end());
    bool fits = true;
    for (size_t d = 0; d < wanted.size(); ++d) fits &= aligned[d] == wanted[d] || aligned[d] == 1;
    if (fits) {
      const int shaped = aligned == have ? n : append(program, "reshape", {n}, {{"shape", aligned}});
      return append(program, "expand", {shaped}, {{"shape", wanted}});
    }
  }
  return source(node(n).dtype, wanted);
}

int Workbench::partner(int n) {
  const DType wanted = node(n).dtype;
  const Shape shape_wanted = node(n).shape;
  if (draw.chance(0.15)) return n;
  if (draw.chance(0.25)) {  // the value itself, moved within its shape
    if (!shape_wanted.empty() && draw.chance(0.5))
      return append(program, "flip", {n},
                    {{"axes", Ints{draw.range(0, static_cast<int64_t>(shape_wanted.size()) - 1)}}});
    Ints reversed(shape_wanted.size());
    for (size_t d = 0; d < reversed.size(); ++d) reversed[d] = static_cast<int64_t>(reversed.size() - 1 - d);
    if (reversed.size() > 1)
      return to_shape(append(program, "permute", {n}, {{"axes", reversed}}), shape_wanted);
  }
  if (draw.chance(0.5)) return to_shape(any_of(wanted), shape_wanted);
  return source(wanted, shape_wanted);
}

int Workbench::nonzero(Shape wanted) {
  if (draw.chance(0.35)) {
    const auto magnitude = static_cast<double>(draw.range(1, 9));
    return full(DType::i32, wanted, draw.chance(0.4) ? -magnitude : magnitude);
  }
  const int divisor = input(DType::i32, wanted, "positive");
  return draw.chance(0.3) ? append(program, "neg", {divisor}) : divisor;
}

int Workbench::shift_amount(Shape wanted) {
  return draw.chance(0.5) ? full(DType::i32, wanted, static_cast<double>(draw.range(0, 31)))
                          : input(DType::i32, wanted, "positive");
}

int Workbench::positive(int n) {
  if (draw.chance(0.1)) return n;  // now and then where the result is NaN
  if (draw.chance(0.3)) return input(DType::f32, node(n).shape, "positive");
  const int size = append(program, "abs", {n});
  return append(program, "add", {size, full(DType::f32, node(n).shape, 1)});
}

int Workbench::moderate(int n) {
  if (draw.chance(0.1)) return n;
  if (draw.chance(0.5)) return input(DType::f32, node(n).shape, draw.chance(0.5) ? "uniform" : "small");
  return append(program, "sin", {n});
}

bool Workbench::from_input(int n) const {
  if (node(n).op->name == "input") return true;
  return std::ranges::any_of(node(n).src, [&](int src) { return from_input(src); });
}

}  // namespace uopdiff
