#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/backends/toolchain.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupt.h"
#include "harness/compare/known.h"
#include "harness/engine/case_file.h"
#include "harness/program/error.h"
#include "harness/report/explain.h"
#include "harness/report/json_report.h"

namespace uopdiff {
namespace {

struct Arguments {
  std::vector<std::string> cases;
  std::string left, right;
  double case_seconds = 20;
  bool json = false, expect_same = false, quiet = false;
};

// Files as they are, folders as the case files in them, sorted.
std::vector<std::string> case_files(const std::vector<std::string>& given) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& path : given) {
    if (!fs::exists(path)) throw Error(ErrorKind::input, fmt::format("{}: no such file or folder", path));
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(path))
      if (entry.is_regular_file() && entry.path().extension() == ".json")
        found.push_back(entry.path().string());
    std::ranges::sort(found);
    files.insert(files.end(), found.begin(), found.end());
  }
  if (files.empty()) throw Error(ErrorKind::input, "no case files there");
  return files;
}

int outcome(const Case& saved, const Evaluation& evaluation) {
  const Cause& cause = evaluation.verdict.cause;
  if (!is_divergence(cause.verdict_class)) return kExitNothing;
  if (saved.signature.empty()) return kExitDivergence;  // a plain program: no other way to compare with
  return cause == saved.cause ? kExitDivergence : kExitOther;
}

const char* outcome_text(int code) {
  return code == kExitNothing      ? "no divergence any more"
         : code == kExitDivergence ? "diverges in the same way"
                                   : "diverges in another way";
}

// Workers are kept while cases name the same backends.
class Replayer {
 public:
  explicit Replayer(const Arguments& arguments) : arguments_(arguments) {}

  Evaluation run(const Case& saved) {
    const auto chosen = [](const std::string& option, const std::string& of_case, const char* fallback) {
      return BackendSpec::parse(!option.empty() ? option : !of_case.empty() ? of_case : fallback);
    };
    const BackendSpec left = chosen(arguments_.left, saved.left.spec, kDefaultLeft);
    const BackendSpec right = chosen(arguments_.right, saved.right.spec, kDefaultRight);
    if (!evaluator_ || left != left_ || right != right_) {
      WorkerLimits limits;
      limits.case_seconds = arguments_.case_seconds;
      limits.start_seconds = 1200;  // the first start may have to build the adapter
      evaluator_ = std::make_unique<Evaluator>(left, right, limits);
      left_ = left;
      right_ = right;
    }
    return evaluator_->evaluate(saved.program, true, true);
  }

 private:
  const Arguments& arguments_;
  std::unique_ptr<Evaluator> evaluator_;
  BackendSpec left_, right_;
};

int run(const Arguments& arguments) {
  const std::vector<std::string> files = case_files(arguments.cases);
  std::vector<Case> cases;
  for (const std::string& file : files)
    cases.push_back(load_case(file));  // all of them, before anything is started
  catch_interrupts();
  Replayer replayer(arguments);
  nlohmann::json all = nlohmann::json::array();
  int worst = kExitNothing, not_same = 0;
  for (size_t k = 0; k < files.size() && !interrupted(); ++k) {
    const Evaluation evaluation = replayer.run(cases[k]);
    const int code = outcome(cases[k], evaluation);
    worst = std::max(worst, code);
    not_same += code != kExitDivergence;
    if (arguments.json) {
      nlohmann::json result = evaluation_to_json(evaluation);
      result["case"] = files[k];
      result["outcome"] = outcome_text(code);
      all.push_back(result);
      continue;
    }
    if (!arguments.quiet || (arguments.expect_same && code != kExitDivergence))
      fmt::print("{}", explain(evaluation, "uopdiff replay " + files[k], terminal_style()));
    if (!cases[k].signature.empty())
      fmt::print("{}: {}{}\n", files[k], outcome_text(code),
                 code == kExitOther ? fmt::format(" (the case says {})", cases[k].cause.path) : "");
  }
  if (arguments.json) fmt::print("{}\n", (files.size() == 1 ? all[0] : all).dump(1));
  if (!arguments.expect_same) return worst;
  if (not_same)
    fmt::print(
        "{} of {} cases do not diverge as they say: remove or renew them, and their entries in known.toml\n",
        not_same, files.size());
  return not_same ? kExitDivergence : kExitNothing;
}

}  // namespace

Command add_replay(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("replay", "run saved cases again and explain what differs");
  command->add_option("CASE", arguments->cases, "case files, programs in text form, or folders of cases")
      ->required();
  command->add_option("--left", arguments->left,
                      "first backend (default: the case's, else " + std::string(kDefaultLeft) + ")");
  command->add_option("--right", arguments->right,
                      "second backend (default: the case's, else " + std::string(kDefaultRight) + ")");
  command->add_option("--case-seconds", arguments->case_seconds, "limit for one program on one backend")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  command->add_flag("--expect-same", arguments->expect_same,
                    "exit code 0 when every case still diverges as it says, else 1");
  command->add_flag("--quiet", arguments->quiet,
                    "one line for each case; with --expect-same the explanation of those that changed");
  command->add_flag("--json", arguments->json,
                    "print the result as JSON (a list when there are several cases)");
  return [arguments] { return run(*arguments); };
}

}  // namespace uopdiff
