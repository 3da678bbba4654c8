// What a kernel computes at one point, as an element of a prime field, with the constant it folds to if it
// does.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "normalizers/fold.h"
#include "normalizers/graph.h"

namespace uopdiff {

// Input elements read, one bit each; empty when reads are not collected.
using ReadSet = std::vector<uint64_t>;

// An integer or bool that was cast, and the dtype it came from: casts of casts join.
struct CastFrom {
  DType dtype;
  uint64_t field;
};

struct Value {
  uint64_t field = 0;
  bool known = false;    // no input data involved: i or f is the exact value in the node's dtype
  bool bit = false;      // a bool as a number: 0 or 1
  bool invalid = false;  // the index of an access that does not happen
  int64_t i = 0;
  double f = 0;
  uint64_t gate = 1;               // of an index: the condition on data under which it is valid
  std::optional<CastFrom> origin;  // nothing but a cast was done to it
  bool emulated = false;           // one function of an f16 or bf16, in f32
  // A maximum (or minimum) not yet used by another operation: its members, sorted. Members of nested ones
  // join, which makes MAX associative, commutative and idempotent.
  std::vector<uint64_t> members;
  bool smallest = false;  // the members are of a minimum
  ReadSet reads;
};

inline Value opaque(uint64_t field) {
  Value value;
  value.field = field;
  return value;
}
Value nonzero(DType dtype, const Value& x);
Value choose(const Value& condition, const Value& a, const Value& b);

// The result of `node` on operand values, in the field; constants fold exactly as the node's dtype would,
// functions of constants (exp, sqrt, ...) stay functions. `operand` is the node's last source.
Value apply_uop(const UOp& node, const UOp& operand, const std::vector<Value>& x);

Scalar neutral_of(const UOp& reduce);  // what a REDUCE without elements gives
UOp step_of(const UOp& reduce);        // the operation that adds one more element to it

// Turns pending members into one field element.
void settle(Value& value);

void unite(ReadSet& into, const ReadSet& other);

}  // namespace uopdiff
