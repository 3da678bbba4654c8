#include "harness/backends/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <re2/re2.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/backends/toolchain.h"
#include "harness/program/error.h"

extern char** environ;

namespace uopdiff {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr size_t kMaxLine = size_t{256} << 20;
constexpr int64_t kCapturedBytes = 2000;
constexpr int kPollMilliseconds = 50;

// The harness's own environment with `extra` in front of equal names and the compiler's directory first in
// PATH.
std::vector<std::string> worker_environment(const std::vector<std::string>& extra, const std::string& options,
                                            const std::string& socket) {
  std::vector<std::string> result = extra;
  result.push_back("UOPDIFF_SOCKET=" + socket);
  result.push_back("UOPDIFF_OPTIONS=" + options);
  const char* path = std::getenv("PATH");
  result.push_back(fmt::format("PATH={}:{}", clang_directory(), path ? path : "/usr/bin:/bin"));
  const size_t own = result.size();
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('=') + 1);
    const bool replaced = std::any_of(result.begin(), result.begin() + static_cast<long>(own),
                                      [&](const std::string& given) { return given.starts_with(name); });
    if (!replaced) result.push_back(text);
  }
  return result;
}

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ",") + item;
  return text;
}

std::string tail_of(const std::string& file, int64_t from) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(0, std::ios::end);
  const int64_t end = in.tellg();
  const int64_t start = std::max(from, end - kCapturedBytes);
  if (end <= start) return "";
  std::string text(static_cast<size_t>(end - start), '\0');
  in.seekg(start);
  in.read(text.data(), end - start);
  // JSON wants UTF-8, a cut may lie inside a character, and a worker may print anything.
  for (char& c : text)
    if (static_cast<unsigned char>(c) >= 0x80 || (static_cast<unsigned char>(c) < 0x20 && c != '\n')) c = '?';
  return text;
}

bool says_out_of_memory(const std::string& text) {
  return text.find("memory allocation of") != std::string::npos ||
         text.find("MemoryError") != std::string::npos || text.find("std::bad_alloc") != std::string::npos;
}

// cargo and uv pass a worker's death on as an exit code: cargo names the signal in its output, uv adds 128 to
// it.
std::string death_text(const ExitStatus& status, const std::string& captured) {
  static const RE2 named(R"(\(signal: (\d+))");
  int signal_number = 0;
  if (!status.by_signal && RE2::PartialMatch(captured, named, &signal_number))
    return ExitStatus{true, signal_number}.text();
  if (!status.by_signal && status.value > 128 && status.value < 160)
    return ExitStatus{true, status.value - 128}.text();
  return status.text();
}

}  // namespace

Worker::Worker(BackendSpec spec, WorkerLimits limits) : spec_(std::move(spec)), limits_(limits) {}

Worker::~Worker() { stop(); }

void Worker::stop() {
  for (int* fd : {&socket_, &listener_}) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
  }
  // A worker that is idle ends by itself when its socket closes; one that is not is killed.
  if (process_ && handshake_) process_->wait(0.05);
  process_.reset();
  handshake_.reset();
  buffer_.clear();
  requests_ = 0;
  if (!directory_.empty()) {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
    directory_.clear();
  }
}

const Handshake& Worker::start() {
  if (!handshake_) launch();
  return *handshake_;
}

void Worker::launch() {
  stop();
  const Launch how = launch_of(spec_);
  std::string pattern = (fs::temp_directory_path() / "uopdiff-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw Error(ErrorKind::environment, "cannot make a temporary directory");
  directory_ = pattern;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = directory_ + "/socket";
  if (path.size() >= sizeof(address.sun_path))
    throw Error(ErrorKind::environment,
                fmt::format("the path {} is too long for a socket; set TMPDIR", path));
  std::strcpy(address.sun_path, path.c_str());
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(listener_, 1) != 0)
    throw Error(ErrorKind::environment, fmt::format("cannot listen on {}: {}", path, std::strerror(errno)));
  process_ = std::make_unique<Process>(
      ProcessOptions{how.command, worker_environment(how.environment, joined(spec_.options), path),
                     how.directory, directory_ + "/output"});
  accept_connection();
  std::string line;
  if (read_line(line, limits_.start_seconds, false) != Read::line)
    throw Error(ErrorKind::environment,
                fmt::format("the worker of {} sent no handshake: {}", spec_.text(), captured()));
  try {
    handshake_ = parse_handshake(line);
  } catch (const Error& error) {
    throw Error(ErrorKind::environment, fmt::format("the worker of {}: {}", spec_.text(), error.what()));
  }
}

