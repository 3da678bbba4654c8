#include "harness/reference/element.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace uopdiff {
namespace {

template <class T>
T read(const Bytes& bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

// The weight of the lowest bit set in `size` > 0.
Real lowest_bit(Real size) {
  const auto narrow = static_cast<double>(size);
  if (static_cast<Real>(narrow) == size && std::isnormal(narrow)) {
    constexpr uint64_t kStored = 52, kHidden = uint64_t{1} << kStored;
    const auto bits = std::bit_cast<uint64_t>(narrow);
    const int zeros = std::countr_zero((bits & (kHidden - 1)) | kHidden);
    const auto field = static_cast<int64_t>(bits >> kStored) - static_cast<int64_t>(kStored) + zeros;
    if (field > 0) return std::bit_cast<double>(static_cast<uint64_t>(field) << kStored);
  }
  int exponent = 0;
  const auto bits = static_cast<uint64_t>(std::ldexp(std::frexp(size, &exponent), 64));
  return std::ldexp(Real{1}, exponent - 64 + std::countr_zero(bits));
}

}  // namespace

const char* reason_name(Undetermined reason) {
  switch (reason) {
    case Undetermined::no:
      return "determined";
    case Undetermined::division_by_zero:
      return "integer division by zero";
    case Undetermined::shift_amount:
      return "shift beyond the width";
    case Undetermined::cast_range:
      return "float to integer out of range";
    case Undetermined::nan_order:
      return "NaN in an ordering";
    case Undetermined::interval:
      return "decision inside the error interval";
    case Undetermined::zero_sign:
      return "sign of zero or zero times infinity";
    case Undetermined::overflow:
      return "near or order-dependent overflow";
    case Undetermined::large_argument:
      return "sine of a large argument";
    case Undetermined::bits:
      return "bits of an inexact float or a NaN";
    case Undetermined::data:
      return "follows from an undetermined operand";
  }
  return "?";
}

Element undetermined(Undetermined reason) {
  Element e;
  e.undetermined = reason;
  return e;
}

Element exact_float(Real value) {
  Element e;
  e.f = value;
  if (!std::isfinite(value) || value == 0) return e;
  e.magnitude = std::abs(value);
  e.grain = lowest_bit(e.magnitude);
  e.high = std::max(Real{1}, e.magnitude);
  e.low = std::min(Real{1}, e.magnitude);
  return e;
}

Element exact_int(int64_t value) {
  Element e;
  e.i = value;
  return e;
}

Real read_float(DType dtype, const Bytes& bytes, int64_t index) {
  switch (dtype) {
    case DType::f32:
      return read<float>(bytes, index);
    case DType::f64:
      return read<double>(bytes, index);
    case DType::bf16:
      return std::bit_cast<float>(uint32_t{read<uint16_t>(bytes, index)} << 16);
    default:
      return float_from_bits(dtype, read<uint16_t>(bytes, index));
  }
}

int64_t read_int(DType dtype, const Bytes& bytes, int64_t index) {
  switch (dtype) {
    case DType::boolean:
      return read<uint8_t>(bytes, index) != 0;
    case DType::u8:
      return read<uint8_t>(bytes, index);
    case DType::i8:
      return read<int8_t>(bytes, index);
    case DType::u16:
      return read<uint16_t>(bytes, index);
    case DType::i16:
      return read<int16_t>(bytes, index);
    case DType::u32:
      return read<uint32_t>(bytes, index);
    case DType::i32:
      return read<int32_t>(bytes, index);
    default:
      return read<int64_t>(bytes, index);
  }
}

Element element_from_bytes(DType dtype, const Bytes& bytes, int64_t index) {
  if (!is_float(dtype)) return exact_int(read_int(dtype, bytes, index));
  Element e = exact_float(read_float(dtype, bytes, index));
  e.sign_known = true;
  return e;
}

}  // namespace uopdiff
