// Judges one program's two replies against the reference and each other: one class, the facets, one cause.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/backends/protocol.h"
#include "harness/backends/spec.h"
#include "harness/compare/signature.h"
#include "harness/compare/structure.h"
#include "harness/reference/reference.h"

namespace uopdiff {

// One side of a comparison with all that was found out about it.
struct Side {
  std::string name;  // in texts and paths: the compiler, or "left" and "right" when both are the same
  std::string spec;  // "tinygrad@0.12.0"
  Reply reply;
  std::optional<ScheduleForm> form;  // when the kernels of the reply could be read
  std::string unreadable;            // else why not
  std::vector<ValueCheck> checks;    // one per output, when values came back
  bool wrong() const;
};

struct Verdict {
  Cause cause;                // of the gravest facet; class agree when there is none
  std::vector<Facet> facets;  // gravest first
  StructureDiff structure;
  std::string layer;  // what the crossing of structure and values says; empty when nothing
  int64_t elements = 0, undetermined = 0;  // of all outputs
};

// Names for two specs' sides: the compilers; their options, too, when it is one compiler; "left" and "right"
// when nothing tells them apart.
std::pair<std::string, std::string> side_names(const BackendSpec& left, const BackendSpec& right);

struct Judging {
  bool values = true;         // outputs were asked for
  bool structure = true;      // both sides have one program, so their kernels can be compared
  bool one_compiler = false;  // faults that both sides have alike are then no divergence
};

// Fills in form and checks of both sides and judges.
Verdict judge(const Reference& reference, Side& left, Side& right, const Judging& judging);

}  // namespace uopdiff
