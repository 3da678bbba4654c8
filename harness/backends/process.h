// A child process in a process group of its own; killing it takes its grandchildren (uv, cargo, clang) along.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace uopdiff {

inline constexpr int kMaxGroups = 256;  // processes at the same time; far more than --jobs allows

// How a process ended: by exit code or by signal.
struct ExitStatus {
  bool by_signal = false;
  int value = 0;             // exit code, or number of the signal
  std::string text() const;  // "exit code 3", "signal 11 (Segmentation fault)"
};

struct ProcessOptions {
  std::vector<std::string> command;      // argv; [0] is an absolute path
  std::vector<std::string> environment;  // the whole environment, "NAME=value"
  std::string directory = "/";
  std::string output_file;  // stdout and stderr are appended here
};

class Process {
 public:
  // Throws Error(environment) when it cannot be started. stdin is /dev/null.
  explicit Process(const ProcessOptions& options);
  ~Process();  // kills the group
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int group() const { return group_; }  // process group id, equal to the child's pid
  // The child's status once it has ended; never waits. The child stays a zombie until this object goes: so
  // long nobody else gets its group id.
  std::optional<ExitStatus> ended();
  // Waits at most `seconds` for the child to end.
  std::optional<ExitStatus> wait(double seconds);
  void kill_group();
  // Resident memory of the whole group, in MB.
  int64_t memory_mb() const;

 private:
  int group_ = 0;
  std::optional<ExitStatus> status_;
};

// SIGKILL for every group that is alive; async-signal-safe, for handlers of SIGINT and SIGTERM.
void kill_all_groups();

}  // namespace uopdiff
