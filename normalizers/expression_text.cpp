#include "normalizers/expression_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace uopdiff {
namespace {

using enum UOpCode;
constexpr size_t kLongestText = 600;  // of one line; what is longer is cut and says so

std::string cut(std::string text) {
  if (text.size() <= kLongestText) return text;
  return text.substr(0, kLongestText) + fmt::format(" ... ({} characters more)", text.size() - kLongestText);
}

}  // namespace

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

ExpressionText::ExpressionText(const Kernel& kernel, const std::vector<IndexFunction>& functions,
                               const std::vector<RangeForm>& ranges, const std::vector<ReduceForm>& reduces)
    : kernel_(kernel) {
  for (const ReduceForm& form : reduces) reduces_[form.node] = &form;
  for (const IndexFunction& function : functions) functions_[function.root] = &function;
  for (const RangeForm& form : ranges) {
    range_names_[form.members.back()] = form.name;
    // A member that is not the innermost shows only where an expression is no affine function.
    for (size_t k = 0; k + 1 < form.members.size(); ++k)
      range_names_.try_emplace(form.members[k], form.name + "'");
  }
  for (const UOp& node : kernel.graph)
    if (node.code != end)
      for (int src : node.src) ++uses_[src];
}

std::string ExpressionText::value(int node) { return cut(compute(node).text); }

std::string ExpressionText::written(int node) {
  as_written_ = true;
  std::vector<int> gates;
  std::string text = value(without_validity(kernel_, node, gates));
  as_written_ = false;
  return text;
}

std::string ExpressionText::nested(int node, int precedence) {
  const Text text = compute(node);
  return text.precedence < precedence ? "(" + text.text + ")" : text.text;
}

std::string ExpressionText::constant_text(const UOp& node) const {
  if (node.invalid) return "Invalid";
  if (node.is_float())
    return fmt::format("{}", node.dtype == "f32" ? static_cast<float>(node.real) : node.real);
  if (node.is_bool()) return node.number ? "true" : "false";
  return std::to_string(node.number);
}

bool ExpressionText::is_constant(int n, double value) const {
  const UOp& node = uop(n);
  return node.code == constant && !node.invalid &&
         (node.is_float() ? node.real : static_cast<double>(node.number)) == value;
}

ExpressionText::Text ExpressionText::affine_text(const IndexFunction& function) {
  std::string text;
  std::vector<std::pair<int64_t, std::string>> terms;
  for (const auto& [node, stride] : function.strides) {
    const auto name = range_names_.find(node);
    // Outer members of a merged range are part of its innermost one's name; extents of 1 have none.
    if (stride != 0 && name != range_names_.end() && name->second.back() != '\'')
      terms.emplace_back(stride, name->second);
  }
  std::ranges::sort(terms, [](const auto& a, const auto& b) {
    return std::pair(-std::abs(a.first), a.second) < std::pair(-std::abs(b.first), b.second);
  });
  for (const auto& [stride, name] : terms) {
    const int64_t size = std::abs(stride);
    text += text.empty() ? (stride < 0 ? "-" : "") : stride < 0 ? " - " : " + ";
    text += size == 1 ? name : fmt::format("{}*{}", size, name);
  }
  if (text.empty()) return {std::to_string(function.base), 9};
  if (function.base != 0)
    text += fmt::format(" {} {}", function.base < 0 ? "-" : "+", std::abs(function.base));
  return {text, terms.size() > 1 || function.base != 0 || text[0] == '-' ? 5
                : text.find('*') != std::string::npos                    ? 6
                                                                         : 9};
}

ExpressionText::Text ExpressionText::binary(const UOp& node, const char* symbol, int precedence) {
  return {
      fmt::format("{} {} {}", nested(node.src[0], precedence), symbol, nested(node.src[1], precedence + 1)),
      precedence};
}

ExpressionText::Text ExpressionText::load_text(const UOp& node) {
  int at = node.src[0];
  while (uop(at).code == after || uop(at).code == cast) at = uop(at).src[0];
  const std::string name =
      uop(at).code == define_global ? kernel_.buffers[static_cast<size_t>(uop(at).number)].name : uop(at).op;
  std::string condition;
  std::vector<int> gates;
  if (node.has_gate) condition = nested(node.src.back(), 2);
  const int position = without_validity(kernel_, node.src[1], gates);
  for (int gate : gates) condition += (condition.empty() ? "" : " & ") + nested(gate, 3);
  const std::string access = fmt::format("{}[{}]", name, index_text(position).text);
  return condition.empty() ? Text{access, 9} : Text{fmt::format("{} if {} else 0", access, condition), 0};
}

ExpressionText::Text ExpressionText::where_text(const UOp& node) {
  const UOp& chosen = uop(node.src[1]);
  // where(v, load if v', 0): one validity, said once.
  if (chosen.code == index && is_constant(node.src[2], 0)) {
    UOp plain = chosen;
    std::vector<int> gates;
    plain.src = {plain.src[0], without_validity(kernel_, plain.src[1], gates)};
    plain.has_gate = false;
    return {fmt::format("{} if {} else 0", load_text(plain).text, nested(node.src[0], 1)), 0};
  }
  return {
      fmt::format("{} if {} else {}", nested(node.src[1], 1), nested(node.src[0], 1), nested(node.src[2], 1)),
      0};
}

