#include "harness/backends/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/process/v2/process.hpp>
#include <boost/process/v2/start_dir.hpp>
#include <boost/process/v2/stdio.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>

#include "harness/backends/guardian.h"
#include "harness/program/error.h"

namespace uopdiff {
namespace {

namespace process = boost::process::v2;
using Clock = std::chrono::steady_clock;

// Groups that are alive, for kill_all_groups: signal handlers cannot take locks.
std::array<std::atomic<int>, kMaxGroups> live_groups;

bool exchange_slot(int from, int to) {
  for (auto& slot : live_groups) {
    int expected = from;
    if (slot.compare_exchange_strong(expected, to)) return true;
  }
  return false;
}

// Boost skips a hook silently when its types are not exactly the ones it looks for.
struct OwnGroup {
  const char* const* environment;
  int guardian;

  process::error_code on_setup(process::posix::default_launcher& launcher, const process::filesystem::path&,
                               const char* const*&) {
    launcher.env = environment;
    if (guardian >= 0) launcher.fd_whitelist.push_back(guardian);  // it closes itself at exec
    return {};
  }
  process::error_code on_exec_setup(process::posix::default_launcher&, const process::filesystem::path&,
                                    const char* const*&) {
    setpgid(0, 0);
    guard(guardian, getpid());  // by the child: the harness may be killed before it knows the pid
    return {};
  }
  // Of these two Boost looks for five arguments and calls with four.
  template <typename... Ignored>
  void on_error(process::posix::default_launcher& launcher, Ignored&&...) {
    if (launcher.pid > 0) waitpid(launcher.pid, nullptr, 0);  // Boost leaves a zombie
  }
  // Boost's own way on is exit(), which would run this
  // program's destructors in the child, and take the files away that they own.
  template <typename... Ignored>
  void on_exec_error(Ignored&&...) {
    unguard(guardian, getpid());
    _exit(127);
  }
};

struct FileCloser {
  int fd;
  ~FileCloser() { close(fd); }
};

// Resident pages of a process when it is of the group. Fields 3.. of /proc/PID/stat start behind the last
// ')'.
int64_t pages_in_group(const char* pid, int group) {
  std::array<char, 1024> text{};
  const FileCloser file{open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0 || read(file.fd, text.data(), text.size() - 1) <= 0) return 0;
  const char* name_end = strrchr(text.data(), ')');
  int its_group = 0;
  long pages = 0;
  const char* format =
      " %*c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u %*u %ld";
  if (!name_end || std::sscanf(name_end + 1, format, &its_group, &pages) != 2) return 0;
  return its_group == group ? pages : 0;
}

// Between Boost's pipe() and its FD_CLOEXEC another thread's child would inherit the pipe, keep it open, and
// let the first thread wait for its end as long as that child lives.
std::mutex spawning;

int spawn(const ProcessOptions& options) {
  const FileCloser output{open(options.output_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
  if (output.fd < 0) throw Error(ErrorKind::environment, fmt::format("cannot write {}", options.output_file));
  std::vector<const char*> environment;
  for (const std::string& entry : options.environment) environment.push_back(entry.c_str());
  environment.push_back(nullptr);
  const std::vector<std::string> arguments(options.command.begin() + 1, options.command.end());
  const std::lock_guard lock(spawning);
  boost::asio::io_context context;
  try {
    process::process child(context.get_executor(), options.command[0], arguments,
                           process::process_stdio{nullptr, output.fd, output.fd},
                           process::process_start_dir(options.directory),
                           OwnGroup{environment.data(), guardian_pipe()});
    const int pid = static_cast<int>(child.id());
    child.detach();  // waiting is ours: Boost's exit_code() does not tell a signal from an exit code
    return pid;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::environment, fmt::format("cannot start {}: {}", options.command[0], error.what()));
  }
}

}  // namespace

Process::Process(const ProcessOptions& options) : group_(spawn(options)) {
  setpgid(group_, group_);  // here too: whichever of parent and child comes first
  if (exchange_slot(0, group_)) return;
  kill_group();
  waitpid(group_, nullptr, 0);
  unguard(guardian_pipe(), group_);
  throw Error(ErrorKind::internal, fmt::format("more than {} worker processes", kMaxGroups));
}

Process::~Process() {
  kill_group();
  if (!wait(5)) return;  // cannot be killed yet (a hung disk): the guardian will try again
  exchange_slot(group_, 0);
  unguard(guardian_pipe(), group_);
  waitpid(group_, nullptr, 0);
}

std::optional<ExitStatus> Process::ended() {
  if (status_) return status_;
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(group_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
    return std::nullopt;
  status_ = ExitStatus{info.si_code != CLD_EXITED, info.si_status};
  return status_;
}

std::optional<ExitStatus> Process::wait(double seconds) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  while (!ended() && Clock::now() < deadline) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return status_;
}

// The group may outlive the child that led it.
void Process::kill_group() { kill(-group_, SIGKILL); }

int64_t Process::memory_mb() const {
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  int64_t pages = 0;
  if (!proc) return 0;
  while (const dirent* entry = readdir(proc.get()))
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') pages += pages_in_group(entry->d_name, group_);
  return pages * sysconf(_SC_PAGESIZE) >> 20;
}

std::string ExitStatus::text() const {
  return by_signal ? fmt::format("signal {} ({})", value, strsignal(value))
                   : fmt::format("exit code {}", value);
}

void kill_all_groups() {
  for (auto& slot : live_groups)
    if (const int group = slot.load()) kill(-group, SIGKILL);
}

}  // namespace uopdiff
