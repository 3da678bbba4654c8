// Accesses that depend on data, empty domains, buffers written in place, and functions in other spellings.
#include <gtest/gtest.h>

#include "kernels.h"

namespace uopdiff {
namespace {

using test::form_of;
using test::KernelBuilder;
using test::paths;
using Paths = std::vector<std::string>;
using nlohmann::json;

// out[i] = a[f] for i in 0..size-1, of any value.
json kernel(int64_t size, const std::function<int(KernelBuilder&, int i)>& value,
            const std::string& dtype = "f32") {
  KernelBuilder k;
  const int out = k.buffer("output", "0", size, dtype), i = k.range(0, size, "LOOP");
  k.store(k.load(out, i, dtype), value(k, i), {i});
  return k.json();
}

// a[i] where b[i] > 0, else 0, with the condition in different places.
json gated(int spelling, int64_t limit = 0) {
  return kernel(4, [=](KernelBuilder& k, int i) {
    const int a = k.buffer("input", "a", 4), b = k.buffer("input", "b", 4, "i32");
    const int positive = k.op("CMPLT", {k.add("CONST", "i32", limit, {}), k.load(b, i, "i32")}, "bool");
    const int guarded = k.add("WHERE", "index", nullptr, {positive, i, k.invalid()});
    if (spelling == 0) return k.op("WHERE", {positive, k.load(a, i), k.real(0)});
    if (spelling == 1) return k.add("INDEX", "f32", {{"gate", true}}, {a, i, positive});
    if (spelling == 2) return k.load(a, guarded);
    return k.load(a, k.plus(guarded, k.index_constant(0)));
  });
}

TEST(Data, AGateOnDataIsAChoice) {
  for (int spelling = 1; spelling <= 3; ++spelling)
    EXPECT_EQ(paths(form_of({gated(0)}), form_of({gated(spelling)})), Paths{}) << spelling;
  EXPECT_EQ(paths(form_of({gated(0)}), form_of({gated(2, 1)})), Paths{"expression"});
}

// out[i] = a[b[i]], directly or as a sum over all elements of which one is not zero.
json gather(bool direct, int64_t shift = 0) {
  return kernel(3, [=](KernelBuilder& k, int i) {
    const int a = k.buffer("input", "a", 4), b = k.buffer("input", "b", 3, "i32");
    const int n = k.load(b, i, "i32");
    if (direct) {
      const int at = k.plus(k.op("CAST", {n}, "index"), k.index_constant(shift));
      const int low = k.op("CMPGE", {at, k.index_constant(0)}, "bool"),
                high = k.op("CMPLT", {at, k.index_constant(4)}, "bool");
      return k.add("INDEX", "f32", {{"gate", true}}, {a, at, k.op("AND", {low, high}, "bool")});
    }
    const int r = k.range(7, 4, "REDUCE");
    const int other = k.op("CMPNE", {n, k.op("CAST", {r}, "i32")}, "bool");
    return k.reduce("ADD", {k.op("WHERE", {other, k.real(0), k.load(a, r)}), r});
  });
}

TEST(Data, AnIndexFromDataIsTheSameAsAChoiceAmongAll) {
  EXPECT_EQ(paths(form_of({gather(true)}), form_of({gather(false)})), Paths{"reduce/count"});
  EXPECT_EQ(paths(form_of({gather(true, 1)}), form_of({gather(false)})),
            (Paths{"reduce/count", "expression"}));
}

TEST(Data, LoopsAreWalkedAsOneBesideAnIndexFromData) {
  // out[2*i + j] = a[4*b[0] + 2*i + j]
  const auto nested = [](bool merged) {
    KernelBuilder k;
    const int out = k.buffer("output", "0", 4), a = k.buffer("input", "a", 8),
              b = k.buffer("input", "b", 1, "i32");
    const int i = k.range(0, merged ? 4 : 2, "LOOP"), j = k.range(1, merged ? 1 : 2, "LOOP");
    const int at = merged ? i : k.plus(k.affine(2, i), j);
    const int n = k.op("CAST", {k.load(b, k.index_constant(0), "i32")}, "index");
    k.store(k.load(out, at), k.load(a, k.plus(k.affine(4, n), at)), {i, j});
    return k.json();
  };
  EXPECT_EQ(paths(form_of({nested(true)}), form_of({nested(false)})), Paths{});
}

TEST(Empty, NothingIsEvaluated) {
  const json nothing =
      kernel(0, [](KernelBuilder& k, int i) { return k.load(k.buffer("input", "a", 0), i); });
  EXPECT_EQ(paths(form_of({nothing}), form_of({nothing})), Paths{});
  const auto total = [](const char* op, double constant) {
    return std::pair(kernel(2,
                            [=](KernelBuilder& k, int) {
                              const int a = k.buffer("input", "a", 0), r = k.range(5, 0, "REDUCE");
                              return k.reduce(op, {k.load(a, r), r});
                            }),
                     kernel(2, [=](KernelBuilder& k, int) { return k.real(constant); }));
  };
  const auto [sum, zero] = total("ADD", 0);
  const auto [product, one] = total("MUL", 1);
  EXPECT_EQ(paths(form_of({sum}), form_of({zero})), Paths{"reduce/count"});
  EXPECT_EQ(paths(form_of({product}), form_of({one})), Paths{"reduce/count"});
  EXPECT_NE(paths(form_of({product}), form_of({zero})), Paths{"reduce/count"});
}

// a[i] = b[f(i)] into the input's own buffer; then out[i] = a[i].
std::vector<json> in_place(int64_t flips, bool reads_itself = false) {
  KernelBuilder first, second;
  const int a = first.buffer("input", "a", 4), b = reads_itself ? a : first.buffer("input", "b", 4),
            i = first.range(0, 4, "LOOP");
  first.store(first.load(a, i), first.load(b, flips ? first.affine(-1, i, 3) : i), {i});
  const int out = second.buffer("output", "0", 4), again = second.buffer("input", "a", 4),
            j = second.range(0, 4, "LOOP");
  second.store(second.load(out, j), second.load(again, j), {j});
  return {first.json(), second.json()};
}
json copy_of_b() {
  return kernel(4, [](KernelBuilder& k, int i) { return k.load(k.buffer("input", "b", 4), i); });
}

TEST(InPlace, AnInputHoldsWhatWasStored) {
  EXPECT_EQ(paths(form_of(in_place(0)), form_of(in_place(0))), Paths{});
  EXPECT_EQ(paths(form_of(in_place(0)), form_of(in_place(1)))[0], "access/elements");
}

TEST(InPlace, OneSideAloneWritesAnInput) {
  EXPECT_EQ(paths(form_of(in_place(0)), form_of({copy_of_b()})),
            (Paths{"overwritten-input/L", "kernel-split/L"}));
}

TEST(InPlace, ReadingWhatTheSameKernelStoredIsAFault) {
  EXPECT_EQ(paths(form_of(in_place(1, true)), form_of(in_place(0, true)))[0], "store-order/L");
  EXPECT_EQ(paths(form_of(in_place(0, true)), form_of(in_place(0, true))), Paths{});
}

TEST(Copies, OfWhatIsThereMayBeSpared) {
  const json other = kernel(4, [](KernelBuilder& k, int i) { return k.load(k.buffer("input", "b", 4), i); });
  EXPECT_EQ(paths(form_of({other}), form_of({})), Paths{});
  const json half = kernel(4, [](KernelBuilder& k, int i) {
    return k.op("MUL", {k.load(k.buffer("input", "b", 4), i), k.real(0.5)});
  });
  EXPECT_EQ(paths(form_of({half}), form_of({})), Paths{"kernel-split/L"});
}

TEST(Copies, ABufferOfOneElementIsNoValueByItself) {
  const auto scaled = [](bool indexed) {
    return kernel(4, [=](KernelBuilder& k, int i) {
      const int b = k.buffer("input", "b", 1), a = k.buffer("input", "a", 4);
      return k.op("MUL", {indexed ? k.load(b, k.index_constant(0)) : b, k.load(a, i)});
    });
  };
  EXPECT_EQ(paths(form_of({scaled(true)}), form_of({scaled(false)})), Paths{"buffer-as-value/R"});
}

// out = f(a) of one float element.
json function(const std::function<int(KernelBuilder&, int x)>& f, const std::string& dtype = "f32") {
  return kernel(
      2, [&](KernelBuilder& k, int i) { return f(k, k.load(k.buffer("input", "a", 2, dtype), i, dtype)); },
      dtype);
}

TEST(Samples, SameFunctionInOtherSpelling) {
  using K = KernelBuilder;
  const auto power = [](const char* op, double constant) {
    return function([=](K& k, int x) { return k.op(op, {k.op("MUL", {x, k.real(constant)})}); });
  };
  EXPECT_EQ(paths(form_of({power("EXP2", -2.302208185195923)}), form_of({power("EXP", -1.5957691669464111)})),
            Paths{});
  EXPECT_EQ(paths(form_of({power("EXP2", -2.3022)}), form_of({power("EXP", -1.5958)})), Paths{"expression"});
  // Of integers x*2/2 wraps, so it is not x; of u8, x*3*171 is.
  const auto scaled = [](const char* dtype, std::vector<std::pair<const char*, int64_t>> steps) {
    return function(
        [=](K& k, int x) {
          for (const auto& [op, constant] : steps)
            x = k.op(op, {x, k.add("CONST", dtype, constant, {})}, dtype);
          return x;
        },
        dtype);
  };
  EXPECT_EQ(paths(form_of({scaled("u8", {{"MUL", 3}, {"MUL", 171}})}), form_of({scaled("u8", {})})), Paths{});
  EXPECT_EQ(paths(form_of({scaled("i32", {{"MUL", 2}, {"IDIV", 2}})}), form_of({scaled("i32", {})})),
            Paths{"expression"});
  EXPECT_EQ(paths(form_of({scaled("u64", {{"SHR", 3}})}), form_of({scaled("u64", {{"IDIV", 8}})})),
            Paths{"expression/R-computes-more"});
  EXPECT_EQ(paths(form_of({scaled("i64", {{"SHR", 3}})}), form_of({scaled("i64", {{"IDIV", 8}})})),
            Paths{"expression"});
}

TEST(Samples, WhatDiffersAtOneNumberOnlyIsSeen) {
  using K = KernelBuilder;
  const auto limited = [](const char* dtype, const char* comparison, double limit) {
    return function(
        [=](K& k, int x) {
          const int other = k.add("CONST", dtype, 1, {}), c = k.add("CONST", dtype, limit, {});
          return k.op("WHERE", {k.op(comparison, {x, c}, "bool"), x, other}, dtype);
        },
        dtype);
  };
  for (const char* dtype : {"f32", "f16", "u8", "i64"}) {
    EXPECT_EQ(paths(form_of({limited(dtype, "CMPLT", 100)}), form_of({limited(dtype, "CMPLE", 100)})),
              Paths{"expression"})
        << dtype;
    EXPECT_EQ(paths(form_of({limited(dtype, "CMPNE", 100)}), form_of({limited(dtype, "CMPNE", 99)})),
              Paths{"expression"})
        << dtype;
  }
}

TEST(Samples, MoreWorkForTheSameIsADifference) {
  using K = KernelBuilder;
  const auto of_bool = [](bool simplified) {
    return kernel(2, [=](K& k, int i) {
      const int x = k.op("CAST", {k.load(k.buffer("input", "a", 2, "bool"), i, "bool")});
      if (simplified) return x;
      return k.op("WHERE", {k.op("CMPLT", {x, k.real(0)}, "bool"), k.op("MUL", {x, k.real(-1)}), x});
    });
  };
  const StructureDiff diff = compare_structure(form_of({of_bool(true)}), form_of({of_bool(false)}), "L", "R");
  ASSERT_EQ(diff.facets.size(), 1u);
  EXPECT_EQ(diff.facets[0].path, "expression/R-computes-more");
  EXPECT_EQ(diff.facets[0].reason, "the same values, but R computes more: choice, comparison");
}

TEST(Samples, ARoundingLeftOutIsSeen) {
  using K = KernelBuilder;
  const auto rounded = [](const char* by) {
    return function([=](K& k, int x) {
      const int sum = k.op("ADD", {x, k.op("SIN", {x})});
      return by ? k.op("CAST", {k.op("CAST", {sum}, by)}) : sum;
    });
  };
  for (const char* by : {"f16", "bf16"})
    EXPECT_EQ(paths(form_of({rounded(by)}), form_of({rounded(nullptr)})), Paths{"expression"}) << by;
}

}  // namespace
}  // namespace uopdiff
