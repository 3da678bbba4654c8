#include "generators/samplers.h"

#include <algorithm>
#include <cmath>

#include "harness/program/error.h"

namespace uopdiff {
namespace {

// Attributes by name: what one is called says what it may be.
AttrValue draw_attribute(Workbench& bench, const AttrSpec& spec, const OpInfo& op, int n) {
  Draw& draw = bench.draw;
  const DType dtype = bench.node(n).dtype;
  const auto dtype_of_width = [&] {
    std::vector<std::string> names;
    for (DType to : kAllDTypes) {
      const bool fits = op.name != "bitcast" || (to != DType::boolean && byte_size(to) == byte_size(dtype));
      if (fits && to != dtype) names.emplace_back(dtype_name(to));
    }
    return names.empty() ? std::string(dtype_name(dtype)) : draw.one_of<std::string>(names);
  };
  if (spec.name == "axis") return bench.axis(n);
  if (spec.name == "axes") return some_axes(bench, n);
  if (spec.name == "to")
    return op.name == "cast" && draw.chance(0.6) ? std::string(dtype_name(bench.dtype())) : dtype_of_width();
  if (spec.name == "diagonal") return draw.range(-2, 2);
  if (spec.name == "eps") return draw.one_of<double>({0x1p-10, 0x1p-4, 0x1p-7});
  if (spec.name == "k")
    return draw.range(1, std::max<int64_t>(1, *std::ranges::min_element(bench.node(n).shape)));
  if (spec.name == "classes") return draw.range(1, 6);
  if (spec.name == "min") return static_cast<double>(draw.range(is_signed(dtype) ? -2 : 0, 1));
  if (spec.name == "max") return static_cast<double>(draw.range(1, 4));
  if (spec.name == "reduction")
    return draw.one_of<std::string>({std::string("mean"), std::string("sum"), std::string("none")});
  if (spec.kind == AttrKind::boolean) return draw.chance(0.5);
  if (spec.kind == AttrKind::number) return draw.one_of<double>({0.25, 0.5, 1, 2});
  throw Error(ErrorKind::internal, "no way to draw the attribute '" + spec.name + "' of " + op.name);
}

// Operands of n's dtype and shape, each within its domain.
int generic(Workbench& bench, const OpInfo& op, int n) {
  const bool along = op.find_attr("axis") || op.find_attr("axes");
  if (along && bench.rank(n) == 0) return n;
  std::vector<int> src;
  for (int k = 0; k < op.min_arity; ++k) {
    const Domain domain =
        static_cast<size_t>(k) < op.domains.size() ? op.domains[static_cast<size_t>(k)] : Domain::any;
    src.push_back(bench.in_domain(
        k == 0 || domain == Domain::nonzero || domain == Domain::shift ? n : bench.partner(n), domain));
  }
  Attrs attrs;
  for (const AttrSpec& spec : op.attrs) attrs[spec.name] = draw_attribute(bench, spec, op, n);
  return append(bench.program, op.name, src, attrs);
}

const Samplers& all_samplers() {
  static const Samplers samplers = [] {
    Samplers all;
    for (Samplers part : {movement_samplers(), window_samplers(), product_samplers(), indexing_samplers()})
      all.merge(part);
    return all;
  }();
  return samplers;
}

}  // namespace

int sample(Workbench& bench, const OpInfo& op, int n) {
  const auto found = all_samplers().find(op.name);
  try {
    return found == all_samplers().end() ? generic(bench, op, n) : found->second(bench, op, n);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    return n;  // an empty axis, a shape that does not fit: the next step draws again
  }
}

const OpInfo* pick(Workbench& bench, Category category, DType dtype) {
  std::vector<const OpInfo*> fitting;
  std::vector<double> weights;
  for (const OpInfo& op : op_table())
    if (op.category == category && (op.takes(dtype) || op.name == "where")) {
      fitting.push_back(&op);
      weights.push_back(op.weight);
    }
  return fitting.empty() ? nullptr : fitting[bench.draw.weighted(weights)];
}

Ints some_axes(Workbench& bench, int n) {
  Ints axes;
  for (int64_t d = 0; d < bench.rank(n); ++d)
    if (bench.draw.chance(0.45)) axes.push_back(d);
  if (axes.empty()) axes.push_back(bench.axis(n));
  return axes;
}

Ints shuffled_axes(Workbench& bench, int n) {
  Ints axes;
  for (int64_t d = 0; d < bench.rank(n); ++d) axes.insert(axes.begin() + bench.draw.range(0, d), d);
  return axes;
}

// The element count cut into factors anew, so that axes split and merge unevenly.
Shape cut_anew(Workbench& bench, int n) {
  int64_t rest = element_count(bench.node(n).shape);
  if (rest == 0) return bench.node(n).shape;
  Ints factors;
  for (int64_t divisor = 2; divisor <= rest;) {
    if (rest % divisor == 0) {
      factors.push_back(divisor);
      rest /= divisor;
    } else {
      ++divisor;
    }
  }
  const auto count = static_cast<int64_t>(factors.size());
  Shape shape(
      static_cast<size_t>(bench.draw.range(count == 0 ? 0 : 1, std::min<int64_t>(kMaxRank, count + 1))), 1);
  for (int64_t factor : factors)
    shape[static_cast<size_t>(bench.draw.range(0, static_cast<int64_t>(shape.size()) - 1))] *= factor;
  return shape;
}

}  // namespace uopdiff
