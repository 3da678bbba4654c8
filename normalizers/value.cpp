#include "normalizers/value.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "normalizers/cast.h"
#include "normalizers/constant.h"
#include "normalizers/field.h"

namespace uopdiff {
namespace {

using enum UOpCode;

constexpr int kLargestPower = 8;

const uint64_t kExp2 = field_hash_text("exp2"), kLog2 = field_hash_text("log2"),
               kSqrt = field_hash_text("sqrt"), kLess = field_hash_text("<"), kEqual = field_hash_text("=="),
               kMaximum = field_hash_text("max");

Value known_of(const UOp& node, int64_t small) {
  return known_number(node, {small, static_cast<double>(small)});
}

// The folded result when both are known and it is determined.
std::optional<Value> folded(const UOp& node, UOpCode code, const Value& a, const Value& b) {
  if (!a.known || !b.known) return std::nullopt;
  if (node.is_float()) {
    const auto real = fold_reals(code, a.f, b.f);
    return real ? std::optional(known_real(node.type, rounded(node.type, *real))) : std::nullopt;
  }
  const auto integer = fold_ints(code, node.type, a.i, b.i);
  return integer ? std::optional(known_integer(node.type, *integer)) : std::nullopt;
}

Value not_of(const Value& x) { return x.known ? known_bool(!x.i) : opaque(field_sub(1, x.field)); }

Value add_values(const UOp& node, const Value& a, const Value& b) {
  if (node.is_bool()) {  // a or b
    if (a.known) return a.i ? known_bool(true) : b;
    if (b.known) return b.i ? known_bool(true) : a;
    if (a.field == b.field) return a;
    return opaque(field_sub(field_add(a.field, b.field), field_mul(a.field, b.field)));
  }
  const Value sum = opaque(field_add(a.field, b.field));
  Value result = folded(node, add, a, b).value_or(sum);
  if (node.is_float()) result.field = sum.field;  // fractions stay exact in the field
  return result;
}

bool is_zero(const UOp& node, const Value& x) { return x.known && (node.is_float() ? x.f == 0 : x.i == 0); }

Value mul_values(const UOp& node, const Value& a, const Value& b) {
  if (is_zero(node, a) || is_zero(node, b)) return known_of(node, 0);  // both compilers fold x*0
  if (node.is_bool() && !a.known && a.field == b.field) return a;
  const Value product = opaque(field_mul(a.field, b.field));
  Value result = folded(node, mul, a, b).value_or(product);
  if (node.is_float()) result.field = product.field;
  result.emulated = !result.known && (a.known || b.known) && (a.emulated || b.emulated);
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
  return mul_values(node, x, known_of(node, node.is_float() ? -1 : wrap(node.type, -1)));
}

Value inverse(const UOp& node, const Value& x) {
  Value result = opaque(field_inverse(x.field));
  result.known = x.known;
  result.f = rounded(node.type, 1 / x.f);
  result.emulated = x.emulated;
  return result;
}

uint64_t named(const UOp& node, uint64_t a, uint64_t b) {
  return field_hash(field_hash_text((node.op + " " + node.dtype).c_str()), field_hash(a, b));
}

Value divide_ints(const UOp& node, const Value& a, const Value& b, bool quotient) {
  if (b.known && b.i == 1) return quotient ? a : known_of(node, 0);
  return folded(node, node.code, a, b).value_or(opaque(named(node, a.field, b.field)));
}

// a < b. Of integers, the two ways to say it and its opposite (d < 0 and -d-1 < 0) become one.
Value less(DType dtype, const Value& a, const Value& b) {
  const bool real = is_float(dtype);
  if (a.known && b.known) return known_bool(real ? a.f < b.f : *fold_ints(cmplt, dtype, a.i, b.i) != 0);
  const uint64_t d = field_sub(a.field, b.field);
  if (d == 0) return known_bool(false);
  if (real) return opaque(field_hash(kLess, d));
  const uint64_t opposite = field_sub(field_sub(0, d), 1);
  return opaque(d <= opposite ? field_hash(kLess, d) : field_sub(1, field_hash(kLess, opposite)));
}

Value equal(DType dtype, const Value& a, const Value& b) {
  if (a.known && b.known) return known_bool(is_float(dtype) ? a.f == b.f : a.i == b.i);
  if (dtype == DType::boolean) {  // 1 - (a xor b)
    if (a.field == b.field) return known_bool(true);
    const uint64_t both = field_mul(a.field, b.field), sum = field_add(a.field, b.field);
    return opaque(field_add(field_sub(1, sum), field_add(both, both)));
  }
  const uint64_t d = field_sub(a.field, b.field);
  if (d == 0 && !is_float(dtype)) return known_bool(true);  // a NaN is not equal to itself
  return opaque(field_hash(kEqual, field_mul(d, d)));
}

// -1 - x
Value complement(const UOp& node, const Value& x) {
  if (x.known) return known_integer(node.type, *fold_int(logical_not, node.type, x.i));
  Value result = x;
  const auto flip = [](uint64_t field) { return field_sub(field_sub(0, 1), field); };
  result.field = flip(x.field);
  result.origin.reset();
  result.bit = result.emulated = false;
  for (uint64_t& member : result.members) member = flip(member);
  std::ranges::sort(result.members);
  result.smallest = !x.smallest && !x.members.empty();
  return result;
}

Value bits(const UOp& node, const Value& a, const Value& b) {
  if (const auto result = folded(node, node.code, a, b)) return *result;
  if (node.is_bool()) {
    if (node.code == bit_and) return mul_values(node, a, b);
    if (node.code == bit_or) return add_values(node, a, b);
    return not_of(equal(DType::boolean, a, b));
  }
  const Value& constant = a.known ? a : b;
  const Value& variable = a.known ? b : a;
  const bool all_ones = constant.known && constant.i == wrap(node.type, -1);
  if (node.code == bit_xor && all_ones) return complement(node, variable);
  if (constant.known && constant.i == 0) return node.code == bit_and ? known_of(node, 0) : variable;
  if (all_ones) return node.code == bit_and ? variable : constant;
  if (!a.known && !b.known && a.field == b.field) return node.code == bit_xor ? known_of(node, 0) : a;
  return opaque(named(node, field_add(a.field, b.field), field_mul(a.field, b.field)));
}

Value extremum(const UOp& node, const Value& a, const Value& b, bool smallest) {
  if (node.is_bool()) return smallest ? mul_values(node, a, b) : add_values(node, a, b);
  if (const auto result = folded(node, smallest ? UOpCode::min : UOpCode::max, a, b)) return *result;
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

Value shift(const UOp& node, const Value& a, const Value& b) {
  if (const auto result = folded(node, node.code, a, b)) return *result;
  if (b.known && b.i == 0) return a;
  if (node.code == shl && b.known && b.i > 0 && b.i < bit_width(node.type))
    return mul_values(node, a,
                      known_integer(node.type, wrap(node.type, static_cast<int64_t>(uint64_t{1} << b.i))));
  return opaque(named(node, a.field, b.field));
}

Value constant_value(const UOp& node) {
  if (node.invalid) {
    Value value;
    value.invalid = true;
    return value;
  }
  return known_number(node,
                      {wrap(node.type, node.number), node.is_float() ? rounded(node.type, node.real) : 0});
}

// Of a whole exponent the product that it stands for: Morok 0.1.0-alpha.2 writes x * x as a POW.
std::optional<Value> power(const UOp& node, const Value& x, const Value& exponent) {
  const double n = !exponent.known ? 0.5 : node.is_float() ? exponent.f : static_cast<double>(exponent.i);
  if (n != std::trunc(n) || std::abs(n) > kLargestPower || (n < 0 && !node.is_float())) return std::nullopt;
  Value product = known_of(node, 1);
  for (int k = 0; k < std::abs(n); ++k) product = mul_values(node, product, x);
  return n < 0 ? inverse(node, product) : product;
}

// exp and log to base 2, 1/sqrt by sqrt: one spelling for what is one up to a factor.
Value function_value(const UOp& node, const std::vector<Value>& x) {
  Value result;
  const uint64_t field = x[0].field;
  switch (node.code) {
    case UOpCode::exp:
      result = opaque(field_hash(kExp2, field_mul(field, log2_of_e())));
      break;
    case UOpCode::exp2:
      result = opaque(field_hash(kExp2, field));
      break;
    case UOpCode::log:
      result = opaque(field_mul(field_hash(kLog2, field), field_inverse(log2_of_e())));
      break;
    case UOpCode::log2:
      result = opaque(field_hash(kLog2, field));
      break;
    case rsqrt:
      result = opaque(field_inverse(field_hash(kSqrt, field)));
      break;
    case UOpCode::sqrt:
      result = opaque(field_hash(kSqrt, field));
      break;
    default: {
      uint64_t hash = field_hash_text((node.op + " " + node.text).c_str());
      if (!node.is_float()) hash = field_hash(hash, field_hash_text(node.dtype.c_str()));
      for (const Value& value : x) hash = field_hash(hash, value.field);
      result = opaque(hash);
    }
  }
  result.emulated = x.size() == 1 && x[0].emulated;
  return result;
}

}  // namespace

Value nonzero(DType dtype, const Value& x) {
  return not_of(equal(dtype, x, is_float(dtype) ? known_real(dtype, 0) : known_integer(dtype, 0)));
}

Value choose(const Value& condition, const Value& a, const Value& b) {
  if (condition.known) return condition.i ? a : b;
  if (a.field == b.field && a.known == b.known) return a;
  return opaque(field_add(b.field, field_mul(condition.field, field_sub(a.field, b.field))));
}

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

Value apply_uop(const UOp& node, const UOp& operand, const std::vector<Value>& given) {
  if (node.code == constant) return constant_value(node);
  const bool keeps_members = node.code == UOpCode::max || node.code == UOpCode::min || node.code == neg ||
                             node.code == bit_xor || node.code == mul || node.code == contiguous ||
                             node.code == logical_not;
  std::vector<Value> settled;
  if (!keeps_members && std::ranges::any_of(given, [](const Value& v) { return !v.members.empty(); })) {
    settled = given;
    for (Value& value : settled) settle(value);
  }
  const std::vector<Value>& x = settled.empty() ? given : settled;
  switch (node.code) {
    case contiguous:
      return x[0];
    case add:
      return add_values(node, x[0], x[1]);
    case sub:
      return node.is_bool() ? not_of(equal(DType::boolean, x[0], x[1]))
                            : add_values(node, x[0], negate(node, x[1]));
    case mul: {
      const auto minus_one = [&](const Value& v) {
        return v.known && (node.is_float() ? v.f == -1 : v.i == wrap(node.type, -1));
      };
      if (minus_one(x[1]) && !x[0].members.empty()) return negate(node, x[0]);
      if (minus_one(x[0]) && !x[1].members.empty()) return negate(node, x[1]);
      if (x[0].members.empty() && x[1].members.empty()) return mul_values(node, x[0], x[1]);
      Value a = x[0], b = x[1];
      settle(a);
      settle(b);
      return mul_values(node, a, b);
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
    case mod:
      return divide_ints(node, x[0], x[1], node.code == idiv);
    case UOpCode::max:
    case UOpCode::min:
      return extremum(node, x[0], x[1], node.code == UOpCode::min);
    case where:
      return choose(x[0], x[1], x[2]);
    case logical_not:
      return node.is_bool() ? not_of(x[0]) : complement(node, x[0]);
    case cmplt:
      return less(operand.type, x[0], x[1]);
    case cmpgt:
      return less(operand.type, x[1], x[0]);
    case cmple:
      return not_of(less(operand.type, x[1], x[0]));
    case cmpge:
      return not_of(less(operand.type, x[0], x[1]));
    case cmpeq:
      return equal(operand.type, x[0], x[1]);
    case cmpne:
      return not_of(equal(operand.type, x[0], x[1]));
    case bit_and:
    case bit_or:
    case bit_xor:
      return bits(node, x[0], x[1]);
    case shl:
    case shr:
      return shift(node, x[0], x[1]);
    case cast:
      // The width of an index is the compiler's own business.
      if (!x[0].known && !node.is_float() && !operand.is_float() && (node.is_index() || operand.is_index()))
        return x[0];
      return cast_value(node, operand.type, x[0]);
    case UOpCode::pow:
      if (const auto product = power(node, x[0], x[1])) return *product;
      return function_value(node, x);
    case bitcast:
      return bitcast_value(node, operand.type, x[0]);
    default:
      return function_value(node, x);
  }
}

Scalar neutral_of(const UOp& reduce) {
  if (reduce.text == "ADD") return {};
  if (reduce.text == "MUL") return {1, 1};
  const double infinity = std::numeric_limits<double>::infinity();
  const bool smallest = reduce.text == "MIN";
  if (reduce.is_float()) return {0, smallest ? infinity : -infinity};
  return {smallest ? int_largest(reduce.type) : int_lowest(reduce.type), 0};
}

UOp step_of(const UOp& reduce) {
  UOp step = reduce;
  step.code = reduce.text == "ADD"   ? add
              : reduce.text == "MUL" ? mul
              : reduce.text == "MIN" ? UOpCode::min
                                     : UOpCode::max;
  return step;
}

void unite(ReadSet& into, const ReadSet& other) {
  if (into.size() < other.size()) into.resize(other.size());
  for (size_t k = 0; k < other.size(); ++k) into[k] |= other[k];
}

}  // namespace uopdiff
