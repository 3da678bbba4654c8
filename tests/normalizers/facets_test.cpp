// Each facet on a hand-made pair; none on pairs that differ in naming, order or spelling only.
#include <gtest/gtest.h>

#include "kernels.h"

namespace uopdiff {
namespace {

using test::form_of;
using test::KernelBuilder;
using test::paths;
using Paths = std::vector<std::string>;
using nlohmann::json;

// out[2*i + j] = sum over k of a[4*i + k] * b[2*k + j]; numbers and order of the ranges are free.
json matmul(int i_id, int j_id, int k_id, bool k_first, const std::string& op = "ADD", int64_t k_extent = 4,
            const std::string& k_type = "REDUCE") {
  KernelBuilder k;
  const int out = k.buffer("output", "0", 6), a = k.buffer("input", "a", 12), b = k.buffer("input", "b", 8);
  int r = -1;
  if (k_first) r = k.range(k_id, k_extent, k_type);
  const int i = k.range(i_id, 3, "LOOP"), j = k.range(j_id, 2, "LOOP");
  if (!k_first) r = k.range(k_id, k_extent, k_type);
  const int product =
      k.op("MUL", {k.load(a, k.plus(k.affine(4, i), r)), k.load(b, k.plus(k.affine(2, r), j))});
  k.store(k.load(out, k.plus(k.affine(2, i), j)), k.reduce(op, {product, r}), {i, j});
  return k.json();
}

TEST(Facets, NamingAndOrderOfRangesAreNoDifference) {
  EXPECT_EQ(paths(form_of({matmul(0, 1, 2, false)}), form_of({matmul(7, 3, 0, true)})), Paths{});
}

TEST(Facets, PrintsTheNormalForm) {
  EXPECT_EQ(print_form(form_of({matmul(1, 2, 0, true)})),
            "kernel 0 -> out0 f32[6]\n"
            "  loop   i0:3 i1:2\n"
            "  reduce r0 = ADD f32 over k0:4\n"
            "           of a[4*i0 + k0] * b[2*k0 + i1]\n"
            "  store  out0[2*i0 + i1] = r0\n");
}

TEST(Facets, ReduceOperatorAndDtype) {
  const Paths operator_paths =
      paths(form_of({matmul(0, 1, 2, false)}), form_of({matmul(0, 1, 2, false, "MUL")}));
  EXPECT_EQ(operator_paths, (Paths{"reduce/operator", "expression"}));
  // A minimum written as a negated maximum is the same reduce.
  const auto minimum = [](bool negated) {
    KernelBuilder k;
    const int out = k.buffer("output", "0", 1), a = k.buffer("input", "a", 4), r = k.range(0, 4, "REDUCE");
    const int x = k.load(a, r);
    const int value = negated ? k.op("MUL", {k.reduce("MAX", {k.op("MUL", {x, k.real(-1)}), r}), k.real(-1)})
                              : k.reduce("MIN", {x, r});
    k.store(k.load(out, k.index_constant(0)), value, {});
    return k.json();
  };
  EXPECT_EQ(paths(form_of({minimum(true)}), form_of({minimum(false)})), Paths{});
}

// out[i] = a[f(i)] for i in 0..5, or as a nest of 2 and 3.
json copy(const std::function<int(KernelBuilder&, int)>& f, int64_t size = 6) {
  KernelBuilder k;
  const int out = k.buffer("output", "0", 6), a = k.buffer("input", "a", size), i = k.range(0, 6, "LOOP");
  k.store(k.load(out, i), k.load(a, f(k, i)), {i});
  return k.json();
}
json plain() {
  return copy([](KernelBuilder&, int i) { return i; });
}

TEST(Facets, SplitAndMergedNestsAreTheSame) {
  KernelBuilder k;
  const int out = k.buffer("output", "0", 6), a = k.buffer("input", "a", 6);
  const int i = k.range(1, 2, "LOOP"), j = k.range(0, 3, "LOOP"), one = k.range(2, 1, "LOOP");
  const int at = k.plus(k.affine(3, i), j);
  k.store(k.load(out, k.plus(at, one)), k.load(a, at), {i, j, one});
  EXPECT_EQ(paths(form_of({k.json()}), form_of({plain()})), Paths{});
}

TEST(Facets, Access) {
  const auto shifted =
      copy([](KernelBuilder& k, int i) { return k.index_op("MOD", k.affine(1, i, 1), k.index_constant(6)); });
  EXPECT_EQ(paths(form_of({plain()}), form_of({shifted}))[0], "access/elements");
}

TEST(Facets, OutOfBounds) {
  const auto beyond = copy([](KernelBuilder& k, int i) { return k.affine(1, i, 1); });
  const StructureDiff diff = compare_structure(form_of({plain()}), form_of({beyond}), "L", "R");
  EXPECT_EQ(diff.facets[0].path, "out-of-bounds/R");
  EXPECT_EQ(diff.facets[0].reason, "R, kernel 0: a[6] of 6 elements at r0=5");
  EXPECT_EQ(diff.facets[0].verdict_class, VerdictClass::schedule);
}

TEST(Facets, OutputWrittenTwiceOrNever) {
  KernelBuilder k;
  const int out = k.buffer("output", "0", 6), a = k.buffer("input", "a", 6), i = k.range(0, 6, "LOOP");
  k.store(k.load(out, k.index_op("IDIV", i, k.index_constant(2))), k.load(a, i), {i});
  const StructureDiff diff = compare_structure(form_of({plain()}), form_of({k.json()}), "L", "R");
  EXPECT_EQ(diff.facets[0].path, "store-cover/R");
}

TEST(Facets, IndexCost) {
  const auto dear = copy([](KernelBuilder& k, int i) {
    const int four = k.index_constant(4);
    return k.plus(k.index_op("MOD", i, four), k.index_op("MUL", k.index_op("IDIV", i, four), four));
  });
  const StructureDiff diff = compare_structure(form_of({plain()}), form_of({dear}), "L", "R");
  ASSERT_EQ(diff.facets.size(), 1u);
  EXPECT_EQ(diff.facets[0].path, "index-cost/R/div+mod");
  EXPECT_EQ(diff.facets[0].reason,
            "same index functions; 0 div, 0 mod on L, 1 div, 1 mod on R\n"
            "  L         a[i0]\n"
            "  R         a[i0 % 4 + i0 / 4 * 4]");
}

TEST(Facets, LoopNestsThatAreNotWalkedAsOne) {
  // Transposed: two ranges on one side, one range with division and remainder on the other.
  KernelBuilder k;
  const int out = k.buffer("output", "0", 6), a = k.buffer("input", "a", 6);
  const int i = k.range(0, 2, "LOOP"), j = k.range(1, 3, "LOOP");
  k.store(k.load(out, k.plus(k.affine(3, i), j)), k.load(a, k.plus(k.affine(2, j), i)), {i, j});
  const auto folded = copy([](KernelBuilder& b, int n) {
    const int three = b.index_constant(3);
    return b.plus(b.affine(2, b.index_op("MOD", n, three)), b.index_op("IDIV", n, three));
  });
  EXPECT_EQ(paths(form_of({k.json()}), form_of({folded})), (Paths{"ranges/loop", "index-cost/R/div+mod"}));
}

TEST(Facets, GatesOfEverySpellingAreOneValidity) {
  // out[i] = i < 4 ? a[i] : 0
  const auto gated = [](int spelling) {
    KernelBuilder k;
    const int out = k.buffer("output", "0", 6), a = k.buffer("input", "a", 4), i = k.range(0, 6, "LOOP"),
              zero = k.real(0);
    const int valid = k.op("CMPLT", {i, k.index_constant(4)}, "bool");
    const int safe = k.add("WHERE", "index", nullptr, {valid, i, k.invalid()});
    int value = -1;
    if (spelling == 0) value = k.op("WHERE", {valid, k.load(a, safe), zero});
    if (spelling == 1) value = k.add("INDEX", "f32", {{"gate", true}}, {a, i, valid});
    if (spelling == 2)
      value = k.add("LOAD", "f32", {{"alt", true}},
                    {a, k.add("INDEX", "f32", {{"gate", true}}, {a, i, valid}), zero});
    if (spelling == 3) value = k.op("WHERE", {k.op("NOT", {valid}, "bool"), zero, k.load(a, i)});
    if (spelling == 4)
      value = k.op("WHERE", {k.op("CMPGE", {i, k.index_constant(4)}, "bool"), zero, k.load(a, safe)});
    k.store(k.load(out, i), value, {i});
    return form_of({k.json()});
  };
  for (int spelling = 1; spelling <= 4; ++spelling)
    EXPECT_EQ(paths(gated(0), gated(spelling)), Paths{}) << spelling;
}

TEST(Facets, AGateMovedByOneIsFound) {
  const auto gated = [](int64_t limit) {
    KernelBuilder k;
    const int out = k.buffer("output", "0", 6), a = k.buffer("input", "a", 6), i = k.range(0, 6, "LOOP");
    const int valid = k.op("CMPLT", {i, k.index_constant(limit)}, "bool");
    k.store(k.load(out, i), k.op("WHERE", {valid, k.load(a, i), k.real(0)}), {i});
    return form_of({k.json()});
  };
  EXPECT_EQ(paths(gated(4), gated(5)), Paths{"expression/R-reads-more"});
}

// b = a + a; out[i] = b[i] * b[i], in one kernel or with b materialised.
std::vector<json> square(bool split) {
  KernelBuilder first, second;
  if (split) {
    const int tmp = first.buffer("temp", "0", 6), a = first.buffer("input", "a", 6),
              i = first.range(0, 6, "LOOP");
    const int x = first.load(a, i);
    first.store(first.load(tmp, i), first.op("ADD", {x, x}), {i});
  }
  const int out = second.buffer("output", "0", 6),
            in = split ? second.buffer("temp", "0", 6) : second.buffer("input", "a", 6);
  const int i = second.range(0, 6, "LOOP"), x = second.load(in, i), b = split ? x : second.op("ADD", {x, x});
  second.store(second.load(out, i), second.op("MUL", {b, b}), {i});
  return split ? std::vector<json>{first.json(), second.json()} : std::vector<json>{second.json()};
}

TEST(Facets, KernelSplitNamesTheBufferThatOneSideMaterialises) {
  const StructureDiff diff = compare_structure(form_of(square(true)), form_of(square(false)), "L", "R");
  ASSERT_EQ(diff.facets.size(), 1u);
  EXPECT_EQ(diff.facets[0].path, "kernel-split/L");
  EXPECT_EQ(diff.facets[0].reason, "2 kernel(s) on L, 1 on R; only L materialises tmp0 f32[6]");
}

TEST(Facets, WhatIsNotUnderstoodIsSaid) {
  KernelBuilder k;
  const int out = k.buffer("output", "0", 6), i = k.range(0, 6, "LOOP"), j = k.range(1, 1, "LOOP");
  k.store(k.add("INDEX", "f32", nullptr, {out, i, j}), k.real(1), {i});
  const StructureDiff diff = compare_structure(form_of({k.json()}), form_of({plain()}), "L", "R");
  EXPECT_FALSE(diff.settled);
  EXPECT_EQ(diff.unsettled_reason, "L: an INDEX with 2 indices");
}

TEST(Facets, WhatWouldTrapOrRunForEverIsSaidInstead) {
  const auto trapping = copy([](KernelBuilder& k, int i) {
    return k.plus(i, k.index_op("MOD", k.index_constant(INT64_MIN), k.index_constant(-1)));
  });
  EXPECT_EQ(paths(form_of({plain()}), form_of({trapping})), Paths{"index-cost/R/mod"});
  KernelBuilder k;
  const int out = k.buffer("output", "0", 1), r = k.range(0, int64_t{1} << 40, "REDUCE");
  k.store(k.load(out, k.index_constant(0)), k.reduce("ADD", {k.real(1), r}), {});
  const StructureDiff diff = compare_structure(form_of({k.json()}), form_of({plain()}), "L", "R");
  EXPECT_EQ(diff.unsettled_reason, "L: too many points to evaluate");
}

TEST(SideBySide, MarksTheLinesThatDiffer) {
  const ScheduleForm left = form_of({matmul(0, 1, 2, false)}),
                     right = form_of({matmul(0, 1, 2, false, "MUL")});
  const StructureDiff diff = compare_structure(left, right, "L", "R");
  std::vector<std::string> marked;
  for (const std::string& line : side_by_side(left, right, diff, "L", "R", 100))
    if (line.find(" ! ") != std::string::npos) marked.push_back(line);
  ASSERT_EQ(marked.size(), 1u);
  EXPECT_NE(marked[0].find("r0 = ADD f32 over k0:4"), std::string::npos);
  EXPECT_NE(marked[0].find("r0 = MUL f32 over k0:4"), std::string::npos);
}

}  // namespace
}  // namespace uopdiff
