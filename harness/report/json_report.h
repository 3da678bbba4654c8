// What commands print with --json: stable field names, documented in README.md.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/engine/fuzz.h"

namespace uopdiff {

nlohmann::json fuzz_to_json(const FuzzResult& result, const FuzzOptions& options, const std::string& run_dir);
nlohmann::json evaluation_to_json(const Evaluation& evaluation);

}  // namespace uopdiff
