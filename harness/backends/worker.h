// One persistent worker process: started when needed, asked over its socket, killed and replaced after any
// fault.
#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "harness/backends/process.h"
#include "harness/backends/protocol.h"
#include "harness/backends/spec.h"

namespace uopdiff {

struct WorkerLimits {
  double start_seconds = 120;  // from start to handshake
  double case_seconds = 20;    // one request, from the moment it is sent
  int64_t memory_mb = 4096;    // of the whole process group while a request is under way
  int64_t recycle_mb = 1200;   // a reply that says more memory retires the worker
  int64_t recycle_requests = 2000;
};

class Worker {
 public:
  Worker(BackendSpec spec, WorkerLimits limits);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Starts the process if none is there and returns what it said. Throws Error(environment) when no worker
  // comes up; nothing of it is left then, and the next start tries again.
  const Handshake& start();

  // send, then receive: two workers can work side by side. send starts a worker when there is none (and so
  // throws what start throws), also when the old one died or spoke while nobody asked it; it does not wait
  // for the worker to read a large request. receive never throws for what the worker does:
  //   crashed         the process ended, between replies or half-way through one
  //   protocol_error  anything but one reply to this request; a closed socket of a process that goes on
  //   timeout, out_of_memory  the limits; out_of_memory also when the process died of it
  // After any of these the group is killed. A worker that waited for the harness to read has a second more.
  void send(const Request& request);
  Reply receive();
  Reply call(const Request& request);

  const BackendSpec& spec() const { return spec_; }
  WorkerLimits& limits() { return limits_; }
  int restarts() const { return restarts_; }  // after faults; recycling does not count
  int group() const { return process_ ? process_->group() : 0; }

 private:
  friend struct WorkerPair;
  using Clock = std::chrono::steady_clock;
  enum class Read { line, nothing, end, broken_line, time, memory, too_long, printed };

  void launch();
  void connect(const Launch& how);
  void stop(bool gently);
  void accept_connection();
  bool spoke_unasked() const;
  // Waits a moment at most until one of `workers` can be read or written; null ones are left out.
  static void wait_for_any(std::initializer_list<const Worker*> workers);
  bool flush();
  Read read_some(std::string& line);
  Read check_limits();
  void begin_receive();
  std::optional<Reply> poll_reply();
  Reply finish(const std::string& line);
  Reply fault(Status status, const std::string& message);
  Reply ended(bool inside_line);
  std::string captured() const;

  BackendSpec spec_;
  WorkerLimits limits_;
  std::string directory_;  // private: socket and captured output
  std::unique_ptr<Process> process_;
  std::optional<Handshake> handshake_;
  int listener_ = -1, socket_ = -1;
  std::string buffer_;   // read but not yet a whole line
  size_t searched_ = 0;  // no line break in the buffer before this
  std::string outgoing_;
  size_t sent_ = 0;  // of outgoing_
  Clock::time_point deadline_, next_check_;
  bool asked_ = false;  // a request is under way
  int64_t last_id_ = 0, requests_ = 0;
  int restarts_ = 0;
};

// A worker of each of two specs that work at the same time; what happens to one does not disturb the other.
struct WorkerPair {
  WorkerPair(const BackendSpec& left_spec, const BackendSpec& right_spec, const WorkerLimits& limits)
      : left(left_spec, limits), right(right_spec, limits) {}

  // Waits for both at once, so that the limits of both are watched all the time.
  std::pair<Reply, Reply> receive();
  std::pair<Reply, Reply> run(const Request& to_left, const Request& to_right);

  Worker left, right;
};

// Builds what a worker of `spec` needs (cargo, uv); output goes to `log_file`. Throws Error(environment).
void prepare_backend(const BackendSpec& spec, const std::string& log_file);

}  // namespace uopdiff
