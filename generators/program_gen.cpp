#include "generators/program_gen.h"

#include <algorithm>
#include <optional>

#include "generators/shrink.h"
#include "generators/steps.h"
#include "harness/program/fill.h"

namespace uopdiff {
namespace {

// An operation, and the dtype to take it on.
struct Feature {
  const OpInfo* op;
  DType dtype;
};

// Any operation; the less its weight the likelier, to make up for what other steps leave out.
const OpInfo* seldom_taken(Draw& draw) {
  static const auto [ops, weights] = [] {
    std::pair<std::vector<const OpInfo*>, std::vector<double>> all;
    for (const OpInfo& op : op_table()) {
      if (op.category == Category::source) continue;
      all.first.push_back(&op);
      all.second.push_back(1 / op.weight);
    }
    return all;
  }();
  return ops[draw.weighted(weights)];
}

class Generator {
 public:
  Generator(Draw draw, const Profile& profile) : bench_(draw, profile) {}

  Program run() {
    if (draw().chance(bench_.profile.featured)) feature_ = draw_feature();
    bench_.source(feature_ && draw().chance(0.5) ? feature_->dtype : bench_.dtype(), bench_.shape());
    // Small programs more often: most faults need few operations.
    const auto steps = static_cast<int>(1 + draw().weighted({2, 3, 4, 4, 3, 2, 2, 1}));
    const auto featured = draw().range(0, steps - 1);
    for (int k = 0; k < steps; ++k) {
      if (feature_ && k == featured)
        featured_step();
      else
        step();
    }
    choose_outputs();
    return canonical(bench_.program);
  }

 private:
  Draw& draw() { return bench_.draw; }
  const Node& node(int n) const { return bench_.node(n); }

  Feature draw_feature() {
    const auto& favourites = bench_.profile.favourites;
    const OpInfo* op = favourites.empty() || draw().chance(0.2) ? seldom_taken(bench_.draw)
                                                                : &get_op(draw().one_of(favourites));
    const DType usual = bench_.dtype();
    if (samples_on(*op, usual) && draw().chance(std::max(0.5, bench_.profile.unusual))) return {op, usual};
    std::vector<double> weights;
    for (DType each : kAllDTypes) {
      const bool common = each == DType::f32 || each == DType::i32 || each == DType::boolean;
      const auto named = std::ranges::count(bench_.profile.others, each);
      weights.push_back(samples_on(*op, each) ? static_cast<double>(named) + common : 0);
    }
    return {op, kAllDTypes[draw().weighted(weights)]};
  }

  void featured_step() {
    int n = bench_.any_of(feature_->dtype);
    for (int tries = 0; tries < 5 && feature_result_ < 0; ++tries) {
      const int result = sample(bench_, *feature_->op, n);
      if (node(result).op == feature_->op) feature_result_ = result;
      n = bench_.source(feature_->dtype, bench_.shape());  // for what does not fit n
    }
  }

  void step() {
    const Profile& p = bench_.profile;
    const int n = bench_.any();
    using enum Category;
    static const std::vector<Category> kinds{movement,          unary,   binary,
                                             Category::compare, ternary, Category::cast,
                                             Category::reduce,  scan,    composite};
    const size_t kind = draw().weighted({p.movement, p.unary, p.binary, p.compare, p.ternary, p.cast,
                                         p.reduce, p.scan, p.composite, p.boundary, p.chain});
    if (kind < kinds.size())
      apply_any(bench_, kinds[kind], n);
    else if (kind == kinds.size())
      apply_boundary(bench_, n);
    else
      apply_chain(bench_, n);
  }

  // Whether each node depends on node n.
  std::vector<bool> dependents(int n) const {
    std::vector<bool> result(bench_.program.nodes.size(), false);
    result[static_cast<size_t>(n)] = true;
    for (size_t k = 0; k < result.size(); ++k)
      for (int src : bench_.program.nodes[k].src)
        if (result[static_cast<size_t>(src)]) result[k] = true;
    return result;
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
    put_the_feature_last(ends);
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

  void put_the_feature_last(std::vector<int>& ends) const {
    if (feature_result_ < 0) return;
    const std::vector<bool> depends = dependents(feature_result_);
    std::ranges::stable_partition(ends, [&](int end) { return !depends[static_cast<size_t>(end)]; });
  }

  Workbench bench_;
  std::optional<Feature> feature_;
  int feature_result_ = -1;
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
