#include "normalizers/functions.h"

#include <algorithm>
#include <functional>
#include <set>

#include "normalizers/fold.h"

namespace uopdiff {
namespace {

using enum UOpCode;

constexpr int64_t kMaxPoints = 1 << 14;  // beyond, a fixed sequence of as many points is looked at

// Evaluates integer expressions at a point; nothing for what is no function of ranges alone.
class IntegerEvaluator {
 public:
  explicit IntegerEvaluator(const Kernel& kernel) : kernel_(kernel), at_(kernel.graph.size(), 0) {}
  void set(int range_node, int64_t value) { at_[static_cast<size_t>(range_node)] = value; }
  void set_data(std::optional<int64_t> value) { data_ = value; }  // stands for everything loaded

  std::optional<int64_t> eval(int n) const {
    const UOp& uop = node(n);
    if (uop.code == range) return at_[static_cast<size_t>(n)];
    if (uop.code == constant)
      return uop.invalid || uop.is_float() ? std::nullopt : std::optional(wrap(uop.type, uop.number));
    if (uop.is_float() || uop.code == define_global || uop.src.empty()) return std::nullopt;
    if (uop.code == index || uop.code == load || uop.code == reduce) return data_;
    if (uop.code == where) {
      const auto condition = eval(uop.src[0]);
      return condition ? eval(uop.src[*condition ? 1 : 2]) : std::nullopt;
    }
    const UOp& operand = node(uop.src[0]);
    if (operand.is_float()) return data_;
    const auto a = eval(uop.src[0]);
    if (!a || uop.src.size() > 2) return std::nullopt;
    if (uop.code == cast) return wrap(uop.type, *a);
    if (uop.src.size() == 1) return fold_int(uop.code, uop.type, *a);
    const auto b = eval(uop.src[1]);
    return b ? fold_ints(uop.code, operand.type, *a, *b) : std::nullopt;
  }

 private:
  const UOp& node(int n) const { return kernel_.graph[static_cast<size_t>(n)]; }

  const Kernel& kernel_;
  std::vector<int64_t> at_;
  std::optional<int64_t> data_;
};

struct Point {
  std::vector<int64_t> at;
  int64_t value;
};

// The points of the domain (all, or a fixed sequence of kMaxPoints) where the gates are open.
// Returns false when the expression is no function of ranges.
bool collect_points(const Kernel& kernel, const IndexFunction& function, const std::vector<int>& axes,
                    const std::vector<int64_t>& extents, std::optional<int64_t> data,
                    std::vector<Point>& points) {
  IntegerEvaluator evaluator(kernel);
  int64_t domain = 1;
  for (int64_t extent : extents) domain = std::min<int64_t>(domain * extent, int64_t{1} << 40);
  const bool sampled = domain > kMaxPoints;
  uint64_t random = 1;
  for (int64_t k = 0; k < std::min(domain, kMaxPoints); ++k) {
    Point point;
    // In a sample, half of the points are neighbours of the one before, so that strides show.
    const bool neighbour = sampled && k % 2 == 1 && !points.empty();
    if (neighbour) point.at = points.back().at;
    int64_t rest = k;
    for (size_t d = axes.size(); d-- > 0;) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      if (neighbour) {
        if (static_cast<size_t>(k / 2) % axes.size() == d) point.at[d] = (point.at[d] + 1) % extents[d];
      } else {
        point.at.insert(point.at.begin(),
                        sampled ? static_cast<int64_t>((random >> 33) % static_cast<uint64_t>(extents[d]))
                                : rest % extents[d]);
        rest /= extents[d];
      }
    }
    for (size_t d = 0; d < axes.size(); ++d) evaluator.set(axes[d], point.at[d]);
    bool open = true;
    for (int gate : function.gates) {
      const auto holds = evaluator.eval(gate);
      open &= !holds || *holds != 0;  // a gate on data limits nothing here
    }
    if (!open) continue;
    evaluator.set_data(data);
    const auto value = evaluator.eval(function.root);
    evaluator.set_data(std::nullopt);
    if (!value) return false;
    point.value = *value;
    points.push_back(std::move(point));
  }
  return true;
}

void find_strides(IndexFunction& function, const std::vector<int>& axes, const std::vector<Point>& points) {
  std::map<std::vector<int64_t>, int64_t> values;
  for (const Point& point : points) values[point.at] = point.value;
  std::vector<int64_t> strides(axes.size(), 0);
  for (size_t d = 0; d < axes.size(); ++d) {
    for (const Point& point : points) {
      auto next = point.at;
      ++next[d];
      const auto found = values.find(next);
      if (found == values.end()) continue;
      strides[d] = found->second - point.value;
      break;
    }
  }
  const auto linear = [&](const Point& point) {
    int64_t value = 0;
    for (size_t d = 0; d < axes.size(); ++d) value += strides[d] * point.at[d];
    return value;
  };
  function.base = points.empty() ? 0 : points[0].value - linear(points[0]);
  function.affine = std::ranges::all_of(
      points, [&](const Point& point) { return function.base + linear(point) == point.value; });
  for (size_t d = 0; d < axes.size(); ++d) function.strides[axes[d]] = strides[d];
}

void analyse(const Kernel& kernel, IndexFunction& function) {
  std::set<int> all;
  for (int n : ranges_below(kernel, function.root)) all.insert(n);
  function.ranges.assign(all.begin(), all.end());
  for (int gate : function.gates)
    for (int n : ranges_below(kernel, gate)) all.insert(n);
  std::vector<int> axes(all.begin(), all.end());
  std::vector<int64_t> extents;
  for (int axis : axes) {
    const auto extent = constant_extent(kernel, axis);
    if (!extent || *extent < 1) return;
    extents.push_back(*extent);
  }
  std::vector<Point> points;
  if (collect_points(kernel, function, axes, extents, std::nullopt, points))
    return find_strides(function, axes, points);
  // With loaded values in it: affine in the ranges when it is so, and alike, for two values of them.
  function.has_data = true;
  points.clear();
  if (!collect_points(kernel, function, axes, extents, 1, points)) return;
  find_strides(function, axes, points);
  IndexFunction other = function;
  points.clear();
  if (collect_points(kernel, function, axes, extents, 2, points)) find_strides(other, axes, points);
  function.affine &= other.affine && function.strides == other.strides;
}

}  // namespace

