#include "generators/shrink.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "generators/rebuild.h"
#include "harness/program/error.h"
#include "harness/program/op_table.h"

namespace uopdiff {
namespace {

int64_t fill_rank(const std::string& fill) {
  static const std::vector<std::string> order{"ones",  "iota", "small", "positive", "uniform",
                                              "zeros", "unit", "index", "special"};
  return std::ranges::find(order, fill) - order.begin();
}

int64_t attribute_size(const Node& node) {
  int64_t size = 0;
  for (const auto& [key, value] : node.attrs) {
    if (const auto* flag = std::get_if<bool>(&value)) size += *flag;
    if (const auto* number = std::get_if<int64_t>(&value))
      size += key == "step" ? std::abs(*number - 1) : std::abs(*number);
    if (const auto* real = std::get_if<double>(&value))
      size += *real == 1 ? 0 : *real == 0 ? 1 : *real > 0 ? 2 : 3;
    if (const auto* ints = std::get_if<Ints>(&value); ints && key != "shape")
      for (size_t k = 0; k < ints->size(); ++k)
        size += (*ints)[k] < 0
                    ? 3 - (*ints)[k]
                    : 1 + std::abs((*ints)[k] - (node.op->name == "permute" ? static_cast<int64_t>(k) : 0));
    if (const auto* pairs = std::get_if<Pairs>(&value))
      for (size_t k = 0; k < pairs->size(); ++k)
        size += key == "padding" ? (*pairs)[k].first + (*pairs)[k].second : (*pairs)[k].first;
  }
  return size;
}

// f32 and i32 first; among narrow ones f16 and i8.
int64_t dtype_rank(DType dtype) {
  static const std::vector<DType> order{DType::f32, DType::i32, DType::boolean, DType::f64, DType::i64,
                                        DType::f16, DType::i8,  DType::u8,      DType::u32, DType::u64,
                                        DType::i16, DType::u16, DType::bf16};
  return std::ranges::find(order, dtype) - order.begin();
}

// The node on its operands in a program that is being rebuilt, for a change of its attributes or shape.
Node moved(const Node& old, const std::vector<int>& src = {}) {
  Node copy = old;
  copy.name.clear();
  copy.src = src;
  return copy;
}

class Shrinker {
 public:
  explicit Shrinker(const Program& program) : program_(program), limit_(complexity(program)) {
    seen_.insert(case_id(program));
  }

  std::vector<Program> run() {
    outputs();
    suffixes();
    bypass();
    cut();
    extents();
    drop_axes();
    attributes();
    types();
    fills();
    return std::move(candidates_);
  }

 private:
  const Node& node(size_t n) const { return program_.nodes[n]; }

  void offer(const Program& candidate) {
    if (candidate.outputs.empty() || !(complexity(candidate) < limit_)) return;
    if (operation_count(candidate) == 0) return;
    try {
      check_assigns(candidate);
    } catch (const Error&) {
      return;
    }
    if (seen_.insert(case_id(candidate)).second) candidates_.push_back(candidate);
  }
  void offer(const std::optional<Program>& candidate) {
    if (candidate) offer(*candidate);
  }

  // A change of one node; the others follow.
  void change_node(size_t position,
                   const std::function<int(Program&, const Node&, const std::vector<int>&)>& f) {
    offer(rebuild(program_, [&](Program& target, const Node& old, size_t n, const std::vector<int>& src) {
      return n == position ? f(target, old, src) : -1;
    }));
  }

  void outputs() {
    if (program_.outputs.size() < 2) return;
    for (int output : program_.outputs) offer(canonical({program_.nodes, {output}}));
    for (size_t k = 0; k < program_.outputs.size(); ++k) {
      Program fewer = program_;
      fewer.outputs.erase(fewer.outputs.begin() + static_cast<long>(k));
      offer(canonical(fewer));
    }
  }

