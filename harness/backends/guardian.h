// A small process that outlives the harness by a moment and kills the process groups it left: after SIGKILL,
// the kernel's memory killer or a crash nobody else would.
//
// Linux's parent-death signal does not do: it fires when the *thread* that forked ends, and it reaches the
// child only (uv, cargo), not the worker and the clang below it.
#pragma once

namespace uopdiff {

// The write end of the guardian's pipe (close-on-exec); starts the guardian at the first call. -1 when there
// is none.
int guardian_pipe();

// Tells the guardian about a process group that is alive, or no more; async-signal-safe.
void guard(int pipe, int group);
void unguard(int pipe, int group);

}  // namespace uopdiff
