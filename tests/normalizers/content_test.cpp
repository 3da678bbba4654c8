// Values in the prime field: spellings of one computation are equal, different computations are not.
#include <gtest/gtest.h>

#include <functional>

#include "kernels.h"
#include "normalizers/field.h"

namespace uopdiff {
namespace {

using test::form_of;
using test::KernelBuilder;

// out0[0] of a kernel whose value is made from two loads and an integer load.
uint64_t field_of(const std::function<int(KernelBuilder&, int x, int y, int n)>& value) {
  KernelBuilder k;
  const int out = k.buffer("output", "0", 1), a = k.buffer("input", "a", 2),
            b = k.buffer("input", "b", 1, "i32");
  const int zero = k.index_constant(0);
  const int x = k.load(a, zero), y = k.load(a, k.index_constant(1)), n = k.load(b, zero, "i32");
  const int result = value(k, x, y, n);
  k.store(k.load(out, zero), result, {});
  const ScheduleForm form = form_of({k.json()});
  EXPECT_EQ(form.content.unreadable, "");
  return form.content.fields.at("out0").at(0);
}

// Of one load of any dtype, for a result of any dtype.
uint64_t field_in(const std::string& dtype, const std::string& result_dtype,
                  const std::function<int(KernelBuilder&, int x)>& value) {
  KernelBuilder k;
  const int out = k.buffer("output", "0", 1, result_dtype), a = k.buffer("input", "a", 1, dtype);
  const int zero = k.index_constant(0), x = k.load(a, zero, dtype);
  const int result = value(k, x);
  k.store(k.load(out, zero, result_dtype), result, {});
  const ScheduleForm form = form_of({k.json()});
  EXPECT_EQ(form.content.unreadable, "");
  return form.content.fields.at("out0").at(0);
}

TEST(Content, IntegersOfEveryWidthWrap) {
  using K = KernelBuilder;
  const auto constant = [](const char* dtype, int64_t value) {
    return [=](K& k, int) { return k.add("CONST", dtype, value, {}); };
  };
  for (const char* dtype : {"u8", "u16", "u32"}) {
    const int64_t ones = std::string(dtype) == "u8" ? 255 : std::string(dtype) == "u16" ? 65535 : 4294967295;
    EXPECT_EQ(field_in(dtype, dtype, [=](K& k, int x) { return k.op("NEG", {x}, dtype); }),
              field_in(dtype, dtype,
                       [=](K& k, int x) { return k.op("MUL", {x, k.add("CONST", dtype, ones, {})}, dtype); }))
        << dtype;
    EXPECT_EQ(field_in(dtype, dtype, constant(dtype, -1)), field_in(dtype, dtype, constant(dtype, ones)));
  }
  const auto sum = [](K& k, int) {
    return k.op("ADD", {k.add("CONST", "i8", 100, {}), k.add("CONST", "i8", 100, {})}, "i8");
  };
  EXPECT_EQ(field_in("i8", "i8", sum), field_in("i8", "i8", constant("i8", -56)));
  const auto less = [](const char* dtype) {
    return [=](K& k, int) {
      return k.op("CMPLT", {k.add("CONST", dtype, -1, {}), k.add("CONST", dtype, 1, {})}, "bool");
    };
  };
  EXPECT_EQ(field_in("i64", "bool", less("i64")), field_from_int(1));
  EXPECT_EQ(field_in("u64", "bool", less("u64")), field_from_int(0));  // the largest is not below 1
}

TEST(Content, CastsOfFloatsAreTheSameByAnyWay) {
  using K = KernelBuilder;
  const auto cast = [](std::vector<const char*> way) {
    return [=](K& k, int x) {
      for (const char* dtype : way) x = k.op("CAST", {x}, dtype);
      return x;
    };
  };
  EXPECT_EQ(field_in("f32", "u8", cast({"u8"})), field_in("f32", "u8", cast({"i32", "u8"})));
  EXPECT_NE(field_in("f32", "u8", cast({"u8"})), field_in("f32", "u16", cast({"u16"})));
  EXPECT_EQ(field_in("f16", "f64", cast({"f64"})), field_in("f16", "f64", cast({"f32", "f64"})));
  EXPECT_NE(field_in("f32", "f32", cast({})), field_in("f32", "f32", cast({"f16", "f32"})));
  EXPECT_NE(field_in("f32", "f32", cast({"bf16", "f32"})), field_in("f32", "f32", cast({"f16", "f32"})));
}

TEST(Content, FunctionsOfF16MayBeEvaluatedInF32) {
  using K = KernelBuilder;
  const auto narrow = [](K& k, int x) { return k.op("EXP", {x}, "f16"); };
  const auto wide = [](K& k, int x) {
    const int scaled = k.op("MUL", {k.op("CAST", {x}), k.real(1.4426950216293335)});
    return k.op("CAST", {k.op("EXP2", {scaled})}, "f16");
  };
  EXPECT_EQ(field_in("f16", "f16", narrow), field_in("f16", "f16", wide));
}

TEST(Content, SpellingsOfTheSameAreEqual) {
  using K = KernelBuilder;
  const auto same = [](const char* what, auto left, auto right) {
    EXPECT_EQ(field_of(left), field_of(right)) << what;
  };
  same(
      "subtraction", [](K& k, int x, int y, int) { return k.op("SUB", {x, y}); },
      [](K& k, int x, int y, int) { return k.op("ADD", {x, k.op("MUL", {y, k.real(-1)})}); });
  same(
      "power", [](K& k, int x, int, int) { return k.op("POW", {x, k.real(3)}); },
      [](K& k, int x, int, int) { return k.op("MUL", {k.op("MUL", {x, x}), x}); });
  same(
      "casts that keep values",
      [](K& k, int, int, int n) {
        return k.op("CAST", {k.op("CAST", {k.op("CAST", {n}, "i64")}, "f64")}, "i32");
      },
      [](K&, int, int, int n) { return n; });
  same(
      "casts that cut off as much",
      [](K& k, int, int, int n) { return k.op("CAST", {k.op("CAST", {n}, "i16")}, "i8"); },
      [](K& k, int, int, int n) { return k.op("CAST", {n}, "i8"); });
  same(
      "a cast bool",
      [](K& k, int x, int y, int) {
        return k.op("CAST", {k.op("CAST", {k.op("CAST", {k.op("CMPLT", {x, y}, "bool")})}, "i32")}, "bool");
      },
      [](K& k, int x, int y, int) { return k.op("CMPLT", {x, y}, "bool"); });
  same(
      "reciprocal square root", [](K& k, int x, int, int) { return k.op("RSQRT", {x}); },
      [](K& k, int x, int, int) { return k.op("RECIPROCAL", {k.op("SQRT", {x})}); });
  same(
      "order of additions",
      [](K& k, int x, int y, int) { return k.op("ADD", {k.op("ADD", {x, y}), k.real(3)}); },
      [](K& k, int x, int y, int) { return k.op("ADD", {y, k.op("ADD", {k.real(3), x})}); });
  same(
      "distribution", [](K& k, int x, int y, int) { return k.op("MUL", {k.op("ADD", {x, y}), x}); },
      [](K& k, int x, int y, int) { return k.op("ADD", {k.op("MUL", {x, x}), k.op("MUL", {x, y})}); });
  same(
      "division", [](K& k, int x, int y, int) { return k.op("FDIV", {x, y}); },
      [](K& k, int x, int y, int) { return k.op("MUL", {x, k.op("RECIPROCAL", {y})}); });
  same(
      "a third", [](K& k, int x, int, int) { return k.op("FDIV", {x, k.real(3)}); },
      [](K& k, int x, int, int) { return k.op("MUL", {x, k.real(0.3333333432674408)}); });
  same(
      "exponential", [](K& k, int x, int, int) { return k.op("EXP", {x}); },
      [](K& k, int x, int, int) { return k.op("EXP2", {k.op("MUL", {x, k.real(1.4426950408889634)})}); });
  same(
      "logarithm", [](K& k, int x, int, int) { return k.op("LOG", {x}); },
      [](K& k, int x, int, int) { return k.op("MUL", {k.op("LOG2", {x}), k.real(0.6931471805599453)}); });
  same(
      "maximum", [](K& k, int x, int y, int) { return k.op("MAX", {k.op("MAX", {x, y}), x}); },
      [](K& k, int x, int y, int) { return k.op("MAX", {y, x}); });
  same(
      "minimum of floats", [](K& k, int x, int y, int) { return k.op("MIN", {x, y}); },
      [](K& k, int x, int y, int) {
        const auto minus = [&](int v) { return k.op("MUL", {v, k.real(-1)}); };
        return minus(k.op("MAX", {minus(x), minus(y)}));
      });
  same(
      "negated condition",
      [](K& k, int x, int y, int) { return k.op("WHERE", {k.op("CMPLT", {x, y}, "bool"), x, y}); },
      [](K& k, int x, int y, int) {
        return k.op("WHERE", {k.op("NOT", {k.op("CMPLT", {x, y}, "bool")}, "bool"), y, x});
      });
  same(
      "not as unequal to true",
      [](K& k, int x, int y, int) {
        return k.op("CAST", {k.op("NOT", {k.op("CMPLT", {x, y}, "bool")}, "bool")});
      },
      [](K& k, int x, int y, int) {
        const int truth = k.add("CONST", "bool", true, {});
        return k.op("CAST", {k.op("CMPNE", {k.op("CMPLT", {x, y}, "bool"), truth}, "bool")});
      });
  same(
      "a mask as a factor",
      [](K& k, int x, int y, int) { return k.op("WHERE", {k.op("CMPLT", {x, y}, "bool"), x, k.real(0)}); },
      [](K& k, int x, int y, int) {
        return k.op("MUL", {x, k.op("CAST", {k.op("CMPLT", {x, y}, "bool")})});
      });
  same(
      "shift and product",
      [](K& k, int, int, int n) {
        return k.op("CAST", {k.op("SHL", {n, k.add("CONST", "i32", 3, {})}, "i32")});
      },
      [](K& k, int, int, int n) {
        return k.op("CAST", {k.op("MUL", {n, k.add("CONST", "i32", 8, {})}, "i32")});
      });
  same(
      "not less and greater or equal of integers",
      [](K& k, int, int, int n) {
        return k.op("CAST", {k.op("CMPLT", {n, k.add("CONST", "i32", 3, {})}, "bool")});
      },
      [](K& k, int, int, int n) {
        return k.op("CAST",
                    {k.op("NOT", {k.op("CMPLT", {k.add("CONST", "i32", 2, {}), n}, "bool")}, "bool")});
      });
}

TEST(Content, DifferentComputationsDiffer) {
  using K = KernelBuilder;
  const auto differ = [](const char* what, auto left, auto right) {
    EXPECT_NE(field_of(left), field_of(right)) << what;
  };
  differ(
      "swapped subtraction", [](K& k, int x, int y, int) { return k.op("SUB", {x, y}); },
      [](K& k, int x, int y, int) { return k.op("SUB", {y, x}); });
  differ(
      "maximum and minimum", [](K& k, int x, int y, int) { return k.op("MAX", {x, y}); },
      [](K& k, int x, int y, int) { return k.op("MIN", {x, y}); });
  differ(
      "max of negated",
      [](K& k, int x, int y, int) { return k.op("MAX", {k.op("NEG", {x}), k.op("NEG", {y})}); },
      [](K& k, int x, int y, int) { return k.op("NEG", {k.op("MAX", {x, y})}); });
  differ(
      "swapped arms",
      [](K& k, int x, int y, int) { return k.op("WHERE", {k.op("CMPLT", {x, y}, "bool"), x, y}); },
      [](K& k, int x, int y, int) { return k.op("WHERE", {k.op("CMPLT", {x, y}, "bool"), y, x}); });
  differ(
      "swapped comparison",
      [](K& k, int x, int y, int) { return k.op("CAST", {k.op("CMPLT", {x, y}, "bool")}); },
      [](K& k, int x, int y, int) { return k.op("CAST", {k.op("CMPLT", {y, x}, "bool")}); });
  differ(
      "constants", [](K& k, int x, int, int) { return k.op("MUL", {x, k.real(0.5)}); },
      [](K& k, int x, int, int) { return k.op("MUL", {x, k.real(0.25)}); });
  differ(
      "division and remainder",
      [](K& k, int, int, int n) {
        return k.op("CAST", {k.op("IDIV", {n, k.add("CONST", "i32", 3, {})}, "i32")});
      },
      [](K& k, int, int, int n) {
        return k.op("CAST", {k.op("MOD", {n, k.add("CONST", "i32", 3, {})}, "i32")});
      });
  differ(
      "a cast that wraps",
      [](K& k, int, int, int n) { return k.op("CAST", {k.op("CAST", {n}, "i8")}, "i32"); },
      [](K&, int, int, int n) { return n; });
  differ(
      "equal to itself and true", [](K& k, int x, int, int) { return k.op("CMPEQ", {x, x}, "bool"); },
      [](K& k, int, int, int) { return k.add("CONST", "bool", true, {}); });
  differ("wrong element", [](K&, int x, int, int) { return x; }, [](K&, int, int y, int) { return y; });
}

TEST(Field, IsAField) {
  EXPECT_EQ(field_mul(field_from_int(-3), field_from_int(7)), field_from_int(-21));
  EXPECT_EQ(field_mul(field_from_double(0.375), field_from_int(8)), field_from_int(3));
  EXPECT_EQ(field_mul(field_inverse(field_from_int(12345)), field_from_int(12345)), 1u);
  EXPECT_EQ(field_from_double(-2.5), field_sub(0, field_from_double(2.5)));
  EXPECT_EQ(field_from_int(INT64_MIN), field_sub(0, field_add(field_from_int(INT64_MAX), 1)));
}

}  // namespace
}  // namespace uopdiff
