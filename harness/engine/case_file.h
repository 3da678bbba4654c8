// A saved divergence: everything that replaying and explaining it takes. Data only; replaying one runs no
// code of its author.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/compare/signature.h"
#include "harness/engine/evaluator.h"

namespace uopdiff {

struct SavedSide {
  std::string spec, status, step, message, captured;
  std::vector<std::string> kernels;  // printed normal form, for people
  std::vector<std::string> outputs;  // base64, in order of the program's outputs
};

struct Case {
  Program program;
  Cause cause;
  std::string signature;
  std::string reason;  // of the gravest facet
  std::string layer;
  std::string profile;  // generator's, with seed and index: where it came from
  uint64_t seed = 0, index = 0;
  std::string clang;
  SavedSide left, right;
  // How it was made sure.
  int reproduced = 0, runs = 0;          // of the same program and data
  std::string fresh_data = "not tried";  // "same", "another: CLASS", "agrees", "no inputs"
  int evaluations = 0;                   // spent on shrinking
  int operations_before = 0;
  std::string shrink_ended = "not shrunk";  // "minimal", "evaluations", "time", "not shrunk"
};

Case make_case(const Evaluation& evaluation);

nlohmann::json case_to_json(const Case& saved);
// Throws Error(input); `file` is for the message.
Case case_from_json(const nlohmann::json& json, const std::string& file);

void save_case(const Case& saved, const std::string& path);
std::string case_file_name(const Case& saved);  // "wrong-values-78cf2058.json"
// Reads a case file, or a program in text form (then only `program` is filled in). Throws Error(input).
Case load_case(const std::string& path);

}  // namespace uopdiff
