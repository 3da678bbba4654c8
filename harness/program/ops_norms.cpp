#include <fmt/format.h>

#include "harness/program/op_families.h"
#include "harness/program/shape_rules.h"

namespace uopdiff::families {
namespace {

using Sources = std::vector<Formula>;

// ---- over the last axis

void infer_norm(Node& node, const Operands& src) {
  rules::elementwise(node, src);
  if (node.shape.empty() || node.shape.back() == 0) rules::fail("its last axis has no elements");
  const double eps = node.attr<double>("eps");
  if (!(eps > 0 && eps <= 1) || static_cast<double>(round_to(node.dtype, eps)) != eps)
    rules::fail(fmt::format("eps {} is not in 0..1 or not exactly of dtype {}", eps, dtype_name(node.dtype)));
}

Formula mean_of(const Formula& x) {
  const int64_t last = x.rank() - 1;
  return x.reduce("sum", {last}, true) / static_cast<double>(x.extent(last));
}

Formula normalised(const Formula& x, double eps) {
  return x * (mean_of(x * x) + eps).apply("sqrt").apply("reciprocal").expand(x.shape());
}

Formula layernorm(Program&, const Node& node, const Sources& x) {
  return normalised(x[0] - mean_of(x[0]).expand(x[0].shape()), node.attr<double>("eps"));
}

// ---- x, scale, bias, mean, invstd: the last four one number a channel

void infer_batchnorm(Node& node, const Operands& src) {
  rules::same_dtype(src);
  node.dtype = src[0]->dtype;
  node.shape = src[0]->shape;
  if (node.shape.size() < 2) rules::fail("wants at least [n,c]");
  for (size_t k = 1; k < src.size(); ++k)
    if (src[k]->shape != Shape{node.shape[1]})
      rules::fail(
          fmt::format("operand {} has shape {}, not [{}]", k, shape_text(src[k]->shape), node.shape[1]));
}

Formula batchnorm(Program&, const Node& node, const Sources& x) {
  Shape channels(node.shape.size(), 1);
  channels[1] = node.shape[1];
  const auto spread = [&](const Formula& y) { return y.reshape(channels).expand(node.shape); };
  return (x[0] - spread(x[3])) * spread(x[1] * x[4]) + spread(x[2]);
}

// ---- losses: x [n,c,...], classes [n,...]

void infer_loss(Node& node, const Operands& src) {
  node.dtype = src[0]->dtype;
  rules::check_dtype(*src[1], DType::i32, "target");
  Shape classes = src[0]->shape;
  if (classes.size() < 2 || element_count(classes) == 0) rules::fail("wants [n,c,...] with elements");
  classes.erase(classes.begin() + 1);
  if (src[1]->shape != classes)
    rules::fail(
        fmt::format("the target has shape {}, not {}", shape_text(src[1]->shape), shape_text(classes)));
  const auto& reduction = node.attr<std::string>("reduction");
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    rules::fail(fmt::format("reduction '{}' is not mean, sum or none", reduction));
  node.shape = reduction == "none" ? classes : Shape{};
}

Formula nll_loss(Program&, const Node& node, const Sources& x) {
  const Formula target = x[1].insert_axis(1);
  const Formula picked = x[0].apply("gather", target, {{"axis", int64_t{1}}});
  const Formula loss = -picked.reshape(x[1].shape());
  const auto& reduction = node.attr<std::string>("reduction");
  if (reduction == "none") return loss;
  Ints axes;
  for (int64_t d = 0; d < loss.rank(); ++d) axes.push_back(d);
  const Formula total = loss.reduce("sum", axes, false);
  return reduction == "sum" ? total : total / static_cast<double>(element_count(loss.shape()));
}

Formula cross_entropy(Program& program, const Node& node, const Sources& x) {
  return nll_loss(program, node, {x[0].apply("log_softmax", {{"axis", int64_t{1}}}), x[1]});
}

}  // namespace

void add_norms(Table& t) {
  using enum AttrKind;
  const auto add = [&t](const char* name, int arity, std::vector<AttrSpec> attrs, const char* meaning,
                        auto infer, auto expansion) {
    t.push_back({.name = name,
                 .category = Category::composite,
                 .min_arity = arity,
                 .max_arity = arity,
                 .dtypes = kFloats,
                 .attrs = std::move(attrs),
                 .weight = 0.7,
                 .meaning = meaning,
                 .infer = infer,
                 .expansion = expansion});
  };
  const AttrSpec eps = with_default("eps", number, 0x1p-10);
  const AttrSpec reduction = with_default("reduction", word, std::string("mean"));
  add("layernorm", 1, {eps}, "(x - mean) / sqrt(var + eps) over the last axis", infer_norm, layernorm);
  add("rms_norm", 1, {eps}, "x / sqrt(mean(x*x) + eps) over the last axis", infer_norm,
      [](Program&, const Node& node, const Sources& x) {
        return normalised(x[0], node.attr<double>("eps"));
      });
  // Morok computes both in f32 by design, which is no f64.
  for (OpInfo& op : t)
    if (op.name == "layernorm" || op.name == "rms_norm") std::erase(op.dtypes, DType::f64);
  add("batchnorm", 5, {}, "(x - mean) * scale * invstd + bias for each channel (axis 1)", infer_batchnorm,
      batchnorm);
  add("nll_loss", 2, {reduction}, "-x at the target class (axis 1)", infer_loss, nll_loss);
  add("cross_entropy", 2, {reduction}, "-log_softmax(x) at the target class (axis 1)", infer_loss,
      cross_entropy);
  t.back().domains = {Domain::moderate};
}

}  // namespace uopdiff::families