void Worker::accept_connection() {
  const auto deadline = Clock::now() + std::chrono::duration<double>(limits_.start_seconds);
  while (true) {
    pollfd waiting{listener_, POLLIN, 0};
    if (poll(&waiting, 1, kPollMilliseconds) > 0) break;
    const auto status = process_->ended();
    if (status || Clock::now() > deadline)
      throw Error(ErrorKind::environment,
                  fmt::format("the worker of {} did not start ({}): {}", spec_.text(),
                              status ? status->text() : fmt::format("waited {} s", limits_.start_seconds),
                              captured()));
  }
  socket_ = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  // A socket's peer may take a large request slowly; writing must not wait for ever.
  const timeval limit{static_cast<time_t>(limits_.case_seconds) + 1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

void Worker::send(const Request& request) {
  start();
  capture_start_ = 0;
  std::error_code ignored;
  const auto size = fs::file_size(directory_ + "/output", ignored);
  if (!ignored) capture_start_ = static_cast<int64_t>(size);
  const std::string line = request_line(request, ++next_id_);
  send_failed_ = false;
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t count = ::send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) {
      send_failed_ = true;
      return;
    }
    sent += static_cast<size_t>(count);
  }
}

// Reads up to the next line break; what comes behind it stays in the buffer.
Worker::Read Worker::read_line(std::string& line, double seconds, bool watch_memory) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  auto next_memory_check = Clock::now() + std::chrono::milliseconds(100);
  size_t searched = 0;
  std::string chunk(size_t{1} << 16, '\0');
  while (true) {
    if (const size_t end = buffer_.find('\n', searched); end != std::string::npos) {
      line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return Read::line;
    }
    searched = buffer_.size();
    if (buffer_.size() > kMaxLine) return Read::too_long;
    pollfd readable{socket_, POLLIN, 0};
    const int ready = poll(&readable, 1, kPollMilliseconds);
    if (ready > 0) {
      const ssize_t count = recv(socket_, chunk.data(), chunk.size(), 0);
      if (count <= 0) return buffer_.empty() ? Read::end : Read::broken_line;
      buffer_.append(chunk.data(), static_cast<size_t>(count));
      continue;
    }
    if (Clock::now() > deadline) return Read::time;
    if (watch_memory && Clock::now() > next_memory_check) {
      if (process_->memory_mb() > limits_.memory_mb) return Read::memory;
      next_memory_check = Clock::now() + std::chrono::milliseconds(100);
    }
  }
}

Reply Worker::receive() {
  if (send_failed_) return ended(false);
  std::string line;
  switch (read_line(line, limits_.case_seconds, true)) {
    case Read::line:
      break;
    case Read::end:
      return ended(false);
    case Read::broken_line:
      return ended(true);
    case Read::time:
      return fault(Status::timeout, fmt::format("no reply within {} s", limits_.case_seconds));
    case Read::memory:
      return fault(Status::out_of_memory, fmt::format("more than {} MB", limits_.memory_mb));
    case Read::too_long:
      return fault(Status::protocol_error, "a reply of more than 256 MB");
  }
  Reply reply;
  try {
    reply = parse_reply(line, next_id_);
  } catch (const Error& error) {
    return fault(Status::protocol_error, error.what());
  }
  if (reply.status != Status::ok) reply.captured = captured();
  // Whatever is behind the reply would be taken for the next one.
  if (!buffer_.empty()) return fault(Status::protocol_error, "more than one reply to a request");
  if (++requests_ >= limits_.recycle_requests || reply.rss_mb > limits_.recycle_mb) stop();
  return reply;
}

Reply Worker::call(const Request& request) {
  send(request);
  return receive();
}

// The worker is gone, or has closed its socket while it goes on running.
Reply Worker::ended(bool inside_line) {
  const auto status = process_->wait(1.0);
  const std::string place = inside_line ? " half-way through a reply" : "";
  if (!status) return fault(Status::protocol_error, "the worker closed its socket" + place);
  const bool memory = says_out_of_memory(captured()) || (!status->by_signal && status->value == 137);
  return fault(memory ? Status::out_of_memory : Status::crashed,
               "the worker died" + place + ": " + death_text(*status, captured()));
}

Reply Worker::fault(Status status, const std::string& message) {
  Reply reply;
  reply.status = status;
  reply.message = message;
  reply.captured = captured();
  stop();
  ++restarts_;
  return reply;
}

std::string Worker::captured() const { return tail_of(directory_ + "/output", capture_start_); }

void prepare_backend(const BackendSpec& spec, const std::string& log_file) {
  const Launch how = preparation_of(spec);
  if (how.command.empty()) return;
  Process process({how.command, worker_environment(how.environment, "", ""), how.directory, log_file});
  const auto status = process.wait(3600);
  if (!status || status->by_signal || status->value != 0)
    throw Error(ErrorKind::environment,
                fmt::format("preparing {} failed ({}); its output is in {}:\n{}", spec.text(),
                            status ? status->text() : "no end", log_file, tail_of(log_file, 0)));
}

}  // namespace uopdiff
