// Activations, composed as the compilers compose them; where the two differ, of the one that loses more.
#include <array>
#include <cmath>
#include <numbers>

#include "harness/reference/float_model.h"
#include "harness/reference/limits.h"
#include "harness/reference/scalar_families.h"

namespace uopdiff::scalars {
namespace {

// Element arithmetic that stops at the first open operand.
Element plus(DType dtype, const Element& a, const Element& b) {
  return is_open(a) ? a : is_open(b) ? b : float_model(dtype).add(a, b);
}
Element times(DType dtype, const Element& a, const Element& b) {
  return is_open(a) ? a : is_open(b) ? b : float_model(dtype).multiply(a, b);
}
Element over(DType dtype, const Element& a, const Element& b) {
  return is_open(a) ? a : is_open(b) ? b : float_model(dtype).divide(a, b);
}
Element relu_of(DType dtype, const Element& x) { return is_open(x) ? x : relu(dtype, x); }

double number(const Attrs& attrs, const char* key) { return std::get<double>(attrs.at(key)); }

Element silu(DType dtype, Operands x) { return times(dtype, x[0], sigmoid(dtype, x[0])); }

// x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))
Element gelu(DType dtype, Operands operands) {
  const FloatModel& m = float_model(dtype);
  const Element& x = operands[0];
  const Real root = std::sqrt(2 / std::numbers::pi_v<Real>);
  const Element factor = m.leaf(root, root * (m.unit * 1.01L + limit_of("gelu", dtype).absolute));
  const Element cube = times(dtype, times(dtype, x, x), x);
  const Element inner = times(dtype, plus(dtype, x, times(dtype, cube, m.constant(0.044715))), factor);
  if (is_open(inner)) return inner;
  const Element bend = tanh(dtype, inner);
  return times(dtype, times(dtype, x, exact_float(0.5L)), plus(dtype, bend, exact_float(1)));
}

Element softsign(DType dtype, Operands x) {
  return over(dtype, x[0], plus(dtype, magnitude(dtype, x[0]), exact_float(1)));
}

// As relu(x) - relu(x - top).
Element held_within(DType dtype, const Element& x, Real top) {
  const FloatModel& m = float_model(dtype);
  const Element above = relu_of(dtype, plus(dtype, x, exact_float(-top)));
  if (is_open(above)) return above;
  Element e = plus(dtype, relu_of(dtype, x), negated(above));
  if (is_open(e) || is_special(e)) return e;
  e.f = std::min(std::max<Real>(x.f, 0), top);
  return m.finish(e);
}
Element relu6(DType dtype, Operands x) { return held_within(dtype, x[0], 6); }
Element hardswish(DType dtype, Operands x) {
  const FloatModel& m = float_model(dtype);
  const Element held = held_within(dtype, plus(dtype, x[0], exact_float(3)), 6);
  return times(dtype, times(dtype, x[0], held), m.constant(Real{1} / 6));
}
Element hardsigmoid(DType dtype, Operands x, const Attrs& attrs) {
  const Element line = plus(dtype, times(dtype, x[0], exact_float(number(attrs, "alpha"))),
                            exact_float(number(attrs, "beta")));
  return held_within(dtype, line, 1);
}
Element leaky_relu(DType dtype, Operands operands, const Attrs& attrs) {
  const FloatModel& m = float_model(dtype);
  const Element& x = operands[0];
  if (is_nan(x)) return undetermined(Undetermined::nan_order);
  const Element scaled = m.multiply(x, exact_float(number(attrs, "slope")));
  if (!may_be_zero(x) || x.f == 0) return x.f < 0 ? scaled : m.passed_on(x);
  // Either arm: both lie near zero.
  if (is_open(scaled)) return scaled;
  Element e = larger(dtype, x, scaled);
  e.f = x.f < 0 ? scaled.f : x.f;
  e.error = e.leaf_error = std::max(x.error, scaled.error) + std::abs(x.f) + std::abs(scaled.f);
  return m.finish(e);
}

// alpha * (e^y - 1) below zero.
Element elu_below(DType dtype, const Element& y, double alpha) {
  if (is_open(y)) return y;
  const Element power = exponential_of_e(dtype, y);
  return times(dtype, plus(dtype, power, exact_float(-1)), exact_float(alpha));
}
// As relu(x) - alpha * relu(1 - e^x), or as a choice between the two arms.
Element elu_of(DType dtype, const Element& x, const Element& y, double alpha) {
  const FloatModel& m = float_model(dtype);
  if (is_nan(x)) return undetermined(Undetermined::nan_order);
  if (is_special(x)) return undetermined(Undetermined::zero_sign);
  if (m.overflowed(x)) return undetermined(Undetermined::overflow);
  const Element power = is_open(y) ? y : exponential_of_e(dtype, y);
  if (is_open(power) || is_special(power)) return undetermined(Undetermined::overflow);
  // e^x of a small x > 0 may come out below 1.
  if (x.f - x.error > 16 * m.unit) return m.passed_on(x);
  const Element below = elu_below(dtype, y, alpha);
  if (is_open(below) || x.f + x.error < 0) return below;
  const Real value = x.f > 0 ? x.f : alpha * std::expm1(y.f);
  return m.leaf_of_parts(value, below.error + x.error + std::abs(below.f) + std::abs(x.f),
                         below.magnitude + x.magnitude);
}
Element elu(DType dtype, Operands x, const Attrs& attrs) {
  return elu_of(dtype, x[0], x[0], number(attrs, "alpha"));
}
Element celu(DType dtype, Operands x, const Attrs& attrs) {
  const double alpha = number(attrs, "alpha");
  return elu_of(dtype, x[0], over(dtype, x[0], exact_float(alpha)), alpha);
}

// As (log(e^(y-m) + e^(0-m)) + m) / beta with y = beta*x, m = max(y, 0); the formula of the language is the
// same in exact arithmetic.
Element softplus_of(DType dtype, const Element& x, double beta) {
  const FloatModel& m = float_model(dtype);
  const Element y = times(dtype, x, exact_float(beta));
  if (is_open(y)) return y;
  if (is_special(y)) return undetermined(is_nan(y) ? Undetermined::nan_order : Undetermined::zero_sign);
  const Element top = larger(dtype, y, exact_float(0));
  if (is_open(top)) return top;
  const Element shifted = plus(dtype, y, negated(top)), rest = negated(top);
  if (is_open(shifted)) return shifted;
  const Element sum = plus(dtype, exponential_of_e(dtype, shifted), exponential_of_e(dtype, rest));
  if (is_open(sum)) return sum;
  Element e = plus(dtype, logarithm_of_e(dtype, sum), top);
  if (is_open(e)) return e;
  e = times(dtype, e, m.constant(Real{1} / beta));
  if (is_open(e) || is_special(e)) return e;
  const Real value = (std::max<Real>(y.f, 0) + std::log1p(std::exp(-std::abs(y.f)))) / beta;
  return m.around(value, e);
}
Element softplus(DType dtype, Operands x, const Attrs& attrs) {
  return softplus_of(dtype, x[0], number(attrs, "beta"));
}
Element mish(DType dtype, Operands x) {
  const Element soft = softplus_of(dtype, x[0], 1);
  return is_open(soft) ? soft : times(dtype, x[0], tanh(dtype, soft));
}

}  // namespace

void add_activations(std::map<std::string, Plain>& table, std::map<std::string, WithAttrs>& with_attrs) {
  table.insert({{"silu", silu},
                {"gelu", gelu},
                {"softsign", softsign},
                {"relu6", relu6},
                {"hardswish", hardswish},
                {"mish", mish}});
  with_attrs.insert({{"hardsigmoid", hardsigmoid},
                     {"leaky_relu", leaky_relu},
                     {"elu", elu},
                     {"celu", celu},
                     {"softplus", softplus}});
}

}  // namespace uopdiff::scalars
