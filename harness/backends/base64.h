// Base64 (RFC 4648, with padding), for tensor data in JSON.
#pragma once

#include <string>
#include <string_view>

#include "harness/program/dtype.h"

namespace uopdiff {

std::string base64_encode(const Bytes& bytes);
Bytes base64_decode(std::string_view text);  // throws Error(input) on anything that is not base64

}  // namespace uopdiff
