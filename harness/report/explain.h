// A divergence as people read it in a terminal: program, what differs, both kernels, values, how to replay
// it.
#pragma once

#include <string>

#include "harness/engine/case_file.h"
#include "harness/engine/evaluator.h"

namespace uopdiff {

struct TextStyle {
  bool color = false;
  size_t width = 110;
};
// Colour and width of standard output: colour only on a terminal, and not when NO_COLOR is set.
TextStyle terminal_style();

// One line: "wrong values on morok@0.1.0-alpha.2".
std::string headline(const Cause& cause, const std::string& left_spec, const std::string& right_spec);

// The whole explanation of a fresh evaluation. `replay` is the command that runs it again.
std::string explain(const Evaluation& evaluation, const std::string& replay, const TextStyle& style);

// A saved case without running it: program, data, what was seen, how it was confirmed.
std::string describe(const Case& saved, const TextStyle& style);

// The first elements of every input of a program.
std::string data_text(const Program& program);

}  // namespace uopdiff
