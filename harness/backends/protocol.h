// Messages of the worker protocol (PROTOCOL.md) as C++ values.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/program/dtype.h"

namespace uopdiff {

inline constexpr int kProtocol = 1;

enum class Status {
  ok,
  unsupported,
  rejected,
  panicked,
  compile_failed,
  crashed,
  timeout,
  out_of_memory,
  protocol_error,
};
const char* status_name(Status status);  // "compile-failed"
std::optional<Status> status_from_name(const std::string& name);

struct Handshake {
  std::string backend, version, clang;
  std::set<std::string> ops, dtypes, options;
};

struct Request {
  nlohmann::json program;
  nlohmann::json structure;  // null when the same as program
  std::map<std::string, Bytes> inputs;
  bool values = true;
  bool source = false;
};

struct Output {
  std::string dtype;
  Shape shape;
  Bytes data;
};

struct Reply {
  Status status = Status::ok;
  std::string step, message;
  std::vector<Output> outputs;
  nlohmann::json kernels = nlohmann::json::array();
  std::map<std::string, double> times;  // milliseconds by step
  int64_t rss_mb = 0;
  std::string captured;  // what the worker printed meanwhile, its end
};

std::string request_line(const Request& request, int64_t id);  // ends with a line break

// Both throw Error(input) with what is wrong.
Handshake parse_handshake(const std::string& line);
Reply parse_reply(const std::string& line, int64_t id);

}  // namespace uopdiff
