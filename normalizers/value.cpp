#include "normalizers/value.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/program/dtype.h"
#include "normalizers/constant.h"
#include "normalizers/field.h"

namespace uopdiff {
namespace {

using enum UOpCode;

const uint64_t kExp2 = field_hash_text("exp2"), kLog2 = field_hash_text("log2"), kLess = field_hash_text("<"),
               kEqual = field_hash_text("=="), kMaximum = field_hash_text("max"),
               kTruncated = field_hash_text("float to integer");

Value opaque(uint64_t field) {
  Value value;
  value.field = field;
  return value;
}

Value known_of(const UOp& node, double real) {
  return node.is_float() ? known_real(node.dtype, rounded(node.dtype, real))
                         : known_in(node, static_cast<int64_t>(real));
}

Value not_of(const Value& x) { return x.known ? known_int(!x.i) : opaque(field_sub(1, x.field)); }

Value add_values(const UOp& node, const Value& a, const Value& b) {
  if (node.is_bool()) {  // a or b
    if (a.known) return a.i ? known_int(1) : b;
    if (b.known) return b.i ? known_int(1) : a;
    return opaque(field_sub(field_add(a.field, b.field), field_mul(a.field, b.field)));
  }
  Value result = opaque(field_add(a.field, b.field));
  result.known = a.known && b.known;
  if (result.known && node.is_float()) result.f = rounded(node.dtype, a.f + b.f);
  if (result.known && !node.is_float())
    result.i =
        wrap(static_cast<int64_t>(static_cast<uint64_t>(a.i) + static_cast<uint64_t>(b.i)), node.dtype);
  if (result.known && !node.is_float()) result.field = int_field(node.dtype, result.i);
  return result;
}

bool is_zero(const UOp& node, const Value& x) { return x.known && (node.is_float() ? x.f == 0 : x.i == 0); }

Value mul_values(const UOp& node, const Value& a, const Value& b) {
  if (is_zero(node, a) || is_zero(node, b)) return known_of(node, 0);  // both compilers fold x*0
  Value result = opaque(field_mul(a.field, b.field));
  result.known = a.known && b.known;
  if (result.known && node.is_float()) result.f = rounded(node.dtype, a.f * b.f);
  if (result.known && !node.is_float()) {
    result.i =
        wrap(static_cast<int64_t>(static_cast<uint64_t>(a.i) * static_cast<uint64_t>(b.i)), node.dtype);
    result.field = int_field(node.dtype, result.i);
  }
  return result;
}

Value negate(const UOp& node, const Value& x) {
  if (!x.members.empty()) {
    Value result = x;
    for (uint64_t& member : result.members) member = field_sub(0, member);
    std::ranges::sort(result.members);
    result.smallest = !x.smallest;
    return result;
  }
  return mul_values(node, x, node.is_float() ? known_real("f32", -1) : known_in(node, -1));
}

Value inverse(const UOp& node, const Value& x) {
  Value result = opaque(field_inverse(x.field));
  result.known = x.known;
  result.f = rounded(node.dtype, 1 / x.f);
  return result;
}

Value divide_ints(const UOp& node, const Value& a, const Value& b, bool quotient) {
  if (b.known && b.i == 1) return quotient ? a : known_in(node, 0);
  if (a.known && b.known && b.i != 0 && node.dtype == "u64") {
    const auto x = static_cast<uint64_t>(a.i), y = static_cast<uint64_t>(b.i);
    return known_in(node, static_cast<int64_t>(quotient ? x / y : x % y));
  }
  if (a.known && b.known && b.i == -1)  // apart: the hardware traps on the smallest number by -1
    return known_in(node, quotient ? static_cast<int64_t>(0 - static_cast<uint64_t>(a.i)) : 0);
  if (a.known && b.known && b.i != 0) return known_in(node, quotient ? a.i / b.i : a.i % b.i);
  return opaque(field_hash(field_hash_text(node.op.c_str()), field_hash(a.field, b.field)));
}

// a < b. Of integers, the two ways to say it and its opposite (d < 0 and -d-1 < 0) become one.
Value less(const std::string& dtype, const Value& a, const Value& b) {
  const bool real = is_real(dtype);
  if (a.known && b.known) return known_int(real ? a.f < b.f : less_ints(dtype, a.i, b.i));
  const uint64_t d = field_sub(a.field, b.field);
  if (real) return opaque(field_hash(kLess, d));
  const uint64_t opposite = field_sub(field_sub(0, d), 1);
  return opaque(d <= opposite ? field_hash(kLess, d) : field_sub(1, field_hash(kLess, opposite)));
}

Value equal(const std::string& dtype, const Value& a, const Value& b) {
  if (a.known && b.known) return known_int(is_real(dtype) ? a.f == b.f : a.i == b.i);
  if (dtype == "bool") {  // 1 - (a xor b)
    const uint64_t both = field_mul(a.field, b.field), sum = field_add(a.field, b.field);
    return opaque(field_add(field_sub(1, sum), field_add(both, both)));
  }
  const uint64_t d = field_sub(a.field, b.field);
  return d == 0 ? known_int(1) : opaque(field_hash(kEqual, field_mul(d, d)));
}

Value bits(const UOp& node, const Value& a, const Value& b) {
  if (a.known && b.known)
    return known_in(node, node.code == bit_and ? a.i & b.i : node.code == bit_or ? a.i | b.i : a.i ^ b.i);
  if (node.is_bool()) {
    if (node.code == bit_and) return mul_values(node, a, b);
    if (node.code == bit_or) return add_values(node, a, b);
    return not_of(equal("bool", a, b));
  }
  const Value& constant = a.known ? a : b;
  const Value& variable = a.known ? b : a;
  const bool all_ones = constant.known && constant.i == wrap(-1, node.dtype);
  if (node.code == bit_xor && all_ones) {  // -1 - x
    if (variable.members.empty()) return opaque(field_sub(field_sub(0, 1), variable.field));
    Value result = variable;
    for (uint64_t& member : result.members) member = field_sub(field_sub(0, 1), member);
    std::ranges::sort(result.members);
    result.smallest = !variable.smallest;
    return result;
  }
  if (constant.known && constant.i == 0) return node.code == bit_and ? known_in(node, 0) : variable;
  if (all_ones) return node.code == bit_and ? variable : constant;
  return opaque(field_hash(field_hash_text(node.op.c_str()),
                           field_hash(field_add(a.field, b.field), field_mul(a.field, b.field))));
}

Value extremum(const UOp& node, const Value& a, const Value& b, bool smallest) {
  if (node.is_bool()) return smallest ? mul_values(node, a, b) : add_values(node, a, b);
  if (a.known && b.known) {
    if (node.is_float()) return known_real("f32", smallest ? std::min(a.f, b.f) : std::max(a.f, b.f));
    return known_in(node, less_ints(node.dtype, a.i, b.i) == smallest ? a.i : b.i);
  }
  Value result;
  result.smallest = smallest;
  for (Value part : {a, b}) {
    if (part.members.empty() || part.smallest != smallest) {
      settle(part);
      part.members = {part.field};
    }
    std::vector<uint64_t> merged;
    std::ranges::set_union(result.members, part.members, std::back_inserter(merged));
    result.members = std::move(merged);
  }
  return result;
}

Value choose(const Value& condition, const Value& a, const Value& b) {
  if (condition.known) return condition.i ? a : b;
  if (a.field == b.field && a.known == b.known) return a;
  return opaque(field_add(b.field, field_mul(condition.field, field_sub(a.field, b.field))));
}

// A float brought to f16 or bf16.
Value round_narrow(const std::string& dtype, const Value& x) {
  return opaque(field_hash(field_hash_text(("round to " + dtype).c_str()), x.field));
}

// Functions are evaluated in f32 and rounded, or in the narrow dtype: the same function either way.
Value in_dtype(const UOp& node, uint64_t field) {
  return is_narrow_real(node.dtype) ? round_narrow(node.dtype, opaque(field)) : opaque(field);
}

Value cast_value(const UOp& node, const std::string& from, const Value& x) {
  if (from == node.dtype) return x;
  const bool from_real = is_real(from);
  if (x.known) {
    if (node.is_bool()) return known_int(from_real ? x.f != 0 : x.i != 0);
    return known_of(node, from_real ? std::trunc(x.f) == x.f || node.is_float() ? x.f : std::trunc(x.f)
                                    : static_cast<double>(x.i));
  }
  if (node.is_bool() && x.bit) return x;
  if (node.is_bool()) return not_of(equal(from, x, from_real ? known_real("f32", 0) : known_int(0)));
  if (from == "bool") {
    Value result = x;
    result.bit = true;
    return result;
  }
  if ((from_real == node.is_float() && (from == "index" || node.is_index()))) return x;
  const auto converted = [](const std::string& before, const std::string& after, uint64_t field) {
    return opaque(field_hash(field_hash_text(("cast " + before + " to " + after).c_str()), field));
  };
  if (from_real && node.is_float()) {
    if (is_narrow_real(node.dtype)) return round_narrow(node.dtype, x);
    if (is_narrow_real(from) || node.dtype == "f64") return x;  // every value of the narrower one is there
  }
  // tinygrad 0.12.0 makes u8 and u16 of a float by way of an i32 (tensor.py, `cast`).
  if (from_real && (node.dtype == "u8" || node.dtype == "u16"))
    return converted("i32", node.dtype, field_hash(kTruncated, x.field));
  if (from_real && !node.is_float()) return opaque(field_hash(kTruncated, x.field));
  return converted(from, node.dtype, x.field);
}

Value shift(const UOp& node, const Value& a, const Value& b) {
  const auto dtype = dtype_from_name(node.dtype);
  const int width = dtype && !is_float(*dtype) ? bit_width(*dtype) : 64;
  if (b.known && b.i >= 0 && b.i < width) {
    if (node.code == shl)
      return mul_values(node, a, known_in(node, static_cast<int64_t>(uint64_t{1} << b.i)));
    if (a.known && node.dtype == "u64")
      return known_in(node, static_cast<int64_t>(static_cast<uint64_t>(a.i) >> b.i));
    if (a.known) return known_in(node, a.i >> b.i);
  }
  return opaque(field_hash(field_hash_text(node.op.c_str()), field_hash(a.field, b.field)));
}

Value constant_value(const UOp& node) {
  if (node.invalid) {
    Value value;
    value.invalid = true;
    return value;
  }
  return node.is_float() ? known_real(node.dtype, rounded(node.dtype, node.real))
                         : known_in(node, node.number);
}

}  // namespace

void settle(Value& value) {
  if (value.members.empty()) return;
  uint64_t hash = kMaximum;
  std::vector<uint64_t> members = std::move(value.members);
  value.members.clear();
  if (value.smallest) {  // min(S) = -max(-S)
    for (uint64_t& member : members) member = field_sub(0, member);
    std::ranges::sort(members);
  }
  if (members.size() == 1) {
    hash = members[0];
  } else {
    for (uint64_t member : members) hash = field_hash(hash, member);
  }
  value.field = value.smallest ? field_sub(0, hash) : hash;
  value.smallest = false;
}

Value apply_uop(const UOp& node, const std::string& operand_dtype, const std::vector<Value>& given) {
  if (node.code == constant) return constant_value(node);
  const bool keeps_members = node.code == UOpCode::max || node.code == UOpCode::min || node.code == neg ||
                             node.code == bit_xor || node.code == mul || node.code == contiguous;
  std::vector<Value> x = given;
  if (!keeps_members)
    for (Value& value : x) settle(value);
  switch (node.code) {
    case contiguous:
      return x[0];
    case add:
      return add_values(node, x[0], x[1]);
    case sub:
      return node.is_bool() ? bits(node, x[0], x[1]) : add_values(node, x[0], negate(node, x[1]));
    case mul: {
      const auto minus_one = [&](const Value& v) {
        return v.known && (node.is_float() ? v.f == -1 : v.i == -1);
      };
      if (minus_one(x[1]) && !x[0].members.empty()) return negate(node, x[0]);
      if (minus_one(x[0]) && !x[1].members.empty()) return negate(node, x[1]);
      settle(x[0]);
      settle(x[1]);
      return mul_values(node, x[0], x[1]);
    }
    case neg:
      return node.is_bool() ? not_of(x[0]) : negate(node, x[0]);
    case square:
      return mul_values(node, x[0], x[0]);
    case mulacc:
      return add_values(node, mul_values(node, x[0], x[1]), x[2]);
    case fdiv:
      return mul_values(node, x[0], inverse(node, x[1]));
    case reciprocal:
      return inverse(node, x[0]);
    case idiv:
      return divide_ints(node, x[0], x[1], true);
    case mod:
      return divide_ints(node, x[0], x[1], false);
    case UOpCode::max:
      return extremum(node, x[0], x[1], false);
    case UOpCode::min:
      return extremum(node, x[0], x[1], true);
    case where:
      return choose(x[0], x[1], x[2]);
    case logical_not:
      if (node.is_bool()) return not_of(x[0]);
      return x[0].known ? known_in(node, ~x[0].i) : opaque(field_sub(field_sub(0, 1), x[0].field));
    case cmplt:
      return less(operand_dtype, x[0], x[1]);
    case cmpgt:
      return less(operand_dtype, x[1], x[0]);
    case cmple:
      return not_of(less(operand_dtype, x[1], x[0]));
    case cmpge:
      return not_of(less(operand_dtype, x[0], x[1]));
    case cmpeq:
      return equal(operand_dtype, x[0], x[1]);
    case cmpne:
      return not_of(equal(operand_dtype, x[0], x[1]));
    case bit_and:
    case bit_or:
    case bit_xor:
      return bits(node, x[0], x[1]);
    case shl:
    case shr:
      return shift(node, x[0], x[1]);
    case cast:
      return cast_value(node, operand_dtype, x[0]);
    case UOpCode::exp:
      return in_dtype(node, field_hash(kExp2, field_mul(x[0].field, log2_of_e())));
    case UOpCode::exp2:
      return in_dtype(node, field_hash(kExp2, x[0].field));
    case UOpCode::log:
      return in_dtype(node, field_mul(field_hash(kLog2, x[0].field), field_inverse(log2_of_e())));
    case UOpCode::log2:
      return in_dtype(node, field_hash(kLog2, x[0].field));
    default:
      break;
  }
  uint64_t hash = field_hash_text((node.op + " " + node.text).c_str());
  if (!node.is_float()) hash = field_hash(hash, field_hash_text(node.dtype.c_str()));
  for (const Value& value : x) hash = field_hash(hash, value.field);
  return in_dtype(node, hash);
}

void accumulate(const UOp& reduce, Value& total, const Value& element) {
  UOp step = reduce;
  step.code = reduce.text == "ADD"   ? add
              : reduce.text == "MUL" ? mul
              : reduce.text == "MIN" ? UOpCode::min
                                     : UOpCode::max;
  if (step.code == add || step.code == mul) {
    Value settled = element;
    settle(settled);
    settle(total);
    ReadSet reads = std::move(total.reads);
    total = step.code == add ? add_values(step, total, settled) : mul_values(step, total, settled);
    total.reads = std::move(reads);
  } else {
    ReadSet reads = std::move(total.reads);
    total = extremum(step, total, element, step.code == UOpCode::min);
    total.reads = std::move(reads);
  }
  unite(total.reads, element.reads);
}

void unite(ReadSet& into, const ReadSet& other) {
  if (into.size() < other.size()) into.resize(other.size());
  for (size_t k = 0; k < other.size(); ++k) into[k] |= other[k];
}

}  // namespace uopdiff
