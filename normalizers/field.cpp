#include "normalizers/field.h"

#include <cmath>

namespace uopdiff {
namespace {

__extension__ typedef unsigned __int128 Wide;

uint64_t mix(uint64_t x) {  // splitmix64's finaliser
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

uint64_t field_power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent; exponent >>= 1, base = field_mul(base, base))
    if (exponent & 1) result = field_mul(result, base);
  return result;
}

}  // namespace

uint64_t field_add(uint64_t a, uint64_t b) {
  const uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}

uint64_t field_sub(uint64_t a, uint64_t b) { return a >= b ? a - b : a + kPrime - b; }

uint64_t field_mul(uint64_t a, uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  const uint64_t low = static_cast<uint64_t>(product) & kPrime, high = static_cast<uint64_t>(product >> 61);
  return field_add(low, high);
}

uint64_t field_inverse(uint64_t a) { return field_power(a, kPrime - 2); }

uint64_t field_from_int(int64_t value) {
  const uint64_t magnitude =
      (value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value)) % kPrime;
  return value < 0 ? field_sub(0, magnitude) : magnitude;
}

uint64_t field_from_double(double value) {
  if (std::isnan(value)) return field_hash(1, 1);
  if (std::isinf(value)) return value > 0 ? field_hash(2, 2) : field_sub(0, field_hash(2, 2));
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const uint64_t whole = field_from_int(static_cast<int64_t>(std::ldexp(mantissa, 53)));
  const int power = ((exponent - 53) % 61 + 61) % 61;  // 2^61 is 1 in this field
  return field_mul(whole, uint64_t{1} << power);
}

uint64_t field_hash(uint64_t a, uint64_t b) {
  return mix(mix(a + 0x9e3779b97f4a7c15ull) ^ (b + 0x632be59bd9b4e019ull)) % kPrime;
}

uint64_t field_hash_text(const char* text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (; *text; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3ull;
  return mix(hash) % kPrime;
}

}  // namespace uopdiff
