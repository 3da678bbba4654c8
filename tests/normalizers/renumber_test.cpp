// Renumbering and reordering a kernel's nodes changes nothing; changing an index constant is always seen.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "kernels.h"

namespace uopdiff {
namespace {

using nlohmann::json;

// A kernel with two loops, a reduce and a gate, of random extents.
json random_kernel() {
  const auto extent = [] { return *rc::gen::inRange<int64_t>(1, 5); };
  const int64_t m = extent(), n = extent(), depth = extent(), valid = *rc::gen::inRange<int64_t>(1, m + 1);
  test::KernelBuilder k;
  const int out = k.buffer("output", "0", m * n), a = k.buffer("input", "a", m * depth),
            b = k.buffer("input", "b", depth * n);
  const int i = k.range(0, m, "LOOP"), j = k.range(1, n, "LOOP"), r = k.range(2, depth, "REDUCE");
  const int gate = k.op("CMPLT", {i, k.index_constant(valid)}, "bool");
  const int x = k.op("WHERE", {gate, k.load(a, k.plus(k.affine(depth, i), r)), k.real(0)});
  const int product = k.op("MUL", {x, k.load(b, k.plus(k.affine(n, r), j))});
  k.store(k.load(out, k.plus(k.affine(n, i), j)), k.reduce("ADD", {product, r}), {i, j});
  return k.json();
}

// Another topological order, and other axis ids.
json shuffled(const json& kernel) {
  const json& graph = kernel["graph"];
  std::vector<size_t> order, ready;
  std::vector<bool> placed(graph.size(), false);
  while (order.size() < graph.size()) {
    ready.clear();
    for (size_t n = 0; n < graph.size(); ++n) {
      const bool free =
          std::ranges::all_of(graph[n][3], [&](const json& src) { return placed[src.get<size_t>()]; });
      const bool last = n + 1 == graph.size() && order.size() + 1 < graph.size();
      if (!placed[n] && free && !last) ready.push_back(n);
    }
    const size_t chosen =
        ready[static_cast<size_t>(*rc::gen::inRange<int>(0, static_cast<int>(ready.size())))];
    placed[chosen] = true;
    order.push_back(chosen);
  }
  std::vector<size_t> position(graph.size());
  for (size_t n = 0; n < order.size(); ++n) position[order[n]] = n;
  json result = kernel;
  result["graph"] = json::array();
  const int shift = *rc::gen::inRange(0, 20);
  for (size_t old : order) {
    json node = graph[old];
    for (json& src : node[3]) src = position[src.get<size_t>()];
    if (node[0] == "RANGE") node[2][0] = 20 - node[2][0].get<int>() + shift;
    result["graph"].push_back(node);
  }
  return result;
}

RC_GTEST_PROP(NormalForm, RenumberingIsNoDifference, ()) {
  const json kernel = random_kernel();
  RC_ASSERT(test::paths(test::form_of({kernel}), test::form_of({shuffled(kernel)})).empty());
}

RC_GTEST_PROP(NormalForm, AChangedStrideOrOffsetIsAlwaysSeen, ()) {
  const json kernel = random_kernel();
  json mutant = kernel;
  // An offset of one in a load, as a node between the index and its INDEX.
  std::vector<size_t> loads;
  const auto& graph = kernel["graph"];
  for (size_t n = 0; n < graph.size(); ++n)
    if (graph[n][0] == "INDEX" && graph[n][3][0] != 0) loads.push_back(n);
  const size_t load = loads[static_cast<size_t>(*rc::gen::inRange<int>(0, static_cast<int>(loads.size())))];
  json changed = json::array();
  std::vector<int> position;
  for (size_t n = 0; n < graph.size(); ++n) {
    json node = graph[n];
    for (json& src : node[3]) src = position[src.get<size_t>()];
    if (n == load) {
      changed.push_back({"CONST", "index", 1, json::array()});
      changed.push_back({"ADD", "index", nullptr, {node[3][1], changed.size() - 1}});
      node[3][1] = changed.size() - 1;
    }
    changed.push_back(node);
    position.push_back(static_cast<int>(changed.size()) - 1);
  }
  mutant["graph"] = changed;
  const auto paths = test::paths(test::form_of({kernel}), test::form_of({mutant}));
  RC_ASSERT(!paths.empty());
  RC_ASSERT(paths[0].starts_with("out-of-bounds") || paths[0].starts_with("access") ||
            paths[0].starts_with("expression"));
}

}  // namespace
}  // namespace uopdiff
