#include "harness/compare/structure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "normalizers/field.h"
#include "normalizers/sample.h"
#include "normalizers/work.h"

namespace uopdiff {
namespace {

constexpr size_t kMostSpellings = 12;

struct NamedForm {
  const ScheduleForm& form;
  std::string name;
};

class Comparison {
 public:
  Comparison(const ScheduleForm& left, const ScheduleForm& right, const std::string& left_name,
             const std::string& right_name)
      : left_{left, left_name}, right_{right, right_name} {}

  StructureDiff run() {
    if (unsettled(left_) || unsettled(right_)) return std::move(diff_);
    problems(left_);
    problems(right_);
    match_kernels();
    content();
    split();
    for (const KernelMatch& match : diff_.matches)
      if (match.left >= 0 && match.right >= 0) compare_kernels(match);
    if (spelled_differently_) compare_work();
    std::ranges::stable_sort(diff_.facets, {}, &Facet::verdict_class);
    return std::move(diff_);
  }

 private:
  bool unsettled(const NamedForm& side) {
    const ScheduleContent& content = side.form.content;
    if (content.unreadable.empty() && content.complete) return false;
    diff_.settled = false;
    diff_.unsettled_reason = fmt::format(
        "{}: {}", side.name, content.unreadable.empty() ? "too many points to evaluate" : content.unreadable);
    return true;
  }

  void add(VerdictClass verdict_class, std::string path, std::string reason, KernelMatch match = {}) {
    diff_.facets.push_back({verdict_class, std::move(path), std::move(reason), match.left, match.right});
  }

  void problems(const NamedForm& side) {
    for (const ContentProblem& problem : side.form.content.problems) {
      const int kernel = static_cast<int>(problem.kernel);
      KernelMatch where{&side == &left_ ? kernel : -1, &side == &right_ ? kernel : -1};
      add(VerdictClass::schedule, fmt::format("{}/{}", problem.kind, side.name),
          fmt::format("{}, kernel {}: {}", side.name, kernel, problem.reason), where);
    }
  }

  static bool is_input(const ScheduleForm& form, const std::string& name) {
    for (const Kernel& kernel : form.schedule)
      for (const BufferRef& buffer : kernel.buffers)
        if (buffer.name == name) return buffer.kind == BufferKind::input;
    return false;
  }

  // What a kernel writes, element by element: equal for equal results in equal layout, and in any layout.
  struct Written {
    size_t size = 0;
    uint64_t ordered = 0, unordered = 0;
  };
  static std::vector<Written> written_by_kernels(const ScheduleForm& form) {
    std::vector<Written> result;
    for (const KernelForm& kernel : form.kernels) {
      Written& written = result.emplace_back();
      for (const std::string& name : kernel.writes) {
        const auto found = form.content.fields.find(name);
        if (found == form.content.fields.end()) continue;
        std::vector<uint64_t> fields = found->second;
        written.size += fields.size();
        for (uint64_t field : fields) written.ordered = field_hash(written.ordered, field);
        std::ranges::sort(fields);
        for (uint64_t field : fields) written.unordered = field_hash(written.unordered, field);
      }
    }
    return result;
  }

  void match_kernels() {
    const std::vector<Written> left = written_by_kernels(left_.form), right = written_by_kernels(right_.form);
    std::vector<int> partner(left.size(), -1);
    std::vector<bool> taken(right.size(), false);
    const auto pass = [&](auto fits) {
      for (size_t l = 0; l < left.size(); ++l)
        for (size_t r = 0; partner[l] < 0 && r < right.size(); ++r)
          if (!taken[r] && fits(l, r)) {
            partner[l] = static_cast<int>(r);
            taken[r] = true;
          }
    };
    const auto same_output = [&](size_t l, size_t r) {
      const auto& a = left_.form.kernels[l].writes;
      return a == right_.form.kernels[r].writes && !a.empty() && a[0].starts_with("out");
    };
    const auto same_content = [&](size_t l, size_t r) { return left[l].ordered == right[r].ordered; };
    pass([&](size_t l, size_t r) { return same_output(l, r) && same_content(l, r); });
    pass(same_content);
    pass([&](size_t l, size_t r) { return left[l].unordered == right[r].unordered; });
    pass(same_output);
    // Temps whose content differs by an expression only: when nothing else is left over, order decides.
    if (left.size() == right.size())
      pass([&](size_t l, size_t r) { return l == r && left[l].size == right[r].size; });
    for (size_t l = 0; l < left.size(); ++l) diff_.matches.push_back({static_cast<int>(l), partner[l]});
    for (size_t r = 0; r < right.size(); ++r)
      if (!taken[r]) diff_.matches.push_back({-1, static_cast<int>(r)});
  }

