#include "normalizers/sample.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "normalizers/constant.h"
#include "normalizers/evaluator.h"
#include "normalizers/field.h"

namespace uopdiff {
namespace {

using enum UOpCode;

// The more, the less work a sample is.
constexpr int kMostSamples = 256, kManySamples = 48, kLeastSamples = 8;
constexpr int kLeastDetermined = 4;  // of one element

Value number(DType dtype, const Scalar& value) {
  Value result;
  result.known = true;
  result.i = value.i;
  result.f = value.f;
  result.bit = dtype == DType::boolean;
  return result;
}

// Numbers that the kernels compare with or add are where functions change.
struct Pool {
  std::vector<int64_t> integers{0, 1, -1};
  std::vector<double> reals{0, 1, -1};
};
Pool pool_of(const Schedule& left, const Schedule& right) {
  std::set<int64_t> integers{0, 1, -1};
  std::set<double> reals{0, 1, -1};
  for (const Schedule* schedule : {&left, &right})
    for (const Kernel& kernel : *schedule)
      for (const UOp& uop : kernel.graph)
        if (uop.code == constant && !uop.invalid) {
          if (uop.is_float() && std::isfinite(uop.real)) reals.insert(uop.real);
          if (is_int(uop.type)) integers.insert(uop.number);
        }
  return {{integers.begin(), integers.end()}, {reals.begin(), reals.end()}};
}

class SampleArithmetic : public Arithmetic {
 public:
  SampleArithmetic(const Pool& pool, int sample) : pool_(pool), sample_(static_cast<uint64_t>(sample)) {}

  Value input(const BufferRef& buffer, int64_t element) const override {
    const DType dtype = dtype_from_name(buffer.dtype).value_or(DType::f32);
    uint64_t random = field_hash(field_hash(field_hash_text(buffer.name.c_str()), sample_ + 1),
                                 static_cast<uint64_t>(element) + 1);
    const auto next = [&](uint64_t below) {
      random = field_hash(random, 7);
      return random % below;
    };
    Scalar drawn;
    if (is_float(dtype))
      drawn.f = rounded(dtype, real(next));
    else
      drawn.i = wrap(dtype, integer(dtype, next));
    return number(dtype, drawn);
  }

  Value constant(const UOp& node, const Scalar& value) const override { return number(node.type, value); }

  Value apply(const UOp& node, const UOp& operand, const std::vector<Value>& x) const override {
    if (node.code == UOpCode::constant) {
      Value result = number(node.type, {wrap(node.type, node.number), node.real});
      result.invalid = node.invalid;
      return result;
    }
    if (node.code == where) return chosen(x[0], x[1], x[2]);
    for (const Value& value : x)
      if (!value.known) return {};
    const auto result = folded(node, operand, x);
    if (!result) return {};
    Value value = number(node.type, *result);
    // As in shortened() of cast.cpp: one function of an f16, computed in f32, needs no rounding of its own.
    const bool to_f16 = node.code == cast && is_narrow_real(node.type);
    const bool from_f16 = node.code == cast && is_narrow_real(operand.type);
    value.emulated = from_f16 || (!to_f16 && x.size() == 1 && x[0].emulated) ||
                     (node.code == mul && std::ranges::any_of(x, &Value::emulated));
    return value;
  }

  Value chosen(const Value& condition, const Value& a, const Value& b) const override {
    if (condition.known) return condition.i ? a : b;
    return a.known && b.known && a.i == b.i && a.f == b.f ? a : Value{};
  }

  void finish(Value&) const override {}

 private:
  template <class Next>
  double real(Next& next) const {
    const double unit = static_cast<double>(next(1 << 24)) / (1 << 24);
    // Some samples are positive throughout, for the domains of logarithms and roots, some small or large.
    const double scale = sample_ % 4 == 3 ? 0.01 : sample_ % 8 == 2 ? 20 : 2;
    if (sample_ % 2 == 0) return 0.05 + unit * scale;
    if (next(4) < sample_ % 4)  // a quarter or three of four; half of them exactly
      return pool_.reals[next(pool_.reals.size())] +
             (next(2) == 0 ? 0 : (static_cast<double>(next(3)) - 1) * scale / 16);
    return (unit * 2 - 1) * scale;
  }
  template <class Next>
  int64_t integer(DType dtype, Next& next) const {
    switch (sample_ % 3 == 0 ? 0 : next(5)) {  // a third of the samples: indices
      case 0:
        return static_cast<int64_t>(next(4));
      case 1:
        return static_cast<int64_t>(static_cast<uint64_t>(pool_.integers[next(pool_.integers.size())]) +
                                    next(3) - 1);
      case 2:
        return static_cast<int64_t>(next(200)) - 100;
      case 3:
        return static_cast<int64_t>(static_cast<uint64_t>(int_lowest(dtype)) + next(5) -
                                    2);  // and the largest
      default:
        return static_cast<int64_t>(next(~uint64_t{0}) << 3 | next(8));
    }
  }

