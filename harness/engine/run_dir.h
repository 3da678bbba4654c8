// The folder of one run: what is being run now, every program's verdict, the findings, the summary. Can be
// killed at any moment.
#pragma once

#include <cstdio>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/engine/case_file.h"

namespace uopdiff {

//   run.json              options and versions, written first
//   programs.jsonl        one line a program, in order: index, id, profile, class, path
//   running/job-N.uop     the program that job N runs at this moment
//   findings/CLASS-SIGNATURE.json   cases
//   summary.json          written last; without it the run was cut short
class RunDir {
 public:
  // Throws Error(usage) when the folder exists and is no empty folder, Error(environment) when it cannot be
  // made.
  explicit RunDir(const std::string& path);

  void write_run(const nlohmann::json& run);
  void write_summary(const nlohmann::json& summary);
  void log_program(const nlohmann::json& line);
  void starting(int job, const Program& program, const std::string& comment);
  void idle(int job);
  void save_finding(const Case& saved);

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::unique_ptr<FILE, int (*)(FILE*)> programs_;
};

std::string finding_path(const std::string& run_dir, const Case& saved);

// A new folder name below runs/: the time, and a number where that is taken.
std::string default_run_dir();

}  // namespace uopdiff
