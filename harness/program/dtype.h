// Element types of tensor programs and how their elements lie in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace uopdiff {

enum class DType : uint8_t { boolean, i32, f32 };

inline constexpr DType kAllDTypes[] = {DType::boolean, DType::i32, DType::f32};

const char* dtype_name(DType dtype);  // "bool", "i32", "f32"
std::optional<DType> dtype_from_name(const std::string& name);
size_t byte_size(DType dtype);  // a bool is one byte, 0 or 1
bool is_float(DType dtype);

using Shape = std::vector<int64_t>;
using Bytes = std::vector<uint8_t>;  // little-endian, C order, no padding

int64_t element_count(const Shape& shape);            // 1 for rank 0
std::vector<int64_t> strides_of(const Shape& shape);  // in elements, C order
std::string shape_text(const Shape& shape);           // "[3,4]"

}  // namespace uopdiff
