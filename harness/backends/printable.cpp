#include "harness/backends/printable.h"

#include <cstdint>

namespace uopdiff {
namespace {

bool continues(std::string_view bytes, size_t at) {
  return at < bytes.size() && (static_cast<uint8_t>(bytes[at]) & 0xC0) == 0x80;
}

// Bytes of the character at the front, 0 when there is none (RFC 3629: no overlong forms, no surrogates).
size_t character_size(std::string_view bytes) {
  const auto first = static_cast<uint8_t>(bytes[0]);
  if (first < 0x80) return 1;
  const size_t size = first >= 0xC2 && first < 0xE0   ? 2
                      : first >= 0xE0 && first < 0xF0 ? 3
                      : first >= 0xF0 && first < 0xF5 ? 4
                                                      : 0;
  for (size_t k = 1; k < size; ++k)
    if (!continues(bytes, k)) return 0;
  if (size < 3) return size;
  const auto second = static_cast<uint8_t>(bytes[1]);
  const bool wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                     (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return wrong ? 0 : size;
}

}  // namespace

std::string printable(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const size_t size = character_size(bytes);
    const auto first = static_cast<uint8_t>(bytes[0]);
    const bool control = (first < 0x20 && first != '\n' && first != '\t') || first == 0x7F;
    if (size == 0 || control)
      text += '?';
    else
      text += bytes.substr(0, size);
    bytes.remove_prefix(size == 0 ? 1 : size);
  }
  return text;
}

}  // namespace uopdiff