std::optional<int64_t> constant_extent(const Kernel& kernel, int range_node) {
  const UOp& uop = kernel.graph[static_cast<size_t>(range_node)];
  return IntegerEvaluator(kernel).eval(uop.src[0]);
}

int without_validity(const Kernel& kernel, int n, std::vector<int>& gates) {
  const auto uop = [&](int m) -> const UOp& { return kernel.graph[static_cast<size_t>(m)]; };
  for (; uop(n).code == where && uop(uop(n).src[2]).invalid; n = uop(n).src[1])
    gates.push_back(uop(n).src[0]);
  return n;
}

std::vector<int> ranges_below(const Kernel& kernel, int root) {
  std::vector<bool> seen(kernel.graph.size(), false);
  std::set<int> found;
  const std::function<void(int)> visit = [&](int n) {
    if (seen[static_cast<size_t>(n)]) return;
    seen[static_cast<size_t>(n)] = true;
    const UOp& uop = kernel.graph[static_cast<size_t>(n)];
    if (uop.code == range) {
      found.insert(n);
      return;
    }
    for (int src : uop.src) visit(src);
  };
  visit(root);
  return {found.begin(), found.end()};
}

std::vector<IndexFunction> index_functions(const Kernel& kernel) {
  std::vector<IndexFunction> functions;
  std::set<int> seen;
  for (const UOp& uop : kernel.graph) {
    if (uop.is_index() || uop.code == range || uop.code == end || uop.code == reduce) continue;
    for (size_t s = 0; s < uop.src.size(); ++s) {
      const int src = uop.src[s];
      if (!kernel.graph[static_cast<size_t>(src)].is_index()) continue;
      if (uop.code == store && s >= 2) continue;  // its ranges
      if (!seen.insert(src).second) continue;
      IndexFunction function;
      if (uop.code == index && uop.has_gate) function.gates.push_back(uop.src.back());
      function.root = without_validity(kernel, src, function.gates);
      analyse(kernel, function);
      functions.push_back(std::move(function));
    }
  }
  return functions;
}

namespace {

class CostCounter {
 public:
  explicit CostCounter(const Kernel& kernel) : kernel_(kernel), seen_(kernel.graph.size(), false) {}
  void visit_index(const UOp& index_uop) {
    for (size_t s = 1; s < index_uop.src.size(); ++s) visit(index_uop.src[s]);
  }
  IndexCost cost;

 private:
  void visit(int n) {
    if (seen_[static_cast<size_t>(n)]) return;
    seen_[static_cast<size_t>(n)] = true;
    const UOp& uop = kernel_.graph[static_cast<size_t>(n)];
    if (uop.code == range || uop.code == constant || (!uop.is_index() && !uop.is_bool())) return;
    if (uop.code == index || uop.code == load || uop.code == reduce) return;
    ++cost.operations;
    cost.divisions += uop.code == idiv;
    cost.modulos += uop.code == mod;
    for (int src : uop.src) visit(src);
  }
  const Kernel& kernel_;
  std::vector<bool> seen_;
};

}  // namespace

IndexCost index_cost(const Kernel& kernel) {
  CostCounter counter(kernel);
  for (const UOp& uop : kernel.graph)
    if (uop.code == index) counter.visit_index(uop);
  return counter.cost;
}

IndexCost index_cost(const Kernel& kernel, int index_node) {
  CostCounter counter(kernel);
  counter.visit_index(kernel.graph[static_cast<size_t>(index_node)]);
  return counter.cost;
}

}  // namespace uopdiff
