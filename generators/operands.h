// A program under construction: sources, and values brought to a wanted dtype, shape or domain.
#pragma once

#include <string>

#include "generators/draw.h"
#include "generators/profile.h"
#include "harness/program/op_table.h"
#include "harness/program/program.h"

namespace uopdiff {

// Limits of every generated program.
inline constexpr int64_t kMaxExtent = 8;
inline constexpr int64_t kMaxElements = 4096;       // of a node, unless one extent lies beyond a threshold
inline constexpr int64_t kMaxWideElements = 20000;  // then
inline constexpr int64_t kMaxExpanded = 65536;      // of any node once composites are expanded
inline constexpr int kMaxRank = 6;

class Workbench {
 public:
  Workbench(Draw draw, const Profile& profile);

  Program program;
  Draw draw;
  const Profile& profile;

  // The reference dies with the next append: shapes are passed by value for that reason.
  const Node& node(int n) const { return program.nodes[static_cast<size_t>(n)]; }
  int64_t rank(int n) const { return static_cast<int64_t>(node(n).shape.size()); }
  int64_t axis(int n) { return draw.range(0, rank(n) - 1); }
  int64_t largest() const { return wide_ ? kMaxWideElements : kMaxElements; }

  Shape shape();  // of a fresh source
  DType dtype();
  int source(DType dtype, Shape shape);  // an input, or a source without a buffer
  int input(DType dtype, Shape shape, const std::string& fill);
  int indices(Shape shape, int64_t below);  // i32, nearly always in 0..below-1
  int full(DType dtype, Shape shape, double value);

  int any();                // an earlier node that may still be used, later ones more often
  int any_of(DType dtype);  // likewise, or a fresh source
  int to_dtype(int n, DType dtype);
  // `n`'s values in `shape`, by reshape and expand where that is possible; else a fresh source.
  int to_shape(int n, Shape wanted);
  int partner(int n);                   // something of n's dtype and shape, often n itself or made of it
  int in_domain(int n, Domain domain);  // of n's dtype and shape, n itself now and then even if it is outside
  int with_rank(int n, int64_t least);  // n with axes of extent 1 in front

  // Nodes up to this one have been overwritten by an assign and must not be seen any more.
  void forget_before(int n) { first_usable_ = n; }
  int first_usable() const { return first_usable_; }

 private:
  std::string fill();
  int computed_indices(const Shape& shape, int64_t below);
  bool wide_ = false, wide_used_ = false, empty_ = false;
  int first_usable_ = 0;
};

}  // namespace uopdiff
