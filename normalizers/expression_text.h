// Values and indices of a kernel as readable infix text in the names of its normal form.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "normalizers/kernel_form.h"

namespace uopdiff {

std::string lower_case(std::string text);

class ExpressionText {
 public:
  ExpressionText(const Kernel& kernel, const std::vector<IndexFunction>& functions,
                 const std::vector<RangeForm>& ranges, const std::vector<ReduceForm>& reduces);

  // Text of a node. REDUCEs and values that are used more than once become lines of their own (take_lines).
  std::string value(int node);

  // An index as it was written, not brought to strides.
  std::string written(int node);

  // The lines that value() asked for since the last call, definitions before uses.
  std::vector<FormLine> take_lines();

 private:
  struct Text {
    std::string text;
    int precedence;  // 0 loosest
  };
  Text compute(int node);
  Text index_text(int node);
  Text binary(const UOp& uop, const char* symbol, int precedence);
  Text load_text(const UOp& uop);
  Text reduce_text(int node);
  Text where_text(const UOp& uop);
  Text affine_text(const IndexFunction& function);
  std::string nested(int node, int precedence);
  std::string constant_text(const UOp& uop) const;
  bool is_constant(int node, double value) const;
  const UOp& uop(int node) const { return kernel_.graph[static_cast<size_t>(node)]; }

  const Kernel& kernel_;
  std::map<int, const IndexFunction*> functions_;
  std::map<int, std::string> range_names_;  // innermost member of a merged range -> name
  std::map<int, int> uses_;
  std::map<int, std::string> names_;          // nodes that have a line of their own
  std::map<int, const ReduceForm*> reduces_;  // by outermost REDUCE
  std::vector<FormLine> lines_;
  int next_value_ = 0, next_reduce_ = 0;
  bool as_written_ = false;
};

}  // namespace uopdiff
