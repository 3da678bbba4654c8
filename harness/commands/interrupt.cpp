#include "harness/commands/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "harness/backends/process.h"

namespace uopdiff {
namespace {

std::atomic<bool> seen = false;

void handle(int signal_number) {
  if (seen.exchange(true)) {
    kill_all_groups();
    _exit(128 + signal_number);
  }
}

}  // namespace

void catch_interrupts() {
  struct sigaction action{};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return seen; }

}  // namespace uopdiff