  // Outputs, and inputs that are written, element by element; only where they differ are the sets of input
  // elements read looked at, and values tried.
  void content() {
    overwritten(left_, right_);
    overwritten(right_, left_);
    std::vector<std::string> different;
    for (const auto& [name, fields] : left_.form.content.fields) {
      const auto found = right_.form.content.fields.find(name);
      if (found == right_.form.content.fields.end() || found->second == fields) continue;
      if (name.starts_with("out") || is_input(left_.form, name)) different.push_back(name);
    }
    if (different.empty()) return;
    const ReadLayout layout = layout_of(left_.form.schedule, right_.form.schedule);
    const ScheduleContent left = evaluate_content(left_.form.schedule, &layout);
    const ScheduleContent right = evaluate_content(right_.form.schedule, &layout);
    for (const std::string& name : different) compare_reads(name, left, right, layout);
  }

  // Both sides write an input that is assigned to; one alone took its buffer for something else.
  void overwritten(const NamedForm& side, const NamedForm& other) {
    for (size_t k = 0; k < side.form.kernels.size(); ++k)
      for (const std::string& name : side.form.kernels[k].writes) {
        if (!is_input(side.form, name) || other.form.content.fields.count(name)) continue;
        const int kernel = static_cast<int>(k);
        add(VerdictClass::schedule, "overwritten-input/" + side.name,
            fmt::format("{}, kernel {}: writes into the buffer of input {}, which {} does not", side.name, k,
                        name, other.name),
            {&side == &left_ ? kernel : -1, &side == &right_ ? kernel : -1});
        return;
      }
  }

  static bool subset(const ReadSet& a, const ReadSet& b) {
    for (size_t k = 0; k < a.size(); ++k)
      if (a[k] & ~(k < b.size() ? b[k] : 0)) return false;
    return true;
  }

  static std::string first_extra(const ReadSet& a, const ReadSet& b, const ReadLayout& layout) {
    for (size_t k = 0; k < a.size(); ++k) {
      const uint64_t extra = a[k] & ~(k < b.size() ? b[k] : 0);
      if (!extra) continue;
      const int64_t bit = static_cast<int64_t>(k * 64) + __builtin_ctzll(extra);
      std::string text = "?";
      for (const auto& [name, start] : layout)
        if (start <= bit) text = fmt::format("{}[{}]", name, bit - start);  // layout is in order of starts
      return text;
    }
    return "";
  }

  void compare_reads(const std::string& name, const ScheduleContent& left, const ScheduleContent& right,
                     const ReadLayout& layout) {
    const auto& a = left.reads.at(name);
    const auto& b = right.reads.at(name);
    const auto& left_fields = left.fields.at(name);
    const auto& right_fields = right.fields.at(name);
    bool left_in_right = true, right_in_left = true;
    std::string reason;
    for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
      const bool l = subset(a[k], b[k]), r = subset(b[k], a[k]);
      left_in_right &= l;
      right_in_left &= r;
      if (reason.empty() && (!l || !r)) {
        const std::string more_left = first_extra(a[k], b[k], layout),
                          more_right = first_extra(b[k], a[k], layout);
        reason = fmt::format("{}[{}]:", name, k);
        if (!more_left.empty()) reason += fmt::format(" only {} reads {}", left_.name, more_left);
        if (!more_right.empty())
          reason += fmt::format("{} only {} reads {}", more_left.empty() ? "" : ",", right_.name, more_right);
      }
    }
    const KernelMatch where = match_of_output(name);
    const bool unclear = left.data_indexed || right.data_indexed, same_reads = left_in_right && right_in_left;
    if ((same_reads || unclear) && same_on_samples(left_.form.schedule, right_.form.schedule, {name})) {
      spelled_differently_ = true;
    } else if (same_reads || unclear) {
      const auto first = std::ranges::mismatch(left_fields, right_fields).in1 - left_fields.begin();
      add(VerdictClass::expression, "expression",
          fmt::format("{}[{}]: {}", name, first,
                      unclear ? "other expressions, with elements that are chosen by data"
                              : "both read the same elements, but by another expression"),
          where);
    } else if (!left_in_right && !right_in_left) {
      add(VerdictClass::access, "access/elements", reason, where);
    } else {
      add(VerdictClass::expression,
          fmt::format("expression/{}-reads-more", left_in_right ? right_.name : left_.name), reason, where);
    }
  }

