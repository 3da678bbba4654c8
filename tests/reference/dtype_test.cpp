// Every dtype against the machine's own arithmetic and conversions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "harness/reference/float_model.h"
#include "harness/reference/reference.h"
#include "harness/reference/scalar.h"

namespace uopdiff {
namespace {

__extension__ using Half = _Float16;
__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

Wide product(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b));
}

struct BFloat {
  uint16_t bits = 0;
  BFloat() = default;
  explicit BFloat(float x) {
    const auto all = std::bit_cast<uint32_t>(x);
    bits = static_cast<uint16_t>((all + 0x7fff + (all >> 16 & 1)) >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
};

template <class T>
constexpr bool kFloating =
    std::is_same_v<T, Half> || std::is_same_v<T, BFloat> || std::is_floating_point_v<T>;

// Calls f(dtype, a value of its C++ type).
template <class F>
void for_ints(F f) {
  f(DType::u8, uint8_t{});
  f(DType::i8, int8_t{});
  f(DType::u16, uint16_t{});
  f(DType::i16, int16_t{});
  f(DType::u32, uint32_t{});
  f(DType::i32, int32_t{});
  f(DType::u64, uint64_t{});
  f(DType::i64, int64_t{});
}
template <class F>
void for_floats(F f) {
  f(DType::f16, Half{});
  f(DType::bf16, BFloat{});
  f(DType::f32, float{});
  f(DType::f64, double{});
}
template <class F>
void for_all(F f) {
  f(DType::boolean, bool{});
  for_ints(f);
  for_floats(f);
}

template <class T>
Element read(DType dtype, T value) {
  Bytes bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return element_from_bytes(dtype, bytes, 0);
}

template <class T>
std::vector<T> int_values() {
  constexpr T kMin = std::numeric_limits<T>::min(), kMax = std::numeric_limits<T>::max();
  return {0,
          1,
          2,
          7,
          31,
          static_cast<T>(-1),
          static_cast<T>(-7),
          kMin,
          kMax,
          static_cast<T>(kMax - 1),
          static_cast<T>(kMin + 1),
          static_cast<T>(kMax / 2 + 1)};
}

template <class T>
double as_double(T x) {
  if constexpr (std::is_same_v<T, BFloat>)
    return static_cast<double>(static_cast<float>(x));
  else
    return static_cast<double>(x);
}

TEST(Integers, EveryWidthAgainstWideArithmetic) {
  for_ints([]<class T>(DType dtype, T) {
    for (T a : int_values<T>())
      for (T b : int_values<T>()) {
        const std::array<Element, 2> x{read(dtype, a), read(dtype, b)};
        const auto is = [&](const char* op, Wide wide) {
          const Element e = scalar_function(op)(dtype, x);
          EXPECT_EQ(e.undetermined, Undetermined::no) << dtype_name(dtype) << " " << op;
          EXPECT_EQ(e.i, read(dtype, static_cast<T>(wide)).i)
              << dtype_name(dtype) << " " << op << " " << element_text(dtype, x[0]) << " "
              << element_text(dtype, x[1]);
        };
        const Wide p = a, q = b;
        is("add", p + q);
        is("sub", p - q);
        is("mul", product(p, q));
        is("neg", -p);
        is("square", product(p, p));
        is("abs", p < 0 ? -p : p);
        is("relu", p < 0 ? 0 : p);
        is("sign", p < 0 ? -1 : p > 0 ? 1 : 0);
        is("maximum", p < q ? q : p);
        is("minimum", p < q ? p : q);
        is("and", p & q);
        is("or", p | q);
        is("xor", p ^ q);
        is("bitwise_not", ~p);
        const auto holds = [&](const char* op, bool truth) {
          EXPECT_EQ(scalar_function(op)(dtype, x).i, truth) << dtype_name(dtype) << " " << op;
        };
        holds("lt", p < q);
        holds("gt", p > q);
        holds("le", p <= q);
        holds("ge", p >= q);
        holds("eq", p == q);
        holds("ne", p != q);
        EXPECT_EQ(reduce_elements("sum", dtype, x).i, read(dtype, static_cast<T>(p + q)).i);
        EXPECT_EQ(reduce_elements("prod", dtype, x).i, read(dtype, static_cast<T>(product(p, q))).i);
        EXPECT_EQ(reduce_elements("max", dtype, x).i, read(dtype, std::max(a, b)).i);
        EXPECT_EQ(reduce_elements("min", dtype, x).i, read(dtype, std::min(a, b)).i);
        if (q == 0 || p / q != static_cast<T>(p / q)) {
          for (const char* op : {"floordiv", "truncdiv", "floormod", "truncmod"})
            EXPECT_EQ(scalar_function(op)(dtype, x).undetermined, Undetermined::division_by_zero);
        } else {
          const Wide down = p / q - (p % q != 0 && (p < 0) != (q < 0) ? 1 : 0);
          is("truncdiv", p / q);
          is("truncmod", p % q);
          is("floordiv", down);
          is("floormod", p - down * q);
        }
        const int width = static_cast<int>(sizeof(T)) * 8;
        if (q < 0 || q >= width) {
          for (const char* op : {"shl", "shr"})
            EXPECT_EQ(scalar_function(op)(dtype, x).undetermined, Undetermined::shift_amount);
        } else {
          is("shl", p * (Wide{1} << static_cast<int>(q)));
          is("shr", p >> static_cast<int>(q));
        }
      }
  });
}

template <class T>
std::vector<T> sample_values() {
  if constexpr (std::is_same_v<T, bool>)
    return {false, true};
  else if constexpr (kFloating<T>) {
    std::vector<T> values;
    for (double x : {0.0,          -0.0,    1.0,    -1.0,  2.5,   -2.5,    0.1,     -3.75,    100.0,
                     127.5,        128.0,   -129.0, 255.0, 256.0, 40000.0, 65504.0, -70000.0, 2147483647.0,
                     4294967296.0, -9.3e18, 1.8e19, 1e30,  1e300, 6e-8,    1e-5})
      values.push_back(
          static_cast<T>(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(x)));
    return values;
  } else
    return int_values<T>();
}

template <class To, class From>
void check_cast(DType from, DType to, From value) {
  const Element x = read(from, value), e = cast_element(from, to, x);
  const std::string what = fmt::format("{} {} to {}: {}", dtype_name(from), element_text(from, x),
                                       dtype_name(to), element_text(to, e));
  const Real real = is_float(from)       ? x.f
                    : from == DType::u64 ? static_cast<Real>(static_cast<uint64_t>(x.i))
                                         : static_cast<Real>(x.i);
  if constexpr (std::is_same_v<To, bool>) {
    EXPECT_EQ(e.i, real != 0) << what;
  } else if constexpr (!kFloating<To>) {
    const Real low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    if (is_float(from) && !(std::trunc(real) >= low && std::trunc(real) <= high)) {
      EXPECT_EQ(e.undetermined, Undetermined::cast_range) << what;
    } else if (is_float(from)) {
      EXPECT_EQ(e.i, read(to, static_cast<To>(real)).i) << what;
    } else {
      EXPECT_EQ(e.i, read(to, static_cast<To>(static_cast<Wide>(real))).i) << what;
    }
  } else {
    const FloatModel& m = float_model(to);
    const double machine = as_double(
        static_cast<To>(static_cast<std::conditional_t<std::is_same_v<To, double>, double, float>>(real)));
    if (std::abs(real) > m.max) {
      if (m.narrow && !std::isinf(real)) {
        EXPECT_EQ(e.undetermined, Undetermined::overflow) << what;
      }
      return;
    }
    ASSERT_EQ(e.undetermined, Undetermined::no) << what;
    EXPECT_LE(std::abs(e.f - machine), e.error) << what;
    EXPECT_EQ(e.f, real) << what;
    EXPECT_LE(e.error, std::abs(real) * m.unit * 1.01L + m.tiny) << what;
    if (m.fits(real) && !m.may_flush(x)) {
      EXPECT_EQ(e.error, 0) << what;
    }
  }
}

TEST(Casts, EveryPairAgainstTheMachine) {
  for_all([]<class From>(DType from, From) {
    for_all([&]<class To>(DType to, To) {
      for (const From value : sample_values<From>()) {
        if (from == to) continue;
        check_cast<To, From>(from, to, value);
      }
    });
  });
}

TEST(Casts, NaNAndInfinity) {
  for_floats([](DType from, auto) {
    const Element nan = exact_float(NAN), inf = exact_float(-INFINITY);
    for_ints([&](DType to, auto) {
      EXPECT_EQ(cast_element(from, to, nan).undetermined, Undetermined::cast_range);
      EXPECT_EQ(cast_element(from, to, inf).undetermined, Undetermined::cast_range);
    });
    EXPECT_EQ(cast_element(from, DType::boolean, nan).undetermined, Undetermined::nan_order);
    for_floats([&](DType to, auto) {
      EXPECT_TRUE(std::isnan(cast_element(from, to, nan).f));
      EXPECT_EQ(cast_element(from, to, inf).f, -INFINITY);
    });
  });
}

TEST(Bitcasts, AreTheBits) {
  for_all([]<class From>(DType from, From) {
    if constexpr (!std::is_same_v<From, bool>) {
      for_all([&]<class To>(DType to, To) {
        if constexpr (sizeof(From) == sizeof(To) && !std::is_same_v<To, bool>) {
          for (const From value : sample_values<From>()) {
            const To bits = std::bit_cast<To>(value);
            const Element e = bitcast_element(from, to, read(from, value)), want = read(to, bits);
            ASSERT_EQ(e.undetermined, Undetermined::no);
            if (is_float(to)) {
              EXPECT_TRUE(e.f == want.f || (std::isnan(e.f) && std::isnan(want.f)));
            } else {
              EXPECT_EQ(e.i, want.i) << dtype_name(from) << " " << element_text(from, read(from, value));
            }
          }
        }
      });
    }
  });
  EXPECT_EQ(bitcast_element(DType::f32, DType::i32, exact_float(NAN)).undetermined, Undetermined::bits);
  const Element third = float_model(DType::f32).reciprocal(exact_float(3));
  EXPECT_EQ(bitcast_element(DType::f32, DType::u32, third).undetermined, Undetermined::bits);
  // The sign of a zero is known where it was read, not where it was computed.
  EXPECT_EQ(bitcast_element(DType::f32, DType::i32, read(DType::f32, -0.0f)).i, INT32_MIN);
  const std::array<Element, 1> zero{read(DType::f32, 0.0f)};
  const Element negative = scalar_function("neg")(DType::f32, zero);
  EXPECT_EQ(bitcast_element(DType::f32, DType::i32, negative).undetermined, Undetermined::zero_sign);
}

TEST(Texts, EnoughDigitsForEveryDType) {
  EXPECT_EQ(element_text(DType::f16, exact_float(round_to(DType::f16, 0.1L))), "0.099976");
  EXPECT_EQ(element_text(DType::bf16, exact_float(round_to(DType::bf16, 0.1L))), "0.1001");
  EXPECT_EQ(element_text(DType::f32, exact_float(0.1f)), "0.100000001");
  EXPECT_EQ(element_text(DType::f64, exact_float(0.1)), "0.10000000000000001");
  EXPECT_EQ(element_text(DType::u64, exact_int(-1)), "18446744073709551615");
  EXPECT_EQ(element_text(DType::i64, exact_int(-1)), "-1");
  EXPECT_EQ(element_text(DType::u8, exact_int(200)), "200");
}

TEST(Check, EveryDType) {
  for_all([]<class T>(DType dtype, T) {
    for (const T value : sample_values<T>()) {
      Bytes bytes(sizeof(T));
      std::memcpy(bytes.data(), &value, sizeof(T));
      const RefTensor expected{dtype, {1}, {read(dtype, value)}};
      EXPECT_EQ(check_values(expected, bytes).wrong, 0);
      bytes[sizeof(T) - 1] ^= 0x41;  // another value, of whatever dtype
      if constexpr (!std::is_same_v<T, bool>) {
        EXPECT_EQ(check_values(expected, bytes).wrong, 1)
            << dtype_name(dtype) << " " << element_text(dtype, expected.elements[0]);
      }
    }
  });
}

}  // namespace
}  // namespace uopdiff
