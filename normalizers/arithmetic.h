// What the evaluation of kernels computes with: the field, or numbers drawn for a sample.
#pragma once

#include "normalizers/value.h"

namespace uopdiff {

class Arithmetic {
 public:
  virtual ~Arithmetic() = default;
  virtual Value input(const BufferRef& buffer, int64_t element) const = 0;
  virtual Value constant(const UOp& node, const Scalar& value) const = 0;
  // `operand` is the node's last source.
  virtual Value apply(const UOp& node, const UOp& operand, const std::vector<Value>& x) const = 0;
  virtual Value chosen(const Value& condition, const Value& a, const Value& b) const = 0;
  // Before a value is stored.
  virtual void finish(Value& value) const = 0;
};

}  // namespace uopdiff
