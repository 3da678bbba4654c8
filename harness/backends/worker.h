// One persistent worker process: started when needed, asked over its socket, killed and replaced after any
// fault.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "harness/backends/process.h"
#include "harness/backends/protocol.h"
#include "harness/backends/spec.h"

namespace uopdiff {

struct WorkerLimits {
  double start_seconds = 120;  // from start to handshake
  double case_seconds = 20;    // one request
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
  // comes up.
  const Handshake& start();

  // send, then receive: two workers can work side by side. receive never throws for what the worker does.
  void send(const Request& request);
  Reply receive();
  Reply call(const Request& request);

  const BackendSpec& spec() const { return spec_; }
  WorkerLimits& limits() { return limits_; }
  int restarts() const { return restarts_; }  // after faults; recycling does not count
  int group() const { return process_ ? process_->group() : 0; }

 private:
  enum class Read { line, end, broken_line, time, memory, too_long };

  void launch();
  void stop();
  void accept_connection();
  Read read_line(std::string& line, double seconds, bool watch_memory);
  Reply fault(Status status, const std::string& message);
  Reply ended(bool inside_line);
  std::string captured() const;

  BackendSpec spec_;
  WorkerLimits limits_;
  std::string directory_;  // private: socket and captured output
  std::unique_ptr<Process> process_;
  std::optional<Handshake> handshake_;
  int listener_ = -1, socket_ = -1;
  std::string buffer_;  // read but not yet a whole line
  int64_t next_id_ = 1, requests_ = 0, capture_start_ = 0;
  int restarts_ = 0;
  bool send_failed_ = false;
};

// A worker of each of two specs: send to both, then receive from both, and they work at the same time.
struct WorkerPair {
  WorkerPair(const BackendSpec& left_spec, const BackendSpec& right_spec, const WorkerLimits& limits)
      : left(left_spec, limits), right(right_spec, limits) {}

  Worker left, right;
};

// Builds what a worker of `spec` needs (cargo, uv); output goes to `log_file`. Throws Error(environment).
void prepare_backend(const BackendSpec& spec, const std::string& log_file);

}  // namespace uopdiff
