#include "harness/engine/case_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/backends/base64.h"
#include "harness/program/error.h"
#include "harness/program/files.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

using nlohmann::json;
constexpr int kFormat = 1;

SavedSide saved_side(const Side& side) {
  SavedSide saved{
      side.spec, status_name(side.reply.status), side.reply.step, side.reply.message, side.reply.captured, {},
      {}};
  if (side.form)
    for (const KernelForm& kernel : side.form->kernels)
      for (const FormLine& line : kernel.lines) saved.kernels.push_back(line.text);
  for (const Output& output : side.reply.outputs) saved.outputs.push_back(base64_encode(output.data));
  return saved;
}

json side_to_json(const SavedSide& side) {
  return {{"spec", side.spec},       {"status", side.status},     {"step", side.step},
          {"message", side.message}, {"captured", side.captured}, {"kernels", side.kernels},
          {"outputs", side.outputs}};
}

SavedSide side_from_json(const json& value) {
  SavedSide side;
  side.spec = value.at("spec").get<std::string>();
  side.status = value.at("status").get<std::string>();
  side.step = value.at("step").get<std::string>();
  side.message = value.at("message").get<std::string>();
  side.captured = value.value("captured", "");
  side.kernels = value.value("kernels", std::vector<std::string>());
  side.outputs = value.value("outputs", std::vector<std::string>());
  return side;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

Case make_case(const Evaluation& evaluation) {
  Case saved;
  saved.program = evaluation.program;
  saved.cause = evaluation.verdict.cause;
  saved.signature = signature_of(saved.cause, operations_of(saved.program));
  if (!evaluation.verdict.facets.empty()) saved.reason = evaluation.verdict.facets[0].reason;
  saved.layer = evaluation.verdict.layer;
  saved.left = saved_side(evaluation.left);
  saved.right = saved_side(evaluation.right);
  return saved;
}

json case_to_json(const Case& saved) {
  return {{"format", kFormat},
          {"signature", saved.signature},
          {"class", class_name(saved.cause.verdict_class)},
          {"path", saved.cause.path},
          {"message", saved.cause.message},
          {"reason", saved.reason},
          {"layer", saved.layer},
          {"operations", operations_of(saved.program)},
          {"program", lines_of(print_program(saved.program))},
          {"id", case_id(saved.program)},
          {"origin", {{"profile", saved.profile}, {"seed", saved.seed}, {"index", saved.index}}},
          {"clang", saved.clang},
          {"left", side_to_json(saved.left)},
          {"right", side_to_json(saved.right)},
          {"confirmed",
           {{"reproduced", saved.reproduced}, {"runs", saved.runs}, {"fresh_data", saved.fresh_data}}},
          {"shrink",
           {{"ended", saved.shrink_ended},
            {"evaluations", saved.evaluations},
            {"operations_before", saved.operations_before}}}};
}

Case case_from_json(const json& value, const std::string& file) {
  try {
    if (value.at("format") != kFormat)
      throw Error(ErrorKind::input, fmt::format("{}: case format {} is unknown, this program reads format {}",
                                                file, value.at("format").dump(), kFormat));
    Case saved;
    std::string text;
    for (const json& line : value.at("program")) text += line.get<std::string>() + "\n";
    saved.program = parse_program(text, file + ", program");
    const auto name = value.at("class").get<std::string>();
    const auto verdict_class = class_from_name(name);
    if (!verdict_class) throw Error(ErrorKind::input, fmt::format("{}: unknown class '{}'", file, name));
    saved.cause = {*verdict_class, value.at("path").get<std::string>(),
                   value.at("message").get<std::string>()};
    saved.signature = value.at("signature").get<std::string>();
    saved.reason = value.value("reason", "");
    saved.layer = value.value("layer", "");
    const json& origin = value.at("origin");
    saved.profile = origin.at("profile").get<std::string>();
    saved.seed = origin.at("seed").get<uint64_t>();
    saved.index = origin.at("index").get<uint64_t>();
    saved.clang = value.value("clang", "");
    saved.left = side_from_json(value.at("left"));
    saved.right = side_from_json(value.at("right"));
    const json& confirmed = value.at("confirmed");
    saved.reproduced = confirmed.at("reproduced").get<int>();
    saved.runs = confirmed.at("runs").get<int>();
    saved.fresh_data = confirmed.at("fresh_data").get<std::string>();
    const json& shrink = value.at("shrink");
    saved.shrink_ended = shrink.at("ended").get<std::string>();
    saved.evaluations = shrink.at("evaluations").get<int>();
    saved.operations_before = shrink.at("operations_before").get<int>();
    return saved;
  } catch (const json::exception& error) {
    throw Error(ErrorKind::input, fmt::format("{}: not a case file: {}", file, error.what()));
  }
}

std::string case_file_name(const Case& saved) {
  return fmt::format("{}-{}.json", class_name(saved.cause.verdict_class), saved.signature);
}

void save_case(const Case& saved, const std::string& path) {
  write_atomically(path, case_to_json(saved).dump(1) + "\n");
}

Case load_case(const std::string& path) {
  const std::string text = read_file(path);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error(ErrorKind::input, fmt::format("{}: is empty", path));
  if (text[text.find_first_not_of(" \t\r\n")] != '{') {
    Case plain;
    plain.program = parse_program(text, path);
    return plain;
  }
  json value;
  try {
    value = json::parse(text);
  } catch (const json::parse_error& error) {
    const size_t line =
        1 + static_cast<size_t>(std::count(
                text.begin(), text.begin() + static_cast<long>(std::min(error.byte, text.size())), '\n'));
    throw Error(ErrorKind::input, fmt::format("{}:{}: not JSON", path, line));
  }
  return case_from_json(value, path);
}

}  // namespace uopdiff