  // The same function in another spelling is a difference when one side computes more for it.
  void compare_work() {
    for (const Facet& facet : diff_.facets)
      if (facet.verdict_class == VerdictClass::kernel_split || facet.verdict_class == VerdictClass::reduce)
        return;
    const Work left = work_of(left_.form.schedule), right = work_of(right_.form.schedule);
    const std::string more_left = more_work(left, right), more_right = more_work(right, left);
    if (more_left.empty() == more_right.empty()) return;
    const std::string& name = more_left.empty() ? right_.name : left_.name;
    add(VerdictClass::expression, fmt::format("expression/{}-computes-more", name),
        fmt::format("the same values, but {} computes more: {}", name, more_left + more_right));
  }

  KernelMatch match_of_output(const std::string& name) const {
    for (const KernelMatch& match : diff_.matches)
      if (match.left >= 0 &&
          std::ranges::find(left_.form.kernels[static_cast<size_t>(match.left)].writes, name) !=
              left_.form.kernels[static_cast<size_t>(match.left)].writes.end())
        return match;
    return {};
  }

  // A kernel that only copies what is there already into an output: the other side hands out that buffer.
  static bool is_spared_copy(const NamedForm& side, int kernel, const NamedForm& other) {
    const auto k = static_cast<size_t>(kernel);
    const auto& writes = side.form.kernels[k].writes;
    const auto& contents = side.form.content.fields;
    if (writes.size() != 1 || !writes[0].starts_with("out") || other.form.content.fields.count(writes[0]))
      return false;
    const auto found = contents.find(writes[0]);
    if (found == contents.end()) return false;
    for (const auto& [name, fields] : contents)
      if (name != writes[0] && fields == found->second) return true;
    for (const BufferRef& buffer : side.form.schedule[k].buffers)
      if (buffer.kind == BufferKind::input && input_fields(buffer) == found->second) return true;
    return false;
  }

  void split() {
    std::vector<std::string> only_left, only_right;
    KernelMatch first_left, first_right;
    for (const KernelMatch& match : diff_.matches) {
      if (match.right < 0 ? is_spared_copy(left_, match.left, right_)
                          : match.left < 0 && is_spared_copy(right_, match.right, left_))
        continue;
      if (match.right < 0) {
        only_left.push_back(described(left_, match.left));
        if (first_left.left < 0) first_left = match;
      } else if (match.left < 0) {
        only_right.push_back(described(right_, match.right));
        if (first_right.right < 0) first_right = match;
      }
    }
    if (only_left.empty() && only_right.empty()) return;
    const std::string counts = fmt::format("{} kernel(s) on {}, {} on {}", left_.form.kernels.size(),
                                           left_.name, right_.form.kernels.size(), right_.name);
    const auto only = [](const NamedForm& side, const std::vector<std::string>& list) {
      return fmt::format("; only {} materialises {}", side.name, fmt::join(list, ", "));
    };
    if (!only_left.empty() && !only_right.empty())
      add(VerdictClass::kernel_split, "kernel-split/both",
          counts + only(left_, only_left) + only(right_, only_right), first_left);
    else if (!only_left.empty())
      add(VerdictClass::kernel_split, "kernel-split/" + left_.name, counts + only(left_, only_left),
          first_left);
    else
      add(VerdictClass::kernel_split, "kernel-split/" + right_.name, counts + only(right_, only_right),
          first_right);
  }

  static std::string described(const NamedForm& side, int kernel) {
    const auto k = static_cast<size_t>(kernel);
    const auto& writes = side.form.kernels[k].writes;
    if (writes.empty()) return fmt::format("kernel {}", kernel);
    for (const BufferRef& buffer : side.form.schedule[k].buffers)
      if (buffer.name == writes[0]) return fmt::format("{} {}[{}]", buffer.name, buffer.dtype, buffer.size);
    return writes[0];
  }

  static std::vector<std::string> nest(const std::vector<RangeForm>& ranges) {
    std::vector<std::string> texts;
    for (const RangeForm& form : ranges)
      texts.push_back(fmt::format("{}{}", form.extent,
                                  form.group == "loop" || form.group == "reduce" ? "" : " " + form.group));
    std::ranges::sort(texts);
    return texts;
  }

