#include "generators/program_gen.h"

#include <algorithm>

#include "generators/samplers.h"
#include "generators/shrink.h"
#include "harness/program/fill.h"

namespace uopdiff {
namespace {

class Generator {
 public:
  Generator(Draw draw, const Profile& profile) : bench_(draw, profile) {}

  Program run() {
    bench_.source(bench_.dtype(), bench_.shape());
    // Small programs more often: most faults need few operations.
    const auto steps = static_cast<int>(1 + draw().weighted({2, 3, 4, 4, 3, 2, 2, 1}));
    for (int k = 0; k < steps; ++k) step();
    choose_outputs();
    return canonical(bench_.program);
  }

 private:
  Draw& draw() { return bench_.draw; }
  const Node& node(int n) const { return bench_.node(n); }
  int apply(const std::string& op, int n) { return sample(bench_, get_op(op), n); }

  void step() {
    const Profile& p = bench_.profile;
    const int n = bench_.any();
    using enum Category;
    static const std::vector<Category> kinds{movement,          unary,   binary,
                                             Category::compare, ternary, Category::cast,
                                             Category::reduce,  scan,    composite};
    const size_t kind = draw().weighted({p.movement, p.unary, p.binary, p.compare, p.ternary, p.cast,
                                         p.reduce, p.scan, p.composite, p.boundary, p.chain});
    if (kind == kinds.size()) return boundary(n);
    if (kind > kinds.size()) return chain(n);
    any_of_category(kinds[kind], n);
  }

  // What the dtype does not allow is done on a cast of it.
  int any_of_category(Category category, int n) {
    const OpInfo* op = pick(bench_, category, node(n).dtype);
    if (op && op->name == "where") return where(n);
    if (op && is_boundary(*op)) op = &get_op("contiguous");
    if (!op || (category == Category::composite && node(n).dtype != DType::f32 && draw().chance(0.15))) {
      n = bench_.to_dtype(n, draw().chance(0.6) ? DType::f32 : DType::i32);
      op = pick(bench_, category, node(n).dtype);
    }
    return op ? sample(bench_, *op, n) : n;
  }

  static bool is_boundary(const OpInfo& op) {
    return op.name == "realize" || op.name == "detach" || op.name.starts_with("assign");
  }

  void boundary(int n) {
    static const std::vector<std::string> names{"realize", "detach", "contiguous", "assign", "assign_view"};
    apply(names[draw().weighted({3, 1, 2, 2, 2})], n);
  }

  int where(int n) {
    int condition;
    if (node(n).dtype != DType::boolean && draw().chance(0.6))
      condition = sample(bench_, *pick(bench_, Category::compare, node(n).dtype), n);
    else
      condition = bench_.to_shape(bench_.any_of(DType::boolean), node(n).shape);
    if (node(condition).dtype != DType::boolean) return n;
    return append(bench_.program, "where", {condition, n, bench_.partner(n)});
  }

  int reduce(int n) {
    if (node(n).dtype == DType::boolean && draw().chance(0.4)) n = bench_.to_dtype(n, DType::i32);
    return any_of_category(Category::reduce, n);
  }

  // ---- what public bug reports are made of

  void chain(int n) {
    if (bench_.rank(n) == 0) n = apply("expand", n);
    switch (draw().range(0, 9)) {
      case 0:
        reduce(apply("pad", n));
        break;
      case 1:
        spread_reduce(n);
        break;
      case 2:
        reduce(apply("expand", n));
        break;
      case 3:
        apply("reshape", apply("permute", n));
        break;
      case 4:
        sibling_reduces(n);
        break;
      case 5:
        reduce(reduce(n));
        break;
      case 6:
        reduce(apply("flip", n));
        break;
      case 7:  // the same value on two ways
        any_of_category(Category::binary, any_of_category(Category::unary, n));
        break;
      case 8:
        reduce(any_of_category(Category::scan, n));
        break;
      default:
        any_of_category(Category::movement, apply("contiguous", any_of_category(Category::movement, n)));
    }
  }

  // Reduced, spread over the source's shape again, combined.
  void spread_reduce(int n) {
    if (node(n).dtype == DType::boolean) n = bench_.to_dtype(n, DType::i32);
    if (bench_.rank(n) == 0 || element_count(node(n).shape) == 0) return;
    static const std::vector<std::string> names{"sum", "max", "min", "prod"};
    const std::string& name = names[draw().weighted({4, 2, 2, 1})];
    const int reduced =
        append(bench_.program, name, {n}, {{"axes", some_axes(bench_, n)}, {"keepdim", true}});
    const int spread = node(reduced).shape == node(n).shape
                           ? reduced
                           : append(bench_.program, "expand", {reduced}, {{"shape", node(n).shape}});
    append(bench_.program, draw().chance(0.5) ? "sub" : "mul", {n, spread});
  }

  void sibling_reduces(int n) {
    if (node(n).dtype == DType::boolean) n = bench_.to_dtype(n, DType::i32);
    const int first = reduce(n), second = reduce(n);
    if (node(first).dtype == DType::boolean) return;
    append(bench_.program, "add",
           {first, bench_.to_shape(bench_.to_dtype(second, node(first).dtype), node(first).shape)});
  }

  void choose_outputs() {
    Program& p = bench_.program;
    std::vector<bool> used(p.nodes.size(), false);
    for (const Node& each : p.nodes)
      for (int src : each.src) used[static_cast<size_t>(src)] = true;
    std::vector<int> ends, others;
    for (auto n = static_cast<size_t>(bench_.first_usable()); n < p.nodes.size(); ++n) {
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

bool is_fine(const Program& program) {
  if (operation_count(program) == 0) return false;
  for (const Node& node : program.nodes)
    if (element_count(node.shape) > kMaxWideElements || node.shape.size() > kMaxRank) return false;
  for (const Node& node : expand_composites(program).nodes)
    if (element_count(node.shape) > kMaxExpanded) return false;
  return true;
}

Program generate_one(const rc::Random& random, const Profile& profile) {
  rc::Random source = random;
  while (true) {
    // Too large, or nothing but sources: rare; the next split draws again.
    Program program = Generator(Draw(source.split()), profile).run();
    if (is_fine(program)) return program;
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
  std::vector<double> shares;
  for (const Profile& each : profiles()) shares.push_back(each.share);
  const Profile& drawn = profiles()[Draw(random.split()).weighted(shares)];
  return {generate_one(random, drawn), drawn.name};
}

}  // namespace uopdiff
