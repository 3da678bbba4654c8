#include "harness/reference/element.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace uopdiff {

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

Element exact_float(double value) {
  Element e;
  e.f = value;
  if (!std::isfinite(value) || value == 0) return e;
  e.magnitude = std::abs(value);
  int exponent = 0;
  const auto bits = static_cast<int64_t>(std::ldexp(std::frexp(e.magnitude, &exponent), 53));
  e.grain = std::ldexp(static_cast<double>(bits & -bits), exponent - 53);
  e.high = std::max(1.0, e.magnitude);
  e.low = std::min(1.0, e.magnitude);
  return e;
}

Element exact_int(int64_t value) {
  Element e;
  e.i = value;
  return e;
}

Element element_from_bytes(DType dtype, const Bytes& bytes, int64_t index) {
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, bytes.data() + static_cast<size_t>(index) * sizeof(T), sizeof(T));
    return value;
  };
  switch (dtype) {
    case DType::boolean:
      return exact_int(read(uint8_t{}) != 0);
    case DType::i32:
      return exact_int(read(int32_t{}));
    case DType::f32:
      return exact_float(read(float{}));
  }
  return {};
}

}  // namespace uopdiff
