// The JSON form of programs, as the workers get it (harness/backends/PROTOCOL.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/program/program.h"

namespace uopdiff {

nlohmann::json program_to_json(const Program& program);

// Checks everything by inferring it again; throws Error(input).
Program program_from_json(const nlohmann::json& json);

}  // namespace uopdiff
