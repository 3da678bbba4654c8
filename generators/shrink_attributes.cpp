// Steps that simplify attributes, dtypes and fills.
#include <algorithm>
#include <cmath>

#include "generators/shrink_steps.h"

namespace uopdiff {
namespace {

void simpler_pairs(Candidates& found, size_t n, const std::string& key, const Pairs& pairs) {
  const bool padding = key == "padding";
  const Shape& operand = found.operand(n, 0).shape;
  if (padding) found.with_attr(n, key, Pairs(pairs.size()));
  for (size_t d = 0; d < pairs.size(); ++d) {
    const auto [first, second] = pairs[d];
    std::vector<std::pair<int64_t, int64_t>> simpler;
    if (padding)
      simpler = {
          {0, 0}, {first, 0}, {0, second}, {std::min<int64_t>(first, 1), std::min<int64_t>(second, 1)}};
    else
      simpler = {{0, operand[d]}, {0, second - first}, {first, first + 1}, {0, 1}};
    for (const auto& pair : simpler) {
      Pairs changed = pairs;
      changed[d] = pair;
      found.with_attr(n, key, changed);
    }
  }
}

void simpler_reshapes(Candidates& found, size_t n, const Ints& shape) {
  for (size_t k = 0; k < shape.size(); ++k) {
    Ints fewer = shape;
    if (shape[k] == 1) {
      fewer.erase(fewer.begin() + static_cast<long>(k));
    } else if (k + 1 < shape.size()) {  // two axes as one
      fewer[k] *= fewer[k + 1];
      fewer.erase(fewer.begin() + static_cast<long>(k) + 1);
    } else {
      continue;
    }
    found.with_attr(n, "shape", fewer);
  }
}

void simpler_axes(Candidates& found, size_t n, const Ints& axes) {
  if (found.node(n).op->name == "permute") {
    for (size_t k = 0; k + 1 < axes.size(); ++k) {  // nearer to the identity
      Ints swapped = axes;
      std::swap(swapped[k], swapped[k + 1]);
      found.with_attr(n, "axes", swapped);
    }
    return;
  }
  for (size_t k = 0; k < axes.size() && axes.size() > 1; ++k) {
    Ints fewer = axes;
    fewer.erase(fewer.begin() + static_cast<long>(k));
    found.with_attr(n, "axes", fewer);
  }
}

// Strides, steps, repeats: a number for each axis. Output padding is below the stride.
void with_numbers(Candidates& found, size_t n, const std::string& key, const Ints& ints) {
  found.change_node(n, [&](Program& target, const Node& old, const std::vector<int>& src) {
    Node copy = moved(old, src);
    copy.attrs[key] = ints;
    if (key == "stride" && old.attrs.count("output_padding")) {
      Ints more = old.attr<Ints>("output_padding");
      for (size_t k = 0; k < more.size(); ++k) more[k] = std::min(more[k], ints[k] - 1);
      copy.attrs["output_padding"] = more;
    }
    return append(target, copy);
  });
}

void simpler_numbers(Candidates& found, size_t n, const std::string& key, const Ints& ints) {
  for (int64_t simple : {int64_t{0}, int64_t{1}}) with_numbers(found, n, key, Ints(ints.size(), simple));
  for (size_t k = 0; k < ints.size(); ++k)
    for (int64_t simple : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{-1}}) {
      Ints changed = ints;
      changed[k] = simple;
      with_numbers(found, n, key, changed);
    }
}

void simpler_integer(Candidates& found, size_t n, const std::string& key, int64_t number) {
  if (key == "seed") return;  // with the fills
  if (key == "groups") {
    found.with_attr(n, key, int64_t{1});
    if (found.node(n).op->name != "conv") return;
    // The channels of x are those of all groups: a fresh x of one.
    found.change_node(n, [](Program& target, const Node& old, const std::vector<int>& src) {
      const Node x = target.nodes[static_cast<size_t>(src[0])];
      Shape shape = x.shape;
      shape[1] = target.nodes[static_cast<size_t>(src[1])].shape[1];
      const int one = append_source(target, "input", x.dtype, shape, {{"fill", std::string("small")}});
      Node copy = moved(old, src);
      copy.src[0] = one;
      copy.attrs["groups"] = int64_t{1};
      return append(target, copy);
    });
    return;
  }
  const std::vector<int64_t> near_zero{0, 1, number > 0 ? int64_t{1} : int64_t{-1}};
  const bool counts = key == "k" || key == "classes" || key == "below";
  for (int64_t simple : counts ? lower(number) : near_zero)
    if (std::abs(simple) <= std::abs(number)) found.with_attr(n, key, simple);
}

// A letter less: of the operands fresh ones.
void simpler_formula(Candidates& found, size_t n, const std::string& formula) {
  for (char letter : std::set<char>(formula.begin(), formula.end())) {
    if (letter == '_') continue;
    found.change_node(n, [&](Program& target, const Node& old, const std::vector<int>& src) {
      Node copy = moved(old, src);
      std::string rest;
      size_t operand = 0, axis = 0;
      for (char each : formula) {
        if (each != letter) rest += each;
        if (each == letter && operand < src.size()) {
          const Node before = target.nodes[static_cast<size_t>(copy.src[operand])];
          Shape shape = before.shape;
          shape.erase(shape.begin() + static_cast<long>(axis));
          copy.src[operand] =
              append_source(target, "input", before.dtype, shape, {{"fill", std::string("small")}});
        } else {
          ++axis;
        }
        if (each == '_') ++operand, axis = 0;
      }
      copy.attrs["formula"] = rest;
      return append(target, copy);
    });
  }
}

struct SimplerValue {
  Candidates& found;
  size_t n;
  const std::string& key;

