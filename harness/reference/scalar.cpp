#include "harness/reference/scalar.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/reference/float_model.h"
#include "harness/reference/scalar_families.h"

namespace uopdiff {
namespace scalars {

Element larger(DType dtype, const Element& given_a, const Element& given_b, int sign) {
  const FloatModel& m = float_model(dtype);
  const Element a = m.passed_on(given_a), b = m.passed_on(given_b);
  if (is_nan(a) || is_nan(b)) return undetermined(Undetermined::nan_order);
  const Real best = std::max(sign * a.f - a.error, sign * b.f - b.error);
  Element e = sign * a.f >= sign * b.f ? a : b;
  // An operand that certainly loses does not widen the result.
  for (const Element* x : {&a, &b}) {
    if (sign * x->f + x->error < best) continue;
    e.error = std::max(e.error, x->error);
    e.leaf_error = std::max(e.leaf_error, x->error);
  }
  e.magnitude = std::max(a.magnitude, b.magnitude);
  e.grain = std::min(a.grain, b.grain);
  e.terms = std::max(a.terms, b.terms);
  e.factors = std::max(a.factors, b.factors);
  e.high = std::max(a.high, b.high);
  e.low = std::min(a.low, b.low);
  e.widened = a.widened || b.widened;
  e.sign_known = false;
  return e;
}

Element magnitude(DType dtype, const Element& x) {
  // Written as where(x < 0, -x, x), or as x * (sign of x + x*0) (tinygrad 0.12.0 tensor.py, `sign`).
  if (is_nan(x)) return undetermined(Undetermined::nan_order);
  if (is_special(x)) return undetermined(Undetermined::zero_sign);
  Element e = float_model(dtype).passed_on(x);
  e.f = std::abs(e.f);
  e.sign_known = false;
  return e;
}

Element relu(DType dtype, const Element& x) {
  // As (x > 0) * x an infinity below zero is 0 * inf.
  if (std::isinf(x.f) && x.f < 0) return undetermined(Undetermined::zero_sign);
  return larger(dtype, x, exact_float(0));
}

namespace {

// ---- arithmetic

Element add(DType dtype, Operands x) {
  return is_float(dtype) ? float_model(dtype).add(x[0], x[1])
                         : exact_int(wrap_int(dtype, static_cast<int64_t>(static_cast<uint64_t>(x[0].i) +
                                                                          static_cast<uint64_t>(x[1].i))));
}
Element sub(DType dtype, Operands x) {
  return is_float(dtype) ? float_model(dtype).add(x[0], negated(x[1]))
                         : exact_int(wrap_int(dtype, static_cast<int64_t>(static_cast<uint64_t>(x[0].i) -
                                                                          static_cast<uint64_t>(x[1].i))));
}
Element mul(DType dtype, Operands x) {
  return is_float(dtype) ? float_model(dtype).multiply(x[0], x[1])
                         : exact_int(wrap_int(dtype, static_cast<int64_t>(static_cast<uint64_t>(x[0].i) *
                                                                          static_cast<uint64_t>(x[1].i))));
}
Element square(DType dtype, Operands x) { return mul(dtype, std::array<Element, 2>{x[0], x[0]}); }

// Compilers write a/b as a * (1/b), too.
Element div(DType dtype, Operands x) { return float_model(dtype).divide(x[0], x[1]); }
Element reciprocal(DType dtype, Operands x) { return float_model(dtype).reciprocal(x[0]); }

Element neg(DType dtype, Operands x) {
  if (is_float(dtype)) return negated(float_model(dtype).passed_on(x[0]));
  return exact_int(wrap_int(dtype, static_cast<int64_t>(-static_cast<uint64_t>(x[0].i))));
}

// ---- choosing

Element maximum(DType dtype, Operands x) {
  if (is_float(dtype)) return larger(dtype, x[0], x[1]);
  return int_less(dtype, x[0].i, x[1].i) ? x[1] : x[0];
}
Element minimum(DType dtype, Operands x) {
  if (is_float(dtype)) return larger(dtype, x[0], x[1], -1);
  return int_less(dtype, x[0].i, x[1].i) ? x[0] : x[1];
}

Element abs_of(DType dtype, Operands x) {
  if (is_float(dtype)) return magnitude(dtype, x[0]);
  return is_signed(dtype) && x[0].i < 0 ? neg(dtype, x) : x[0];
}

Element relu_of(DType dtype, Operands x) {
  if (is_float(dtype)) return relu(dtype, x[0]);
  return is_signed(dtype) ? exact_int(std::max<int64_t>(x[0].i, 0)) : x[0];
}

Element sign(DType dtype, Operands operands) {
  const Element& x = operands[0];
  if (!is_float(dtype)) return exact_int(x.i == 0 ? 0 : is_signed(dtype) && x.i < 0 ? -1 : 1);
  if (is_nan(x)) return undetermined(Undetermined::nan_order);
  if (is_special(x)) return undetermined(Undetermined::zero_sign);  // as `magnitude`
  if ((!is_exact(x) && may_be_zero(x)) || float_model(dtype).may_flush(x))
    return undetermined(Undetermined::interval);
  return exact_float(x.f == 0 ? 0 : std::copysign(Real{1}, x.f));
}

// ---- rounding to whole numbers

Element rounded(DType dtype, const Element& x, Real (*round)(Real), Real slack = 0) {
  const FloatModel& m = float_model(dtype);
  if (is_nan(x)) return exact_float(x.f);
  if (m.overflowed(x)) return undetermined(Undetermined::overflow);
  if (is_special(x)) return exact_float(x.f);
  const Real low = round(x.f - x.error - slack), high = round(x.f + x.error + slack);
  if (low != high || (m.may_flush(x) && low != 0)) return undetermined(Undetermined::interval);
  return exact_float(low);
}

Element trunc_of(DType dtype, Operands x) { return rounded(dtype, x[0], std::trunc); }
Element floor_of(DType dtype, Operands x) { return rounded(dtype, x[0], std::floor); }
Element ceil_of(DType dtype, Operands x) { return rounded(dtype, x[0], std::ceil); }
// Written as floor(x + 0.5) or ceil(x - 0.5), too, which are rounded first (tinygrad 0.12.0 tensor.py,
// `round`).
Element round_of(DType dtype, Operands x) {
  const FloatModel& m = float_model(dtype);
  const bool exact = is_exact(x[0]) && m.fits(x[0].f - 0.5L) && m.fits(x[0].f + 0.5L);
  return rounded(dtype, x[0], std::nearbyint, exact ? 0 : m.unit * (std::abs(x[0].f) + 1));
}

// ---- comparing

enum class Relation { less, equal };

bool holds(Relation relation, Real a, Real b) { return relation == Relation::less ? a < b : a == b; }

Element relate(DType dtype, const Element& a, const Element& b, Relation relation, bool negate) {
  if (!is_float(dtype))
    return exact_int((relation == Relation::less ? int_less(dtype, a.i, b.i) : a.i == b.i) != negate);
  const FloatModel& m = float_model(dtype);
  if (is_nan(a) || is_nan(b)) return undetermined(Undetermined::nan_order);
  if (m.overflowed(a) || m.overflowed(b)) return undetermined(Undetermined::overflow);
  if (!is_special(a) && !is_special(b)) {
    Real slack = a.error + b.error;
    // c + x < d becomes x < d - c (tinygrad 0.12.0 uop/symbolic.py, "two stage ALU folding").
    if (a.terms > 1 || b.terms > 1) {
      const Element difference = m.add(a, negated(b));
      if (is_open(difference)) return difference;
      slack = difference.error;
    }
    if (slack > 0 && std::abs(a.f - b.f) <= slack) return undetermined(Undetermined::interval);
  }
  const bool result = holds(relation, a.f, b.f);
  const auto flushed = [&](const Element& e) { return m.may_flush(e) ? 0 : e.f; };
  if (result != holds(relation, flushed(a), flushed(b))) return undetermined(Undetermined::interval);
  return exact_int(result != negate);
}

Element lt(DType dtype, Operands x) { return relate(dtype, x[0], x[1], Relation::less, false); }
Element gt(DType dtype, Operands x) { return relate(dtype, x[1], x[0], Relation::less, false); }
Element le(DType dtype, Operands x) { return relate(dtype, x[1], x[0], Relation::less, true); }
Element ge(DType dtype, Operands x) { return relate(dtype, x[0], x[1], Relation::less, true); }
Element eq(DType dtype, Operands x) { return relate(dtype, x[0], x[1], Relation::equal, false); }
Element ne(DType dtype, Operands x) { return relate(dtype, x[0], x[1], Relation::equal, true); }

Element is_nan_of(DType, Operands x) { return exact_int(is_nan(x[0])); }
Element is_inf_of(DType dtype, Operands x) {
  const FloatModel& m = float_model(dtype);
  if (!is_nan(x[0]) && m.overflowed(x[0])) return undetermined(Undetermined::overflow);
  return exact_int(std::isinf(x[0].f));
}

Element where(DType, Operands x) { return x[0].i ? x[1] : x[2]; }

Element clamp(DType dtype, Operands x, const Attrs& attrs) {
  const auto bound = [&](const char* key) {
    const double value = std::get<double>(attrs.at(key));
    if (is_float(dtype)) return exact_float(round_to(dtype, value));
    return exact_int(dtype == DType::u64 ? static_cast<int64_t>(static_cast<uint64_t>(value))
                                         : static_cast<int64_t>(value));
  };
  const Element raised = maximum(dtype, std::array<Element, 2>{x[0], bound("min")});
  return is_open(raised) ? raised : minimum(dtype, std::array<Element, 2>{raised, bound("max")});
}

struct Tables {
  std::map<std::string, Plain> plain;
  std::map<std::string, WithAttrs> with_attrs;
};

Tables make_tables() {
  Tables t;
  t.plain = {{"add", add},        {"sub", sub},         {"mul", mul},         {"square", square},
             {"div", div},        {"neg", neg},         {"abs", abs_of},      {"sign", sign},
             {"relu", relu_of},   {"maximum", maximum}, {"minimum", minimum}, {"reciprocal", reciprocal},
             {"trunc", trunc_of}, {"floor", floor_of},  {"ceil", ceil_of},    {"round", round_of},
             {"lt", lt},          {"gt", gt},           {"le", le},           {"ge", ge},
             {"eq", eq},          {"ne", ne},           {"where", where},     {"isnan", is_nan_of},
             {"isinf", is_inf_of}};
  t.with_attrs = {{"clamp", clamp}};
  add_ints(t.plain);
  add_transcendental(t.plain);
  add_activations(t.plain, t.with_attrs);
  return t;
}

const Tables& tables() {
  static const Tables all = make_tables();
  return all;
}

}  // namespace
}  // namespace scalars

ScalarFunction scalar_function(const std::string& op, const Attrs& attrs) {
  const auto& [plain, with_attrs] = scalars::tables();
  if (const auto found = plain.find(op); found != plain.end()) return found->second;
  if (const auto found = with_attrs.find(op); found != with_attrs.end())
    return [function = found->second, attrs](DType dtype, std::span<const Element> x) {
      return function(dtype, x, attrs);
    };
  return {};
}

Element reduce_elements(const std::string& op, DType dtype, std::span<const Element> elements) {
  if (std::ranges::any_of(elements, is_open)) return undetermined(Undetermined::data);
  if (elements.empty()) {
    const int neutral = op == "prod" ? 1 : 0;
    return is_float(dtype) ? exact_float(neutral) : exact_int(neutral);
  }
  if (is_float(dtype)) {
    const FloatModel& m = float_model(dtype);
    if (elements.size() == 1) {
      Element e = m.passed_on(elements[0]);
      e.sign_known = false;
      return e;
    }
    if (op == "sum") return m.sum(elements);
    if (op == "prod") return m.product(elements);
  }
  const scalars::Plain combine = op == "sum"    ? scalars::add
                                 : op == "prod" ? scalars::mul
                                 : op == "max"  ? scalars::maximum
                                                : scalars::minimum;
  Element result = elements[0];
  for (const Element& e : elements.subspan(1)) {
    result = combine(dtype, std::array<Element, 2>{result, e});
    if (is_open(result)) return result;
  }
  return result;
}

}  // namespace uopdiff
