#include "harness/reference/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/program/error.h"
#include "harness/program/op_table.h"
#include "harness/reference/movement.h"
#include "harness/reference/scalar.h"

namespace uopdiff {
namespace {

constexpr size_t kWrongElementsKept = 8;

using Operands = std::vector<const RefTensor*>;

bool any_undetermined(std::span<const Element> operands) {
  return std::ranges::any_of(operands, [](const Element& e) { return e.undetermined != Undetermined::no; });
}

void source(const Node& node, const std::map<std::string, Bytes>& inputs, RefTensor& out) {
  const int64_t count = element_count(node.shape);
  out.elements.reserve(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k) {
    if (node.op->name == "input") {
      out.elements.push_back(element_from_bytes(node.dtype, inputs.at(node.name), k));
    } else {
      const double value =
          node.op->name == "full"
              ? node.attr<double>("value")
              : static_cast<double>(node.attr<int64_t>("start") + k * node.attr<int64_t>("step"));
      out.elements.push_back(is_float(node.dtype) ? exact_float(value)
                                                  : exact_int(static_cast<int64_t>(value)));
    }
  }
}

void elementwise(const Node& node, const Operands& src, RefTensor& out, bool& may_trap) {
  const ScalarFunction function = scalar_function(node.op->name);
  if (!function)
    throw Error(ErrorKind::internal, fmt::format("the reference lacks operation '{}'", node.op->name));
  const DType dtype = src.back()->dtype;
  std::vector<Element> operands(src.size());
  out.elements.resize(src[0]->elements.size());
  for (size_t k = 0; k < out.elements.size(); ++k) {
    for (size_t s = 0; s < src.size(); ++s) operands[s] = src[s]->elements[k];
    // Only the chosen arm of a where has to be determined.
    const bool open = node.op->category == Category::ternary ? operands[0].undetermined != Undetermined::no
                                                             : any_undetermined(operands);
    out.elements[k] = open ? undetermined(Undetermined::data) : function(dtype, operands);
    may_trap |= out.elements[k].undetermined == Undetermined::division_by_zero;
  }
  if (node.op->category != Category::binary || is_float(dtype)) return;
  if (node.op->name.find("div") == std::string::npos && node.op->name.find("mod") == std::string::npos)
    return;
  // An undetermined divisor may be zero; an undetermined dividend may be INT_MIN.
  for (size_t k = 0; k < out.elements.size(); ++k) {
    const Element &a = src[0]->elements[k], &b = src[1]->elements[k];
    may_trap |= b.undetermined != Undetermined::no || (a.undetermined != Undetermined::no && b.i == -1);
  }
}

void cast(const Node& node, const RefTensor& src, RefTensor& out) {
  for (const Element& e : src.elements) out.elements.push_back(cast_element(src.dtype, node.dtype, e));
}

void reduce(const Node& node, const RefTensor& src, RefTensor& out) {
  const auto& axes = node.attr<Ints>("axes");
  std::vector<std::vector<Element>> groups(static_cast<size_t>(element_count(node.shape)));
  Shape kept = src.shape;
  for (int64_t axis : axes) kept[static_cast<size_t>(axis)] = 1;
  const auto strides = strides_of(src.shape), kept_strides = strides_of(kept);
  for (size_t k = 0; k < src.elements.size(); ++k) {
    int64_t target = 0, rest = static_cast<int64_t>(k);
    for (size_t d = 0; d < src.shape.size(); ++d) {
      const int64_t coordinate = rest / strides[d];
      rest %= strides[d];
      if (kept[d] != 1) target += coordinate * kept_strides[d];
    }
    groups[static_cast<size_t>(target)].push_back(src.elements[k]);
  }
  for (const auto& group : groups) out.elements.push_back(reduce_elements(node.op->name, src.dtype, group));
}

}  // namespace

Reference evaluate_reference(const Program& given, const std::map<std::string, Bytes>& inputs) {
  const Program program = expand_composites(given, false);
  Reference result;
  std::vector<RefTensor> values(program.nodes.size());
  for (size_t n = 0; n < program.nodes.size(); ++n) {
    const Node& node = program.nodes[n];
    RefTensor& out = values[n];
    out.dtype = node.dtype;
    out.shape = node.shape;
    Operands src;
    for (int s : node.src) src.push_back(&values[static_cast<size_t>(s)]);
    switch (node.op->category) {
      case Category::source:
        source(node, inputs, out);
        break;
      case Category::movement:
        move_elements(node, src, out);
        break;
      case Category::cast:
        cast(node, *src[0], out);
        break;
      case Category::reduce:
        reduce(node, *src[0], out);
        break;
      default:
        elementwise(node, src, out, result.may_trap);
    }
  }
  for (int output : program.outputs) result.outputs.push_back(values[static_cast<size_t>(output)]);
  return result;
}

std::string element_text(DType dtype, const Element& e) {
  if (e.undetermined != Undetermined::no)
    return fmt::format("undetermined ({})", reason_name(e.undetermined));
  if (dtype == DType::boolean) return e.i ? "true" : "false";
  if (!is_float(dtype)) return std::to_string(e.i);
  return e.error > 0 ? fmt::format("{:.9g} +- {:.1e}", e.f, e.error) : fmt::format("{:.9g}", e.f);
}

ValueCheck check_values(const RefTensor& expected, const Bytes& got) {
  ValueCheck check;
  check.elements = static_cast<int64_t>(expected.elements.size());
  if (got.size() != expected.elements.size() * byte_size(expected.dtype)) {
    check.wrong = check.elements;
    check.first_wrong = 0;
    check.expected = fmt::format("{} elements", check.elements);
    check.got = fmt::format("{} bytes of data", got.size());
    return check;
  }
  for (int64_t k = 0; k < check.elements; ++k) {
    const Element& want = expected.elements[static_cast<size_t>(k)];
    if (want.undetermined != Undetermined::no) {
      ++check.undetermined;
      ++check.by_reason[reason_name(want.undetermined)];
      continue;
    }
    const Element have = element_from_bytes(expected.dtype, got, k);
    bool right;
    if (!is_float(expected.dtype))
      right = have.i == want.i && (expected.dtype != DType::boolean || got[static_cast<size_t>(k)] <= 1);
    else if (std::isnan(want.f))
      right = std::isnan(have.f);
    else
      right = have.f == want.f || std::abs(have.f - want.f) <= want.error;
    if (right) continue;
    ++check.wrong;
    if (check.first.size() < kWrongElementsKept)
      check.first.push_back({k, element_text(expected.dtype, want), element_text(expected.dtype, have)});
  }
  if (!check.first.empty()) {
    check.first_wrong = check.first[0].index;
    check.expected = check.first[0].expected;
    check.got = check.first[0].got;
  }
  return check;
}

}  // namespace uopdiff
