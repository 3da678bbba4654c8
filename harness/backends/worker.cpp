#include "harness/backends/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <re2/re2.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "harness/backends/printable.h"
#include "harness/backends/toolchain.h"
#include "harness/program/error.h"

extern char** environ;

namespace uopdiff {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxLine = size_t{256} << 20;
constexpr int64_t kCapturedBytes = 2000;
constexpr size_t kMaxPrinted = size_t{64} << 20;  // a worker that prints for ever must not fill the disk
constexpr size_t kMaxMessage = 500;
constexpr std::chrono::milliseconds kPoll{50};
constexpr std::chrono::milliseconds kCheckEvery{100};  // memory and output: reading /proc is not free

// The harness's own environment, with that of `how` in front of equal names and the compiler's directory
// first in PATH.
std::vector<std::string> worker_environment(const Launch& how, const std::string& options,
                                            const std::string& socket) {
  std::vector<std::string> result = how.environment;
  result.push_back("UOPDIFF_SOCKET=" + socket);
  result.push_back("UOPDIFF_OPTIONS=" + options);
  const char* path = std::getenv("PATH");
  const std::string own_path = path ? path : "/usr/bin:/bin";
  result.push_back("PATH=" + (how.needs_clang ? clang_directory() + ":" : "") + own_path);
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

std::chrono::nanoseconds duration(double seconds) {
  return std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9));
}

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ",") + item;
  return text;
}

std::string tail_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(0, std::ios::end);
  const int64_t end = in.tellg();
  const int64_t start = std::max<int64_t>(0, end - kCapturedBytes);
  if (end <= start) return "";
  std::string text(static_cast<size_t>(end - start), '\0');
  in.seekg(start);
  in.read(text.data(), end - start);
  return printable(text);
}

bool says_out_of_memory(const std::string& text) {
  return text.find("memory allocation of") != std::string::npos ||
         text.find("MemoryError") != std::string::npos || text.find("std::bad_alloc") != std::string::npos;
}

// cargo and uv pass a worker's death on as an exit code: cargo names the signal in its output, uv adds 128 to
// it.
ExitStatus own_death(const ExitStatus& status, const std::string& captured) {
  static const RE2 named(R"(\(signal: (\d+))");
  int signal_number = 0;
  if (status.by_signal) return status;
  if (RE2::PartialMatch(captured, named, &signal_number)) return {true, signal_number};
  if (status.value > 128 && status.value < 160) return {true, status.value - 128};
  return status;
}

}  // namespace

Worker::Worker(BackendSpec spec, WorkerLimits limits) : spec_(std::move(spec)), limits_(limits) {}

Worker::~Worker() { stop(true); }

// `gently`: a worker that waits for a request ends by itself when its socket closes, and cleans up.
void Worker::stop(bool gently) {
  for (int* fd : {&socket_, &listener_}) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
  }
  if (process_ && gently && !asked_) process_->wait(0.05);
  process_.reset();
  handshake_.reset();
  buffer_.clear();
  searched_ = 0;
  outgoing_.clear();
  sent_ = 0;
  asked_ = false;
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
  stop(false);
  try {
    connect(launch_of(spec_));
  } catch (...) {
    stop(false);
    throw;
  }
}

void Worker::connect(const Launch& how) {
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
      ProcessOptions{how.command, worker_environment(how, joined(spec_.worker_options()), path),
                     how.directory, directory_ + "/output"});
  deadline_ = Clock::now() + duration(limits_.start_seconds);
  accept_connection();
  std::string line;
  Read read = Read::nothing;
  while ((read = read_some(line)) == Read::nothing) wait_for_any({this});
  if (read != Read::line)
    throw Error(ErrorKind::environment,
                fmt::format("the worker of {} sent no handshake: {}", spec_.text(), captured()));
  try {
    handshake_ = parse_handshake(line);
  } catch (const Error& error) {
    throw Error(ErrorKind::environment, fmt::format("the worker of {}: {}", spec_.text(),
                                                    printable(error.what()).substr(0, kMaxMessage)));
  }
}

