#include "generators/steps.h"

namespace uopdiff {
namespace {

// Drawn by apply_boundary instead: an assign makes everything before it unusable.
bool is_boundary(const OpInfo& op) {
  return op.name == "realize" || op.name == "detach" || op.name.starts_with("assign");
}

int reduced(Workbench& b, int n) {
  if (b.node(n).dtype == DType::boolean && b.draw.chance(0.4)) n = b.to_dtype(n, DType::i32);
  return apply_any(b, Category::reduce, n);
}

int moved(Workbench& b, int n) { return apply_any(b, Category::movement, n); }

int number_of(Workbench& b, int n) {
  return b.node(n).dtype == DType::boolean ? b.to_dtype(n, DType::i32) : n;
}

// ---- chains

int reduce_of(Workbench& b, const std::string& op, int n) { return reduced(b, apply_op(b, op, n)); }
int reduce_of_pad(Workbench& b, int n) { return reduce_of(b, "pad", n); }
int reduce_of_expand(Workbench& b, int n) { return reduce_of(b, "expand", n); }
int reduce_of_flip(Workbench& b, int n) { return reduce_of(b, "flip", n); }
int reduce_of_cat(Workbench& b, int n) { return reduce_of(b, "cat", n); }
int reduce_of_scan(Workbench& b, int n) { return reduced(b, apply_any(b, Category::scan, n)); }
int scan_of_reduce(Workbench& b, int n) { return apply_any(b, Category::scan, reduced(b, n)); }
int nested_reduces(Workbench& b, int n) { return reduced(b, reduced(b, n)); }
int cut_across(Workbench& b, int n) { return apply_op(b, "reshape", apply_op(b, "permute", n)); }
int pad_and_shrink(Workbench& b, int n) {
  return b.draw.chance(0.5) ? apply_op(b, "shrink", apply_op(b, "pad", n))
                            : apply_op(b, "pad", apply_op(b, "shrink", n));
}

int many_movements(Workbench& b, int n) {
  for (int64_t k = b.draw.range(3, 4); k > 0; --k) n = moved(b, n);
  return n;
}

int movement_across_a_boundary(Workbench& b, int n) {
  static const std::vector<std::string> boundaries{"contiguous", "realize", "detach"};
  return moved(b, apply_op(b, b.draw.one_of(boundaries), moved(b, n)));
}

// Reduced, spread over the source's shape again, combined.
int spread_reduce(Workbench& b, int n) {
  n = b.with_rank(number_of(b, n), 1);
  if (element_count(b.node(n).shape) == 0) return n;
  static const std::vector<std::string> names{"sum", "max", "min", "prod"};
  const int result = append(b.program, names[b.draw.weighted({4, 2, 2, 1})], {n},
                            {{"axes", some_axes(b, n)}, {"keepdim", true}});
  const Shape wanted = b.node(n).shape;
  const int spread =
      b.node(result).shape == wanted ? result : append(b.program, "expand", {result}, {{"shape", wanted}});
  return append(b.program, b.draw.chance(0.5) ? "sub" : "mul", {n, spread});
}

// Two values of one source joined again.
int joined(Workbench& b, int first, int second) {
  first = number_of(b, first);
  second = b.to_dtype(second, b.node(first).dtype);
  static const std::vector<std::string> names{"add", "mul", "sub", "maximum"};
  return append(b.program, b.draw.one_of(names), {first, b.to_shape(second, b.node(first).shape)});
}
int sibling_reduces(Workbench& b, int n) {
  const int first = reduced(b, n);
  return joined(b, first, reduced(b, n));
}
int diamond(Workbench& b, int n) {
  const int first = apply_any(b, Category::unary, n);
  return joined(b, first, b.draw.chance(0.5) ? n : apply_any(b, Category::unary, n));
}
int moved_diamond(Workbench& b, int n) { return joined(b, n, apply_op(b, "flip", n)); }

// Accumulated in a dtype that overflows or rounds early.
int narrow_accumulation(Workbench& b, int n) {
  static const std::vector<DType> narrow{DType::f16, DType::f16, DType::bf16,
                                         DType::i8,  DType::u8,  DType::i16};
  const DType before = b.node(n).dtype;
  static const std::vector<std::string> names{"sum", "prod", "cumsum", "matmul"};
  const int result = apply_op(b, names[b.draw.weighted({4, 1, 2, 1})], b.to_dtype(n, b.draw.one_of(narrow)));
  return b.draw.chance(0.6) ? b.to_dtype(result, before) : result;
}

int gathered_and_reduced(Workbench& b, int n) {
  static const std::vector<std::string> names{"gather", "index_select", "scatter", "scatter_reduce"};
  const int result = apply_op(b, b.draw.one_of(names), number_of(b, n));
  return b.draw.chance(0.5) ? reduced(b, result) : apply_op(b, "where", result);
}

// A gather written out: compared with the positions along the last axis, chosen, summed.
int chosen_by_position(Workbench& b, int n) {
  n = b.with_rank(number_of(b, n), 1);
  const Shape shape = b.node(n).shape;
  const int64_t last = b.rank(n) - 1;
  if (shape.back() == 0) return n;
  const int places = b.to_shape(append_source(b.program, "arange", DType::i32, {shape.back()}), shape);
  Shape ones = shape;
  ones.back() = 1;
  const int wanted = b.to_shape(b.indices(ones, shape.back()), shape);
  const int equal = append(b.program, b.draw.chance(0.7) ? "eq" : "lt", {places, wanted});
  const int chosen = append(b.program, "where", {equal, n, b.full(b.node(n).dtype, shape, 0)});
  return append(b.program, "sum", {chosen}, {{"axes", Ints{last}}});
}

int two_products(Workbench& b, int n) {
  return apply_op(b, "matmul", apply_op(b, "matmul", number_of(b, n)));
}

}  // namespace

int apply_op(Workbench& bench, const std::string& op, int n) {
  const OpInfo& info = get_op(op);
  return samples_on(info, bench.node(n).dtype) ? sample(bench, info, n) : n;
}

int apply_any(Workbench& bench, Category category, int n) {
  const OpInfo* op = pick(bench, category, bench.node(n).dtype);
  if (op && is_boundary(*op)) op = &get_op("contiguous");
  // Composites of other dtypes than f32 are costly to keep within range.
  if (!op ||
      (category == Category::composite && bench.node(n).dtype != DType::f32 && bench.draw.chance(0.15))) {
    n = bench.to_dtype(n, bench.draw.chance(0.6) ? DType::f32 : DType::i32);
    op = pick(bench, category, bench.node(n).dtype);
  }
  return op ? sample(bench, *op, n) : n;
}

int apply_boundary(Workbench& bench, int n) {
  static const std::vector<std::string> names{"realize", "detach", "contiguous", "assign", "assign_view"};
  return apply_op(bench, names[bench.draw.weighted({3, 1, 2, 2, 2})], n);
}

int apply_chain(Workbench& bench, int n) {
  using Chain = int (*)(Workbench&, int);
  static const std::vector<std::pair<double, Chain>> chains{{2, reduce_of_pad},
                                                            {2, spread_reduce},
                                                            {1.5, reduce_of_expand},
                                                            {2, cut_across},
                                                            {2, sibling_reduces},
                                                            {2, nested_reduces},
                                                            {1.5, reduce_of_flip},
                                                            {1.5, diamond},
                                                            {1, moved_diamond},
                                                            {1, reduce_of_cat},
                                                            {1.5, reduce_of_scan},
                                                            {0.7, scan_of_reduce},
                                                            {1, pad_and_shrink},
                                                            {2, many_movements},
                                                            {1.5, movement_across_a_boundary},
                                                            {1, narrow_accumulation},
                                                            {1, gathered_and_reduced},
                                                            {0.7, chosen_by_position},
                                                            {0.5, two_products}};
  if (bench.rank(n) == 0) n = apply_op(bench, "expand", n);
  std::vector<double> weights;
  for (const auto& [weight, chain] : chains) weights.push_back(weight);
  return chains[bench.draw.weighted(weights)].second(bench, n);
}

}  // namespace uopdiff
