#include "harness/report/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "harness/program/fill.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

using enum VerdictClass;

std::string paint(const std::string& text, const char* code, const TextStyle& style) {
  return style.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}
constexpr const char* kBold = "1";
constexpr const char* kRed = "31";
constexpr const char* kDim = "2";

std::string indented(const std::string& text, const std::string& by) {
  std::string result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result += by + line + "\n";
  return result;
}

// The side that a path names, as its spec.
std::string spec_in(const std::string& path, const std::string& left_spec, const std::string& right_spec) {
  const auto named = [&](const std::string& spec, const char* position) {
    const std::string compiler = spec.substr(0, spec.find('@'));
    return path.find("/" + compiler) != std::string::npos ||
           path.find(std::string("/") + position) != std::string::npos;
  };
  if (left_spec != right_spec &&
      left_spec.substr(0, left_spec.find('@')) == right_spec.substr(0, right_spec.find('@')))
    return path.find("/left") != std::string::npos ? "left " + left_spec : "right " + right_spec;
  if (named(left_spec, "left")) return left_spec;
  return named(right_spec, "right") ? right_spec : "both sides";
}

std::string failure_word(const std::string& path) {
  for (const char* status : {"panicked", "rejected", "compile-failed", "crashed", "limit", "protocol-error"})
    if (path.find(status) != std::string::npos) {
      const std::string word = status;
      if (word == "compile-failed") return "the C compiler refuses the code of";
      if (word == "limit") return "time or memory runs out in";
      if (word == "rejected") return "an error from";
      if (word == "panicked") return "a panic in";
      if (word == "crashed") return "a crash of";
      return "a broken reply from";
    }
  return "a failure of";
}

std::string structure_text(const Evaluation& evaluation, const TextStyle& style) {
  const Verdict& verdict = evaluation.verdict;
  if (!verdict.structure.settled) {
    if (verdict.cause.verdict_class == failure || verdict.cause.verdict_class == both_failed) return "";
    return fmt::format("kernels not compared: {}\n", verdict.structure.unsettled_reason);
  }
  std::string text;
  const bool expanded = has_expansion(evaluation.program);
  text += paint(expanded ? "kernels (of the program with its operations written out in primitive ones)"
                         : "kernels",
                kBold, style) +
          "\n";
  for (const std::string& line :
       side_by_side(*evaluation.left.form, *evaluation.right.form, verdict.structure, evaluation.left.spec,
                    evaluation.right.spec, style.width - 2)) {
    const bool differs = line.find(" ! ") != std::string::npos;
    text += "  " + (differs ? paint(line, kRed, style) : line) + "\n";
  }
  return text;
}

std::string value_at(const Side& side, size_t output, int64_t index) {
  if (output >= side.reply.outputs.size()) return "-";
  const Output& data = side.reply.outputs[output];
  const auto dtype = dtype_from_name(data.dtype);
  if (!dtype || static_cast<size_t>(index + 1) * byte_size(*dtype) > data.data.size()) return "-";
  return element_text(*dtype, element_from_bytes(*dtype, data.data, index));
}

// The first wrong elements of each output, with both sides' values; wrong ones are marked.
std::string values_text(const Evaluation& evaluation, const TextStyle& style) {
  const Side &left = evaluation.left, &right = evaluation.right;
  std::string text;
  const size_t outputs = std::max(left.checks.size(), right.checks.size());
  for (size_t k = 0; k < outputs; ++k) {
    std::map<int64_t, std::string> expected;
    std::map<const Side*, std::set<int64_t>> wrong;
    for (const Side* side : {&left, &right})
      if (k < side->checks.size())
        for (const WrongElement& each : side->checks[k].first) {
          expected[each.index] = each.expected;
          wrong[side].insert(each.index);
        }
    for (const auto& [index, value] : expected) {
      const auto shown = [&](const Side& side) {
        return value_at(side, k, index) + (wrong[&side].count(index) ? " !" : "");
      };
      text += fmt::format("  {:<14} {:<28} {:<24} {}\n", fmt::format("out{}[{}]", k, index), value,
                          shown(left), shown(right));
    }
  }
  if (text.empty()) return "";
  return paint(fmt::format("{:<16} {:<28} {:<24} {}", "values", "expected", left.spec, right.spec), kBold,
               style) +
         "\n" + text;
}

std::string failure_details(const Evaluation& evaluation, const TextStyle& style) {
  std::string text;
  for (const Side* side : {&evaluation.left, &evaluation.right}) {
    const Reply& reply = side->reply;
    if (reply.status == Status::ok) continue;
    for (const auto& kernel : reply.kernels)
      if (reply.status == Status::compile_failed && !kernel.value("source", "").empty())
        text += paint(fmt::format("generated code of {}", side->spec), kBold, style) + "\n" +
                indented(kernel.value("source", ""), "  ");
    if (!reply.captured.empty() && reply.status != Status::compile_failed)
      text += paint(fmt::format("output of {}", side->spec), kBold, style) + "\n" +
              indented(reply.captured, "  ");
  }
  return text;
}

std::string schedule_problem(const std::string& path) {
  if (path.starts_with("out-of-bounds")) return "a kernel accesses memory outside a buffer";
  if (path.starts_with("overwritten-input")) return "a kernel writes into the buffer of an input";
  if (path.starts_with("store-order")) return "a kernel reads an element after it stored it";
  if (path.starts_with("buffer-as-value")) return "a kernel uses a buffer as a value";
  return "a kernel does not write its output exactly once";
}

}  // namespace