  // An earlier node as the output, earliest (smallest program) first.
  void suffixes() {
    for (size_t n = 0; n < program_.nodes.size(); ++n)
      if (node(n).op->category != Category::source) offer(canonical({program_.nodes, {static_cast<int>(n)}}));
    for (size_t k = 0; k < program_.outputs.size(); ++k)
      for (int src : node(static_cast<size_t>(program_.outputs[k])).src) {
        Program nearer = program_;
        nearer.outputs[k] = src;
        offer(canonical(nearer));
      }
  }

  // A node's operand in its place; the nodes behind adapt to its shape where they can.
  void bypass() {
    for (size_t n = program_.nodes.size(); n-- > 0;)
      for (size_t s = 0; s < node(n).src.size(); ++s)
        change_node(n, [&](Program& target, const Node& old, const std::vector<int>& src) {
          const Node operand = target.nodes[static_cast<size_t>(src[s])];
          if (operand.dtype == old.dtype) return src[s];
          return append(target, "cast", {src[s]}, {{"to", std::string(dtype_name(old.dtype))}});
        });
  }

  // A fresh source in the place of a node cuts off its history.
  void cut() {
    for (size_t n = program_.nodes.size(); n-- > 0;) {
      if (node(n).op->name == "input" || node(n).op->name == "full") continue;
      change_node(n, [](Program& target, const Node& old, const std::vector<int>&) {
        return append_source(target, "input", old.dtype, old.shape, {{"fill", std::string("small")}});
      });
      change_node(n, [](Program& target, const Node& old, const std::vector<int>&) {
        return append_source(target, "full", old.dtype, old.shape, {{"value", 1.0}});
      });
    }
    for (size_t n = 0; n < program_.nodes.size(); ++n)
      for (size_t m = 0; m < n; ++m)  // one source for two
        if (node(n).op->category == Category::source && node(m).op->category == Category::source &&
            node(n).dtype == node(m).dtype && node(n).shape == node(m).shape)
          offer(rebuild(program_, merged(n, m)));
  }

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

  // Each extent of a source smaller, alone and together with equal extents of the others.
  void extents() {
    for (const bool together : {true, false})
      for (size_t n = 0; n < program_.nodes.size(); ++n) {
        if (node(n).op->category != Category::source && node(n).op->name != "expand") continue;
        for (size_t d = 0; d < node(n).shape.size(); ++d)
          for (int64_t smaller : lower(node(n).shape[d])) resize(n, d, smaller, together);
      }
  }

  static std::vector<int64_t> lower(int64_t value) {
    std::vector<int64_t> values;
    for (int64_t smaller : {int64_t{1}, int64_t{2}, value / 2, value - 1})
      if (smaller >= 1 && smaller < value && std::ranges::find(values, smaller) == values.end())
        values.push_back(smaller);
    return values;
  }

  void resize(size_t position, size_t axis, int64_t extent, bool together) {
    const int64_t before = node(position).shape[axis];
    offer(rebuild(program_, [&](Program& target, const Node& old, size_t n, const std::vector<int>& src) {
      const bool source = old.op->category == Category::source;
      if (n != position && !(together && source)) return -1;
      if (!source) {
        Node copy = moved(old, src);
        Ints shape = target.nodes[static_cast<size_t>(src[0])].shape;
        if (shape.size() != old.shape.size()) return -1;
        for (size_t d = 0; d < shape.size(); ++d)
          if (shape[d] == 1) shape[d] = d == axis ? extent : old.shape[d];
        copy.attrs["shape"] = shape;
        return append(target, copy);
      }
      Node copy = moved(old);
      if (n == position) copy.shape[axis] = extent;
      if (together)
        for (int64_t& other : copy.shape)
          if (other == before) other = extent;
      return append(target, copy);
    }));
  }

