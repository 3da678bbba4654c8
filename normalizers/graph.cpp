#include "normalizers/graph.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/program/error.h"

namespace uopdiff {
namespace {

using nlohmann::json;
using enum UOpCode;

[[noreturn]] void fail(const std::string& reason) { throw Error(ErrorKind::input, reason); }

constexpr int64_t kMostElements = int64_t{1} << 28;

UOpCode code_of(const std::string& op) {
  static const std::map<std::string, UOpCode> codes{{"SINK", sink},
                                                    {"END", end},
                                                    {"STORE", store},
                                                    {"AFTER", after},
                                                    {"GROUP", group},
                                                    {"NOOP", noop},
                                                    {"CONTIGUOUS", contiguous},
                                                    {"DEFINE_GLOBAL", define_global},
                                                    {"DEFINE_VAR", define_var},
                                                    {"RANGE", range},
                                                    {"CONST", constant},
                                                    {"INDEX", index},
                                                    {"LOAD", load},
                                                    {"REDUCE", reduce},
                                                    {"CAST", cast},
                                                    {"BITCAST", bitcast},
                                                    {"ADD", add},
                                                    {"SUB", sub},
                                                    {"MUL", mul},
                                                    {"NEG", neg},
                                                    {"IDIV", idiv},
                                                    {"MOD", mod},
                                                    {"FDIV", fdiv},
                                                    {"RECIPROCAL", reciprocal},
                                                    {"MAX", UOpCode::max},
                                                    {"MIN", UOpCode::min},
                                                    {"WHERE", where},
                                                    {"NOT", logical_not},
                                                    {"CMPLT", cmplt},
                                                    {"CMPLE", cmple},
                                                    {"CMPGT", cmpgt},
                                                    {"CMPGE", cmpge},
                                                    {"CMPEQ", cmpeq},
                                                    {"CMPNE", cmpne},
                                                    {"AND", bit_and},
                                                    {"OR", bit_or},
                                                    {"XOR", bit_xor},
                                                    {"SHL", shl},
                                                    {"SHR", shr},
                                                    {"EXP", UOpCode::exp},
                                                    {"EXP2", UOpCode::exp2},
                                                    {"LOG", UOpCode::log},
                                                    {"LOG2", UOpCode::log2},
                                                    {"SQRT", UOpCode::sqrt},
                                                    {"RSQRT", rsqrt},
                                                    {"SIN", UOpCode::sin},
                                                    {"COS", UOpCode::cos},
                                                    {"TAN", UOpCode::tan},
                                                    {"ERF", UOpCode::erf},
                                                    {"ABS", UOpCode::abs},
                                                    {"SIGN", sign},
                                                    {"FLOOR", UOpCode::floor},
                                                    {"CEIL", UOpCode::ceil},
                                                    {"ROUND", UOpCode::round},
                                                    {"TRUNC", UOpCode::trunc},
                                                    {"POW", UOpCode::pow},
                                                    {"SQUARE", square},
                                                    {"MULACC", mulacc}};
  const auto found = codes.find(op);
  return found == codes.end() ? other : found->second;
}

void read_constant(UOp& node, const json& arg) {
  if (arg == "Invalid") {
    node.invalid = true;
  } else if (node.is_float()) {
    if (arg.is_string()) {
      const auto word = arg.get<std::string>();
      if (word != "nan" && word != "inf" && word != "-inf")
        fail(fmt::format("constant '{}' is no number", word));
      const double infinity = std::numeric_limits<double>::infinity();
      node.real = word == "nan" ? std::nan("") : word == "inf" ? infinity : -infinity;
    } else {
      node.real = arg.is_boolean() ? arg.get<bool>() : arg.get<double>();
    }
  } else {
    // A number beyond int64_t is one of u64: its bits are kept.
    const double real = arg.is_number_float() ? arg.get<double>() : 0;
    node.number = arg.is_boolean()         ? arg.get<bool>()
                  : !arg.is_number_float() ? arg.get<int64_t>()
                  : real >= 0x1p63         ? static_cast<int64_t>(static_cast<uint64_t>(real))
                                           : static_cast<int64_t>(real);
  }
}

void read_arg(UOp& node, const json& arg) {
  switch (node.code) {
    case constant:
      read_constant(node, arg);
      break;
    case define_global:
      node.number = arg.at("slot").get<int64_t>();
      node.size = arg.at("size").get<int64_t>();
      break;
    case range:
      node.number = arg.at(0).get<int64_t>();
      node.text = arg.at(1).get<std::string>();
      break;
    case reduce:
      node.text = arg.get<std::string>();
      break;
    case index:
      node.has_gate = arg.is_object() && arg.value("gate", false);
      break;
    case load:
      node.has_gate = arg.is_object() && arg.value("alt", false);
      break;
    default:
      node.text = arg.is_null() ? "" : arg.is_string() ? arg.get<std::string>() : arg.dump();
  }
}

size_t least_sources(UOpCode code) {
  switch (code) {
    case define_global:
    case define_var:
    case constant:
    case noop:
    case sink:
    case group:
    case other:
      return 0;
    case range:
    case end:
    case after:
    case contiguous:
    case load:
    case cast:
    case bitcast:
    case neg:
    case reciprocal:
    case logical_not:
    case UOpCode::exp:
    case UOpCode::exp2:
    case UOpCode::log:
    case UOpCode::log2:
    case UOpCode::sqrt:
    case rsqrt:
    case UOpCode::sin:
    case UOpCode::cos:
    case UOpCode::tan:
    case UOpCode::erf:
    case UOpCode::abs:
    case sign:
    case UOpCode::floor:
    case UOpCode::ceil:
    case UOpCode::round:
    case UOpCode::trunc:
    case square:
    case reduce:
      return 1;
    case where:
    case mulacc:
      return 3;
    default:
      return 2;
  }
}

UOp node_from_json(const json& value, size_t position) {
  UOp node;
  node.op = value.at(0).get<std::string>();
  node.code = code_of(node.op);
  node.dtype = value.at(1).get<std::string>();
  if (node.dtype.empty()) fail("an empty dtype");
  node.type = dtype_from_name(node.dtype.substr(0, node.dtype.find('x', 1))).value_or(DType::i64);
  for (const json& src : value.at(3)) {
    const int from = src.get<int>();
    if (from < 0 || static_cast<size_t>(from) >= position)
      fail(fmt::format("source {} is not an earlier node", from));
    node.src.push_back(from);
  }
  if (node.src.size() < least_sources(node.code)) fail(fmt::format("{} lacks sources", node.op));
  read_arg(node, value.at(2));
  return node;
}

BufferRef buffer_from_json(const json& value) {
  BufferRef buffer;
  const auto kind = value.at("kind").get<std::string>();
  if (kind == "input") {
    buffer.kind = BufferKind::input;
    buffer.name = value.at("name").get<std::string>();
  } else if (kind == "output" || kind == "temp") {
    buffer.kind = kind == "output" ? BufferKind::output : BufferKind::temp;
    buffer.name = fmt::format("{}{}", kind == "output" ? "out" : "tmp", value.at("index").get<int>());
  } else {
    fail(fmt::format("unknown kind of buffer '{}'", kind));
  }
  buffer.dtype = value.at("dtype").get<std::string>();
  buffer.size = value.at("size").get<int64_t>();
  if (buffer.size < 0 || buffer.size > kMostElements)
    fail(fmt::format("{} has {} elements", buffer.name, buffer.size));
  return buffer;
}

Kernel kernel_from_json(const json& value) {
  Kernel kernel;
  for (const json& buffer : value.at("buffers")) kernel.buffers.push_back(buffer_from_json(buffer));
  kernel.opaque = value.value("opaque", "");
  kernel.source = value.value("source", "");
  if (!kernel.opaque.empty()) return kernel;
  const json& graph = value.at("graph");
  for (size_t n = 0; n < graph.size(); ++n) {
    try {
      kernel.graph.push_back(node_from_json(graph[n], n));
    } catch (const std::exception& error) {
      fail(fmt::format("node {}: {}", n, error.what()));
    }
    const UOp& node = kernel.graph.back();
    if (node.code == define_global &&
        (node.number < 0 || node.number >= static_cast<int64_t>(kernel.buffers.size())))
      fail(fmt::format("node {}: slot {} is not in the list of buffers", n, node.number));
  }
  if (kernel.graph.empty() || kernel.graph.back().code != sink) fail("the last node is not a SINK");
  return kernel;
}

}  // namespace

Schedule schedule_from_json(const json& kernels) {
  Schedule schedule;
  if (!kernels.is_array()) fail("kernels: not a list");
  for (size_t k = 0; k < kernels.size(); ++k) {
    try {
      schedule.push_back(kernel_from_json(kernels[k]));
    } catch (const std::exception& error) {
      fail(fmt::format("kernel {}: {}", k, error.what()));
    }
  }
  return schedule;
}

}  // namespace uopdiff
