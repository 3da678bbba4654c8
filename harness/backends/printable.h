// Text that somebody else printed, made fit for JSON and for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace uopdiff {

// Valid UTF-8 as it is, with line breaks and tabs; '?' for every other control character and every byte that
// is no part of a whole character.
std::string printable(std::string_view bytes);

}  // namespace uopdiff
