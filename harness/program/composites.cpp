#include "harness/program/composites.h"

namespace uopdiff::composites {
namespace {

Attrs reduce_over(Ints axes, bool keepdim) { return {{"axes", std::move(axes)}, {"keepdim", keepdim}}; }

int reshape(Program& p, int src, const Shape& shape) {
  return append(p, "reshape", {src}, {{"shape", shape}});
}

// `src` must have the rank of `shape`.
int expand(Program& p, int src, const Shape& shape) {
  return p.nodes[src].shape == shape ? src : append(p, "expand", {src}, {{"shape", shape}});
}

int constant_like(Program& p, int src, double value) {
  const DType dtype = p.nodes[src].dtype;
  const Shape shape = p.nodes[src].shape;
  return append_source(p, "full", dtype, shape, {{"value", value}});
}

// Where the truncating remainder is not zero and has the other sign than the divisor, floor and truncation
// differ.
int floor_differs(Program& p, int remainder, int divisor) {
  const int zero = constant_like(p, divisor, 0);
  const int signs = append(p, "ne", {append(p, "lt", {remainder, zero}), append(p, "lt", {divisor, zero})});
  return append(p, "and", {append(p, "ne", {remainder, zero}), signs});
}

}  // namespace

// [...,m,k] and [...,k,n] both as [...,m,n,k], multiplied, summed over k.
int matmul(Program& p, const Node&, const std::vector<int>& src) {
  const Shape a = p.nodes[src[0]].shape, b = p.nodes[src[1]].shape;
  const size_t rank = a.size();
  Shape full(a.begin(), a.end() - 2), a_shape = full, b_shape = full;
  const int64_t m = a[rank - 2], k = a[rank - 1], n = b[rank - 1];
  full.insert(full.end(), {m, n, k});
  a_shape.insert(a_shape.end(), {m, 1, k});
  b_shape.insert(b_shape.end(), {1, n, k});
  Ints swap_last(rank);
  for (size_t i = 0; i < rank; ++i) swap_last[i] = static_cast<int64_t>(i);
  std::swap(swap_last[rank - 2], swap_last[rank - 1]);
  const int b_turned = append(p, "permute", {src[1]}, {{"axes", swap_last}});
  const int left = expand(p, reshape(p, src[0], a_shape), full);
  const int right = expand(p, reshape(p, b_turned, b_shape), full);
  const int product = append(p, "mul", {left, right});
  return append(p, "sum", {product}, reduce_over({static_cast<int64_t>(rank)}, false));
}

int mean(Program& p, const Node& node, const std::vector<int>& src) {
  const int total = append(p, "sum", {src[0]}, node.attrs);
  const int64_t count = element_count(p.nodes[src[0]].shape) / element_count(p.nodes[total].shape);
  const Shape shape = p.nodes[total].shape;
  const int divisor = append_source(p, "full", node.dtype, shape, {{"value", static_cast<double>(count)}});
  return append(p, "div", {total, divisor});
}

int softmax(Program& p, const Node& node, const std::vector<int>& src) {
  const Shape shape = node.shape;
  const Ints axis{node.attr<int64_t>("axis")};
  const int largest = expand(p, append(p, "max", {src[0]}, reduce_over(axis, true)), shape);
  const int powers = append(p, "exp", {append(p, "sub", {src[0], largest})});
  const int total = expand(p, append(p, "sum", {powers}, reduce_over(axis, true)), shape);
  return append(p, "div", {powers, total});
}

// y[..,i,..] = sum over j of (j <= i ? x[..,j,..] : 0), with j as a new last axis.
int cumsum(Program& p, const Node& node, const std::vector<int>& src) {
  const auto axis = static_cast<size_t>(node.attr<int64_t>("axis"));
  const size_t rank = node.shape.size();
  const int64_t n = node.shape[axis];
  Ints moved;
  for (size_t i = 0; i < rank; ++i)
    if (i != axis) moved.push_back(static_cast<int64_t>(i));
  moved.push_back(static_cast<int64_t>(axis));
  const int last = append(p, "permute", {src[0]}, {{"axes", moved}});
  Shape wide = p.nodes[last].shape, row = wide, column(rank + 1, 1), across(rank + 1, 1);
  wide.push_back(n);
  row.insert(row.end() - 1, 1);
  column[rank - 1] = n;
  across[rank] = n;
  const int values = expand(p, reshape(p, last, row), wide);
  const int i = append_source(p, "arange", DType::i32, {n}, {});
  const int later =
      append(p, "lt", {expand(p, reshape(p, i, column), wide), expand(p, reshape(p, i, across), wide)});
  const int zero = append_source(p, "full", node.dtype, wide, {{"value", 0.0}});
  const int chosen = append(p, "where", {later, zero, values});
  const int total = append(p, "sum", {chosen}, reduce_over({static_cast<int64_t>(rank)}, false));
  Ints back(rank);
  for (size_t k = 0; k < rank; ++k) back[static_cast<size_t>(moved[k])] = static_cast<int64_t>(k);
  return append(p, "permute", {total}, {{"axes", back}});
}

int absolute(Program& p, const Node&, const std::vector<int>& src) {
  const int negative = append(p, "lt", {src[0], constant_like(p, src[0], 0)});
  return append(p, "where", {negative, append(p, "neg", {src[0]}), src[0]});
}

int relu(Program& p, const Node&, const std::vector<int>& src) {
  const int zero = constant_like(p, src[0], 0);
  return append(p, "where", {append(p, "lt", {zero, src[0]}), src[0], zero});
}

int minimum(Program& p, const Node&, const std::vector<int>& src) {
  return append(p, "where", {append(p, "lt", {src[0], src[1]}), src[0], src[1]});
}

int floordiv(Program& p, const Node&, const std::vector<int>& src) {
  const int quotient = append(p, "truncdiv", src);
  const int differs = floor_differs(p, append(p, "truncmod", src), src[1]);
  const int lower = append(p, "sub", {quotient, constant_like(p, quotient, 1)});
  return append(p, "where", {differs, lower, quotient});
}

int floormod(Program& p, const Node&, const std::vector<int>& src) {
  const int remainder = append(p, "truncmod", src);
  const int differs = floor_differs(p, remainder, src[1]);
  return append(p, "where", {differs, append(p, "add", {remainder, src[1]}), remainder});
}

}  // namespace uopdiff::composites
