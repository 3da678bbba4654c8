#include "harness/report/fuzz_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "harness/program/text.h"

namespace uopdiff {
namespace {

constexpr size_t kLineWidth = 90;

std::string counts_text(const std::map<std::string, int64_t>& counts) {
  std::vector<std::pair<std::string, int64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> texts;
  for (const auto& [name, count] : sorted) texts.push_back(fmt::format("{} {}", name, count));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::map<std::string, int64_t> divergences_of(const FuzzProgress& p) {
  std::map<std::string, int64_t> result;
  for (const auto& [name, count] : p.by_class)
    if (const auto verdict_class = class_from_name(name); verdict_class && is_divergence(*verdict_class))
      result[name] = count;
  return result;
}

// Long lists of reasons are cut; what is cut is counted.
std::string reasons_text(const std::map<std::string, int64_t>& reasons) {
  std::string text;
  size_t shown = 0;
  for (const auto& [reason, count] : reasons) {
    if (shown++ == 6) {
      text += fmt::format("    and {} other reasons\n", reasons.size() - 6);
      break;
    }
    text += fmt::format("    {} x {}\n", count, reason.substr(0, 120));
  }
  return text;
}

// Continued below, in the same column.
std::string wrapped(const std::string& head, const std::string& items) {
  std::string text = head, line;
  std::istringstream in(items);
  for (std::string word; std::getline(in, word, ',');) {
    if (!line.empty()) line += ',';
    if (line.size() + word.size() > kLineWidth) {
      text += line + "\n" + std::string(head.size() - 1, ' ');
      line.clear();
    }
    line += word;
  }
  return text + line + "\n";
}

std::string known_text(const FuzzResult& result, const Known& known) {
  if (result.known_counts.empty()) return "";
  std::string text = "  known              divergences that corpus/known.toml accepts:\n";
  for (const KnownEntry& entry : known.entries()) {
    const auto count = result.known_counts.find(entry.signature);
    if (count == result.known_counts.end()) continue;
    text += fmt::format("    {:>4} x {}  {}  {}\n", count->second, entry.signature, entry.cause.path,
                        entry.reason.substr(0, 80));
  }
  return text;
}

double rate(const FuzzProgress& p) { return p.seconds > 0 ? static_cast<double>(p.programs) / p.seconds : 0; }

int64_t percent(int64_t part, int64_t whole) { return whole ? (part * 100 + whole / 2) / whole : 0; }

}  // namespace

std::string progress_line(const FuzzProgress& p) {
  const auto divergences = divergences_of(p);
  int64_t failures = 0;
  for (const char* name : {"failure", "both-failed"})
    if (divergences.count(name)) failures += divergences.at(name);
  return fmt::format("{:.0f} s  {} programs  {:.1f}/s  {} agree  {} failures  {} findings{}{}", p.seconds,
                     p.programs, rate(p), p.agreeing, failures, p.findings,
                     p.shrinking ? fmt::format("  {} shrinking", p.shrinking) : "",
                     divergences.empty() ? "" : "  (" + counts_text(divergences) + ")");
}

std::string fuzz_summary(const FuzzResult& result, const FuzzOptions& options, const Known& known,
                         const std::string& run_dir) {
  const FuzzProgress& p = result.progress;
  std::string text = fmt::format("{} programs in {:.0f} s ({:.1f}/s), seed {}, profile {}, {} against {}\n",
                                 p.programs, p.seconds, rate(p), options.seed, options.profile,
                                 options.left.text(), options.right.text());
  text += fmt::format("  supported by both  {} ({} %)\n", p.supported, percent(p.supported, p.programs));
  text += reasons_text(p.unsupported);
  text += fmt::format("  kernels compared   {}\n", p.compared);
  text += reasons_text(p.not_compared);
  if (options.values)
    text += fmt::format("  output elements    {}, {} of them undetermined\n", p.elements, p.undetermined);
  text += fmt::format("  agree              {}\n", p.agreeing);
  text += fmt::format("  diverge            {}\n", counts_text(divergences_of(p)));
  text += fmt::format("  shrinking          {} evaluations, {:.0f} s of the jobs' time\n",
                      p.shrink_evaluations, p.shrink_seconds);
  text += wrapped("  operations         ", counts_text(p.operations));
  text += known_text(result, known);
  if (result.unshrunk)
    text += fmt::format("  not looked at      {} divergences, for lack of time\n", result.unshrunk);
  if (result.interrupted) text += "  interrupted: what was found until then is saved\n";

  std::vector<const Finding*> findings;
  for (const Finding& finding : result.findings) findings.push_back(&finding);
  std::ranges::stable_sort(findings, [](const Finding* a, const Finding* b) {
    return std::pair(a->saved.cause.verdict_class, -a->count) <
           std::pair(b->saved.cause.verdict_class, -b->count);
  });
  text += findings.empty() ? "\nno new findings\n"
                           : fmt::format("\n{} new findings, gravest first\n", findings.size());
  for (const Finding* finding : findings) {
    const Case& saved = finding->saved;
    text += fmt::format("\n{}  {}  {}\n", saved.signature, class_name(saved.cause.verdict_class),
                        headline(saved.cause, saved.left.spec, saved.right.spec));
    std::istringstream program(print_program(saved.program));
    for (std::string line; std::getline(program, line);) text += "    " + line + "\n";
    std::istringstream reason(saved.reason);
    for (std::string line; std::getline(reason, line);) text += "  " + line.substr(0, 200) + "\n";
    text += fmt::format("  {} program(s); shrunk from {} operations ({}); fresh data: {}\n", finding->count,
                        saved.operations_before, saved.shrink_ended, saved.fresh_data);
    text += fmt::format("  uopdiff replay {}\n", finding_path(run_dir, saved));
  }
  return text;
}

}  // namespace uopdiff
