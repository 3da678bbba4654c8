#include "harness/reference/movement.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "harness/program/error.h"
#include "harness/program/op_table.h"

namespace uopdiff {
namespace {

constexpr int64_t kOutside = -1;

// For each element of `shape`, calls f with its coordinates and appends src[f(...)], or zero for kOutside.
void gather(const RefTensor& src, RefTensor& out, const std::function<int64_t(const Ints&)>& f) {
  const int64_t count = element_count(out.shape);
  const auto strides = strides_of(out.shape);
  Ints at(out.shape.size());
  out.elements.reserve(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k) {
    for (size_t d = 0; d < at.size(); ++d) at[d] = k / strides[d] % out.shape[d];
    const int64_t from = f(at);
    out.elements.push_back(from == kOutside ? Element{} : src.elements[static_cast<size_t>(from)]);
  }
}

void cat(const Node& node, const std::vector<const RefTensor*>& src, RefTensor& out) {
  const auto axis = static_cast<size_t>(node.attr<int64_t>("axis"));
  const int64_t count = element_count(out.shape), inner = strides_of(out.shape)[axis];
  out.elements.reserve(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k) {
    const int64_t before = k / (inner * out.shape[axis]), rest = k % inner;
    int64_t along = k / inner % out.shape[axis];
    size_t part = 0;
    while (along >= src[part]->shape[axis]) along -= src[part++]->shape[axis];
    const int64_t from = (before * src[part]->shape[axis] + along) * inner + rest;
    out.elements.push_back(src[part]->elements[static_cast<size_t>(from)]);
  }
}

}  // namespace

void move_elements(const Node& node, const std::vector<const RefTensor*>& operands, RefTensor& out) {
  const std::string& op = node.op->name;
  const RefTensor& src = *operands[0];
  const auto strides = strides_of(src.shape);
  if (op == "reshape" || op == "contiguous" || op == "realize" || op == "detach") {
    out.elements = src.elements;
  } else if (op == "cat") {
    cat(node, operands, out);
  } else if (op == "permute") {
    const auto& axes = node.attr<Ints>("axes");
    gather(src, out, [&](const Ints& at) {
      int64_t from = 0;
      for (size_t d = 0; d < at.size(); ++d) from += at[d] * strides[static_cast<size_t>(axes[d])];
      return from;
    });
  } else if (op == "expand") {
    gather(src, out, [&](const Ints& at) {
      int64_t from = 0;
      for (size_t d = 0; d < at.size(); ++d) from += src.shape[d] == 1 ? 0 : at[d] * strides[d];
      return from;
    });
  } else if (op == "pad") {
    const auto& padding = node.attr<Pairs>("padding");
    gather(src, out, [&](const Ints& at) {
      int64_t from = 0;
      for (size_t d = 0; d < at.size(); ++d) {
        const int64_t inside = at[d] - padding[d].first;
        if (inside < 0 || inside >= src.shape[d]) return kOutside;
        from += inside * strides[d];
      }
      return from;
    });
  } else if (op == "shrink") {
    const auto& bounds = node.attr<Pairs>("bounds");
    gather(src, out, [&](const Ints& at) {
      int64_t from = 0;
      for (size_t d = 0; d < at.size(); ++d) from += (at[d] + bounds[d].first) * strides[d];
      return from;
    });
  } else if (op == "flip") {
    const auto& axes = node.attr<Ints>("axes");
    gather(src, out, [&](const Ints& at) {
      int64_t from = 0;
      for (size_t d = 0; d < at.size(); ++d) {
        const bool flipped = std::ranges::find(axes, static_cast<int64_t>(d)) != axes.end();
        from += (flipped ? src.shape[d] - 1 - at[d] : at[d]) * strides[d];
      }
      return from;
    });
  } else {
    throw Error(ErrorKind::internal, fmt::format("the reference lacks operation '{}'", op));
  }
}

}  // namespace uopdiff
