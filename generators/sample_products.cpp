#include <algorithm>
#include <map>

#include "generators/samplers.h"

namespace uopdiff {
namespace {

int operand(Workbench& b, DType dtype, const Shape& shape) {
  return b.draw.chance(0.4) ? b.to_shape(b.any_of(dtype), shape) : b.source(dtype, shape);
}

bool too_large(const Shape& products) { return element_count(products) > kMaxExpanded; }

int matmul(Workbench& b, const OpInfo& op, int n) {
  n = b.with_rank(n, 2);
  const Shape shape = b.node(n).shape;
  Shape other(shape.begin(), shape.end() - 2), products = shape;
  const int64_t columns = b.draw.range(1, 6);
  other.insert(other.end(), {shape.back(), columns});
  products.push_back(columns);
  if (too_large(products) || element_count(other) > b.largest()) return n;
  return append(b.program, op.name, {n, operand(b, b.node(n).dtype, other)});
}

int linear(Workbench& b, const OpInfo& op, int n) {
  n = b.with_rank(n, 1);
  const Shape shape = b.node(n).shape;
  const DType dtype = b.node(n).dtype;
  const int64_t columns = b.draw.range(1, 6);
  Shape products = shape;
  products.push_back(columns);
  if (too_large(products)) return n;
  std::vector<int> src{n, operand(b, dtype, {shape.back(), columns})};
  if (b.draw.chance(0.6)) src.push_back(b.source(dtype, {columns}));
  return append(b.program, op.name, src);
}

int dot(Workbench& b, const OpInfo& op, int n) {
  n = b.to_shape(n, {element_count(b.node(n).shape)});
  return append(b.program, op.name, {n, b.partner(n)});
}

// The operand's axes are letters; the others share some of them.
int einsum(Workbench& b, const OpInfo& op, int n) {
  const Shape shape = b.node(n).shape;
  const DType dtype = b.node(n).dtype;
  if (shape.size() > 4) return n;
  std::string formula;
  std::map<char, int64_t> extents;
  for (size_t d = 0; d < shape.size(); ++d) {
    formula += static_cast<char>('a' + d);
    extents[formula.back()] = shape[d];
  }
  std::vector<int> src{n};
  for (int64_t k = b.draw.range(0, 2); k > 0; --k) {
    std::string letters;
    for (const auto& [letter, extent] : extents)
      if (letters.size() < 3 && b.draw.chance(0.5))
        letters.insert(letters.begin() + b.draw.range(0, static_cast<int64_t>(letters.size())), letter);
    if (b.draw.chance(0.5) && letters.size() < 3) {
      const char fresh = static_cast<char>('i' + src.size());
      extents[fresh] = b.draw.range(1, 4);
      letters += fresh;
    }
    Shape other;
    for (char letter : letters) other.push_back(extents.at(letter));
    src.push_back(operand(b, dtype, other));
    formula += "_" + letters;
  }
  std::string result;
  Shape products;
  for (const auto& [letter, extent] : extents) {
    products.push_back(extent);
    if (result.size() < 4 && b.draw.chance(0.6))
      result.insert(result.begin() + b.draw.range(0, static_cast<int64_t>(result.size())), letter);
  }
  if (too_large(products)) return n;
  return append(b.program, op.name, src, {{"formula", formula + "_" + result}});
}

int attention(Workbench& b, const OpInfo& op, int n) {
  n = b.in_domain(b.with_rank(n, 2), Domain::moderate);
  const Shape q = b.node(n).shape;
  const DType dtype = b.node(n).dtype;
  const int64_t keys = b.draw.range(1, 5), values = b.draw.range(1, 5);
  Shape k(q.begin(), q.end() - 2), v = k, mask = k;
  k.insert(k.end(), {keys, q.back()});
  v.insert(v.end(), {keys, values});
  mask.insert(mask.end(), {q[q.size() - 2], keys});
  if (element_count(mask) * std::max(q.back(), values) > kMaxExpanded) return n;
  std::vector<int> src{n, b.input(dtype, k, "small"), b.source(dtype, v)};
  const bool causal = b.draw.chance(0.3);
  if (!causal && b.draw.chance(0.4)) src.push_back(b.source(DType::boolean, mask));
  return append(b.program, op.name, src, {{"causal", causal}});
}

int loss(Workbench& b, const OpInfo& op, int n) {
  n = b.with_rank(b.in_domain(n, op.domains.empty() ? Domain::any : op.domains[0]), 2);
  if (op.name == "cross_entropy" && b.rank(n) > 2)
    n = b.to_shape(
        n, {b.node(n).shape[0], element_count(b.node(n).shape) / std::max<int64_t>(1, b.node(n).shape[0])});
  Shape classes = b.node(n).shape;
  const int64_t count = classes[1];
  classes.erase(classes.begin() + 1);
  const auto reduction =
      b.draw.one_of<std::string>({std::string("mean"), std::string("sum"), std::string("none")});
  return append(b.program, op.name, {n, b.indices(classes, count)}, {{"reduction", reduction}});
}

}  // namespace

Samplers product_samplers() {
  return {{"matmul", matmul},  {"linear", linear}, {"dot", dot},           {"einsum", einsum},
          {"sdpa", attention}, {"nll_loss", loss}, {"cross_entropy", loss}};
}

}  // namespace uopdiff
