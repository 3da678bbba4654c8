#include "generators/operands.h"

#include <algorithm>

namespace uopdiff {

Workbench::Workbench(Draw given, const Profile& chosen) : draw(given), profile(chosen) {
  wide_ = draw.chance(profile.threshold);
  empty_ = draw.chance(profile.empty);
}

Shape Workbench::shape() {
  static const std::vector<double> rank_weights{0.3, 2, 5, 4, 2, 0.7, 0.2};
  static const std::vector<double> extent_weights{0, 3, 4, 4, 4, 2, 2, 1, 1};  // extents 1..8
  Shape result(draw.weighted(rank_weights));
  for (int64_t& extent : result) extent = static_cast<int64_t>(draw.weighted(extent_weights));
  while (element_count(result) > kMaxElements / 4) *std::ranges::max_element(result) = 2;
  if (empty_ && !result.empty() && draw.chance(0.7))
    result[static_cast<size_t>(draw.range(0, static_cast<int64_t>(result.size()) - 1))] = 0;
  if (wide_ && !wide_used_ && !result.empty()) {
    wide_used_ = true;
    static const std::vector<int64_t> beyond{65, 257, 513, 4097};
    const int64_t extent = beyond[draw.weighted({6, 3, 1.5, 1})];
    if (extent > 300) result.resize(1);
    if (result.size() > 2) result.resize(2);
    for (int64_t& other : result) other = std::min<int64_t>(other, 3);
    result[static_cast<size_t>(draw.range(0, static_cast<int64_t>(result.size()) - 1))] = extent;
  }
  return result;
}

DType Workbench::dtype() {
  if (draw.chance(0.06)) return DType::boolean;
  const bool integer = draw.chance(profile.integer);
  std::vector<DType> others;
  if (draw.chance(profile.unusual))
    for (DType other : profile.others)
      if (is_int(other) == integer) others.push_back(other);
  if (others.empty()) return integer ? DType::i32 : DType::f32;
  return draw.one_of(others);
}

std::string Workbench::fill() {
  if (draw.chance(profile.special)) return "special";
  static const std::vector<std::string> names{"small", "iota", "uniform", "positive", "ones", "unit"};
  return names[draw.weighted({6, 2, 1, 1, 0.2, 0.5})];
}

int Workbench::input(DType dtype, Shape shape, const std::string& fill_name) {
  return append_source(
      program, "input", dtype, shape,
      {{"fill", fill_name},
       {"seed", fill_name == "iota" || fill_name == "ones" ? int64_t{0} : draw.range(0, 99)}});
}

int Workbench::indices(Shape shape, int64_t below) {
  below = std::max<int64_t>(below, 1);
  const int64_t count = element_count(shape);
  if (shape.size() == 1 && count <= below && draw.chance(0.15))
    return append_source(program, "arange", DType::i32, shape, {});
  if (count > 0 && draw.chance(0.15)) return computed_indices(shape, below);
  // Now and then one beyond the end, or below 0.
  const int index = append_source(program, "input", DType::i32, shape,
                                  {{"fill", std::string("index")},
                                   {"seed", draw.range(0, 99)},
                                   {"below", below + (draw.chance(0.04) ? 1 : 0)}});
  return draw.chance(0.02) ? append(program, "sub", {index, full(DType::i32, shape, 1)}) : index;
}

int Workbench::computed_indices(const Shape& shape, int64_t below) {
  int places = append_source(program, "arange", DType::i32, {element_count(shape)},
                             {{"start", draw.range(-2, 2)}, {"step", draw.one_of<int64_t>({1, 2, 3, -1})}});
  places = to_shape(places, shape);
  return append(program, "floormod", {places, full(DType::i32, shape, static_cast<double>(below))});
}

int Workbench::full(DType dtype, Shape shape, double value) {
  return append_source(program, "full", dtype, shape, {{"value", value}});
}

int Workbench::source(DType dtype, Shape shape) {
  if (!draw.chance(profile.bufferless)) return input(dtype, shape, fill());
  const int64_t count = element_count(shape);
  if (shape.size() == 2 && draw.chance(0.25)) return append_source(program, "eye", dtype, shape, {});
  if (dtype == DType::f32 && count > 1 && draw.chance(0.2)) {
    const auto start = static_cast<double>(draw.range(-4, 4)),
               step = draw.one_of<double>({0.5, 1, 0.25, -0.5});
    const double stop = start + step * static_cast<double>(count - 1);
    return to_shape(append_source(program, "linspace", dtype, {count}, {{"start", start}, {"stop", stop}}),
                    shape);
  }
  if (dtype != DType::boolean && draw.chance(0.6) && !shape.empty() && count > 0 && count < 40) {
    const int64_t low = is_signed(dtype) ? -5 : 0;
    const int64_t step = draw.chance(0.5) || !is_signed(dtype) ? 1 : draw.one_of<int64_t>({-2, -1, 2});
    const int flat =
        append_source(program, "arange", dtype, {count},
                      {{"start", draw.chance(0.5) ? int64_t{0} : draw.range(low, 5)}, {"step", step}});
    return to_shape(flat, shape);
  }
  if (dtype == DType::boolean) return full(dtype, shape, draw.chance(0.5));
  const int64_t value = draw.range(is_signed(dtype) ? -3 : 0, 4);
  return full(dtype, shape, static_cast<double>(value) * (is_float(dtype) && draw.chance(0.3) ? 0.5 : 1));
}

int Workbench::any() {
  const auto last = static_cast<int64_t>(program.nodes.size()) - 1;
  // The larger of two draws: a chain grows from its end, and every node can still be reused.
  return static_cast<int>(std::max(draw.range(first_usable_, last), draw.range(first_usable_, last)));
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

int Workbench::in_domain(int n, Domain domain) {
  const DType wanted = node(n).dtype;
  const Shape shape_wanted = node(n).shape;
  // Where operations are not defined or not finite is for special values in the first place.
  const double outside = std::max(0.1, profile.special / 2);
  switch (domain) {
    case Domain::any:
      return n;
    case Domain::nonzero: {
      if (draw.chance(0.35)) {
        const auto magnitude = static_cast<double>(draw.range(1, 9));
        return full(wanted, shape_wanted, is_signed(wanted) && draw.chance(0.4) ? -magnitude : magnitude);
      }
      const int divisor = input(wanted, shape_wanted, "positive");
      return is_signed(wanted) && draw.chance(0.3) ? append(program, "neg", {divisor}) : divisor;
    }
    case Domain::shift: {
      if (draw.chance(0.5))
        return full(wanted, shape_wanted, static_cast<double>(draw.range(0, bit_width(wanted) - 1)));
      return append_source(program, "input", wanted, shape_wanted,
                           {{"fill", std::string("index")},
                            {"seed", draw.range(0, 99)},
                            {"below", int64_t{bit_width(wanted)}}});
    }
    case Domain::positive: {
      if (draw.chance(outside)) return n;
      if (draw.chance(0.3)) return input(wanted, shape_wanted, "positive");
      const int size = append(program, "abs", {n});
      return append(program, "add", {size, full(wanted, shape_wanted, 1)});
    }
    case Domain::moderate:
      if (draw.chance(outside)) return n;
      if (draw.chance(0.5)) return input(wanted, shape_wanted, draw.chance(0.5) ? "uniform" : "small");
      return append(program, "sin", {n});
    case Domain::unit:
      if (draw.chance(outside)) return n;
      if (draw.chance(0.5)) return input(wanted, shape_wanted, "unit");
      return append(program, "sin", {n});
  }
  return n;
}

int Workbench::with_rank(int n, int64_t least) {
  Shape wanted = node(n).shape;
  while (static_cast<int64_t>(wanted.size()) < least) wanted.insert(wanted.begin(), 1);
  return to_shape(n, wanted);
}

}  // namespace uopdiff
