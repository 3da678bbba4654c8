// Whole files in and out.
#pragma once

#include <string>

namespace uopdiff {

std::string read_file(const std::string& path);  // throws Error(input)

// Through a temporary file, so that the file is there whole or not at all. Throws Error(environment).
void write_atomically(const std::string& path, const std::string& text);

}  // namespace uopdiff
