// A program under construction: sources, and values brought to a wanted dtype, shape or property.
#pragma once

#include <string>

#include "generators/draw.h"
#include "generators/profile.h"
#include "harness/program/program.h"

namespace uopdiff {

// Limits of every generated program.
inline constexpr int64_t kMaxExtent = 8;
inline constexpr int64_t kMaxElements = 4096;       // of a node, unless one extent lies beyond a threshold
inline constexpr int64_t kMaxWideElements = 20000;  // then
inline constexpr int64_t kMaxExpanded = 65536;      // of any node once composites are expanded
inline constexpr int kMaxRank = 5;

class Workbench {
 public:
  Workbench(Draw draw, const Profile& profile);

  Program program;
  Draw draw;
  const Profile& profile;

  // The reference dies with the next append: shapes are passed by value for that reason.
  const Node& node(int n) const { return program.nodes[static_cast<size_t>(n)]; }
  int64_t largest() const { return wide_ ? kMaxWideElements : kMaxElements; }

  Shape shape();  // of a fresh source
  DType dtype();
  int source(DType dtype, Shape shape);  // an input, or a source without a buffer
  int input(DType dtype, Shape shape, const std::string& fill);
  int full(DType dtype, Shape shape, double value);

  int any();                // an earlier node, later ones more often
  int any_of(DType dtype);  // likewise, or a fresh source
  int to_dtype(int n, DType dtype);
  // `n`'s values in `shape`, by reshape and expand where that is possible; else a fresh source.
  int to_shape(int n, Shape wanted);
  int partner(int n);  // something of n's dtype and shape, often n itself or made of it

  // Values for operations that are not defined everywhere.
  int nonzero(Shape shape);       // i32, never 0, of either sign
  int shift_amount(Shape shape);  // i32 in 0..31
  int positive(int n);            // f32 of n's shape, above 0
  int moderate(int n);            // f32 of n's shape, small enough for exp
  bool from_input(int n) const;   // some input lies below n

 private:
  std::string fill();
  bool wide_ = false;
  bool wide_used_ = false;
};

}  // namespace uopdiff
