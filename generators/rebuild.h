// Rebuilds a program after a change of some nodes, adapting the attributes of those that follow.
#pragma once

#include <functional>
#include <optional>

#include "harness/program/program.h"

namespace uopdiff {

// Calls `change` for every node in order, with its operands already at their places in the new program; it
// appends what it wants and returns the position that stands for the node, or -1 to have the node appended as
// it is, with attributes adapted to changed shapes. Nothing when some node cannot follow.
using Change =
    std::function<int(Program& target, const Node& node, size_t position, const std::vector<int>& src)>;
std::optional<Program> rebuild(const Program& program, const Change& change);

}  // namespace uopdiff
