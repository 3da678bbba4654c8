#include "harness/reference/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "harness/program/error.h"
#include "harness/program/op_table.h"
#include "harness/reference/float_model.h"
#include "harness/reference/movement.h"
#include "harness/reference/scalar.h"

namespace uopdiff {
namespace {

using Tensors = std::vector<const RefTensor*>;

Element constant_element(DType dtype, double value) {
  if (is_float(dtype))
    return float_model(dtype).fits(value) ? exact_float(value) : float_model(dtype).constant(value);
  if (dtype == DType::boolean) return exact_int(value != 0);
  return exact_int(wrap_int(dtype, value >= 0x1p63 ? static_cast<int64_t>(static_cast<uint64_t>(value))
                                                   : static_cast<int64_t>(value)));
}

void source(const Node& node, const std::map<std::string, Bytes>& inputs, RefTensor& out) {
  const int64_t count = element_count(node.shape);
  out.elements.reserve(static_cast<size_t>(count));
  if (node.op->name == "full") {
    out.elements.assign(static_cast<size_t>(count), constant_element(node.dtype, node.attr<double>("value")));
    return;
  }
  if (node.op->name == "input") {
    const Bytes& bytes = inputs.at(node.name);
    if (bytes.size() != static_cast<size_t>(count) * byte_size(node.dtype))
      throw Error(ErrorKind::internal, fmt::format("input {} has {} bytes", node.name, bytes.size()));
    for (int64_t k = 0; k < count; ++k) out.elements.push_back(element_from_bytes(node.dtype, bytes, k));
    return;
  }
  const int64_t start = node.attr<int64_t>("start"), step = node.attr<int64_t>("step");
  for (int64_t k = 0; k < count; ++k) {
    const auto value = static_cast<int64_t>(static_cast<uint64_t>(start) +
                                            static_cast<uint64_t>(k) * static_cast<uint64_t>(step));
    out.elements.push_back(is_float(node.dtype) ? constant_element(node.dtype, static_cast<double>(value))
                                                : exact_int(wrap_int(node.dtype, value)));
  }
}

bool is_int_division(const Node& node, DType dtype) {
  static const std::set<std::string> names{"floordiv", "truncdiv", "floormod", "truncmod"};
  return !is_float(dtype) && names.count(node.op->name) != 0;
}

void elementwise(const Node& node, const Tensors& src, RefTensor& out, bool& may_trap) {
  const ScalarFunction function = scalar_function(node.op->name, node.attrs);
  if (!function || src.size() > 3)
    throw Error(ErrorKind::internal, fmt::format("the reference lacks operation '{}'", node.op->name));
  const DType dtype = src.back()->dtype;
  const bool choice = node.op->name == "where", division = is_int_division(node, dtype);
  std::array<Element, 3> operands;
  const std::span<const Element> given(operands.data(), src.size());
  out.elements.resize(src[0]->elements.size());
  for (size_t k = 0; k < out.elements.size(); ++k) {
    bool open = false;
    for (size_t s = 0; s < src.size(); ++s) {
      operands[s] = src[s]->elements[k];
      open |= is_open(operands[s]) && (s == 0 || !choice);
    }
    // Only the chosen arm of a where has to be determined.
    out.elements[k] = open ? undetermined(Undetermined::data) : function(dtype, given);
    if (!division) continue;
    // An undetermined divisor may be zero; an undetermined dividend may be the lowest integer.
    const Element &a = operands[0], &b = operands[1];
    may_trap |= out.elements[k].undetermined == Undetermined::division_by_zero || is_open(b) ||
                (is_open(a) && is_signed(dtype) && b.i == -1);
  }
}

void cast(const Node& node, const RefTensor& src, RefTensor& out) {
  const auto function = node.op->name == "cast" ? cast_element : bitcast_element;
  out.elements.reserve(src.elements.size());
  for (const Element& e : src.elements) out.elements.push_back(function(src.dtype, node.dtype, e));
}

// Every group of elements that becomes one, one after another.
std::vector<Element> grouped(const RefTensor& src, const Shape& kept, size_t size) {
  const auto strides = strides_of(src.shape), kept_strides = strides_of(kept);
  std::vector<Element> elements(src.elements.size());
  std::vector<size_t> filled(src.elements.size() / std::max<size_t>(size, 1), 0);
  for (size_t k = 0; k < src.elements.size(); ++k) {
    int64_t target = 0, rest = static_cast<int64_t>(k);
    for (size_t d = 0; d < src.shape.size(); ++d) {
      const int64_t coordinate = rest / strides[d];
      rest %= strides[d];
      if (kept[d] != 1) target += coordinate * kept_strides[d];
    }
    const auto group = static_cast<size_t>(target);
    elements[group * size + filled[group]++] = src.elements[k];
  }
  return elements;
}

void reduce(const Node& node, const RefTensor& src, RefTensor& out) {
  Shape kept = src.shape;
  size_t size = 1;
  bool reduced = false, innermost = true;  // groups lie together already
  for (int64_t axis : node.attr<Ints>("axes")) {
    size *= static_cast<size_t>(src.shape[static_cast<size_t>(axis)]);
    kept[static_cast<size_t>(axis)] = 1;
  }
  for (size_t d = 0; d < kept.size(); ++d) {
    innermost &= !reduced || kept[d] == 1;
    reduced |= kept[d] != src.shape[d];
  }
  const std::vector<Element> moved = innermost ? std::vector<Element>{} : grouped(src, kept, size);
  const std::span<const Element> elements(innermost ? src.elements : moved);
  const auto groups = static_cast<size_t>(element_count(node.shape));
  out.elements.reserve(groups);
  for (size_t k = 0; k < groups; ++k)
    out.elements.push_back(reduce_elements(node.op->name, src.dtype, elements.subspan(k * size, size)));
}

}  // namespace

bool has_own_meaning(const std::string& op) {
  static const std::set<std::string> names{
      "input", "full",       "arange",  "reshape", "permute", "expand", "pad",    "shrink", "flip", "cat",
      "cast",  "contiguous", "bitcast", "realize", "sum",     "prod",   "detach", "max",    "min"};
  return names.count(op) != 0 || scalar_function(op);
}

Program reference_form(const Program& program) {
  return expand(program, [](const OpInfo& op) {
    return op.category == Category::composite || !has_own_meaning(op.name);
  });
}

Reference evaluate_reference(const Program& given, const std::map<std::string, Bytes>& inputs) {
  const Program program = reference_form(given);
  std::vector<size_t> last_use(program.nodes.size());
  for (size_t n = 0; n < program.nodes.size(); ++n)
    for (int s : program.nodes[n].src) last_use[static_cast<size_t>(s)] = n;
  for (int output : program.outputs) last_use[static_cast<size_t>(output)] = program.nodes.size();
  Reference result;
  std::vector<RefTensor> values(program.nodes.size());
  for (size_t n = 0; n < program.nodes.size(); ++n) {
    const Node& node = program.nodes[n];
    RefTensor& out = values[n];
    out.dtype = node.dtype;
    out.shape = node.shape;
    Tensors src;
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
    for (int s : node.src)
      if (last_use[static_cast<size_t>(s)] == n) values[static_cast<size_t>(s)].elements = {};
  }
  for (int output : program.outputs) result.outputs.push_back(values[static_cast<size_t>(output)]);
  return result;
}

}  // namespace uopdiff
