#include "generators/program_gen.h"

#include <algorithm>
#include <map>

#include "generators/operands.h"
#include "generators/shrink.h"
#include "harness/program/fill.h"
#include "harness/program/op_table.h"

namespace uopdiff {
namespace {

class Generator {
 public:
  Generator(Draw draw, const Profile& profile) : bench_(draw, profile) {}

  Program run() {
    bench_.source(bench_.dtype(), bench_.shape());
    // Small programs more often: most faults need few operations.
    const auto steps = static_cast<int>(1 + bench_.draw.weighted({2, 3, 4, 4, 3, 2, 2, 1}));
    for (int k = 0; k < steps; ++k) step();
    choose_outputs();
    return canonical(bench_.program);
  }

 private:
  Draw& draw() { return bench_.draw; }
  const Node& node(int n) const { return bench_.node(n); }
  int64_t rank(int n) const { return static_cast<int64_t>(node(n).shape.size()); }
  int64_t axis(int n) { return draw().range(0, rank(n) - 1); }

  const OpInfo& pick(Category category, DType dtype) {
    std::vector<const OpInfo*> fitting;
    std::vector<double> weights;
    for (const OpInfo& op : op_table())
      if (op.category == category && op.takes(dtype)) {
        fitting.push_back(&op);
        weights.push_back(op.weight);
      }
    return *fitting[draw().weighted(weights)];
  }

  void step() {
    const Profile& p = bench_.profile;
    const int n = bench_.any();
    switch (draw().weighted(
        {p.movement, p.unary, p.binary, p.compare, p.ternary, p.cast, p.reduce, p.composite, p.chain})) {
      case 0:
        movement(n);
        break;
      case 1:
        unary(n);
        break;
      case 2:
        binary(n);
        break;
      case 3:
        append(bench_.program,
               pick(Category::compare, node(n).dtype == DType::boolean ? DType::boolean : node(n).dtype).name,
               {n, bench_.partner(n)});
        break;
      case 4:
        where(n);
        break;
      case 5:
        append(bench_.program, "cast", {n},
               {{"to",
                 std::string(dtype_name(draw().one_of<DType>({DType::boolean, DType::i32, DType::f32})))}});
        break;
      case 6:
        reduce(n);
        break;
      case 7:
        composite(n);
        break;
      default:
        chain(n);
    }
  }

  // ---- movement

  int movement(int n) { return move(n, pick(Category::movement, node(n).dtype).name); }

  int move(int n, const std::string& op) {
    Program& p = bench_.program;
    if (op == "reshape") return append(p, op, {n}, {{"shape", reshaped(n)}});
    if (op == "permute") return append(p, op, {n}, {{"axes", shuffled(n)}});
    if (op == "expand") return expand(n);
    if (op == "pad") return pad(n);
    if (op == "shrink") return shrink(n);
    if (op == "flip") return rank(n) == 0 ? n : append(p, op, {n}, {{"axes", some_axes(n)}});
    if (op == "cat") return cat(n);
    return append(p, op, {n});
  }

  Ints shuffled(int n) {
    Ints axes;
    for (int64_t d = 0; d < rank(n); ++d) axes.insert(axes.begin() + draw().range(0, d), d);
    return axes;
  }

  Ints some_axes(int n) {
    Ints axes;
    for (int64_t d = 0; d < rank(n); ++d)
      if (draw().chance(0.45)) axes.push_back(d);
    if (axes.empty()) axes.push_back(axis(n));
    return axes;
  }

  // The element count cut into factors anew, so that axes split and merge unevenly.
  Ints reshaped(int n) {
    int64_t rest = element_count(node(n).shape);
    Ints factors;
    for (int64_t divisor = 2; divisor <= rest;) {
      if (rest % divisor == 0) {
        factors.push_back(divisor);
        rest /= divisor;
      } else {
        ++divisor;
      }
    }
    Shape shape(
        static_cast<size_t>(draw().range(
            factors.empty() ? 0 : 1,
            std::min<int64_t>(kMaxRank, std::max<int64_t>(1, static_cast<int64_t>(factors.size()) + 1)))),
        1);
    for (int64_t factor : factors)
      shape[static_cast<size_t>(draw().range(0, static_cast<int64_t>(shape.size()) - 1))] *= factor;
    return shape;
  }

  int expand(int n) {
    Shape shape = node(n).shape;
    if (std::ranges::find(shape, 1) == shape.end()) {
      if (shape.size() >= kMaxRank) return n;
      shape.insert(shape.begin() + draw().range(0, static_cast<int64_t>(shape.size())), 1);
      n = append(bench_.program, "reshape", {n}, {{"shape", shape}});
    }
    bool grown = false;
    for (int64_t& extent : shape)
      if (extent == 1 && (!grown || draw().chance(0.4))) {
        extent = draw().range(2, 5);
        grown = true;
      }
    if (element_count(shape) > bench_.largest()) return n;
    return append(bench_.program, "expand", {n}, {{"shape", shape}});
  }

