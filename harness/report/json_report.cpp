#include "harness/report/json_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/program/text.h"

namespace uopdiff {
namespace {

using nlohmann::json;

json side_to_json(const Side& side) {
  json checks = json::array(), kernels = json::array();
  for (const ValueCheck& check : side.checks)
    checks.push_back({{"elements", check.elements},
                      {"wrong", check.wrong},
                      {"undetermined", check.undetermined},
                      {"first_wrong", check.first_wrong},
                      {"expected", check.expected},
                      {"got", check.got}});
  if (side.form)
    for (const KernelForm& kernel : side.form->kernels) {
      json lines = json::array();
      for (const FormLine& line : kernel.lines) lines.push_back(line.text);
      kernels.push_back(lines);
    }
  return {{"spec", side.spec},           {"status", status_name(side.reply.status)},
          {"step", side.reply.step},     {"message", side.reply.message},
          {"outputs", checks},           {"kernels", kernels},
          {"graphs", side.reply.kernels}};
}

}  // namespace

json fuzz_to_json(const FuzzResult& result, const FuzzOptions& options, const std::string& run_dir) {
  json value = progress_to_json(result.progress);
  value["left"] = options.left.text();
  value["right"] = options.right.text();
  value["seed"] = options.seed;
  value["profile"] = options.profile;
  value["jobs"] = options.jobs;
  value["run_dir"] = run_dir;
  value["known"] = result.known_counts;
  value["unshrunk"] = result.unshrunk;
  value["interrupted"] = result.interrupted;
  value["findings"] = json::array();
  for (const Finding& finding : result.findings) {
    const Case& saved = finding.saved;
    value["findings"].push_back({{"signature", saved.signature},
                                 {"class", class_name(saved.cause.verdict_class)},
                                 {"path", saved.cause.path},
                                 {"message", saved.cause.message},
                                 {"reason", saved.reason},
                                 {"count", finding.count},
                                 {"operations", operation_count(saved.program)},
                                 {"shrink", saved.shrink_ended},
                                 {"program", print_program(saved.program)},
                                 {"case", finding_path(run_dir, saved)}});
  }
  return value;
}

json evaluation_to_json(const Evaluation& evaluation) {
  json facets = json::array();
  for (const Facet& facet : evaluation.verdict.facets)
    facets.push_back(
        {{"class", class_name(facet.verdict_class)}, {"path", facet.path}, {"reason", facet.reason}});
  const Cause& cause = evaluation.verdict.cause;
  return {{"class", class_name(cause.verdict_class)},
          {"path", cause.path},
          {"message", cause.message},
          {"signature",
           is_divergence(cause.verdict_class) ? signature_of(cause, operations_of(evaluation.program)) : ""},
          {"id", case_id(evaluation.program)},
          {"program", print_program(evaluation.program)},
          {"facets", facets},
          {"layer", evaluation.verdict.layer},
          {"compared", evaluation.verdict.structure.settled},
          {"elements", evaluation.verdict.elements},
          {"undetermined", evaluation.verdict.undetermined},
          {"left", side_to_json(evaluation.left)},
          {"right", side_to_json(evaluation.right)},
          {"seconds", evaluation.seconds}};
}

}  // namespace uopdiff
