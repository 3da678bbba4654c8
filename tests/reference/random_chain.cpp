#include "tests/reference/random_chain.h"

#include <algorithm>
#include <array>
#include <optional>
#include <random>

#include "harness/program/error.h"
#include "harness/program/op_table.h"

namespace uopdiff {
namespace {

class Chain {
 public:
  explicit Chain(uint64_t seed) : random_(seed) {}

  Program run() {
    const DType dtype = kAllDTypes[below(std::size(kAllDTypes))];
    Shape shape;
    for (uint64_t rank = below(4); rank > 0; --rank) shape.push_back(below(9) == 0 ? 0 : 1 + integer(4));
    for (int k = 0; k < 3; ++k) input(k == 2 ? kAllDTypes[below(std::size(kAllDTypes))] : dtype, shape);
    const std::vector<OpInfo>& table = op_table();
    const uint64_t steps = 1 + below(7);
    for (uint64_t made = 0, tries = 0; made < steps && tries < 400; ++tries) {
      const size_t before = program_.nodes.size();
      try {
        made += add(table[below(table.size())]);
      } catch (const Error&) {
        program_.nodes.resize(before);
      }
    }
    program_.outputs = {static_cast<int>(program_.nodes.size()) - 1};
    if (program_.nodes.size() > 4) program_.outputs.push_back(static_cast<int>(program_.nodes.size()) - 2);
    return canonical(program_);
  }

 private:
  uint64_t below(uint64_t n) { return random_() % n; }
  int64_t integer(uint64_t n) { return static_cast<int64_t>(below(n)); }
  const Node& at(int position) const { return program_.nodes[static_cast<size_t>(position)]; }

  int input(DType dtype, const Shape& shape) {
    static constexpr std::array kFills{"small",   "uniform", "positive", "unit",
                                       "special", "small",   "positive"};
    return append_source(program_, "input", dtype, shape,
                         {{"fill", std::string(kFills[below(kFills.size())])}, {"seed", integer(1000)}});
  }

  int any_node() {
    const uint64_t count = program_.nodes.size(),
                   back = below(3) ? below(std::min<uint64_t>(count, 3)) : below(count);
    return static_cast<int>(count - 1 - back);
  }
  // Of that dtype and shape, an existing one where there is one.
  int like(DType dtype, const Shape& shape) {
    for (int tries = 0; tries < 6; ++tries) {
      const int node = any_node();
      if (at(node).dtype == dtype && at(node).shape == shape) return node;
    }
    return input(dtype, shape);
  }

  std::optional<Attrs> attrs_of(const OpInfo& op, const Node& x) {
    Attrs attrs;
    const auto rank = static_cast<int64_t>(x.shape.size());
    for (const AttrSpec& spec : op.attrs) {
      if (spec.fallback && below(2)) continue;
      const std::string& key = spec.name;
      if (key == "axis") {
        attrs[key] = rank > 0 ? integer(static_cast<uint64_t>(rank)) : 0;
      } else if (key == "axes") {
        Ints axes;
        for (int64_t d = 0; d < rank; ++d)
          if (op.name == "permute" || below(2)) axes.push_back(d);
        if (op.name == "permute") std::ranges::shuffle(axes, random_);
        attrs[key] = axes;
      } else if (key == "padding" || key == "bounds") {
        Pairs pairs;
        for (int64_t extent : x.shape) {
          const int64_t begin = integer(static_cast<uint64_t>(extent) + 1);
          if (key == "bounds")
            pairs.emplace_back(begin, begin + integer(static_cast<uint64_t>(extent - begin) + 1));
          else
            pairs.emplace_back(integer(3), integer(3));
        }
        attrs[key] = pairs;
      } else if (key == "shape") {
        Shape shape = x.shape;
        if (op.name == "expand") {
          for (int64_t& extent : shape)
            if (extent == 1) extent = integer(4);
        } else if (below(2)) {
          shape = {element_count(x.shape)};
        } else {
          std::ranges::shuffle(shape, random_);
          shape.push_back(1);
        }
        attrs[key] = shape;
      } else if (key == "to") {
        attrs[key] = std::string(dtype_name(kAllDTypes[below(std::size(kAllDTypes))]));
      } else if (key == "steps" || key == "repeats") {
        Ints ints;
        for (int64_t d = 0; d < rank; ++d)
          ints.push_back(key == "repeats" ? 1 + integer(3) : std::array{-2, -1, 1, 2}[below(4)]);
        attrs[key] = ints;
      } else if (key == "min" || key == "max") {
        attrs[key] = key == "min" ? 1.0 : 3.0;
      } else if (spec.kind == AttrKind::number) {
        attrs[key] = 0.5;
      } else if (spec.kind == AttrKind::boolean) {
        attrs[key] = below(2) == 0;
      } else if (spec.kind == AttrKind::integer) {
        attrs[key] = integer(3);
      } else {
        return std::nullopt;
      }
    }
    return attrs;
  }

  bool add(const OpInfo& op) {
    if (op.category == Category::source || op.name.starts_with("assign")) return false;
    const int first = any_node();
    const Node x = at(first);
    if (!op.takes(x.dtype)) return false;
    const auto attrs = attrs_of(op, x);
    if (!attrs) return false;
    std::vector<int> src{first};
    if (op.name == "where") {
      const DType dtype = below(2) ? at(any_node()).dtype : kAllDTypes[below(std::size(kAllDTypes))];
      src.push_back(like(dtype, x.shape));
    }
    const auto arity = static_cast<size_t>(op.min_arity + (op.max_arity > op.min_arity ? integer(2) : 0));
    while (src.size() < arity) src.push_back(like(at(src.back()).dtype, x.shape));
    append(program_, op.name, src, *attrs);
    return true;
  }

  std::mt19937_64 random_;
  Program program_;
};

}  // namespace

Program random_chain(uint64_t seed, uint64_t index) { return Chain((seed << 32) + index).run(); }

}  // namespace uopdiff
