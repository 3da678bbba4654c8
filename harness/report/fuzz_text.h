// The fuzz command's progress line and final table.
#pragma once

#include <string>

#include "harness/engine/fuzz.h"
#include "harness/report/explain.h"

namespace uopdiff {

std::string progress_line(const FuzzProgress& progress);  // one line, no line break

// What was generated, supported, skipped and why; then every new finding with its minimal program and replay
// line.
std::string fuzz_summary(const FuzzResult& result, const FuzzOptions& options, const Known& known,
                         const std::string& run_dir);

}  // namespace uopdiff
