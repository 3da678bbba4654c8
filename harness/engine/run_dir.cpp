#include "harness/engine/run_dir.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/program/error.h"
#include "harness/program/files.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace fs = std::filesystem;

RunDir::RunDir(const std::string& path) : path_(path), programs_(nullptr, fclose) {
  std::error_code error;
  if (fs::exists(path) && !(fs::is_directory(path) && fs::is_empty(path, error)))
    throw Error(ErrorKind::usage,
                fmt::format("{} exists already; a run wants a new or an empty folder", path));
  fs::create_directories(fs::path(path) / "running", error);
  if (!error) fs::create_directories(fs::path(path) / "findings", error);
  if (error) throw Error(ErrorKind::environment, fmt::format("cannot make {}: {}", path, error.message()));
  programs_.reset(fopen((path + "/programs.jsonl").c_str(), "w"));
  if (!programs_) throw Error(ErrorKind::environment, fmt::format("cannot write {}/programs.jsonl", path));
}

void RunDir::write_run(const nlohmann::json& run) {
  write_atomically(path_ + "/run.json", run.dump(1) + "\n");
}

void RunDir::write_summary(const nlohmann::json& summary) {
  write_atomically(path_ + "/summary.json", summary.dump(1) + "\n");
}

void RunDir::log_program(const nlohmann::json& line) {
  const std::string text = line.dump() + "\n";
  if (fwrite(text.data(), 1, text.size(), programs_.get()) != text.size() || fflush(programs_.get()) != 0)
    throw Error(ErrorKind::environment, fmt::format("cannot write {}/programs.jsonl", path_));
}

void RunDir::starting(int job, const Program& program, const std::string& comment) {
  write_atomically(fmt::format("{}/running/job-{}.uop", path_, job),
                   "# " + comment + "\n" + print_program(program));
}

void RunDir::idle(int job) {
  std::error_code ignored;
  fs::remove(fmt::format("{}/running/job-{}.uop", path_, job), ignored);
}

void RunDir::save_finding(const Case& saved) { save_case(saved, finding_path(path_, saved)); }

std::string finding_path(const std::string& run_dir, const Case& saved) {
  return run_dir + "/findings/" + case_file_name(saved);
}

std::string default_run_dir() {
  const std::string name = fmt::format("runs/{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  std::string path = name;
  for (int k = 2; fs::exists(path); ++k) path = fmt::format("{}-{}", name, k);
  return path;
}

}  // namespace uopdiff
