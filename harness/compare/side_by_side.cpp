#include <algorithm>
#include <set>

#include "harness/compare/structure.h"

namespace uopdiff {
namespace {

std::string fitted(const std::string& text, size_t width) {
  if (text.size() <= width) return text + std::string(width - text.size(), ' ');
  return text.substr(0, width - 1) + "~";
}

// Long lines go on below, further in.
std::vector<std::string> wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines;
  std::string rest = text;
  while (rest.size() > width) {
    size_t at = rest.rfind(' ', width);
    if (at == std::string::npos || at < width / 2) at = width;
    lines.push_back(rest.substr(0, at));
    rest = "             " + rest.substr(rest[at] == ' ' ? at + 1 : at);
  }
  lines.push_back(rest);
  return lines;
}

// The kinds of lines that a facet of a kernel pair is about; others may be spelled differently without a
// mark.
std::set<std::string> marked_lines(const StructureDiff& diff, const KernelMatch& match) {
  std::set<std::string> kinds;
  for (const Facet& facet : diff.facets) {
    const bool here = (match.left >= 0 && facet.left_kernel == match.left) ||
                      (match.right >= 0 && facet.right_kernel == match.right);
    if (!here) continue;
    switch (facet.verdict_class) {
      case VerdictClass::ranges:
        kinds.insert("ranges");
        break;
      case VerdictClass::reduce:
        kinds.insert({"reduce", "load"});
        break;
      default:
        kinds.insert({"load", "store"});
    }
  }
  return kinds;
}

}  // namespace

std::vector<std::string> side_by_side(const ScheduleForm& left, const ScheduleForm& right,
                                      const StructureDiff& diff, const std::string& left_name,
                                      const std::string& right_name, size_t width) {
  const size_t column = std::max<size_t>((width - 3) / 2, 20);
  std::vector<std::string> result{fitted(left_name, column) + "   " + right_name};
  const std::vector<FormLine> none;
  for (const KernelMatch& match : diff.matches) {
    const auto& a = match.left < 0 ? none : left.kernels[static_cast<size_t>(match.left)].lines;
    const auto& b = match.right < 0 ? none : right.kernels[static_cast<size_t>(match.right)].lines;
    const std::set<std::string> marks = marked_lines(diff, match);
    for (size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
      const std::string left_text = k < a.size() ? a[k].text : "", right_text = k < b.size() ? b[k].text : "";
      const bool both = match.left >= 0 && match.right >= 0;
      const std::string& kind = k < a.size() ? a[k].facet : b[k].facet;
      const bool same = left_text == right_text || (both && !marks.count(kind));
      const auto left_lines = wrapped(left_text, column), right_lines = wrapped(right_text, column);
      for (size_t w = 0; w < std::max(left_lines.size(), right_lines.size()); ++w)
        result.push_back(fitted(w < left_lines.size() ? left_lines[w] : "", column) + (same ? "   " : " ! ") +
                         (w < right_lines.size() ? right_lines[w] : ""));
    }
  }
  return result;
}

}  // namespace uopdiff
