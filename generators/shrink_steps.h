// The parts of shrink_candidates, one function for a kind of step; used by shrink*.cpp only.
#pragma once

#include <functional>
#include <set>

#include "generators/rebuild.h"
#include "generators/shrink.h"
#include "harness/program/op_table.h"

namespace uopdiff {

// Collects candidates: only those that are simpler, each once.
class Candidates {
 public:
  explicit Candidates(const Program& original);

  const Program& program;
  const Node& node(size_t n) const { return program.nodes[n]; }
  const Node& operand(size_t n, size_t k) const { return node(static_cast<size_t>(node(n).src[k])); }

  void offer(const std::optional<Program>& candidate);

  // A change of one node; the others follow. `f` appends what it wants and returns what stands for the node;
  // what it throws as Error means: no candidate.
  using NodeChange = std::function<int(Program& target, const Node& old, const std::vector<int>& src)>;
  void change_node(size_t position, const NodeChange& f);
  void with_attr(size_t position, const std::string& key, const AttrValue& value);

  std::vector<Program> take() { return std::move(found_); }

 private:
  Complexity limit_;
  bool sees_overwritten_;
  std::set<std::string> seen_;
  std::vector<Program> found_;
};

// The node on its operands in a program that is being rebuilt, for a change of its attributes or shape.
Node moved(const Node& old, std::vector<int> src = {});

// Values below `value`, big steps first: 1, 2, its half, one less.
std::vector<int64_t> lower(int64_t value);

bool is_source(const Node& node);

void drop_outputs(Candidates& found);
void bypass_nodes(Candidates& found);        // an operand in a node's place
void cut_nodes(Candidates& found);           // a source in a node's place, one source for two
void plainer_operations(Candidates& found);  // another operation, the definition, fewer operands
void lower_extents(Candidates& found);
void drop_axes(Candidates& found);
void simpler_attributes(Candidates& found);
void simpler_data(Candidates& found);  // dtypes and fills

}  // namespace uopdiff
