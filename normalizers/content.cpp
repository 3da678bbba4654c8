#include "normalizers/content.h"

#include <fmt/format.h>

#include <algorithm>

#include "normalizers/constant.h"
#include "normalizers/evaluator.h"
#include "normalizers/field.h"

namespace uopdiff {
namespace {

class FieldArithmetic : public Arithmetic {
 public:
  Value input(const BufferRef& buffer, int64_t element) const override {
    return opaque(field_hash(field_hash_text(buffer.name.c_str()), static_cast<uint64_t>(element) + 1));
  }
  Value constant(const UOp& node, const Scalar& value) const override { return known_number(node, value); }
  Value apply(const UOp& node, const UOp& operand, const std::vector<Value>& x) const override {
    return apply_uop(node, operand, x);
  }
  Value chosen(const Value& condition, const Value& a, const Value& b) const override {
    return choose(condition, a, b);
  }
  void finish(Value& value) const override { settle(value); }
};

// Elements of an output or a temp that no kernel stored.
void check_cover(Evaluation& evaluation) {
  for (const auto& [name, content] : evaluation.buffers) {
    if (content.buffer->kind == BufferKind::input) continue;
    const auto missing = std::ranges::find(content.stored, 0u);
    if (missing == content.stored.end()) continue;
    const size_t kernel = std::max(1u, std::ranges::max(content.stored)) - 1;
    evaluation.problems.push_back(
        {"store-cover", kernel,
         fmt::format("{}[{}] is never stored", name, missing - content.stored.begin())});
  }
}

}  // namespace

ReadLayout layout_of(const Schedule& left, const Schedule& right) {
  std::map<std::string, int64_t> sizes;
  for (const Schedule* schedule : {&left, &right})
    for (const Kernel& kernel : *schedule)
      for (const BufferRef& buffer : kernel.buffers)
        if (buffer.kind == BufferKind::input) sizes[buffer.name] = std::max(sizes[buffer.name], buffer.size);
  ReadLayout layout;
  int64_t next = 0;
  for (const auto& [name, size] : sizes) {
    layout[name] = next;
    next += size;
  }
  return layout;
}

std::vector<uint64_t> input_fields(const BufferRef& buffer) {
  std::vector<uint64_t> fields;
  for (int64_t k = 0; k < buffer.size; ++k) fields.push_back(FieldArithmetic().input(buffer, k).field);
  return fields;
}

ScheduleContent evaluate_content(const Schedule& schedule, const ReadLayout* reads, int64_t limit) {
  const FieldArithmetic arithmetic;
  Evaluation evaluation{arithmetic, reads, limit};
  ScheduleContent content;
  try {
    for (size_t k = 0; k < schedule.size(); ++k) run_kernel(schedule[k], k, evaluation);
    check_cover(evaluation);
  } catch (const TooLarge&) {
    content.complete = false;
  } catch (const Unreadable& unreadable) {
    content.unreadable = unreadable.reason;
  }
  content.problems = std::move(evaluation.problems);
  content.data_indexed = evaluation.data_indexed;
  for (auto& [name, buffer] : evaluation.buffers) {
    auto& fields = content.fields[name];
    for (Value& value : buffer.elements) {
      fields.push_back(value.field);
      if (reads) content.reads[name].push_back(std::move(value.reads));
    }
  }
  return content;
}

}  // namespace uopdiff
