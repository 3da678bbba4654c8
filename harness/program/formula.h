// Expansions written as formulas: a value of a program under construction, with the operations as C++ ones.
#pragma once

#include <string>
#include <vector>

#include "harness/program/program.h"

namespace uopdiff {

// Copies stand for the same node. Every function appends to the program and throws what `append` throws.
class Formula {
 public:
  Formula(Program& program, int position) : program_(&program), position_(position) {}

  int position() const { return position_; }
  Program& program() const { return *program_; }
  DType dtype() const { return node().dtype; }
  Shape shape() const { return node().shape; }  // by value: a reference dies with the next append
  int64_t rank() const { return static_cast<int64_t>(node().shape.size()); }
  int64_t extent(int64_t axis) const { return node().shape.at(static_cast<size_t>(axis)); }

  Formula apply(const std::string& op, Attrs attrs = {}) const;
  Formula apply(const std::string& op, const Formula& other, Attrs attrs = {}) const;

  // Movement; nothing is appended where the shape is that already.
  Formula reshape(const Shape& shape) const;
  Formula expand(const Shape& shape) const;
  Formula permute(const Ints& axes) const;
  Formula pad(const Pairs& padding) const;
  Formula shrink(const Pairs& bounds) const;
  Formula flip(const Ints& axes) const;
  Formula insert_axis(int64_t axis, int64_t extent = 1) const;  // a new axis of that extent
  Formula move_axis(int64_t from, int64_t to) const;
  Formula shrink_axis(int64_t axis, int64_t begin, int64_t end) const;
  Formula pad_axis(int64_t axis, int64_t before, int64_t after) const;

  // Constants and indices of this value's dtype and shape.
  Formula constant(double value) const;  // rounded to the dtype
  Formula fill(const Shape& shape, double value) const;
  Formula index_along(int64_t axis) const;  // i32, this value's shape: the coordinate on that axis

  Formula cast(DType to) const;
  Formula reduce(const std::string& op, const Ints& axes, bool keepdim) const;
  Formula spread(const std::string& op, const Ints& axes) const;  // reduced, and expanded to the shape again

 private:
  const Node& node() const { return program_->nodes.at(static_cast<size_t>(position_)); }

  Program* program_;
  int position_;
};

Formula operator+(const Formula& a, const Formula& b);
Formula operator-(const Formula& a, const Formula& b);
Formula operator*(const Formula& a, const Formula& b);
Formula operator/(const Formula& a, const Formula& b);  // floats
Formula operator-(const Formula& a);
Formula operator+(const Formula& a, double b);
Formula operator-(const Formula& a, double b);
Formula operator*(const Formula& a, double b);
Formula operator/(const Formula& a, double b);
Formula operator-(double a, const Formula& b);

Formula less(const Formula& a, const Formula& b);
Formula equal(const Formula& a, const Formula& b);
Formula unequal(const Formula& a, const Formula& b);
Formula both(const Formula& a, const Formula& b);    // of bool
Formula either(const Formula& a, const Formula& b);  // of bool
Formula negate(const Formula& a);                    // of bool
Formula larger(const Formula& a, const Formula& b);
Formula smaller(const Formula& a, const Formula& b);
Formula choose(const Formula& condition, const Formula& a, const Formula& b);

}  // namespace uopdiff
