// Integer operations against the machine's own on every narrow value, and on the edges of wide ones.
#include "normalizers/fold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace uopdiff {
namespace {

using enum UOpCode;

template <class T>
void check_pair(DType dtype, T a, T b) {
  const auto wide = [](T value) { return static_cast<int64_t>(value); };
  const auto wrapped = [&](UOpCode code, T expected) {
    EXPECT_EQ(fold_ints(code, dtype, wide(a), wide(b)), wide(expected))
        << dtype_name(dtype) << " " << static_cast<int>(code) << " " << wide(a) << " " << wide(b);
  };
  using U = std::make_unsigned_t<T>;
  const auto x = static_cast<uint64_t>(static_cast<U>(a)), y = static_cast<uint64_t>(static_cast<U>(b));
  wrapped(add, static_cast<T>(x + y));
  wrapped(sub, static_cast<T>(x - y));
  wrapped(mul, static_cast<T>(x * y));
  wrapped(UOpCode::max, std::max(a, b));
  wrapped(UOpCode::min, std::min(a, b));
  wrapped(bit_xor, static_cast<T>(a ^ b));
  EXPECT_EQ(fold_ints(cmplt, dtype, wide(a), wide(b)), a < b);
  EXPECT_EQ(fold_ints(cmple, dtype, wide(a), wide(b)), a <= b);
  EXPECT_EQ(fold_ints(cmpgt, dtype, wide(a), wide(b)), a > b);
  EXPECT_EQ(fold_ints(cmpge, dtype, wide(a), wide(b)), a >= b);
  const bool overflows = std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == static_cast<T>(-1);
  if (b != 0) {
    wrapped(idiv, overflows ? a : static_cast<T>(a / b));
    wrapped(mod, overflows ? T{0} : static_cast<T>(a % b));
  } else {
    EXPECT_EQ(fold_ints(idiv, dtype, wide(a), 0), std::nullopt);
  }
  const bool shifts = b >= 0 && wide(b) < bit_width(dtype);
  if (shifts && !(sizeof(T) == 8 && !std::is_signed_v<T> && wide(b) < 0)) {
    wrapped(shl, static_cast<T>(x << y));
    wrapped(shr, static_cast<T>(a >> b));
  } else {
    EXPECT_EQ(fold_ints(shl, dtype, wide(a), wide(b)), std::nullopt);
  }
}

TEST(Fold, NarrowIntegersExhaustively) {
  for (int a = -128; a < 256; ++a)
    for (int b = -128; b < 256; ++b) {
      if (a < 128 && b < 128) check_pair<int8_t>(DType::i8, static_cast<int8_t>(a), static_cast<int8_t>(b));
      if (a >= 0 && b >= 0) check_pair<uint8_t>(DType::u8, static_cast<uint8_t>(a), static_cast<uint8_t>(b));
    }
}

template <class T>
void check_edges(DType dtype) {
  using Limits = std::numeric_limits<T>;
  const T edges[] = {Limits::min(),
                     static_cast<T>(Limits::min() + 1),
                     static_cast<T>(-1),
                     T{0},
                     T{1},
                     T{7},
                     static_cast<T>(sizeof(T) * 8 - 1),
                     static_cast<T>(sizeof(T) * 8),
                     static_cast<T>(Limits::max() / 3),
                     Limits::max()};
  for (T a : edges)
    for (T b : edges) check_pair<T>(dtype, a, b);
}

TEST(Fold, EdgesOfEveryWidth) {
  check_edges<int16_t>(DType::i16);
  check_edges<uint16_t>(DType::u16);
  check_edges<int32_t>(DType::i32);
  check_edges<uint32_t>(DType::u32);
  check_edges<int64_t>(DType::i64);
  check_edges<uint64_t>(DType::u64);
}

TEST(Fold, BoolsAreLogic) {
  EXPECT_EQ(fold_ints(add, DType::boolean, 1, 1), 1);
  EXPECT_EQ(fold_ints(mul, DType::boolean, 1, 0), 0);
  EXPECT_EQ(fold_ints(cmplt, DType::boolean, 0, 1), 1);
  EXPECT_EQ(fold_int(logical_not, DType::boolean, 1), 0);
  EXPECT_EQ(fold_int(logical_not, DType::u8, 1), 254);
  EXPECT_EQ(fold_int(neg, DType::i8, -128), -128);
  EXPECT_EQ(fold_ints(UOpCode::pow, DType::u8, 3, 6), 729 % 256);
}

TEST(Fold, Casts) {
  EXPECT_EQ(fold_cast(DType::f32, DType::u8, {0, 255.9})->i, 255);
  EXPECT_FALSE(fold_cast(DType::f32, DType::u8, {0, 256}));
  EXPECT_FALSE(fold_cast(DType::f32, DType::i8, {0, NAN}));
  EXPECT_EQ(fold_cast(DType::f64, DType::u64, {0, 0x1p63})->i, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(fold_cast(DType::u64, DType::f32, {-1, 0})->f, 0x1p64);
  EXPECT_EQ(fold_cast(DType::i64, DType::i8, {300, 0})->i, 44);
  EXPECT_EQ(fold_cast(DType::f32, DType::bf16, {0, 1.005859375})->f, 1.0078125);
  EXPECT_EQ(fold_bitcast(DType::f32, DType::i32, {0, -0.0}).i, std::numeric_limits<int32_t>::min());
  EXPECT_EQ(fold_bitcast(DType::u16, DType::bf16, {0x3f80, 0}).f, 1);
}

}  // namespace
}  // namespace uopdiff