  // An axis less in every source that has one of extent 1, or of all sources at once.
  void drop_axes() {
    size_t largest = 0;
    for (const Node& each : program_.nodes) largest = std::max(largest, each.shape.size());
    for (size_t axis = 0; axis < largest; ++axis)
      offer(rebuild(program_, [&](Program& target, const Node& old, size_t, const std::vector<int>& src) {
        return without_axis(target, old, axis, src);
      }));
    for (size_t n = 0; n < program_.nodes.size(); ++n) {
      if (node(n).op->category != Category::source) continue;
      for (size_t axis = 0; axis < node(n).shape.size(); ++axis)
        if (node(n).shape[axis] == 1 && node(n).op->name != "arange")
          change_node(n, [&](Program& target, const Node& old, const std::vector<int>&) {
            Node copy = moved(old);
            copy.shape.erase(copy.shape.begin() + static_cast<long>(axis));
            return append(target, copy);
          });
    }
  }

  // The node with axis `axis` of its shape taken out, when the same axis runs through its operands.
  static int without_axis(Program& target, const Node& old, size_t axis, const std::vector<int>& src) {
    Node copy = moved(old, src);
    const auto erase = [axis](auto& list) {
      if (axis < list.size()) list.erase(list.begin() + static_cast<long>(axis));
    };
    if (old.op->category == Category::source) {
      if (old.op->name == "arange") return -1;
      erase(copy.shape);
      return append(target, copy);
    }
    for (auto& [key, value] : copy.attrs) {
      if (auto* pairs = std::get_if<Pairs>(&value)) erase(*pairs);
      if (auto* number = std::get_if<int64_t>(&value); number && key == "axis") {
        if (*number == static_cast<int64_t>(axis)) return -1;
        *number -= *number > static_cast<int64_t>(axis);
      }
      auto* ints = std::get_if<Ints>(&value);
      if (!ints) continue;
      if (key == "shape" || key == "steps" || key == "repeats") {
        erase(*ints);
        continue;
      }
      if (key != "axes") return -1;  // windows: their axes are fixed
      std::erase(*ints, static_cast<int64_t>(axis));
      for (int64_t& each : *ints) each -= each > static_cast<int64_t>(axis);
      if (ints->empty()) return src[0];  // a reduce or flip of that axis only
    }
    return append(target, copy);
  }

  void with_attr(size_t n, const std::string& key, AttrValue value) {
    change_node(n, [&](Program& target, const Node& old, const std::vector<int>& src) {
      Node copy = moved(old, src);
      copy.attrs[key] = value;
      return append(target, copy);
    });
  }

  void attributes() {
    for (size_t n = 0; n < program_.nodes.size(); ++n) {
      for (const auto& [key, value] : node(n).attrs) {
        if (value == AttrValue(true)) with_attr(n, key, false);
        if (key == "start" && value != AttrValue(int64_t{0})) with_attr(n, key, int64_t{0});
        if (key == "step" && value != AttrValue(int64_t{1})) with_attr(n, key, int64_t{1});
        if (key == "value")
          for (double simple : {1.0, 0.0, 2.0})
            if (value != AttrValue(simple)) with_attr(n, key, simple);
        if (const auto* pairs = std::get_if<Pairs>(&value)) simplify_pairs(n, key, *pairs);
        if (const auto* ints = std::get_if<Ints>(&value)) simplify_ints(n, key, *ints);
        if (const auto* number = std::get_if<int64_t>(&value); number && *number != 0)
          simplify_int(n, key, *number);
      }
    }
  }

  void simplify_int(size_t n, const std::string& key, int64_t number) {
    if (key == "axis" || key == "diagonal") with_attr(n, key, int64_t{0});
    if (key == "diagonal" && std::abs(number) > 1) with_attr(n, key, number > 0 ? int64_t{1} : int64_t{-1});
    if (key != "k" && key != "classes" && key != "groups" && key != "below") return;
    for (int64_t smaller : lower(number)) with_attr(n, key, smaller);
  }

