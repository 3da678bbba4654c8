// Scheduled kernels as UOp graphs, read from the JSON of the workers (harness/backends/PROTOCOL.md).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/program/dtype.h"

namespace uopdiff {

// The operations that the normal form understands; all others are `other` and compared by name.
enum class UOpCode : uint8_t {
  sink,
  end,
  store,
  after,
  group,
  noop,
  contiguous,
  define_global,
  define_var,
  range,
  constant,
  index,
  load,
  reduce,
  cast,
  bitcast,
  add,
  sub,
  mul,
  neg,
  idiv,
  mod,
  fdiv,
  reciprocal,
  max,
  min,
  where,
  logical_not,
  cmplt,
  cmple,
  cmpgt,
  cmpge,
  cmpeq,
  cmpne,
  bit_and,
  bit_or,
  bit_xor,
  shl,
  shr,
  exp,
  exp2,
  log,
  log2,
  sqrt,
  rsqrt,
  sin,
  cos,
  tan,
  erf,
  abs,
  sign,
  floor,
  ceil,
  round,
  trunc,
  pow,
  square,
  mulacc,
  other,
};

struct UOp {
  UOpCode code = UOpCode::other;
  std::string op;           // as written
  std::string dtype;        // "f32", "index", "void", ...
  DType type = DType::i64;  // the element type; i64 of "index", and where there is none
  std::vector<int> src;
  int64_t number = 0;     // integer or bool constant; RANGE axis id; DEFINE_GLOBAL slot
  int64_t size = 0;       // DEFINE_GLOBAL: elements
  double real = 0;        // float constant
  std::string text;       // RANGE axis type; REDUCE operator; anything else that is text
  bool invalid = false;   // the constant Invalid
  bool has_gate = false;  // INDEX whose last source is a gate; LOAD whose last source is the alternative

  bool is_float() const { return uopdiff::is_float(type); }
  bool is_bool() const { return type == DType::boolean; }
  bool is_index() const { return dtype == "index"; }
};

enum class BufferKind : uint8_t { input, output, temp };

struct BufferRef {
  BufferKind kind = BufferKind::temp;
  std::string name;  // "a" of an input; "out0"; "tmp0"
  std::string dtype;
  int64_t size = 0;  // elements
  bool operator==(const BufferRef&) const = default;
};

struct Kernel {
  std::vector<UOp> graph;          // topological order, SINK last; empty when opaque
  std::vector<BufferRef> buffers;  // by slot
  std::string opaque;              // "COPY": buffers[0] becomes a copy of buffers[1]
  std::string source;              // generated code, when the worker sent it
};

using Schedule = std::vector<Kernel>;

// Throws Error(input) with the place of what is wrong.
Schedule schedule_from_json(const nlohmann::json& kernels);

}  // namespace uopdiff
