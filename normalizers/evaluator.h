// Runs one scheduled kernel over its whole iteration domain in some arithmetic.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "normalizers/arithmetic.h"
#include "normalizers/content.h"

namespace uopdiff {

struct TooLarge {};
struct Unreadable {
  std::string reason;
};

struct BufferContent {
  const BufferRef* buffer = nullptr;
  std::vector<Value> elements;
  std::vector<uint32_t> stored;  // 1 + the number of the last kernel that stored it, 0 if none did
};
using Buffers = std::map<std::string, BufferContent>;

// What goes through all kernels of a schedule.
struct Evaluation {
  const Arithmetic& arithmetic;
  const ReadLayout* layout = nullptr;  // null: reads are not collected
  int64_t budget = 0;                  // node evaluations left
  Buffers buffers = {};                // what was written so far
  std::vector<ContentProblem> problems = {};
  bool data_indexed = false;

  // Its content before the first store: of an input its elements, else nothing.
  BufferContent& to_write(const BufferRef& buffer);
  Value leaf(const BufferRef& buffer, int64_t element) const;
  Value stored_or_leaf(const BufferRef& buffer, int64_t element) const;
};

// Throws TooLarge or Unreadable.
void run_kernel(const Kernel& kernel, size_t number, Evaluation& evaluation);

}  // namespace uopdiff
