#include "harness/backends/protocol.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "harness/backends/base64.h"
#include "harness/program/error.h"

namespace uopdiff {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<Status, const char*>, 9> kNames{{{Status::ok, "ok"},
                                                                {Status::unsupported, "unsupported"},
                                                                {Status::rejected, "rejected"},
                                                                {Status::panicked, "panicked"},
                                                                {Status::compile_failed, "compile-failed"},
                                                                {Status::crashed, "crashed"},
                                                                {Status::timeout, "timeout"},
                                                                {Status::out_of_memory, "out-of-memory"},
                                                                {Status::protocol_error, "protocol-error"}}};

[[noreturn]] void fail(const std::string& reason) { throw Error(ErrorKind::input, reason); }

// Bytes of an element; 0 for an unknown dtype. All of the protocol's, not only those that programs have.
int64_t element_bytes(const std::string& dtype) {
  static const std::map<std::string, int64_t> sizes{
      {"bool", 1}, {"i8", 1},  {"u8", 1},  {"i16", 2}, {"u16", 2}, {"f16", 2}, {"bf16", 2},
      {"i32", 4},  {"u32", 4}, {"f32", 4}, {"i64", 8}, {"u64", 8}, {"f64", 8}};
  const auto found = sizes.find(dtype);
  return found == sizes.end() ? 0 : found->second;
}

// Checked here: whoever compares values reads as many elements as the shape says.
void check_size(const Output& output) {
  int64_t size = element_bytes(output.dtype);
  if (size == 0) fail("an output of the unknown dtype " + output.dtype);
  for (int64_t extent : output.shape)
    if (extent < 0 || __builtin_mul_overflow(size, extent, &size)) fail("an output of an impossible shape");
  if (size != static_cast<int64_t>(output.data.size()))
    fail(fmt::format("an output {}{} with {} bytes of data", output.dtype, shape_text(output.shape),
                     output.data.size()));
}

Output parse_output(const json& value) {
  Output output;
  output.dtype = value.at("dtype").get<std::string>();
  output.shape = value.at("shape").get<Shape>();
  output.data = base64_decode(value.at("data").get_ref<const std::string&>());
  check_size(output);
  return output;
}

}  // namespace

const char* status_name(Status status) {
  for (const auto& [value, name] : kNames)
    if (value == status) return name;
  return "?";
}

std::optional<Status> status_from_name(const std::string& name) {
  for (const auto& [value, text] : kNames)
    if (name == text) return value;
  return std::nullopt;
}

std::string request_line(const Request& request, int64_t id) {
  json inputs = json::object();
  for (const auto& [name, data] : request.inputs) inputs[name] = base64_encode(data);
  json message{{"id", id},
               {"program", request.program},
               {"inputs", inputs},
               {"values", request.values},
               {"source", request.source}};
  if (!request.structure.is_null()) message["structure"] = request.structure;
  return message.dump() + "\n";
}

Handshake parse_handshake(const std::string& line) {
  try {
    const json message = json::parse(line);
    const int protocol = message.at("protocol").get<int>();
    if (protocol != kProtocol)
      fail(fmt::format("the worker speaks protocol {}, not {}", protocol, kProtocol));
    Handshake handshake;
    handshake.backend = message.at("backend").get<std::string>();
    handshake.version = message.at("version").get<std::string>();
    handshake.ops = message.at("ops").get<std::set<std::string>>();
    handshake.dtypes = message.at("dtypes").get<std::set<std::string>>();
    handshake.clang = message.value("clang", "");
    handshake.options = message.value("options", std::set<std::string>());
    return handshake;
  } catch (const json::exception& error) {
    fail(fmt::format("the worker's first line is no handshake: {}", error.what()));
  }
}

Reply parse_reply(const std::string& line, int64_t id) {
  try {
    const json message = json::parse(line);
    Reply reply;
    const auto status = status_from_name(message.at("status").get<std::string>());
    if (!status) fail("a reply with an unknown status");
    if (*status == Status::crashed || *status == Status::timeout || *status == Status::out_of_memory)
      fail(fmt::format("a reply with the status {}, which only the harness gives", status_name(*status)));
    reply.status = *status;
    reply.step = message.value("step", "");
    reply.message = message.value("message", "");
    if (message.at("id") != id)
      fail(fmt::format("a reply to request {}, not {}", message.at("id").dump(), id));
    for (const json& output : message.value("outputs", json::array()))
      reply.outputs.push_back(parse_output(output));
    reply.kernels = message.value("kernels", json::array());
    if (!reply.kernels.is_array()) fail("the kernels of a reply are not a list");
    reply.times = message.value("times", std::map<std::string, double>());
    reply.rss_mb = message.value("rss_mb", int64_t{0});
    return reply;
  } catch (const json::exception& error) {
    fail(fmt::format("not a reply: {}", error.what()));
  }
}

}  // namespace uopdiff