  int pad(int n) {
    if (rank(n) == 0) return n;
    Pairs padding(node(n).shape.size());
    Shape shape = node(n).shape;
    const int64_t sure = axis(n);
    for (int64_t d = 0; d < rank(n); ++d) {
      if (d != sure && !draw().chance(0.35)) continue;
      auto& [before, behind] = padding[static_cast<size_t>(d)];
      before = draw().range(0, 2);
      behind = draw().range(before == 0 ? 1 : 0, 2);
      shape[static_cast<size_t>(d)] += before + behind;
    }
    if (element_count(shape) > bench_.largest()) return n;
    return append(bench_.program, "pad", {n}, {{"padding", padding}});
  }

  int shrink(int n) {
    if (rank(n) == 0) return n;
    Pairs bounds;
    const int64_t sure = axis(n);
    for (int64_t d = 0; d < rank(n); ++d) {
      const int64_t extent = node(n).shape[static_cast<size_t>(d)];
      if (d != sure && !draw().chance(0.35)) {
        bounds.emplace_back(0, extent);
        continue;
      }
      const int64_t begin = draw().range(0, extent - 1);
      bounds.emplace_back(begin, draw().range(begin + 1, extent));
    }
    return append(bench_.program, "shrink", {n}, {{"bounds", bounds}});
  }

  int cat(int n) {
    if (rank(n) == 0) return n;
    const int64_t along = axis(n);
    std::vector<int> parts{n};
    const int64_t count = draw().range(2, 3);
    while (static_cast<int64_t>(parts.size()) < count) {
      int part = draw().chance(0.3) ? n : bench_.partner(n);
      if (draw().chance(0.4) && node(n).shape[static_cast<size_t>(along)] > 1) {  // parts of unlike extents
        Pairs bounds;
        for (int64_t extent : node(n).shape) bounds.emplace_back(0, extent);
        bounds[static_cast<size_t>(along)].second =
            draw().range(1, bounds[static_cast<size_t>(along)].second - 1);
        part = append(bench_.program, "shrink", {part}, {{"bounds", bounds}});
      }
      parts.push_back(part);
    }
    if (element_count(node(n).shape) * count > bench_.largest()) return n;
    return append(bench_.program, "cat", parts, {{"axis", along}});
  }

  // ---- elementwise

  void unary(int n) {
    const OpInfo& op = pick(Category::unary, node(n).dtype);
    if (op.name == "log" || op.name == "log2" || op.name == "sqrt" || op.name == "reciprocal")
      n = bench_.positive(n);
    if (op.name == "exp" || op.name == "exp2") n = bench_.moderate(n);
    append(bench_.program, op.name, {n});
  }

  void binary(int n) {
    const OpInfo& op = pick(Category::binary, node(n).dtype);
    const Shape shape = node(n).shape;
    int other;
    if (op.name.find("mod") != std::string::npos ||
        (op.name.find("div") != std::string::npos && op.name != "div"))
      other = bench_.nonzero(shape);
    else if (op.name == "shl" || op.name == "shr")
      other = bench_.shift_amount(shape);
    else if (op.name == "div")
      other = bench_.positive(bench_.partner(n));
    else
      other = bench_.partner(n);
    append(bench_.program, op.name, {n, other});
  }

  void where(int n) {
    int condition;
    if (node(n).dtype != DType::boolean && draw().chance(0.6)) {
      condition = append(bench_.program, draw().chance(0.7) ? "lt" : "ne", {n, bench_.partner(n)});
    } else {
      condition = bench_.to_shape(bench_.any_of(DType::boolean), node(n).shape);
    }
    append(bench_.program, "where", {condition, n, bench_.partner(n)});
  }

  // ---- reduce and composite

  int reduce(int n) {
    if (node(n).dtype == DType::boolean) n = bench_.to_dtype(n, DType::i32);
    if (rank(n) == 0) return n;
    const OpInfo& op = pick(Category::reduce, node(n).dtype);
    return append(bench_.program, op.name, {n}, {{"axes", some_axes(n)}, {"keepdim", draw().chance(0.5)}});
  }

  void composite(int n) {
    if (node(n).dtype == DType::boolean) n = bench_.to_dtype(n, DType::f32);
    const OpInfo& op = pick(Category::composite, node(n).dtype);
    Program& p = bench_.program;
    if (op.name == "matmul") return matmul(n);
    if (rank(n) == 0) return;
    if (op.name == "mean") {
      append(p, op.name, {n}, {{"axes", some_axes(n)}, {"keepdim", draw().chance(0.5)}});
      return;
    }
    const int64_t along = axis(n);
    if (op.name == "softmax") n = bench_.moderate(n);
    if (op.name == "cumsum" &&
        element_count(node(n).shape) * node(n).shape[static_cast<size_t>(along)] > kMaxExpanded)
      return;
    append(p, op.name, {n}, {{"axis", along}});
  }