  void simplify_pairs(size_t n, const std::string& key, const Pairs& pairs) {
    const Shape& operand = node(static_cast<size_t>(node(n).src[0])).shape;
    for (size_t d = 0; d < pairs.size(); ++d) {
      const auto [first, second] = pairs[d];
      std::vector<std::pair<int64_t, int64_t>> simpler;
      if (key == "padding")
        simpler = {
            {0, 0}, {first, 0}, {0, second}, {std::min<int64_t>(first, 1), std::min<int64_t>(second, 1)}};
      else
        simpler = {{0, operand[d]}, {0, second - first}, {first, first + 1}, {0, 1}};
      for (const auto& pair : simpler) {
        if (pair == pairs[d] || (key != "padding" && pair.second > operand[d])) continue;
        Pairs changed = pairs;
        changed[d] = pair;
        with_attr(n, key, changed);
      }
    }
  }

  void simplify_ints(size_t n, const std::string& key, const Ints& ints) {
    if (key == "shape") {
      if (node(n).op->name == "reshape") simpler_reshapes(n, ints);
      return;
    }
    if (node(n).op->name == "permute") {
      for (size_t k = 0; k + 1 < ints.size(); ++k) {  // nearer to the identity
        Ints swapped = ints;
        std::swap(swapped[k], swapped[k + 1]);
        with_attr(n, key, swapped);
      }
      return;
    }
    if (key != "axes") {  // a number for each axis
      for (size_t k = 0; k < ints.size(); ++k)
        for (int64_t simple : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{-1}}) {
          Ints changed = ints;
          changed[k] = simple;
          if (simple != ints[k]) with_attr(n, key, changed);
        }
      return;
    }
    for (size_t k = 0; k < ints.size() && ints.size() > 1; ++k) {
      Ints fewer = ints;
      fewer.erase(fewer.begin() + static_cast<long>(k));
      with_attr(n, key, fewer);
    }
  }

  void simpler_reshapes(size_t n, const Ints& shape) {
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
      with_attr(n, "shape", fewer);
    }
  }

  // One dtype for every source that has `from`, and as the target of casts.
  void types() {
    for (const DType from : kAllDTypes)
      for (const DType to : {DType::f32, DType::i32, DType::f16, DType::i8, DType::u8}) {
        if (dtype_rank(to) >= dtype_rank(from)) continue;
        offer(rebuild(program_, [&](Program& target, const Node& old, size_t, const std::vector<int>& src) {
          const bool source = old.op->category == Category::source, cast = old.op->name == "cast";
          if (old.dtype != from || (!source && !cast)) return -1;
          Node copy = moved(old, src);
          copy.dtype = to;
          if (cast) copy.attrs["to"] = std::string(dtype_name(to));
          return append(target, copy);
        }));
      }
  }

  void fills() {
    for (size_t n = 0; n < program_.nodes.size(); ++n) {
      if (node(n).op->name != "input") continue;
      for (const char* fill : {"ones", "iota", "small", "positive"})
        if (fill_rank(fill) < fill_rank(node(n).attr<std::string>("fill")))
          change_node(n, [&](Program& target, const Node& old, const std::vector<int>&) {
            Node copy = moved(old);
            copy.attrs["fill"] = std::string(fill);
            copy.attrs["below"] = int64_t{0};
            return append(target, copy);
          });
      if (node(n).attr<int64_t>("seed") != 0) with_attr(n, "seed", int64_t{0});
    }
  }

  const Program& program_;
  Complexity limit_;
  std::set<std::string> seen_;
  std::vector<Program> candidates_;
};

}  // namespace

Complexity complexity(const Program& program) {
  Complexity result{operation_count(program),
                    static_cast<int64_t>(program.nodes.size()),
                    0,
                    0,
                    0,
                    0,
                    static_cast<int64_t>(program.outputs.size())};
  for (const Node& node : program.nodes) {
    result[2] += element_count(node.shape) * 8 + static_cast<int64_t>(node.shape.size());
    result[3] += attribute_size(node);
    result[5] += dtype_rank(node.dtype);
    if (node.op->name != "input") continue;
    result[4] += fill_rank(node.attr<std::string>("fill"));
  }
  return result;
}

std::vector<Program> shrink_candidates(const Program& program) { return Shrinker(program).run(); }

}  // namespace uopdiff
