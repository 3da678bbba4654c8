#include "harness/engine/fuzz.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "generators/profile.h"
#include "harness/backends/toolchain.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupt.h"
#include "harness/program/error.h"
#include "harness/report/fuzz_text.h"
#include "harness/report/json_report.h"

namespace uopdiff {
namespace {

struct Arguments {
  std::string left = kDefaultLeft, right = kDefaultRight, time, profile = "mixed", tier = "values", out,
              known;
  uint64_t seed = 1, cases = 0;
  int jobs = 0, shrink_evaluations = 300;
  double shrink_seconds = 60, case_seconds = 20;
  int64_t memory_mb = 4096;
  bool json = false, explain = false;
};

// "90", "90s", "2m", "5h" in seconds.
double parse_duration(const std::string& text) {
  size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const std::string unit = used ? text.substr(used) : "?";
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (factor == 0 || !(value > 0) || value > 1e6)
    throw Error(ErrorKind::usage, fmt::format("--for {}: expected a time such as 90s, 2m or 5h", text));
  return value * factor;
}

FuzzOptions options_of(const Arguments& arguments) {
  FuzzOptions options;
  options.left = BackendSpec::parse(arguments.left);
  options.right = BackendSpec::parse(arguments.right);
  options.seed = arguments.seed;
  if (arguments.profile != "mixed") get_profile(arguments.profile);
  options.profile = arguments.profile;
  if (!arguments.time.empty()) options.seconds = parse_duration(arguments.time);
  if (arguments.cases) options.cases = arguments.cases;
  if (!options.seconds && !options.cases) options.seconds = 120;
  options.jobs =
      arguments.jobs ? arguments.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.values = arguments.tier == "values";
  options.shrink = {arguments.shrink_evaluations, arguments.shrink_seconds};
  options.limits.case_seconds = arguments.case_seconds;
  options.limits.memory_mb = arguments.memory_mb;
  return options;
}

Known known_of(const Arguments& arguments) {
  if (!arguments.known.empty()) return arguments.known == "none" ? Known() : Known::load(arguments.known);
  const std::string standard = source_dir() + "/corpus/known.toml";
  return std::filesystem::exists(standard) ? Known::load(standard) : Known();
}

nlohmann::json run_json(const FuzzOptions& options) {
  nlohmann::json run{{"left", options.left.text()}, {"right", options.right.text()},
                     {"seed", options.seed},        {"profile", options.profile},
                     {"jobs", options.jobs},        {"values", options.values},
                     {"version", UOPDIFF_VERSION}};
  if (options.seconds) run["seconds"] = *options.seconds;
  if (options.cases) run["cases"] = *options.cases;
  for (const ToolCheck& tool : check_tools()) run["tools"][tool.name] = tool.version;
  return run;
}

// On a terminal one line that is written over; in a log a line every ten seconds.
class ProgressPrinter {
 public:
  void operator()(const FuzzProgress& progress) {
    if (isatty(STDERR_FILENO)) {
      fmt::print(stderr, "\r\x1b[K{}", progress_line(progress));
      open_line_ = true;
    } else if (progress.seconds >= next_) {
      fmt::print(stderr, "{}\n", progress_line(progress));
      next_ = progress.seconds + 10;
    }
    std::fflush(stderr);
  }
  void finish() {
    if (open_line_) fmt::print(stderr, "\n");
    open_line_ = false;
  }

 private:
  double next_ = 0;
  bool open_line_ = false;
};

void explain_findings(const FuzzResult& result, const FuzzOptions& options, const std::string& run_dir) {
  Evaluator evaluator(options.left, options.right, options.limits);
  for (const Finding& finding : result.findings) {
    if (interrupted()) return;
    const Evaluation evaluation = evaluator.evaluate(finding.saved.program, true, true);
    fmt::print("\n{}", explain(evaluation, "uopdiff replay " + finding_path(run_dir, finding.saved),
                               terminal_style()));
  }
}

int run(const Arguments& arguments) {
  const FuzzOptions options = options_of(arguments);
  const Known known = known_of(arguments);
  RunDir run_dir(arguments.out.empty() ? default_run_dir() : arguments.out);
  run_dir.write_run(run_json(options));
  fmt::print(stderr, "{} against {}, seed {}, {} job(s); findings go to {}/findings\n", options.left.text(),
             options.right.text(), options.seed, options.jobs, run_dir.path());
  for (const BackendSpec* spec : {&options.left, &options.right})
    prepare_backend(*spec, std::filesystem::absolute(run_dir.path()).string() + "/prepare.log");
  catch_interrupts();
  ProgressPrinter printer;
  const FuzzResult result = fuzz(options, known, run_dir, std::ref(printer), interrupted);
  printer.finish();
  const nlohmann::json json = fuzz_to_json(result, options, run_dir.path());
  run_dir.write_summary(json);
  if (arguments.json)
    fmt::print("{}\n", json.dump(1));
  else
    fmt::print("{}", fuzz_summary(result, options, known, run_dir.path()));
  if (arguments.explain && !arguments.json) explain_findings(result, options, run_dir.path());
  return result.findings.empty() ? kExitNothing : kExitDivergence;
}

}  // namespace

Command add_fuzz(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("fuzz", "run random programs through both compilers and report what differs");
  command->add_option("--for", arguments->time,
                      "how long, e.g. 90s, 2m, 5h (default 2m unless --cases is given)");
  command->add_option("--cases", arguments->cases, "how many programs");
  command->add_option("--seed", arguments->seed, "which sequence of programs")->capture_default_str();
  command->add_option("--profile", arguments->profile, "kind of programs: " + profile_names())
      ->capture_default_str();
  command->add_option("--left", arguments->left, "first backend: COMPILER@VERSION[+noopt]")
      ->capture_default_str();
  command->add_option("--right", arguments->right, "second backend")->capture_default_str();
  command->add_option("--jobs", arguments->jobs, "pairs of workers side by side (default: one a core)")
      ->check(CLI::Range(1, 64));
  command
      ->add_option("--tier", arguments->tier,
                   "values: compile, run and compare outputs, too; schedule: kernels only")
      ->check(CLI::IsMember({"values", "schedule"}))
      ->capture_default_str();
  command->add_option("--out", arguments->out, "run folder, new or empty (default runs/DATE-TIME)");
  command->add_option("--known", arguments->known,
                      "file of accepted divergences, or none (default corpus/known.toml)");
  command->add_option("--case-seconds", arguments->case_seconds, "limit for one program on one backend")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  command->add_option("--memory-mb", arguments->memory_mb, "limit for one worker with its children")
      ->check(CLI::Range(100, 1000000))
      ->capture_default_str();
  command->add_option("--shrink-evaluations", arguments->shrink_evaluations, "budget for one finding")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_option("--shrink-seconds", arguments->shrink_seconds, "budget for one finding")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  command->add_flag("--explain", arguments->explain,
                    "print the whole explanation of every new finding at the end");
  command->add_flag("--json", arguments->json, "print the result as JSON");
  return [arguments] { return run(*arguments); };
}

}  // namespace uopdiff
