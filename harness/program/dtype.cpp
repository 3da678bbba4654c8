#include "harness/program/dtype.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace uopdiff {

const char* dtype_name(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return "bool";
    case DType::i32:
      return "i32";
    case DType::f32:
      return "f32";
  }
  return "?";
}

std::optional<DType> dtype_from_name(const std::string& name) {
  for (DType dtype : kAllDTypes)
    if (name == dtype_name(dtype)) return dtype;
  return std::nullopt;
}

size_t byte_size(DType dtype) { return dtype == DType::boolean ? 1 : 4; }

bool is_float(DType dtype) { return dtype == DType::f32; }

int64_t element_count(const Shape& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}

std::vector<int64_t> strides_of(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::string shape_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

}  // namespace uopdiff
