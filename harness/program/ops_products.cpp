#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "harness/program/op_families.h"
#include "harness/program/shape_rules.h"

namespace uopdiff::families {
namespace {

using Sources = std::vector<Formula>;

// ---- products of matrices: [...,m,k] by [...,k,n]

void infer_matmul(Node& node, const Operands& src) {
  rules::same_dtype(src);
  node.dtype = src[0]->dtype;
  const Shape &a = src[0]->shape, &b = src[1]->shape;
  const bool ranks_fit = a.size() >= 2 && a.size() == b.size();
  if (!ranks_fit || !std::equal(a.begin(), a.end() - 2, b.begin()) || a.back() != b[b.size() - 2])
    rules::fail(fmt::format("cannot multiply {} by {}: wants [...,m,k] and [...,k,n] with equal leading axes",
                            shape_text(a), shape_text(b)));
  Shape products = a;  // of the definition
  products.push_back(b.back());
  rules::check_shape(products);
  node.shape = a;
  node.shape.back() = b.back();
}

// Both as [...,m,n,k], multiplied, summed over k.
Formula matmul(const Formula& a, const Formula& b) {
  const int64_t rank = a.rank();
  const Formula turned = b.move_axis(rank - 2, rank - 1);
  const Formula left = a.insert_axis(rank - 1, b.extent(rank - 1)),
                right = turned.insert_axis(rank - 2, a.extent(rank - 2));
  return (left * right).reduce("sum", {rank}, false);
}

void infer_linear(Node& node, const Operands& src) {
  rules::same_dtype(src);
  node.dtype = src[0]->dtype;
  const Shape &x = src[0]->shape, &w = src[1]->shape;
  if (x.empty() || w.size() != 2 || x.back() != w[0])
    rules::fail(fmt::format("takes [...,k] and [k,n], not {} and {}", shape_text(x), shape_text(w)));
  if (src.size() == 3 && src[2]->shape != Shape{w[1]})
    rules::fail(fmt::format("the bias has shape {}, not [{}]", shape_text(src[2]->shape), w[1]));
  node.shape = x;
  node.shape.push_back(w[1]);
  rules::check_shape(node.shape);
  node.shape.erase(node.shape.end() - 2);
}

Formula linear(Program&, const Node& node, const Sources& x) {
  const int64_t k = x[1].extent(0), n = x[1].extent(1),
                rows = element_count(node.shape) / std::max<int64_t>(n, 1);
  const Formula product = matmul(x[0].reshape({rows, k}), x[1]).reshape(node.shape);
  if (x.size() == 2) return product;
  Shape row(node.shape.size(), 1);
  row.back() = n;
  return product + x[2].reshape(row).expand(node.shape);
}

void infer_dot(Node& node, const Operands& src) {
  rules::elementwise(node, src);
  if (node.shape.size() != 1)
    rules::fail(fmt::format("takes two vectors, not shape {}", shape_text(node.shape)));
  node.shape.clear();
}

// ---- einsum: "ij_jk_ik" stands for ij,jk->ik

std::vector<std::string> einsum_parts(const Node& node) {
  std::vector<std::string> parts{""};
  for (char c : node.attr<std::string>("formula")) {
    if (c == '_')
      parts.emplace_back();
    else if (std::islower(static_cast<unsigned char>(c)))
      parts.back() += c;
    else
      rules::fail("its formula has other characters than small letters and _");
  }
  return parts;
}

std::map<char, int64_t> einsum_extents(const std::vector<std::string>& parts,
                                       const std::vector<Shape>& shapes) {
  if (parts.size() != shapes.size() + 1)
    rules::fail(fmt::format("its formula names {} operands and a result, {} operands are given",
                            parts.size() - 1, shapes.size()));
  std::map<char, int64_t> extents;
  for (size_t k = 0; k < parts.size(); ++k) {
    if (std::set<char>(parts[k].begin(), parts[k].end()).size() != parts[k].size())
      rules::fail("its formula repeats a letter within an operand");
    if (k == shapes.size()) break;
    if (parts[k].size() != shapes[k].size())
      rules::fail(fmt::format("operand {} has shape {}, its formula {}", k, shape_text(shapes[k]), parts[k]));
    for (size_t d = 0; d < parts[k].size(); ++d)
      if (extents.emplace(parts[k][d], shapes[k][d]).first->second != shapes[k][d])
        rules::fail(fmt::format("letter {} has two extents", parts[k][d]));
  }
  for (char c : parts.back())
    if (!extents.count(c)) rules::fail(fmt::format("letter {} of the result is in no operand", c));
  return extents;
}

void infer_einsum(Node& node, const Operands& src) {
  rules::same_dtype(src);
  node.dtype = src[0]->dtype;
  std::vector<Shape> shapes;
  for (const Node* operand : src) shapes.push_back(operand->shape);
  const auto parts = einsum_parts(node);
  const auto extents = einsum_extents(parts, shapes);
  Shape products;
  for (const auto& [letter, extent] : extents) products.push_back(extent);
  rules::check_shape(products);
  node.shape.clear();
  for (char c : parts.back()) node.shape.push_back(extents.at(c));
}

Formula einsum(Program&, const Node& node, const Sources& x) {
  const auto parts = einsum_parts(node);
  std::vector<Shape> shapes;
  for (const Formula& operand : x) shapes.push_back(operand.shape());
  const auto extents = einsum_extents(parts, shapes);
  std::string letters = parts.back();  // of the product, those that are summed last
  Ints summed;
  for (const auto& [letter, extent] : extents)
    if (letters.find(letter) == std::string::npos) {
      summed.push_back(static_cast<int64_t>(letters.size()));
      letters += letter;
    }
  std::vector<Formula> factors;
  for (size_t k = 0; k < x.size(); ++k) {
    Ints order;
    Shape narrow, wide;
    for (char letter : letters) {
      const size_t at = parts[k].find(letter);
      if (at != std::string::npos) order.push_back(static_cast<int64_t>(at));
      narrow.push_back(at == std::string::npos ? 1 : extents.at(letter));
      wide.push_back(extents.at(letter));
    }
    factors.push_back(x[k].permute(order).reshape(narrow).expand(wide));
  }
  Formula product = factors[0];
  for (size_t k = 1; k < factors.size(); ++k) product = product * factors[k];
  return summed.empty() ? product : product.reduce("sum", summed, false);
}

// ---- attention: q [...,l,e], k [...,s,e], v [...,s,d], mask [...,l,s] of bool

void infer_attention(Node& node, const Operands& src) {
  rules::same_dtype({src[0], src[1], src[2]});
  node.dtype = src[0]->dtype;
  const Shape &q = src[0]->shape, &k = src[1]->shape, &v = src[2]->shape;
  const size_t rank = q.size();
  const bool fits = rank >= 2 && k.size() == rank && v.size() == rank &&
                    std::equal(q.begin(), q.end() - 2, k.begin()) &&
                    std::equal(q.begin(), q.end() - 2, v.begin()) && q[rank - 1] == k[rank - 1] &&
                    k[rank - 2] == v[rank - 2];
  if (!fits || k[rank - 2] == 0 || q[rank - 1] == 0)
    rules::fail(fmt::format("takes [...,l,e], [...,s,e] and [...,s,d], not {}, {} and {}", shape_text(q),
                            shape_text(k), shape_text(v)));
  Shape scores = q;
  scores.back() = k[rank - 2];
  if (src.size() == 4) {
    rules::check_dtype(*src[3], DType::boolean, "mask");
    if (src[3]->shape != scores)
      rules::fail(
          fmt::format("the mask has shape {}, not {}", shape_text(src[3]->shape), shape_text(scores)));
    if (node.attr<bool>("causal")) rules::fail("takes a mask or causal=true, not both");
  }
  scores.push_back(std::max(q.back(), v.back()));  // of the definition
  rules::check_shape(scores);
  node.shape = q;
  node.shape.back() = v.back();
}

Formula attention(Program&, const Node& node, const Sources& x) {
  const int64_t rank = x[0].rank();
  Formula scores = matmul(x[0], x[1].move_axis(rank - 2, rank - 1));
  scores = scores / scores.constant(static_cast<double>(x[0].extent(rank - 1))).apply("sqrt");
  const Formula hidden = scores.constant(-INFINITY);
  if (x.size() == 4) scores = choose(x[3], scores, hidden);
  if (node.attr<bool>("causal"))
    scores = choose(less(scores.index_along(rank - 2), scores.index_along(rank - 1)), hidden, scores);
  return matmul(scores.apply("softmax", {{"axis", rank - 1}}), x[2]);
}

}  // namespace

void add_products(Table& t) {
  const auto add = [&t](const char* name, int min_arity, int max_arity, std::vector<DType> dtypes,
                        std::vector<AttrSpec> attrs, double weight, const char* meaning, auto infer,
                        auto expansion) {
    t.push_back({.name = name,
                 .category = Category::composite,
                 .min_arity = min_arity,
                 .max_arity = max_arity,
                 .dtypes = std::move(dtypes),
                 .attrs = std::move(attrs),
                 .weight = weight,
                 .meaning = meaning,
                 .infer = infer,
                 .expansion = expansion});
  };
  add("matmul", 2, 2, kNumbers, {}, 2, "matrix product over the last two axes", infer_matmul,
      [](Program&, const Node&, const Sources& x) { return matmul(x[0], x[1]); });
  add("linear", 2, 3, kFloats, {}, 1, "[...,k] by [k,n], plus a bias [n]", infer_linear, linear);
  add("dot", 2, 2, kNumbers, {}, 0.7, "product of two vectors", infer_dot,
      [](Program&, const Node&, const Sources& x) { return (x[0] * x[1]).reduce("sum", {0}, false); });
  add("einsum", 1, 3, kNumbers, {required("formula", AttrKind::word)}, 1,
      "products summed over the letters that the result lacks; ij_jk_ik is ij,jk->ik", infer_einsum, einsum);
  add("sdpa", 3, 4, kFloats, {with_default("causal", AttrKind::boolean, false)}, 1,
      "softmax(q k^T / sqrt(e)) v, where the mask is true (causal: up to the diagonal)", infer_attention,
      attention);
  t.back().domains = {Domain::moderate, Domain::moderate};
}

}  // namespace uopdiff::families
