#include "normalizers/fold.h"

#include <algorithm>
#include <cmath>

namespace uopdiff {
namespace {

using enum UOpCode;

std::optional<int64_t> fold_bools(UOpCode code, bool a, bool b) {
  switch (code) {
    case add:
    case UOpCode::max:
    case bit_or:
      return a || b;
    case mul:
    case UOpCode::min:
    case bit_and:
      return a && b;
    case sub:
    case bit_xor:
    case cmpne:
      return a != b;
    case cmpeq:
      return a == b;
    case cmplt:
      return !a && b;
    case cmpgt:
      return a && !b;
    case cmple:
      return !a || b;
    case cmpge:
      return a || !b;
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> divided(DType dtype, int64_t a, int64_t b, bool quotient) {
  if (b == 0) return std::nullopt;
  if (!is_signed(dtype)) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    return static_cast<int64_t>(quotient ? x / y : x % y);
  }
  if (b == -1) return quotient ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : 0;  // traps otherwise
  return quotient ? a / b : a % b;
}

double end_of_range(DType dtype) {  // the first number above it
  return std::ldexp(1.0, bit_width(dtype) - (is_signed(dtype) ? 1 : 0));
}

}  // namespace

int64_t wrap(DType dtype, int64_t value) {
  if (is_float(dtype)) return value;
  return dtype == DType::boolean ? value != 0 : wrap_int(dtype, value);
}

std::optional<int64_t> fold_ints(UOpCode code, DType dtype, int64_t a, int64_t b) {
  if (dtype == DType::boolean) return fold_bools(code, a != 0, b != 0);
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);  // signed numbers do not wrap in C++
  const auto wrapped = [&](uint64_t bits) { return wrap(dtype, static_cast<int64_t>(bits)); };
  const bool less = dtype == DType::u64 ? x < y : a < b;
  const bool shifts = b >= 0 && b < bit_width(dtype);
  switch (code) {
    case add:
      return wrapped(x + y);
    case sub:
      return wrapped(x - y);
    case mul:
      return wrapped(x * y);
    case idiv:
    case mod: {
      const auto result = divided(dtype, a, b, code == idiv);
      return result ? std::optional(wrap(dtype, *result)) : std::nullopt;
    }
    case UOpCode::max:
      return less ? b : a;
    case UOpCode::min:
      return less ? a : b;
    case cmplt:
      return less;
    case cmpge:
      return !less;
    case cmpgt:
      return !less && a != b;
    case cmple:
      return less || a == b;
    case cmpeq:
      return a == b;
    case cmpne:
      return a != b;
    case bit_and:
      return a & b;
    case bit_or:
      return a | b;
    case bit_xor:
      return a ^ b;
    case shl:
      return shifts ? std::optional(wrapped(x << b)) : std::nullopt;
    case UOpCode::pow: {
      if (b < 0 && is_signed(dtype)) return std::nullopt;
      uint64_t power = 1, base = x;
      for (uint64_t rest = y; rest; rest >>= 1, base *= base)
        if (rest & 1) power *= base;
      return wrapped(power);
    }
    case shr:  // a u64 lacks the sign that the others' int64_t has
      if (!shifts) return std::nullopt;
      return dtype == DType::u64 ? static_cast<int64_t>(x >> b) : a >> b;
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> fold_int(UOpCode code, DType dtype, int64_t a) {
  switch (code) {
    case neg:
      return dtype == DType::boolean ? !a : fold_ints(sub, dtype, 0, a);
    case logical_not:
      return dtype == DType::boolean ? !a : wrap(dtype, ~a);
    case square:
      return fold_ints(mul, dtype, a, a);
    case UOpCode::abs:
      return is_signed(dtype) && a < 0 ? fold_ints(sub, dtype, 0, a) : a;
    case sign:
      return a == 0 ? 0 : is_signed(dtype) && a < 0 ? -1 : 1;
    case UOpCode::trunc:
    case contiguous:
      return a;
    default:
      return std::nullopt;
  }
}

std::optional<double> fold_reals(UOpCode code, double a, double b) {
  switch (code) {
    case add:
      return a + b;
    case sub:
      return a - b;
    case mul:
      return a * b;
    case fdiv:
      return a / b;
    case UOpCode::max:
      return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b);
    case UOpCode::min:
      return std::isnan(a) || std::isnan(b) ? std::nan("") : std::min(a, b);
    case UOpCode::pow:
      return std::pow(a, b);
    default:
      return std::nullopt;
  }
}

std::optional<double> fold_real(UOpCode code, double a) {
  switch (code) {
    case neg:
      return -a;
    case contiguous:
      return a;
    case reciprocal:
      return 1 / a;
    case square:
      return a * a;
    case UOpCode::sqrt:
      return std::sqrt(a);
    case rsqrt:
      return 1 / std::sqrt(a);
    case UOpCode::exp:
      return std::exp(a);
    case UOpCode::exp2:
      return std::exp2(a);
    case UOpCode::log:
      return std::log(a);
    case UOpCode::log2:
      return std::log2(a);
    case UOpCode::sin:
      return std::sin(a);
    case UOpCode::cos:
      return std::cos(a);
    case UOpCode::tan:
      return std::tan(a);
    case UOpCode::erf:
      return std::erf(a);
    case UOpCode::abs:
      return std::abs(a);
    case sign:
      return std::isnan(a) ? a : a > 0 ? 1 : a < 0 ? -1 : 0;
    case UOpCode::trunc:
      return std::trunc(a);
    case UOpCode::floor:
      return std::floor(a);
    case UOpCode::ceil:
      return std::ceil(a);
    case UOpCode::round:
      return std::nearbyint(a);
    default:
      return std::nullopt;
  }
}

uint64_t bits_of(DType dtype, int64_t integer, double real) {
  if (is_float(dtype)) return float_bits(dtype, real);
  const int unused = 64 - bit_width(dtype);
  return static_cast<uint64_t>(integer) << unused >> unused;
}

std::optional<Scalar> fold_cast(DType from, DType to, const Scalar& value) {
  Scalar result;
  if (!is_float(from)) {
    const double exact = from == DType::u64 ? static_cast<double>(static_cast<uint64_t>(value.i))
                                            : static_cast<double>(value.i);
    if (is_float(to))
      result.f = static_cast<double>(round_to(to, exact));
    else
      result.i = wrap(to, value.i);
    return result;
  }
  if (is_float(to)) {
    result.f = static_cast<double>(round_to(to, value.f));
    return result;
  }
  if (to == DType::boolean) {
    result.i = value.f != 0;
    return result;
  }
  const double whole = std::trunc(value.f), beyond = end_of_range(to);
  if (!(whole < beyond) || whole < (is_signed(to) ? -beyond : 0)) return std::nullopt;
  result.i =
      to == DType::u64 ? static_cast<int64_t>(static_cast<uint64_t>(whole)) : static_cast<int64_t>(whole);
  return result;
}

Scalar fold_bitcast(DType from, DType to, const Scalar& value) {
  const uint64_t bits = bits_of(from, value.i, value.f);
  Scalar result;
  if (is_float(to))
    result.f = static_cast<double>(float_from_bits(to, bits));
  else
    result.i = wrap(to, static_cast<int64_t>(bits));
  return result;
}

}  // namespace uopdiff
