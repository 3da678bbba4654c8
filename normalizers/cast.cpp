#include "normalizers/cast.h"

#include <string>

#include "normalizers/constant.h"
#include "normalizers/field.h"

namespace uopdiff {
namespace {

const uint64_t kTruncated = field_hash_text("float to integer");

// Every value of `from` is one of `to`.
bool keeps_values(DType from, DType to) {
  if (from == to || from == DType::boolean) return true;
  if (to == DType::boolean || (is_float(from) && !is_float(to))) return false;
  if (is_float(from)) {
    const FloatFormat &a = float_format(from), &b = float_format(to);
    return a.digits <= b.digits && a.max_exponent <= b.max_exponent;
  }
  const int digits = bit_width(from) - (is_signed(from) ? 1 : 0);
  if (is_float(to)) return digits <= float_format(to).digits && digits <= float_format(to).max_exponent;
  if (is_signed(from) && !is_signed(to)) return false;
  return digits <= bit_width(to) - (is_signed(to) ? 1 : 0);
}

// Integers only: what the first cast cuts off, the second one cuts off anyway.
bool cuts_as_much(DType middle, DType to) {
  return is_int(middle) && is_int(to) && bit_width(to) <= bit_width(middle);
}

Value converted(DType from, DType to, uint64_t field) {
  Value result = opaque(field_hash(
      field_hash_text((std::string("cast ") + dtype_name(from) + " to " + dtype_name(to)).c_str()), field));
  result.origin = CastFrom{from, field};
  return result;
}

// A float as a shorter one. One function of an f16 computed in f32 is that function in f16: the second
// rounding is innocuous or nearly so (tinygrad 0.12.0 tensor.py `exp` and others compute so).
Value shortened(DType to, const Value& x) {
  if (x.emulated && is_narrow_real(to)) return opaque(x.field);
  return opaque(field_hash(field_hash_text((std::string("round to ") + dtype_name(to)).c_str()), x.field));
}

}  // namespace

Value cast_value(const UOp& node, DType from, const Value& x) {
  const DType to = node.type;
  if (from == to) return x;
  if (x.known) {
    const auto result = fold_cast(from, to, {x.i, x.f});
    if (result) return known_number(node, *result);
  }
  if (x.bit || (from == DType::boolean && to != DType::boolean)) {
    Value result = x;
    result.bit = true;
    return result;
  }
  if (to == DType::boolean) {  // of a widened one the original
    const bool same = x.origin && keeps_values(x.origin->dtype, from);
    return same ? nonzero(x.origin->dtype, opaque(x.origin->field)) : nonzero(from, x);
  }
  if (x.origin &&
      (keeps_values(x.origin->dtype, from) || (is_int(x.origin->dtype) && cuts_as_much(from, to)))) {
    const CastFrom origin = *x.origin;
    if (origin.dtype == to) return opaque(origin.field);
    if (is_int(origin.dtype)) return converted(origin.dtype, to, origin.field);
  }
  if (is_float(from) && is_float(to)) {
    if (!keeps_values(from, to)) return shortened(to, x);
    Value result = opaque(x.field);  // every value of the shorter one is there
    result.emulated = is_narrow_real(from);
    return result;
  }
  // tinygrad 0.12.0 makes u8 and u16 of a float by way of an i32 (tensor.py, `cast`).
  if (is_float(from) && (to == DType::u8 || to == DType::u16))
    return converted(DType::i32, to, field_hash(kTruncated, x.field));
  if (is_float(from)) return opaque(field_hash(kTruncated, x.field));
  return converted(from, to, x.field);
}

Value bitcast_value(const UOp& node, DType from, const Value& x) {
  if (x.known) return known_number(node, fold_bitcast(from, node.type, {x.i, x.f}));
  if (is_int(from) && is_int(node.type)) return cast_value(node, from, x);  // of one width
  if (from == node.type) return x;
  Value result = converted(from, node.type, field_add(x.field, 1));
  result.origin.reset();
  return result;
}

}  // namespace uopdiff