  void compare_kernels(const KernelMatch& match) {
    const KernelForm& left = left_.form.kernels[static_cast<size_t>(match.left)];
    const KernelForm& right = right_.form.kernels[static_cast<size_t>(match.right)];
    const auto left_nest = nest(left.loops), right_nest = nest(right.loops);
    if (left_nest != right_nest)
      add(VerdictClass::ranges, "ranges/loop",
          fmt::format("loop extents [{}] on {}, [{}] on {}", fmt::join(left_nest, ","), left_.name,
                      fmt::join(right_nest, ","), right_.name),
          match);
    compare_reduces(left, right, match);
    compare_cost(left, right, match);
  }

  struct ReduceText {
    std::string op, dtype, extents;
    auto operator<=>(const ReduceText&) const = default;
  };

  // A minimum may be written as the maximum of negated values; that is the same reduce.
  static std::vector<ReduceText> reduce_texts(const KernelForm& form) {
    std::vector<ReduceText> texts;
    for (const ReduceForm& reduce_form : form.reduces) {
      const bool extremum = reduce_form.op == "MAX" || reduce_form.op == "MIN";
      texts.push_back({extremum ? "MAX/MIN" : reduce_form.op, reduce_form.dtype,
                       fmt::format("{}", fmt::join(nest(reduce_form.ranges), ","))});
    }
    std::ranges::sort(texts);
    return texts;
  }

  void compare_reduces(const KernelForm& left, const KernelForm& right, const KernelMatch& match) {
    const auto a = reduce_texts(left), b = reduce_texts(right);
    if (a == b) return;
    const auto text = [](const std::vector<ReduceText>& list) {
      std::vector<std::string> texts;
      for (const ReduceText& item : list)
        texts.push_back(fmt::format("{} {} over [{}]", item.op, item.dtype, item.extents));
      return texts.empty() ? std::string("none") : fmt::format("{}", fmt::join(texts, "; "));
    };
    const auto differs = [&](auto member) {
      std::vector<std::string> x, y;
      for (const auto& item : a) x.push_back(item.*member);
      for (const auto& item : b) y.push_back(item.*member);
      std::ranges::sort(x);
      std::ranges::sort(y);
      return x != y;
    };
    std::string path = "reduce/count";
    if (a.size() == b.size())
      path = differs(&ReduceText::op)      ? "reduce/operator"
             : differs(&ReduceText::dtype) ? "reduce/dtype"
                                           : "reduce/extents";
    add(VerdictClass::reduce, path,
        fmt::format("reduces: {} on {}; {} on {}", text(a), left_.name, text(b), right_.name), match);
  }

  void compare_cost(const KernelForm& left, const KernelForm& right, const KernelMatch& match) {
    const int div = right.cost.divisions - left.cost.divisions, mod = right.cost.modulos - left.cost.modulos;
    if (div == 0 && mod == 0) return;
    const bool right_costs = div + mod > 0 || (div + mod == 0 && div > 0);
    const std::string kinds = div != 0 && mod != 0 ? "div+mod" : div != 0 ? "div" : "mod";
    add(VerdictClass::index_cost,
        fmt::format("index-cost/{}/{}", right_costs ? right_.name : left_.name, kinds),
        fmt::format("same index functions; {} div, {} mod on {}, {} div, {} mod on {}", left.cost.divisions,
                    left.cost.modulos, left_.name, right.cost.divisions, right.cost.modulos, right_.name) +
            spellings(left, right),
        match);
  }

  // How both sides write the indices into each buffer where one of them divides.
  std::string spellings(const KernelForm& left, const KernelForm& right) const {
    std::set<std::string> divided;
    for (const KernelForm* form : {&left, &right})
      for (const AccessForm& access : form->accesses)
        if (access.divisions + access.modulos > 0) divided.insert(access.buffer);
    std::string text;
    size_t lines = 0;
    for (const std::string& buffer : divided)
      for (const auto& [form, name] : {std::pair(&left, left_.name), std::pair(&right, right_.name)})
        for (const AccessForm& access : form->accesses)
          if (access.buffer == buffer && ++lines <= kMostSpellings)
            text += fmt::format("\n  {:<9} {}[{}]", name, buffer, access.written);
    if (lines > kMostSpellings) text += fmt::format("\n  and {} more", lines - kMostSpellings);
    return text;
  }

  NamedForm left_, right_;
  StructureDiff diff_;
  bool spelled_differently_ = false;  // some output is, at equal values
};

}  // namespace

StructureDiff compare_structure(const ScheduleForm& left, const ScheduleForm& right,
                                const std::string& left_name, const std::string& right_name) {
  return Comparison(left, right, left_name, right_name).run();
}

}  // namespace uopdiff
