#include "harness/backends/guardian.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "harness/backends/process.h"

namespace uopdiff {
namespace {

// Runs in a fork of a program that may have threads: async-signal-safe calls only.
[[noreturn]] void keep_guard(int pipe) {
  setsid();  // an interrupt typed at the terminal is for the harness
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
  prctl(PR_SET_NAME, "uopdiff-guard");
  // Whoever reads the harness's output must see its end when the harness ends.
  dup2(pipe, 0);
  if (close_range(1, UINT_MAX, 0) != 0)
    for (int fd = 1; fd < 1024; ++fd) close(fd);
  [[maybe_unused]] const int moved = chdir("/");
  std::array<int, kMaxGroups> groups{};
  int message = 0;
  while (true) {
    const ssize_t count = read(0, &message, sizeof(message));
    if (count < 0 && errno == EINTR) continue;
    if (count != sizeof(message)) break;
    const auto slot = std::find(groups.begin(), groups.end(), message > 0 ? 0 : -message);
    if (slot != groups.end()) *slot = std::max(message, 0);
  }
  for (int group : groups)
    if (group > 0) kill(-group, SIGKILL);
  _exit(0);
}

int start_guardian() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t pid = fork();
  if (pid == 0) keep_guard(ends[0]);
  close(ends[0]);
  if (pid > 0) return ends[1];
  close(ends[1]);
  return -1;
}

void tell(int pipe, int message) {
  // Smaller than PIPE_BUF: whole or not at all, also with several writers.
  if (pipe >= 0) [[maybe_unused]]
    const ssize_t count = write(pipe, &message, sizeof(message));
}

}  // namespace

int guardian_pipe() {
  static const int pipe = start_guardian();
  return pipe;
}

void guard(int pipe, int group) { tell(pipe, group); }
void unguard(int pipe, int group) { tell(pipe, -group); }

}  // namespace uopdiff
