// Steps that take nodes out or put plainer ones in their place.
#include <algorithm>
#include <memory>

#include "generators/shrink_steps.h"

namespace uopdiff {
namespace {

int fresh_input(Program& target, DType dtype, const Shape& shape) {
  return append_source(target, "input", dtype, shape, {{"fill", std::string("small")}});
}

// Source `from` replaced by the earlier source `to`.
Change merged(size_t from, size_t to) {
  auto kept = std::make_shared<int>(-1);
  return [=](Program& target, const Node& old, size_t n, const std::vector<int>&) {
    if (n == to) {
      *kept = append(target, moved(old));
      return *kept;
    }
    return n == from ? *kept : -1;
  };
}

// The operation that stands for the node's kind on its dtype, or null.
const OpInfo* plain_one(const Candidates& found, size_t n) {
  const Node& node = found.node(n);
  const DType dtype = node.src.empty() ? node.dtype : found.operand(n, 0).dtype;
  const bool boolean = dtype == DType::boolean;
  switch (node.op->category) {
    case Category::unary:
      return &get_op(boolean ? "logical_not" : "neg");
    case Category::binary:
      return &get_op(boolean ? "and" : "add");
    case Category::compare:
      return &get_op(boolean ? "eq" : "lt");
    case Category::reduce:
      return &get_op(boolean ? "any" : "sum");
    case Category::scan:
      return &get_op("neg");
    default:
      return nullptr;
  }
}

// Attributes that the plain operation has as well are kept.
void in_plain_words(Candidates& found, size_t n) {
  const OpInfo* plain = plain_one(found, n);
  if (!plain || plain == found.node(n).op) return;
  found.change_node(n, [&](Program& target, const Node& old, const std::vector<int>& src) {
    Node copy = moved(old, src);
    copy.op = plain;
    std::erase_if(copy.attrs, [&](const auto& attr) { return !plain->find_attr(attr.first); });
    if (plain->find_attr("axes") && old.attrs.count("axis"))
      copy.attrs["axes"] = Ints{old.attr<int64_t>("axis")};
    return append(target, copy);
  });
}

// Simpler only for a few: an unsqueeze is a reshape, a realize a contiguous.
void in_other_words(Candidates& found, size_t n) {
  if (!found.node(n).op->expansion) return;
  found.change_node(n, [](Program& target, const Node& old, const std::vector<int>& src) {
    std::vector<Formula> operands;
    for (int each : src) operands.emplace_back(target, each);
    return old.op->expansion(target, old, operands).position();
  });
}

// An einsum's formula without its k-th operand.
std::string formula_without(std::string formula, size_t k) {
  size_t begin = 0;
  for (; k > 0; --k) begin = formula.find('_', begin) + 1;
  return formula.erase(begin, formula.find('_', begin) + 1 - begin);
}

void fewer_operands(Candidates& found, size_t n) {
  const Node& node = found.node(n);
  if (static_cast<int>(node.src.size()) <= node.op->min_arity) return;
  for (size_t k = node.src.size(); k-- > 0;)
    found.change_node(n, [k](Program& target, const Node& old, const std::vector<int>& src) {
      Node copy = moved(old, src);
      copy.src.erase(copy.src.begin() + static_cast<long>(k));
      if (old.attrs.count("formula"))
        copy.attrs["formula"] = formula_without(old.attr<std::string>("formula"), k);
      return append(target, copy);
    });
}

}  // namespace

void drop_outputs(Candidates& found) {
  const Program& p = found.program;
  if (p.outputs.size() > 1) {
    for (int output : p.outputs) found.offer(canonical({p.nodes, {output}}));
    for (size_t k = 0; k < p.outputs.size(); ++k) {
      Program fewer = p;
      fewer.outputs.erase(fewer.outputs.begin() + static_cast<long>(k));
      found.offer(canonical(fewer));
    }
  }
  // An earlier node as the output, earliest (smallest program) first.
  for (size_t n = 0; n < p.nodes.size(); ++n)
    if (!is_source(p.nodes[n])) found.offer(canonical({p.nodes, {static_cast<int>(n)}}));
  for (size_t k = 0; k < p.outputs.size(); ++k)
    for (int src : p.nodes[static_cast<size_t>(p.outputs[k])].src) {
      Program nearer = p;
      nearer.outputs[k] = src;
      found.offer(canonical(nearer));
    }
}

void bypass_nodes(Candidates& found) {
  for (size_t n = found.program.nodes.size(); n-- > 0;)
    for (size_t s = 0; s < found.node(n).src.size(); ++s) {
      const bool same = found.operand(n, s).dtype == found.node(n).dtype;
      // Of another dtype: those behind take it as it is, or cast.
      found.change_node(n, [s](Program&, const Node&, const std::vector<int>& src) { return src[s]; });
      if (!same)
        found.change_node(n, [s](Program& target, const Node& old, const std::vector<int>& src) {
          return append(target, "cast", {src[s]}, {{"to", std::string(dtype_name(old.dtype))}});
        });
    }
}

void cut_nodes(Candidates& found) {
  for (size_t n = found.program.nodes.size(); n-- > 0;) {
    if (found.node(n).op->name == "input" || found.node(n).op->name == "full") continue;
    found.change_node(n, [](Program& target, const Node& old, const std::vector<int>&) {
      return fresh_input(target, old.dtype, old.shape);
    });
    found.change_node(n, [](Program& target, const Node& old, const std::vector<int>&) {
      return append_source(target, "full", old.dtype, old.shape, {{"value", 1.0}});
    });
  }
  for (size_t n = 0; n < found.program.nodes.size(); ++n)
    for (size_t m = 0; m < n; ++m) {
      const Node &one = found.node(n), &other = found.node(m);
      if (is_source(one) && is_source(other) && one.dtype == other.dtype && one.shape == other.shape)
        found.offer(rebuild(found.program, merged(n, m)));
    }
}

void plainer_operations(Candidates& found) {
  for (size_t n = 0; n < found.program.nodes.size(); ++n) {
    fewer_operands(found, n);
    in_plain_words(found, n);
    in_other_words(found, n);
  }
}

}  // namespace uopdiff
