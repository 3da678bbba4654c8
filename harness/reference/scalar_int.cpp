#include "harness/reference/scalar_families.h"

namespace uopdiff::scalars {
namespace {

// Quotient or remainder, rounded to minus infinity or to zero.
Element divide_ints(DType dtype, Operands x, bool floor, bool quotient) {
  const int64_t a = x[0].i, b = x[1].i;
  if (b == 0) return undetermined(Undetermined::division_by_zero);
  if (!is_signed(dtype)) {
    const auto p = static_cast<uint64_t>(a), q = static_cast<uint64_t>(b);
    return exact_int(static_cast<int64_t>(quotient ? p / q : p % q));
  }
  if (a == int_lowest(dtype) && b == -1) return undetermined(Undetermined::division_by_zero);
  int64_t q = a / b, r = a % b;
  if (floor && r != 0 && (r < 0) != (b < 0)) {
    --q;
    r += b;
  }
  return exact_int(quotient ? q : r);
}

Element floordiv(DType dtype, Operands x) { return divide_ints(dtype, x, true, true); }
Element floormod(DType dtype, Operands x) { return divide_ints(dtype, x, true, false); }
Element truncdiv(DType dtype, Operands x) { return divide_ints(dtype, x, false, true); }
Element truncmod(DType dtype, Operands x) { return divide_ints(dtype, x, false, false); }

Element bit_and(DType, Operands x) { return exact_int(x[0].i & x[1].i); }
Element bit_or(DType, Operands x) { return exact_int(x[0].i | x[1].i); }
Element bit_xor(DType, Operands x) { return exact_int(x[0].i ^ x[1].i); }
Element bitwise_not(DType dtype, Operands x) { return exact_int(wrap_int(dtype, ~x[0].i)); }
Element logical_not(DType, Operands x) { return exact_int(x[0].i == 0); }

bool shifts(DType dtype, int64_t amount) { return amount >= 0 && amount < bit_width(dtype); }

Element shl(DType dtype, Operands x) {
  if (!shifts(dtype, x[1].i)) return undetermined(Undetermined::shift_amount);
  return exact_int(wrap_int(dtype, static_cast<int64_t>(static_cast<uint64_t>(x[0].i) << x[1].i)));
}
Element shr(DType dtype, Operands x) {
  if (!shifts(dtype, x[1].i)) return undetermined(Undetermined::shift_amount);
  if (is_signed(dtype)) return exact_int(x[0].i >> x[1].i);
  return exact_int(static_cast<int64_t>(static_cast<uint64_t>(x[0].i) >> x[1].i));
}

}  // namespace

bool int_less(DType dtype, int64_t a, int64_t b) {
  return is_signed(dtype) ? a < b : static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
}

void add_ints(std::map<std::string, Plain>& table) {
  table.insert({{"floordiv", floordiv},
                {"floormod", floormod},
                {"truncdiv", truncdiv},
                {"truncmod", truncmod},
                {"and", bit_and},
                {"or", bit_or},
                {"xor", bit_xor},
                {"bitwise_not", bitwise_not},
                {"logical_not", logical_not},
                {"shl", shl},
                {"shr", shr}});
}

}  // namespace uopdiff::scalars