  static std::optional<Scalar> folded(const UOp& node, const UOp& operand, const std::vector<Value>& x) {
    const auto integer = [](std::optional<int64_t> value) {
      return value ? std::optional(Scalar{*value, 0}) : std::nullopt;
    };
    const auto real = [](std::optional<double> value) {
      return value ? std::optional(Scalar{0, *value}) : std::nullopt;
    };
    const bool reals = is_float(operand.type);
    if (node.code == cast) {
      const bool rounds = !(x[0].emulated && is_narrow_real(node.type));
      if (reals && node.is_float() && !rounds) return Scalar{0, x[0].f};
      return fold_cast(operand.type, node.type, {x[0].i, x[0].f});
    }
    if (node.code == bitcast)
      return fold_bitcast(operand.type, node.type, {x[0].i, rounded_for(operand, x[0].f)});
    if (node.code == mulacc && x.size() == 3) {
      if (reals) return Scalar{0, x[0].f * x[1].f + x[2].f};
      return integer(fold_ints(add, node.type, *fold_ints(mul, node.type, x[0].i, x[1].i), x[2].i));
    }
    if (x.size() == 1)
      return reals ? real(fold_real(node.code, x[0].f)) : integer(fold_int(node.code, node.type, x[0].i));
    if (x.size() != 2) return std::nullopt;
    if (!reals) return integer(fold_ints(node.code, operand.type, x[0].i, x[1].i));
    if (node.is_float()) return real(fold_reals(node.code, x[0].f, x[1].f));
    return integer(compared(node.code, x[0].f, x[1].f));
  }

  static double rounded_for(const UOp& operand, double value) {
    return operand.is_float() ? rounded(operand.type, value) : value;
  }

  static std::optional<int64_t> compared(UOpCode code, double a, double b) {
    switch (code) {
      case cmplt:
        return a < b;
      case cmple:
        return a <= b;
      case cmpgt:
        return a > b;
      case cmpge:
        return a >= b;
      case cmpeq:
        return a == b;
      case cmpne:
        return a != b;
      default:
        return std::nullopt;
    }
  }

  const Pool& pool_;
  uint64_t sample_;
};

enum class Outcome { same, different, undetermined };

Outcome compared(DType dtype, const Value& a, const Value& b) {
  if (!a.known || !b.known) return Outcome::undetermined;
  if (!is_float(dtype)) return a.i == b.i ? Outcome::same : Outcome::different;
  if (std::isnan(a.f) && std::isnan(b.f)) return Outcome::same;
  if (std::isnan(a.f) || std::isnan(b.f)) return Outcome::undetermined;
  if (a.f == b.f) return Outcome::same;
  // Constants are rounded to the dtype, and functions enlarge that; short floats are one apart at most.
  const double tolerance = dtype == DType::f64     ? 1e-11
                           : is_narrow_real(dtype) ? std::exp2(1 - float_format(dtype).digits)
                                                   : 1e-5;
  const double size = std::max(std::abs(a.f), std::abs(b.f));
  return std::abs(a.f - b.f) <= tolerance * size + tolerance / 100 ? Outcome::same : Outcome::different;
}

// The buffers after all kernels ran; the budget goes down by what it took.
Buffers run(const Schedule& schedule, const Arithmetic& arithmetic, int64_t& budget) {
  Evaluation evaluation{arithmetic, nullptr, budget};
  for (size_t k = 0; k < schedule.size(); ++k) run_kernel(schedule[k], k, evaluation);
  budget = evaluation.budget;
  return std::move(evaluation.buffers);
}

}  // namespace

bool same_on_samples(const Schedule& left, const Schedule& right, const std::vector<std::string>& buffers,
                     int64_t limit) {
  const Pool pool = pool_of(left, right);
  std::vector<std::vector<int>> determined(buffers.size());
  int samples = 0;
  try {
    int64_t budget = limit;
    for (; samples < kMostSamples; ++samples) {
      if (budget < limit / 4 ? samples >= kLeastSamples : budget < limit / 4 * 3 && samples >= kManySamples)
        break;
      const SampleArithmetic arithmetic(pool, samples);
      Buffers a = run(left, arithmetic, budget), b = run(right, arithmetic, budget);
      for (size_t n = 0; n < buffers.size(); ++n) {
        const BufferContent &x = a[buffers[n]], &y = b[buffers[n]];
        if (!x.buffer || !y.buffer || x.elements.size() != y.elements.size()) return false;
        determined[n].resize(x.elements.size());
        const DType dtype = dtype_from_name(x.buffer->dtype).value_or(DType::f32);
        for (size_t k = 0; k < x.elements.size(); ++k) {
          const Outcome outcome = compared(dtype, x.elements[k], y.elements[k]);
          if (outcome == Outcome::different) return false;
          determined[n][k] += outcome == Outcome::same;
        }
      }
    }
  } catch (const TooLarge&) {
    return false;
  } catch (const Unreadable&) {
    return false;
  }
  return std::ranges::all_of(determined, [](const auto& counts) {
    return std::ranges::all_of(counts, [](int count) { return count >= kLeastDetermined; });
  });
}

}  // namespace uopdiff
