#include "generators/samplers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/program/error.h"

namespace uopdiff {
namespace {

// A dtype to go to: of a cast any, of a bitcast one of the same size.
std::string dtype_for(Workbench& bench, const OpInfo& op, DType from) {
  if (op.name == "cast" && bench.draw.chance(0.6)) return dtype_name(bench.dtype());
  std::vector<std::string> names;
  for (DType to : kAllDTypes) {
    const bool fits = op.name != "bitcast" || (to != DType::boolean && byte_size(to) == byte_size(from));
    if (fits && to != from) names.emplace_back(dtype_name(to));
  }
  return names.empty() ? std::string(dtype_name(from)) : bench.draw.one_of(names);
}

// Bounds that keep most values of the usual fills, or only one; on floats also none.
double bound(Workbench& bench, const std::string& name, DType dtype) {
  const bool lower = name == "min";
  if (is_float(dtype) && bench.draw.chance(0.08)) return lower ? -INFINITY : INFINITY;
  const int64_t whole = lower ? bench.draw.range(is_signed(dtype) ? -2 : 0, 1) : bench.draw.range(1, 4);
  return static_cast<double>(whole) * (is_float(dtype) && bench.draw.chance(0.3) ? 0.5 : 1);
}

// Attributes by name: what one is called says what it may be. Of others those that have a default keep it,
// unless their kind says enough.
AttrValue draw_attribute(Workbench& bench, const AttrSpec& spec, const OpInfo& op, int n,
                         const Attrs& attrs) {
  Draw& draw = bench.draw;
  const Shape& shape = bench.node(n).shape;
  if (spec.name == "axis") return bench.axis(n);
  if (spec.name == "axes") return some_axes(bench, n);
  if (spec.name == "to") return dtype_for(bench, op, bench.node(n).dtype);
  if (spec.name == "eps") return draw.one_of<double>({0x1p-10, 0x1p-4, 0x1p-7});
  if (spec.name == "k") {
    const auto along = static_cast<size_t>(std::get<int64_t>(attrs.at("axis")));
    return draw.range(1, std::max<int64_t>(1, shape[along]));
  }
  if (spec.name == "min" || spec.name == "max") return bound(bench, spec.name, bench.node(n).dtype);
  if (spec.kind == AttrKind::boolean) return draw.chance(0.5);
  if (spec.kind == AttrKind::number) return draw.one_of<double>({0.25, 0.5, 1, 2});
  if (spec.fallback) return *spec.fallback;
  throw Error(
      ErrorKind::internal,
      fmt::format("generators/samplers.cpp: no way to draw the attribute '{}' of {}", spec.name, op.name));
}

// Operands of n's dtype and shape, each within its domain.
int generic(Workbench& bench, const OpInfo& op, int n) {
  const bool along = op.find_attr("axis") || op.find_attr("axes");
  if (along) n = bench.with_rank(n, 1);
  std::vector<int> src;
  const int64_t arity = bench.draw.range(op.min_arity, op.max_arity);
  for (size_t k = 0; static_cast<int64_t>(k) < arity; ++k) {
    const Domain domain = k < op.domains.size() ? op.domains[k] : Domain::any;
    const bool fresh = domain == Domain::nonzero || domain == Domain::shift;
    src.push_back(bench.in_domain(k == 0 || fresh ? n : bench.partner(n), domain));
  }
  Attrs attrs;
  for (const AttrSpec& spec : op.attrs) attrs[spec.name] = draw_attribute(bench, spec, op, n, attrs);
  return append(bench.program, op.name, src, attrs);
}

// n chosen by a condition, mostly one on n itself; n or its partner may be a constant.
int where(Workbench& bench, const OpInfo& op, int n) {
  const DType dtype = bench.node(n).dtype;
  int condition = n;
  if (dtype != DType::boolean && bench.draw.chance(0.6))
    condition = sample(bench, *pick(bench, Category::compare, dtype), n);
  else
    condition = bench.to_shape(bench.any_of(DType::boolean), bench.node(n).shape);
  const Shape shape = bench.node(n).shape;
  const int other = bench.draw.chance(0.25) ? bench.full(dtype, shape, 0) : bench.partner(n);
  return append(
      bench.program, op.name,
      bench.draw.chance(0.5) ? std::vector<int>{condition, n, other} : std::vector<int>{condition, other, n});
}

const Samplers& all_samplers() {
  static const Samplers samplers = [] {
    Samplers all{{"where", where}};
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

bool samples_on(const OpInfo& op, DType dtype) { return op.name == "where" || op.takes(dtype); }

const OpInfo* pick(Workbench& bench, Category category, DType dtype) {
  std::vector<const OpInfo*> fitting;
  std::vector<double> weights;
  for (const OpInfo& op : op_table())
    if (op.category == category && samples_on(op, dtype)) {
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
