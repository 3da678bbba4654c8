// Shape and dtype inference, one function for a kind of operations; used by the operation table only.
#pragma once

#include "harness/program/op_table.h"

namespace uopdiff::rules {

// Of one node.
inline constexpr int64_t kMaxElements = 1 << 24;
inline constexpr size_t kMaxInputRank = 6;
inline constexpr size_t kMaxRank = 8;  // the expansion of a convolution has that many

[[noreturn]] void fail(const std::string& message);  // throws Error(input)
void check_shape(const Shape& shape);
void check_axis(int64_t axis, const Shape& shape);
void check_axes(const Ints& axes, const Shape& shape);  // each once
void check_per_axis(size_t given, const Node& operand, const char* what);
void same_dtype(const Operands& src);
void same_shape(const Operands& src);
void check_dtype(const Node& operand, DType wanted, const char* what);
bool is_of(DType dtype, double value);  // exactly a value of the dtype; of 64-bit integers up to 2^53

// Each fills in node.dtype and node.shape, or throws Error(input) with the reason.
void input(Node& node, const Operands& src);
void full(Node& node, const Operands& src);
void arange(Node& node, const Operands& src);
void linspace(Node& node, const Operands& src);
void eye(Node& node, const Operands& src);

void reshape(Node& node, const Operands& src);
void permute(Node& node, const Operands& src);
void expand(Node& node, const Operands& src);
void pad(Node& node, const Operands& src);
void pad_value(Node& node, const Operands& src);
void shrink(Node& node, const Operands& src);
void slice(Node& node, const Operands& src);
void flip(Node& node, const Operands& src);
void cat(Node& node, const Operands& src);
void stack(Node& node, const Operands& src);
void repeat(Node& node, const Operands& src);
void squeeze(Node& node, const Operands& src);
void unsqueeze(Node& node, const Operands& src);
void flatten(Node& node, const Operands& src);
void triangle(Node& node, const Operands& src);
void assign(Node& node, const Operands& src);
void assign_view(Node& node, const Operands& src);

void elementwise(Node& node, const Operands& src);  // all operands and the result alike
void to_bool(Node& node, const Operands& src);      // operands alike, result bool
void clamp(Node& node, const Operands& src);
void where(Node& node, const Operands& src);
void cast(Node& node, const Operands& src);
void bitcast(Node& node, const Operands& src);

void reduce(Node& node, const Operands& src);           // any number of elements
void reduce_nonempty(Node& node, const Operands& src);  // at least one
void reduce_variance(Node& node, const Operands& src);  // at least two
void argreduce(Node& node, const Operands& src);        // one axis, result i32
void along_axis(Node& node, const Operands& src);       // keeps the shape, checks `axis`
void along_nonempty(Node& node, const Operands& src);   // likewise, the axis has an element
void argsort(Node& node, const Operands& src);
void topk(Node& node, const Operands& src);

// Where the extents [k..] of a window walk over an axis: how many places it has.
int64_t window_count(int64_t extent, int64_t kernel, int64_t stride, int64_t dilation);

}  // namespace uopdiff::rules