TextStyle terminal_style() {
  TextStyle style;
  const char* no_color = std::getenv("NO_COLOR");
  style.color = isatty(STDOUT_FILENO) && !(no_color && *no_color);
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60)
    style.width = std::min<size_t>(size.ws_col, 160);
  return style;
}

std::string headline(const Cause& cause, const std::string& left_spec, const std::string& right_spec) {
  const std::string side = spec_in(cause.path, left_spec, right_spec);
  const std::string pair = fmt::format("{} and {}", left_spec, right_spec);
  switch (cause.verdict_class) {
    case failure:
      return fmt::format("{} {}", failure_word(cause.path), side);
    case both_failed:
      return fmt::format("both fail: {}", pair);
    case wrong_values:
      return fmt::format("wrong values on {}", side);
    case both_wrong:
      return fmt::format("{} are both wrong{}", pair,
                         cause.path.ends_with("equal") ? ", in the same way" : "");
    case schedule:
      return fmt::format("{}: {}", side, schedule_problem(cause.path));
    case access:
      return fmt::format("{} read different elements", pair);
    case kernel_split:
      return fmt::format("kernels split differently: {}",
                         cause.path.ends_with("both") ? pair : side + " has more");
    case ranges:
      return fmt::format("loop nests differ: {}", pair);
    case reduce:
      return fmt::format("reduces differ: {}", pair);
    case expression:
      if (cause.path == "expression") return fmt::format("computed by different expressions: {}", pair);
      return fmt::format("{} {}", side,
                         cause.path.ends_with("-computes-more")
                             ? "computes what the other side does not need"
                             : "reads elements that the other side does not need");
    case VerdictClass::index_cost:
      return fmt::format("index costs more on {}", side);
    case flaky:
      return fmt::format("not reproducible: {}", pair);
    case agree:
      return fmt::format("{} agree", pair);
    case VerdictClass::undetermined:
      return "the program does something that the language leaves open";
    case unsupported:
      return fmt::format("not supported by {}: {}", cause.path, cause.message);
  }
  return "";
}

std::string explain(const Evaluation& evaluation, const std::string& replay, const TextStyle& style) {
  const Verdict& verdict = evaluation.verdict;
  const Cause& cause = verdict.cause;
  std::string text = paint(headline(cause, evaluation.left.spec, evaluation.right.spec), kBold, style);
  if (is_divergence(cause.verdict_class))
    text += fmt::format("      signature {}", signature_of(cause, operations_of(evaluation.program)));
  text += "\n" + indented(print_program(evaluation.program), "  ");
  for (const Facet& facet : verdict.facets)
    text += paint(class_name(facet.verdict_class), kRed, style) + "\n" + indented(facet.reason, "  ");
  if (!verdict.layer.empty()) text += verdict.layer + "\n";
  text += values_text(evaluation, style);
  text += failure_details(evaluation, style);
  text += structure_text(evaluation, style);
  if (verdict.undetermined > 0)
    text += fmt::format("{} of {} output elements are not determined by the language and were left out\n",
                        verdict.undetermined, verdict.elements);
  if (!replay.empty()) text += paint("replay: " + replay, kDim, style) + "\n";
  return text;
}

std::string data_text(const Program& program) {
  std::string text;
  for (int n : inputs_of(program)) {
    const Node& node = program.nodes[static_cast<size_t>(n)];
    const Bytes data = make_data(node);
    const int64_t count = element_count(node.shape), shown = std::min<int64_t>(count, 24);
    std::vector<std::string> elements;
    for (int64_t k = 0; k < shown; ++k)
      elements.push_back(element_text(node.dtype, element_from_bytes(node.dtype, data, k)));
    text += fmt::format("{} {}{} = {}{}\n", node.name, dtype_name(node.dtype), shape_text(node.shape),
                        fmt::join(elements, " "),
                        count > shown ? fmt::format(" ... ({} more)", count - shown) : "");
  }
  return text;
}

std::string describe(const Case& saved, const TextStyle& style) {
  std::string text;
  if (saved.signature.empty()) {
    text = print_program(saved.program);
  } else {
    text = paint(headline(saved.cause, saved.left.spec, saved.right.spec), kBold, style) +
           fmt::format("      signature {}\n", saved.signature) +
           indented(print_program(saved.program), "  ") + indented(saved.reason, "  ");
    if (!saved.layer.empty()) text += "  " + saved.layer + "\n";
    text += fmt::format("  found by profile {}, seed {}, index {}; clang {}\n", saved.profile, saved.seed,
                        saved.index, saved.clang);
    text += fmt::format("  reproduced {} of {} times; with fresh data: {}\n", saved.reproduced, saved.runs,
                        saved.fresh_data);
    text += fmt::format("  shrunk from {} to {} operations in {} evaluations ({})\n", saved.operations_before,
                        operation_count(saved.program), saved.evaluations, saved.shrink_ended);
    for (const SavedSide* side : {&saved.left, &saved.right}) {
      text += fmt::format("{}: {}{}\n", side->spec, side->status,
                          side->message.empty() ? "" : ": " + side->message);
      for (const std::string& line : side->kernels) text += "  " + line + "\n";
    }
  }
  const std::string data = data_text(saved.program);
  if (!data.empty()) text += "data\n" + indented(data, "  ");
  return text;
}

}  // namespace uopdiff