  void matmul(int n) {
    Shape shape = node(n).shape;
    while (shape.size() < 2) shape.insert(shape.begin(), 1);
    n = bench_.to_shape(n, shape);
    Shape other(shape.begin(), shape.end() - 2);
    const int64_t columns = draw().range(1, 6);
    other.insert(other.end(), {shape.back(), columns});
    if (element_count(shape) * columns > kMaxExpanded || element_count(other) > bench_.largest()) return;
    const int right = draw().chance(0.5) ? bench_.to_shape(bench_.any_of(node(n).dtype), other)
                                         : bench_.source(node(n).dtype, other);
    append(bench_.program, "matmul", {n, right});
  }

  // ---- what public bug reports are made of

  void chain(int n) {
    Program& p = bench_.program;
    if (rank(n) == 0) n = expand(n);
    switch (draw().range(0, 7)) {
      case 0:
        reduce(pad(n));
        break;
      case 1: {  // reduce, spread over the source's shape again, combine
        if (node(n).dtype == DType::boolean) n = bench_.to_dtype(n, DType::i32);
        const OpInfo& op = pick(Category::reduce, node(n).dtype);
        const int reduced = append(p, op.name, {n}, {{"axes", some_axes(n)}, {"keepdim", true}});
        const int spread = node(reduced).shape == node(n).shape
                               ? reduced
                               : append(p, "expand", {reduced}, {{"shape", node(n).shape}});
        append(p, draw().chance(0.5) ? "sub" : "mul", {n, spread});
        break;
      }
      case 2:
        reduce(expand(n));
        break;
      case 3: {
        const int turned = move(n, "permute");
        append(p, "reshape", {turned}, {{"shape", reshaped(turned)}});
        break;
      }
      case 4: {  // two reduces of one source
        const int first = reduce(n), second = reduce(n);
        append(p, "add",
               {first, bench_.to_shape(bench_.to_dtype(second, node(first).dtype), node(first).shape)});
        if (node(first).dtype == DType::boolean) break;
        break;
      }
      case 5:
        reduce(reduce(n));
        break;
      case 6:
        reduce(move(n, "flip"));
        break;
      default:
        movement(append(p, "contiguous", {movement(n)}));
    }
  }

  void choose_outputs() {
    Program& p = bench_.program;
    std::vector<bool> used(p.nodes.size(), false);
    for (const Node& each : p.nodes)
      for (int src : each.src) used[static_cast<size_t>(src)] = true;
    std::vector<int> ends, others;
    for (size_t n = 0; n < p.nodes.size(); ++n) {
      if (p.nodes[n].op->category == Category::source) continue;
      (used[n] ? others : ends).push_back(static_cast<int>(n));
    }
    if (ends.empty()) ends.push_back(static_cast<int>(p.nodes.size()) - 1);
    p.outputs = {ends.back()};
    if (!draw().chance(bench_.profile.several_outputs)) return;
    ends.pop_back();
    std::vector<int> more = ends;
    more.insert(more.end(), others.begin(), others.end());
    for (int64_t k = draw().range(1, 2); k > 0 && !more.empty(); --k) {
      const auto at = draw().range(0, static_cast<int64_t>(more.size()) - 1);
      p.outputs.push_back(more[static_cast<size_t>(at)]);
      more.erase(more.begin() + at);
    }
  }

  Workbench bench_;
};

bool too_large(const Program& program) {
  for (const Node& node : expand_composites(program).nodes)
    if (element_count(node.shape) > kMaxExpanded) return true;
  return false;
}

Program generate_one(const rc::Random& random, const Profile& profile) {
  rc::Random source = random;
  while (true) {
    // Only an expansion can come out too large, which is rare; the next split draws again.
    Program program = Generator(Draw(source.split()), profile).run();
    if (!too_large(program)) return program;
  }
}

}  // namespace

rc::Gen<Program> program_gen(const Profile& profile) {
  return rc::Gen<Program>([profile](const rc::Random& random, int) {
    return rc::shrinkable::shrinkRecur(generate_one(random, profile), [](const Program& program) {
      return rc::seq::fromContainer(shrink_candidates(program));
    });
  });
}

Generated generate(const std::string& profile, uint64_t seed, uint64_t index) {
  rc::Random random(mix64(mix64(seed) ^ index));
  if (profile != "mixed") return {generate_one(random, get_profile(profile)), profile};
  const auto at = Draw(random.split()).weighted({5, 4, 4, 3, 1.5, 2, 2});
  return {generate_one(random, profiles()[at]), profiles()[at].name};
}

}  // namespace uopdiff
