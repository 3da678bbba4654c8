#include "normalizers/constant.h"

#include <cmath>
#include <optional>

#include "normalizers/field.h"

namespace uopdiff {
namespace {

// The fraction of small numbers that rounds to `value` in f32, or in a narrower dtype, if there is one.
std::optional<uint64_t> simple_fraction(DType dtype, double value) {
  double rest = std::abs(value);
  int64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;  // continued fraction
  for (int step = 0; step < 10; ++step) {
    const double whole = std::floor(rest);
    if (whole > 1e6) return std::nullopt;
    const int64_t p = static_cast<int64_t>(whole) * p1 + p0, q = static_cast<int64_t>(whole) * q1 + q0;
    if (q > 256 || p > 1000000) return std::nullopt;
    if (round_to(dtype, static_cast<double>(p) / static_cast<double>(q)) ==
        round_to(dtype, std::abs(value))) {
      const uint64_t fraction = field_mul(field_from_int(p), field_inverse(field_from_int(q)));
      return value < 0 ? field_sub(0, fraction) : fraction;
    }
    p0 = p1, q0 = q1, p1 = p, q1 = q;
    if (rest == whole) return std::nullopt;
    rest = 1 / (rest - whole);
  }
  return std::nullopt;
}

// Compilers fold 1/3, 2/3, log2(e) or 2*ln(2) to rounded constants, or keep the operations: the simplest
// fraction (times log2(e), or ln(2)) that rounds to the same f32 stands for both.
uint64_t constant_field(DType dtype, double value) {
  if (!std::isfinite(value) || value == std::trunc(value)) return field_from_double(value);
  if (const auto fraction = simple_fraction(dtype, value)) return *fraction;
  // A narrow constant is near too many fractions: of the two factors only themselves are tried.
  const bool narrow = is_narrow_real(dtype);
  const auto is_rounded = [&](double factor) {
    return round_to(dtype, factor) == round_to(dtype, std::abs(value));
  };
  if (narrow && is_rounded(M_LOG2E)) return value < 0 ? field_sub(0, log2_of_e()) : log2_of_e();
  if (narrow && is_rounded(M_LN2)) {
    const uint64_t ln2 = field_inverse(log2_of_e());
    return value < 0 ? field_sub(0, ln2) : ln2;
  }
  if (narrow) return field_from_double(value);
  if (const auto fraction = simple_fraction(dtype, value / M_LOG2E)) return field_mul(*fraction, log2_of_e());
  if (const auto fraction = simple_fraction(dtype, value / M_LN2))
    return field_mul(*fraction, field_inverse(log2_of_e()));
  return field_from_double(value);
}

}  // namespace

uint64_t log2_of_e() {
  static const uint64_t value = field_hash_text("log2(e)");
  return value;
}

double rounded(DType dtype, double real) {
  if (dtype == DType::f64) return real;
  if (dtype == DType::f32) return static_cast<float>(real);  // round_to is much slower
  return static_cast<double>(round_to(dtype, real));
}

Value known_real(DType dtype, double value) {
  Value result;
  result.field = constant_field(is_narrow_real(dtype) ? dtype : DType::f32, value);
  result.known = true;
  result.f = value;
  return result;
}

// Unsigned numbers in the upper half stand for negative ones in the field: x * 255 is -x of a u8.
Value known_integer(DType dtype, int64_t value) {
  const int unused = 64 - bit_width(dtype);
  const bool is_unsigned = is_int(dtype) && !is_signed(dtype);
  Value result;
  result.field = field_from_int(
      is_unsigned ? static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused : value);
  result.known = true;
  result.i = value;
  return result;
}

Value known_bool(bool value) { return known_integer(DType::boolean, value); }

Value known_number(const UOp& node, const Scalar& value) {
  return node.is_float() ? known_real(node.type, value.f) : known_integer(node.type, value.i);
}

}  // namespace uopdiff
