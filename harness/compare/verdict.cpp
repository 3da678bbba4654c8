#include "harness/compare/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/program/error.h"

namespace uopdiff {
namespace {

using enum VerdictClass;

void read_form(Side& side) {
  try {
    side.form = make_schedule_form(schedule_from_json(side.reply.kernels));
  } catch (const Error& error) {
    side.unreadable = error.what();
  }
}

void check_outputs(Side& side, const Reference& reference) {
  if (side.reply.status != Status::ok) return;
  for (size_t k = 0; k < reference.outputs.size(); ++k) {
    const RefTensor& expected = reference.outputs[k];
    ValueCheck check;
    if (k >= side.reply.outputs.size() || side.reply.outputs[k].dtype != dtype_name(expected.dtype) ||
        side.reply.outputs[k].shape != expected.shape) {
      check.elements = check.wrong = element_count(expected.shape);
      check.first_wrong = 0;
      check.expected = fmt::format("{}{}", dtype_name(expected.dtype), shape_text(expected.shape));
      check.got = k < side.reply.outputs.size() ? fmt::format("{}{}", side.reply.outputs[k].dtype,
                                                              shape_text(side.reply.outputs[k].shape))
                                                : "no output";
    } else {
      check = check_values(expected, side.reply.outputs[k].data);
    }
    side.checks.push_back(std::move(check));
  }
}

// The process died where real hardware traps, which the language leaves open.
bool may_be_trap(const Side& side, const Reference& reference) {
  return reference.may_trap &&
         (side.reply.status == Status::crashed || side.reply.status == Status::protocol_error);
}

// Whether time or memory runs out first depends on the machine's load, so a cause does not tell them apart.
bool hit_limit(const Side& side) {
  return side.reply.status == Status::timeout || side.reply.status == Status::out_of_memory;
}

std::string failure_path(const Side& side) {
  if (hit_limit(side)) return side.name + "/limit";
  const std::string step = side.reply.step.empty() ? "" : "/" + side.reply.step;
  return fmt::format("{}/{}{}", side.name, status_name(side.reply.status), step);
}

// Of the first wrong output. Part of the cause: a fault of narrow integers is not one of floats.
std::string kind_of_wrong(const Side& side, const Reference& reference) {
  for (size_t k = 0; k < side.checks.size(); ++k) {
    if (side.checks[k].wrong == 0) continue;
    const DType dtype = reference.outputs[k].dtype;
    if (dtype == DType::boolean) return "bool";
    return std::string(bit_width(dtype) < 32 ? "narrow-" : "") + (is_float(dtype) ? "float" : "int");
  }
  return "";
}

class Judge {
 public:
  Judge(const Reference& reference, Side& left, Side& right, const Judging& judging)
      : reference_(reference), left_(left), right_(right), judging_(judging) {}

  Verdict run() {
    for (Side* side : {&left_, &right_}) {
      read_form(*side);
      if (judging_.values) check_outputs(*side, reference_);
    }
    count_elements();
    for (const Side* side : {&left_, &right_})
      if (side->reply.status == Status::unsupported)
        return settle(unsupported, side->name, side->reply.message);
    for (const Side* side : {&left_, &right_})
      if (may_be_trap(*side, reference_))
        return settle(VerdictClass::undetermined, side->name, "integer division");
    if (judging_.one_compiler && (hit_limit(left_) || hit_limit(right_)))
      return settle(VerdictClass::undetermined, "limit", "");
    failures();
    wrong_outputs();
    structure();
    std::ranges::stable_sort(verdict_.facets, {}, &Facet::verdict_class);
    if (!verdict_.facets.empty()) {
      verdict_.cause.verdict_class = verdict_.facets[0].verdict_class;
      verdict_.cause.path = verdict_.facets[0].path;
      verdict_.cause.message = message_of(verdict_.cause.verdict_class);
    }
    verdict_.layer = layer();
    return std::move(verdict_);
  }

 private:
  Verdict settle(VerdictClass verdict_class, const std::string& path, const std::string& message) {
    verdict_.cause = {verdict_class, path, normal_message(message)};
    return std::move(verdict_);
  }

  void count_elements() {
    for (const RefTensor& output : reference_.outputs)
      for (const Element& element : output.elements) {
        ++verdict_.elements;
        verdict_.undetermined += element.undetermined != Undetermined::no;
      }
  }

  static std::string failure_text(const Side& side) {
    const Reply& reply = side.reply;
    return fmt::format("{}: {}{}{}", side.name, status_name(reply.status),
                       reply.step.empty() ? "" : " in step " + reply.step,
                       reply.message.empty() ? "" : ": " + reply.message);
  }