void Worker::accept_connection() {
  while (true) {
    pollfd waiting{listener_, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(kPoll.count())) > 0) break;
    const auto status = process_->ended();
    if (status || Clock::now() > deadline_)
      throw Error(ErrorKind::environment,
                  fmt::format("the worker of {} did not start ({}): {}", spec_.text(),
                              status ? status->text() : fmt::format("waited {} s", limits_.start_seconds),
                              captured()));
  }
  socket_ = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket_ < 0)
    throw Error(ErrorKind::environment, fmt::format("cannot accept a worker: {}", std::strerror(errno)));
}

// Bytes or an end on the socket of a worker that nobody asked.
bool Worker::spoke_unasked() const {
  pollfd idle{socket_, POLLIN, 0};
  return poll(&idle, 1, 0) != 0;
}

void Worker::send(const Request& request) {
  // The program that is sent now is not to blame for what an earlier one left.
  if (handshake_ && (asked_ || spoke_unasked())) {
    stop(false);
    ++restarts_;
  }
  start();
  std::error_code ignored;
  fs::resize_file(directory_ + "/output", 0, ignored);  // the worker appends, so it goes on at the new end
  outgoing_ = request_line(request, ++last_id_);
  sent_ = 0;
  asked_ = true;
  next_check_ = Clock::now() + kCheckEvery;
  deadline_ = Clock::now() + duration(limits_.case_seconds);
  flush();
}

