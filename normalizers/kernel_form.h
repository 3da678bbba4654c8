// The normal form of one kernel: ranges merged and named, index functions, reduces, cost, and its printed
// lines.
#pragma once

#include <string>
#include <vector>

#include "normalizers/functions.h"
#include "normalizers/graph.h"

namespace uopdiff {

struct RangeForm {
  std::string name;          // i0, i1, ... of loops from the largest store stride on; k0, k1, ... of reduces
  int64_t extent = 0;        // product of the members'
  std::string group;         // "loop", "reduce", else the axis type in small letters
  std::vector<int> members;  // RANGE nodes, outer first; several when all accesses walk them as one
};

struct ReduceForm {
  std::string op;     // ADD, MUL, MAX, MIN
  std::string dtype;  // accumulated in
  std::vector<RangeForm> ranges;
  int node = -1;  // the outermost REDUCE
  int body = -1;  // what is reduced, below the joined ones
};

// A printed line and what a difference in it is about: header, ranges, reduce, load, store.
struct FormLine {
  std::string facet, text;
};

// One access as the compiler wrote its index.
struct AccessForm {
  std::string buffer, written;
  int divisions = 0, modulos = 0;
};

struct KernelForm {
  std::vector<std::string> writes;  // names of buffers
  std::vector<RangeForm> loops;
  std::vector<ReduceForm> reduces;  // nested ones of one operator joined
  IndexCost cost;
  std::vector<AccessForm> accesses;
  std::vector<FormLine> lines;
};

KernelForm make_kernel_form(const Kernel& kernel, size_t number);

}  // namespace uopdiff
