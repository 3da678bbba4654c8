#include "normalizers/work.h"

#include <fmt/format.h>

#include <algorithm>

namespace uopdiff {
namespace {

using enum UOpCode;

// Operations of one kind may stand for each other.
std::string kind_of(const UOp& uop, const UOp* last) {
  switch (uop.code) {
    case UOpCode::exp:
    case UOpCode::exp2:
      return "exp";
    case UOpCode::log:
    case UOpCode::log2:
      return "log";
    case UOpCode::sqrt:
    case rsqrt:
      return "sqrt";
    case reciprocal:
    case fdiv:
      return last && last->code == constant ? "" : "division";
    case idiv:
    case mod:
      return "integer division";
    case UOpCode::sin:
    case UOpCode::cos:
    case UOpCode::tan:
      return "sin";
    case UOpCode::erf:
      return "erf";
    case UOpCode::pow:  // of a constant exponent mostly products
      return last && last->code == constant ? "" : "pow";
    case UOpCode::trunc:
    case UOpCode::floor:
    case UOpCode::ceil:
    case UOpCode::round:
      return "trunc";
    case where:
    case UOpCode::max:
    case UOpCode::min:
    case UOpCode::abs:
    case sign:
      return uop.is_bool() ? "and/or" : "choice";
    case cmplt:
    case cmple:
    case cmpgt:
    case cmpge:
    case cmpeq:
    case cmpne:  // of a bool with true it is its opposite
      return last && last->code == constant && last->is_bool() ? "" : "comparison";
    case bit_and:
    case bit_or:
    case add:
    case mul:
      return uop.is_bool() ? "and/or" : "";
    default:
      return "";
  }
}

}  // namespace

Work work_of(const Schedule& schedule) {
  Work work;
  for (const Kernel& kernel : schedule) {
    // Bools that depend on ranges alone, and what is chosen by them, are gates.
    std::vector<bool> has_data(kernel.graph.size(), false);
    for (size_t n = 0; n < kernel.graph.size(); ++n) {
      const UOp& uop = kernel.graph[n];
      const auto data = [&](int src) { return has_data[static_cast<size_t>(src)]; };
      has_data[n] =
          uop.code == index || uop.code == load || uop.code == reduce || std::ranges::any_of(uop.src, data);
      const bool gate = (uop.is_bool() && !has_data[n]) || (uop.code == where && !data(uop.src[0]));
      if (gate || uop.is_index()) continue;
      const UOp* last = uop.src.empty() ? nullptr : &kernel.graph[static_cast<size_t>(uop.src.back())];
      if (const std::string kind = kind_of(uop, last); !kind.empty()) ++work[kind];
    }
  }
  return work;
}

std::string more_work(const Work& a, const Work& b) {
  std::string text;
  for (const auto& [kind, count] : a) {
    const auto found = b.find(kind);
    const int more = count - (found == b.end() ? 0 : found->second);
    if (more <= 0) continue;
    text += text.empty() ? "" : ", ";
    text += more == 1 ? kind : fmt::format("{} {}", more, kind);
  }
  return text;
}

}  // namespace uopdiff