// Writes what the socket takes; false when there is nobody to take it.
bool Worker::flush() {
  while (sent_ < outgoing_.size()) {
    const ssize_t count = ::send(socket_, outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    sent_ += static_cast<size_t>(count);
  }
  outgoing_.clear();
  sent_ = 0;
  return true;
}

void Worker::wait_for_any(std::initializer_list<const Worker*> workers) {
  std::vector<pollfd> fds;
  auto wait = kPoll;
  for (const Worker* worker : workers) {
    if (!worker) continue;
    const short events = worker->outgoing_.empty() ? POLLIN : POLLIN | POLLOUT;
    fds.push_back({worker->socket_, events, 0});
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(worker->deadline_ - Clock::now());
    wait = std::clamp(left, std::chrono::milliseconds(0), wait);
  }
  poll(fds.data(), fds.size(), static_cast<int>(wait.count()));
}

// Reads what is there, up to the next line break; what comes behind it stays in the buffer. Limits are
// checked whether or not something came: a worker that dribbles has no more time than one that is silent.
Worker::Read Worker::read_some(std::string& line) {
  if (!flush()) return Read::end;
  thread_local std::string chunk(size_t{1} << 18, '\0');
  bool last_try = false;
  for (int k = 0; k < 16;) {
    const ssize_t count = recv(socket_, chunk.data(), chunk.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0 || (count < 0 && errno != EAGAIN) || (count < 0 && last_try))
      return buffer_.empty() ? Read::end : Read::broken_line;
    if (count < 0) {
      // A grandchild may keep the socket of a dead worker open. What the dead one wrote is read first.
      last_try = process_->ended().has_value();
      if (last_try) continue;
      break;
    }
    buffer_.append(chunk.data(), static_cast<size_t>(count));
    const size_t end = buffer_.find('\n', searched_);
    if (end != std::string::npos) {
      line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      searched_ = 0;
      return Read::line;
    }
    searched_ = buffer_.size();
    if (buffer_.size() > kMaxLine) return Read::too_long;
    ++k;
  }
  return check_limits();
}

Worker::Read Worker::check_limits() {
  const auto now = Clock::now();
  if (now > deadline_) return Read::time;
  if (!handshake_ || now < next_check_) return Read::nothing;
  next_check_ = now + kCheckEvery;
  std::error_code ignored;
  const auto printed = fs::file_size(directory_ + "/output", ignored);
  if (!ignored && printed > kMaxPrinted) return Read::printed;
  return process_->memory_mb() > limits_.memory_mb ? Read::memory : Read::nothing;
}

// The harness may have come late, or have been busy with another worker.
void Worker::begin_receive() {
  deadline_ = std::max(deadline_, Clock::now() + duration(std::min(1.0, limits_.case_seconds)));
}

std::optional<Reply> Worker::poll_reply() {
  std::string line;
  switch (read_some(line)) {
    case Read::nothing:
      return std::nullopt;
    case Read::line:
      return finish(line);
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
    case Read::printed:
      return fault(Status::protocol_error, "the worker printed more than 64 MB");
  }
  return std::nullopt;
}

Reply Worker::finish(const std::string& line) {
  Reply reply;
  try {
    reply = parse_reply(line, last_id_);
  } catch (const Error& error) {
    return fault(Status::protocol_error, error.what());
  }
  if (reply.status != Status::ok) reply.captured = captured();
  // Whatever is behind the reply would be taken for the next one.
  if (!buffer_.empty()) return fault(Status::protocol_error, "more than one reply to a request");
  asked_ = false;
  if (++requests_ >= limits_.recycle_requests || reply.rss_mb > limits_.recycle_mb) stop(true);
  return reply;
}

Reply Worker::receive() {
  begin_receive();
  while (true) {
    if (auto reply = poll_reply()) return *std::move(reply);
    wait_for_any({this});
  }
}

Reply Worker::call(const Request& request) {
  send(request);
  return receive();
}

std::pair<Reply, Reply> WorkerPair::receive() {
  std::optional<Reply> of_left, of_right;
  left.begin_receive();
  right.begin_receive();
  while (true) {
    if (!of_left) of_left = left.poll_reply();
    if (!of_right) of_right = right.poll_reply();
    if (of_left && of_right) return {*std::move(of_left), *std::move(of_right)};
    Worker::wait_for_any({of_left ? nullptr : &left, of_right ? nullptr : &right});
  }
}

std::pair<Reply, Reply> WorkerPair::run(const Request& to_left, const Request& to_right) {
  left.send(to_left);
  right.send(to_right);
  return receive();
}

// The worker is gone, or has closed its socket while it goes on running.
Reply Worker::ended(bool inside_line) {
  const auto status = process_->wait(1.0);
  const std::string place = inside_line ? " half-way through a reply" : "";
  if (!status) return fault(Status::protocol_error, "the worker closed its socket" + place);
  const std::string printed = captured();
  const ExitStatus death = own_death(*status, printed);
  // Nobody but the kernel's memory killer sends SIGKILL to a worker that the harness still waits for.
  const bool memory = says_out_of_memory(printed) || (death.by_signal && death.value == SIGKILL);
  return fault(memory ? Status::out_of_memory : Status::crashed,
               "the worker died" + place + ": " + death.text());
}

Reply Worker::fault(Status status, const std::string& message) {
  Reply reply;
  reply.status = status;
  // A parser's message quotes what the worker sent, which may be anything and of any length.
  reply.message = printable(std::string_view(message).substr(0, kMaxMessage));
  reply.captured = captured();
  stop(false);
  ++restarts_;
  return reply;
}

std::string Worker::captured() const { return tail_of(directory_ + "/output"); }

void prepare_backend(const BackendSpec& spec, const std::string& log_file) {
  const Launch how = preparation_of(spec);
  if (how.command.empty()) return;
  Process process({how.command, worker_environment(how, "", ""), how.directory, log_file});
  const auto status = process.wait(3600);
  if (!status || status->by_signal || status->value != 0)
    throw Error(ErrorKind::environment,
                fmt::format("preparing {} failed ({}); its output is in {}:\n{}", spec.text(),
                            status ? status->text() : "no end", log_file, tail_of(log_file)));
}

}  // namespace uopdiff