  void failures() {
    const bool left = left_.reply.status != Status::ok, right = right_.reply.status != Status::ok;
    if (left && right && judging_.one_compiler && left_.reply.status == right_.reply.status &&
        normal_message(left_.reply.message) == normal_message(right_.reply.message))
      return;
    if (left && right)
      verdict_.facets.push_back({both_failed,
                                 fmt::format("both-failed/{}+{}", failure_path(left_), failure_path(right_)),
                                 failure_text(left_) + "\n" + failure_text(right_)});
    else if (left || right)
      verdict_.facets.push_back(
          {failure, "failure/" + failure_path(left ? left_ : right_), failure_text(left ? left_ : right_)});
  }

  static std::string message_of(const Side& side) {
    if (hit_limit(side)) return "";
    if (side.reply.status != Status::compile_failed) return normal_message(side.reply.message);
    // The code around it changes with every program; what the C compiler objects to does not.
    const size_t error = side.reply.message.find("error: ");
    const std::string text =
        error == std::string::npos ? side.reply.message : side.reply.message.substr(error);
    return normal_message(text.substr(0, text.find('\n')));
  }
  std::string message_of(VerdictClass verdict_class) const {
    if (verdict_class == failure) return message_of(left_.reply.status != Status::ok ? left_ : right_);
    if (verdict_class == both_failed) return message_of(left_) + " | " + message_of(right_);
    return "";
  }

  static std::string wrong_text(const Side& side) {
    for (size_t k = 0; k < side.checks.size(); ++k) {
      const ValueCheck& check = side.checks[k];
      if (check.wrong > 0)
        return fmt::format("{}: output {} has {} of {} elements wrong, first at {}: {} instead of {}",
                           side.name, k, check.wrong, check.elements, check.first_wrong, check.got,
                           check.expected);
    }
    return "";
  }

  void wrong_outputs() {
    const bool left = left_.wrong(), right = right_.wrong();
    if (left && right) {
      const bool equal =
          std::ranges::equal(left_.reply.outputs, right_.reply.outputs,
                             [](const Output& a, const Output& b) { return a.data == b.data; });
      if (equal && judging_.one_compiler) return;
      verdict_.facets.push_back(
          {both_wrong,
           (equal ? "both-wrong/equal/" : "both-wrong/different/") + kind_of_wrong(left_, reference_),
           wrong_text(left_) + "\n" + wrong_text(right_)});
    } else if (left || right) {
      const Side& side = left ? left_ : right_;
      verdict_.facets.push_back(
          {wrong_values, fmt::format("wrong-values/{}/{}", side.name, kind_of_wrong(side, reference_)),
           wrong_text(side)});
    }
  }

  void structure() {
    if (!judging_.structure) {
      verdict_.structure.settled = false;
      verdict_.structure.unsettled_reason = "the sides have different programs on purpose";
      return;
    }
    // A side that failed before or while scheduling has no kernels to compare.
    const auto has_schedule = [](const Side& side) {
      return side.form && (side.reply.status == Status::ok || side.reply.step == "compile" ||
                           side.reply.step == "execute");
    };
    if (!has_schedule(left_) || !has_schedule(right_)) {
      verdict_.structure.settled = false;
      verdict_.structure.unsettled_reason = !left_.unreadable.empty()    ? left_.unreadable
                                            : !right_.unreadable.empty() ? right_.unreadable
                                                                         : "no kernels";
      return;
    }
    verdict_.structure = compare_structure(*left_.form, *right_.form, left_.name, right_.name);
    for (const Facet& facet : verdict_.structure.facets)
      if (!judging_.one_compiler || facet.verdict_class != schedule) verdict_.facets.push_back(facet);
  }

  std::string layer() const {
    const bool wrong = left_.wrong() || right_.wrong();
    if (!wrong || !verdict_.structure.settled) return "";
    const bool differs = std::ranges::any_of(verdict_.structure.facets, [](const Facet& facet) {
      return facet.verdict_class <= access || facet.verdict_class == expression;
    });
    return differs
               ? "the schedules compute different things: look at the scheduler"
               : "the schedules compute the same: look at code generation, or at the front end's own call";
  }

  const Reference& reference_;
  Side& left_;
  Side& right_;
  const Judging judging_;
  Verdict verdict_;
};

}  // namespace

bool Side::wrong() const {
  return std::ranges::any_of(checks, [](const ValueCheck& check) { return check.wrong > 0; });
}

std::pair<std::string, std::string> side_names(const BackendSpec& left, const BackendSpec& right) {
  if (left.compiler != right.compiler) return {left.compiler, right.compiler};
  if (left.options == right.options) return {"left", "right"};
  const auto name = [](const BackendSpec& spec) {
    std::string text = spec.compiler;
    for (const std::string& option : spec.options) text += "+" + option;
    return text;
  };
  return {name(left), name(right)};
}

Verdict judge(const Reference& reference, Side& left, Side& right, const Judging& judging) {
  return Judge(reference, left, right, judging).run();
}

}  // namespace uopdiff
