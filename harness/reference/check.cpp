// Judging data by the reference's elements.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "harness/reference/reference.h"

namespace uopdiff {
namespace {

constexpr size_t kWrongElementsKept = 8;
constexpr size_t kReasons = static_cast<size_t>(Undetermined::data) + 1;

bool right_float(const Element& want, Real have) {
  if (std::isnan(want.f)) return std::isnan(have);
  return have == want.f || std::abs(have - want.f) <= want.error;
}

// Enough to tell any two values of the dtype apart.
int digits_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return 5;
    case DType::bf16:
      return 4;
    case DType::f64:
      return 17;
    default:
      return 9;
  }
}

}  // namespace

std::string element_text(DType dtype, const Element& e) {
  if (is_open(e)) return fmt::format("undetermined ({})", reason_name(e.undetermined));
  if (dtype == DType::boolean) return e.i ? "true" : "false";
  if (!is_signed(dtype)) return std::to_string(static_cast<uint64_t>(e.i));
  if (!is_float(dtype)) return std::to_string(e.i);
  const std::string value = fmt::format("{:.{}g}", e.f, digits_of(dtype));
  return e.error > 0 ? fmt::format("{} +- {:.1e}", value, e.error) : value;
}

ValueCheck check_values(const RefTensor& expected, const Bytes& got) {
  const DType dtype = expected.dtype;
  ValueCheck check;
  check.elements = static_cast<int64_t>(expected.elements.size());
  if (got.size() != expected.elements.size() * byte_size(dtype)) {
    check.wrong = check.elements;
    check.first_wrong = 0;
    check.expected = fmt::format("{} elements", check.elements);
    check.got = fmt::format("{} bytes of data", got.size());
    return check;
  }
  const bool floating = is_float(dtype);
  std::array<int64_t, kReasons> open{};
  for (int64_t k = 0; k < check.elements; ++k) {
    const Element& want = expected.elements[static_cast<size_t>(k)];
    if (is_open(want)) {
      ++open[static_cast<size_t>(want.undetermined)];
      continue;
    }
    if (floating ? right_float(want, read_float(dtype, got, k))
                 : read_int(dtype, got, k) == want.i &&
                       (dtype != DType::boolean || got[static_cast<size_t>(k)] <= 1))
      continue;
    ++check.wrong;
    if (check.first.size() < kWrongElementsKept)
      check.first.push_back(
          {k, element_text(dtype, want), element_text(dtype, element_from_bytes(dtype, got, k))});
  }
  for (size_t reason = 0; reason < kReasons; ++reason) {
    if (open[reason] == 0) continue;
    check.undetermined += open[reason];
    check.by_reason[reason_name(static_cast<Undetermined>(reason))] = open[reason];
  }
  if (!check.first.empty()) {
    check.first_wrong = check.first[0].index;
    check.expected = check.first[0].expected;
    check.got = check.first[0].got;
  }
  return check;
}

}  // namespace uopdiff