  void operator()(bool flag) const { found.with_attr(n, key, !flag); }
  void operator()(int64_t number) const { simpler_integer(found, n, key, number); }
  void operator()(double) const {
    const AttrSpec* spec = found.node(n).op->find_attr(key);
    if (spec->fallback) found.with_attr(n, key, *spec->fallback);
    for (double simple : {1.0, 0.0, 2.0}) found.with_attr(n, key, simple);
  }
  void operator()(const std::string& word) const {
    if (key == "reduce" || key == "reduction") found.with_attr(n, key, std::string("sum"));
    if (key == "formula") simpler_formula(found, n, word);
  }
  void operator()(const Ints& ints) const {
    if (key == "axes")
      simpler_axes(found, n, ints);
    else if (key != "shape")
      simpler_numbers(found, n, key, ints);
    else if (found.node(n).op->name == "reshape")
      simpler_reshapes(found, n, ints);
  }
  void operator()(const Pairs& pairs) const { simpler_pairs(found, n, key, pairs); }
};

// One dtype for every source that has `from`, and as the target of casts.
void retype(Candidates& found, DType from, DType to) {
  found.offer(
      rebuild(found.program, [&](Program& target, const Node& old, size_t, const std::vector<int>& src) {
        const bool cast = old.op->name == "cast";
        if (old.dtype != from || (!is_source(old) && !cast)) return -1;
        Node copy = moved(old, src);
        copy.dtype = to;
        if (cast) copy.attrs["to"] = std::string(dtype_name(to));
        return append(target, copy);
      }));
}

void simpler_fill(Candidates& found, size_t n) {
  for (const char* fill : {"ones", "iota", "small", "positive"})
    found.change_node(n, [&](Program& target, const Node& old, const std::vector<int>&) {
      Node copy = moved(old);
      copy.attrs["fill"] = std::string(fill);
      copy.attrs["below"] = int64_t{0};
      return append(target, copy);
    });
  found.with_attr(n, "seed", int64_t{0});
}

}  // namespace

void simpler_attributes(Candidates& found) {
  for (size_t n = 0; n < found.program.nodes.size(); ++n)
    for (const auto& [key, value] : found.node(n).attrs) std::visit(SimplerValue{found, n, key}, value);
}

void simpler_data(Candidates& found) {
  std::set<DType> present;
  for (const Node& node : found.program.nodes) present.insert(node.dtype);
  for (const DType from : present)
    for (const DType to : {DType::f32, DType::i32, DType::f16, DType::i8, DType::u8})
      if (from != to) retype(found, from, to);
  for (size_t n = 0; n < found.program.nodes.size(); ++n)
    if (found.node(n).op->name == "input") simpler_fill(found, n);
}

}  // namespace uopdiff
