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
#include <fstream>
#include <thread>

#include "harness/program/error.h"

namespace uopdiff {
namespace {

namespace process = boost::process::v2;
using Clock = std::chrono::steady_clock;

// Groups that are alive, for kill_all_groups: signal handlers cannot take locks.
std::array<std::atomic<int>, 256> live_groups;

void register_group(int group) {
  for (auto& slot : live_groups) {
    int free = 0;
    if (slot.compare_exchange_strong(free, group)) return;
  }
}

void unregister_group(int group) {
  for (auto& slot : live_groups) {
    int taken = group;
    if (slot.compare_exchange_strong(taken, 0)) return;
  }
}

// Boost skips a hook silently when its types are not exactly these.
struct OwnGroup {
  const char* const* environment;
  process::error_code on_setup(process::posix::default_launcher& launcher, const process::filesystem::path&,
                               const char* const*&) {
    launcher.env = environment;
    return {};
  }
  process::error_code on_exec_setup(process::posix::default_launcher&, const process::filesystem::path&,
                                    const char* const*&) {
    setpgid(0, 0);
    return {};
  }
};

struct FileCloser {
  int fd;
  ~FileCloser() { close(fd); }
};

// Fields 3.. of /proc/PID/stat start behind the last ')'.
bool in_group(const char* pid, int group, int64_t& pages) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(in, text);
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return false;
  int parent = 0, process_group = 0;
  char state = 0;
  if (std::sscanf(text.c_str() + name_end + 1, " %c %d %d", &state, &parent, &process_group) != 3)
    return false;
  if (process_group != group) return false;
  std::ifstream statm(fmt::format("/proc/{}/statm", pid));
  int64_t total = 0;
  pages = 0;
  statm >> total >> pages;
  return true;
}

}  // namespace

struct Process::Impl {
  boost::asio::io_context context;
  std::unique_ptr<process::process> child;
  int group = 0;
  std::optional<ExitStatus> status;
};

Process::Process(const ProcessOptions& options) : impl_(std::make_unique<Impl>()) {
  const FileCloser output{open(options.output_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
  if (output.fd < 0) throw Error(ErrorKind::environment, fmt::format("cannot write {}", options.output_file));
  std::vector<const char*> environment;
  for (const std::string& entry : options.environment) environment.push_back(entry.c_str());
  environment.push_back(nullptr);
  const std::vector<std::string> arguments(options.command.begin() + 1, options.command.end());
  try {
    impl_->child = std::make_unique<process::process>(
        impl_->context.get_executor(), options.command[0], arguments,
        process::process_stdio{nullptr, output.fd, output.fd}, process::process_start_dir(options.directory),
        OwnGroup{environment.data()});
  } catch (const std::exception& error) {
    throw Error(ErrorKind::environment, fmt::format("cannot start {}: {}", options.command[0], error.what()));
  }
  impl_->group = static_cast<int>(impl_->child->id());
  setpgid(impl_->group, impl_->group);  // here too: whichever of parent and child comes first
  register_group(impl_->group);
}

Process::~Process() {
  kill_group();
  wait(5);
}

int Process::group() const { return impl_->group; }

std::optional<ExitStatus> Process::ended() {
  if (impl_->status) return impl_->status;
  int status = 0;
  // waitpid itself: Boost's exit_code() does not tell a signal from an exit code.
  if (waitpid(impl_->group, &status, WNOHANG) != impl_->group) return std::nullopt;
  impl_->child->detach();
  impl_->status =
      WIFSIGNALED(status) ? ExitStatus{true, WTERMSIG(status)} : ExitStatus{false, WEXITSTATUS(status)};
  return impl_->status;
}

std::optional<ExitStatus> Process::wait(double seconds) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  while (!ended() && Clock::now() < deadline) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return impl_->status;
}

void Process::kill_group() {
  if (!impl_->group) return;
  // The group may outlive the child that led it.
  kill(-impl_->group, SIGKILL);
  unregister_group(impl_->group);
}

int64_t Process::memory_mb() const {
  const int64_t page = sysconf(_SC_PAGESIZE);
  int64_t total = 0;
  DIR* proc = opendir("/proc");
  if (!proc) return 0;
  while (const dirent* entry = readdir(proc)) {
    int64_t pages = 0;
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && in_group(entry->d_name, impl_->group, pages))
      total += pages * page;
  }
  closedir(proc);
  return total >> 20;
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