ExpressionText::Text ExpressionText::index_text(int n) {
  const auto found = functions_.find(n);
  if (found != functions_.end() && found->second->affine && !found->second->has_data && !as_written_)
    return affine_text(*found->second);
  return compute(n);
}

ExpressionText::Text ExpressionText::reduce_text(int n) {
  const std::string name = fmt::format("r{}", next_reduce_++);
  names_[n] = name;
  const ReduceForm& form = *reduces_.at(n);
  const std::string body = value(form.body);
  std::string ranges;
  for (const RangeForm& each : form.ranges) ranges += fmt::format(" {}:{}", each.name, each.extent);
  lines_.push_back({"reduce", fmt::format("  reduce {} = {} {} over{}", name, form.op, form.dtype, ranges)});
  lines_.push_back({"load", fmt::format("           of {}", body)});
  return {name, 9};
}

// One precedence table: 0 choice, 2 and/or/xor, 3 comparison, 4 shift, 5 sum, 6 product, 7 sign, 9 atom.
ExpressionText::Text ExpressionText::compute(int n) {
  if (const auto named = names_.find(n); named != names_.end()) return {named->second, 9};
  const UOp& node = uop(n);
  if (!as_written_ && (node.is_index() || node.code == range))
    if (const auto found = functions_.find(n);
        found != functions_.end() && found->second->affine && !found->second->has_data)
      return affine_text(*found->second);
  const bool leaf = node.src.empty() || node.code == range || node.is_index() || node.is_bool();
  if (!leaf && node.code != index && node.code != reduce && uses_[n] > 1) {
    uses_[n] = 1;
    const std::string text = value(n);
    const std::string name = fmt::format("v{}", next_value_++);
    names_[n] = name;
    lines_.push_back({"load", fmt::format("  value  {} = {}", name, text)});
    return {name, 9};
  }
  switch (node.code) {
    case range: {
      const auto name = range_names_.find(n);
      return {name == range_names_.end() ? "0" : name->second, 9};
    }
    case constant:
      return {constant_text(node), 9};
    case index:
      return load_text(node);
    case load:
      return compute(node.src[uop(node.src[0]).code == index ? 0 : 1]);
    case reduce:
      return reduce_text(n);
    case where:
      return where_text(node);
    case add:
      if (uop(node.src[1]).code == mul && is_constant(uop(node.src[1]).src[1], -1))
        return {fmt::format("{} - {}", nested(node.src[0], 5), nested(uop(node.src[1]).src[0], 6)), 5};
      return binary(node, node.is_bool() ? "|" : "+", node.is_bool() ? 2 : 5);
    case sub:
      return binary(node, "-", 5);
    case mul:
      if (is_constant(node.src[1], -1)) return {"-" + nested(node.src[0], 7), 7};
      if (uop(node.src[1]).code == reciprocal)
        return {fmt::format("{} / {}", nested(node.src[0], 6), nested(uop(node.src[1]).src[0], 7)), 6};
      return binary(node, node.is_bool() ? "&" : "*", node.is_bool() ? 2 : 6);
    case neg:
      return {"-" + nested(node.src[0], 7), 7};
    case idiv:
    case fdiv:
      return binary(node, "/", 6);
    case mod:
      return binary(node, "%", 6);
    case reciprocal:
      return {"1 / " + nested(node.src[0], 7), 6};
    case cmplt:
      return binary(node, "<", 3);
    case cmple:
      return binary(node, "<=", 3);
    case cmpgt:
      return binary(node, ">", 3);
    case cmpge:
      return binary(node, ">=", 3);
    case cmpeq:
      return binary(node, "==", 3);
    case cmpne:
      if (uop(node.src[0]).is_bool() && is_constant(node.src[1], 1)) return {"!" + nested(node.src[0], 7), 7};
      return binary(node, "!=", 3);
    case logical_not:
      return {"!" + nested(node.src[0], 7), 7};
    case bit_and:
      return binary(node, "&", 2);
    case bit_or:
      return binary(node, "|", 2);
    case bit_xor:
      return binary(node, "^", 2);
    case shl:
      return binary(node, "<<", 4);
    case shr:
      return binary(node, ">>", 4);
    case UOpCode::exp2: {
      const UOp& power = uop(node.src[0]);
      if (power.code == mul && uop(power.src[1]).code == constant &&
          std::abs(uop(power.src[1]).real - M_LOG2E) < 1e-6)
        return {fmt::format("exp({})", value(power.src[0])), 9};
      break;
    }
    case cast:
      return {fmt::format("{}({})", node.dtype, value(node.src[0])), 9};
    case contiguous:
      return compute(node.src[0]);
    default:
      break;
  }
  std::string arguments;
  for (int src : node.src) arguments += (arguments.empty() ? "" : ", ") + value(src);
  return {fmt::format("{}({})", lower_case(node.op), arguments), 9};
}

std::vector<FormLine> ExpressionText::take_lines() {
  std::vector<FormLine> lines = std::move(lines_);
  lines_.clear();
  return lines;
}

}  // namespace uopdiff
