#include <bit>
#include <cmath>

#include "tests/reference/adversary.h"

namespace uopdiff::adversary {
namespace {

float horner(float x, std::initializer_list<float> coefficients) {
  float value = 0;
  for (float c : coefficients) value = value * x + c;
  return value;
}

float power_of_two(int exponent) { return std::bit_cast<float>((exponent + 127) << 23); }
int nearest(float x) { return static_cast<int>(x + (x < 0 ? -0.5f : 0.5f)); }

}  // namespace

float polynomial_exp2(float x) {
  if (std::isnan(x)) return x;
  if (x >= 128) return INFINITY;
  if (x < -150) return 0;
  const int whole = nearest(x);
  const float u =
      horner(x - static_cast<float>(whole), {0.1535920892e-3f, 0.1339262701e-2f, 0.9618384764e-2f,
                                             0.5550347269e-1f, 0.2402264476f, 0.6931471825f, 1.0f});
  return u * power_of_two(whole >> 1) * power_of_two(whole - (whole >> 1));
}

float polynomial_log2(float x) {
  if (!(x >= 0)) return NAN;
  if (x == 0) return -INFINITY;
  if (std::isinf(x)) return x;
  const bool small = x < 1e-4f;
  const float a = small ? x * 0x1p64f : x;
  const int exponent = (std::bit_cast<int>(a * (1.0f / 0.75f)) >> 23 & 255) - 127;
  const float mantissa = std::bit_cast<float>(std::bit_cast<int>(a) - (exponent << 23));
  const auto e = static_cast<float>(small ? exponent - 64 : exponent);
  const float t = (mantissa - 1) / (mantissa + 1), square = t * t;
  return horner(square, {0.4374550283f, 0.5764790177f, 0.9618012905120f}) * (t * square) + e +
         t * 2.8853900432586669922f + t * 3.2734474483568488616e-08f;
}

float polynomial_sin(float x) {
  if (!std::isfinite(x)) return NAN;
  const float size = std::abs(x);
  const int quadrant = nearest(size * 0.318309886183790671537767526745028724f);
  const auto q = static_cast<float>(quadrant);
  float d = q * -3.1414794921875f + size;
  d = q * -0.00011315941810607910156f + d;
  d = q * -1.9841872589410058936e-09f + d;
  d = q * -1.2154201256553420762e-10f + d;
  const float value = d * horner(d * d, {2.6083159809786593541503e-06f, -0.0001981069071916863322258f,
                                         0.00833307858556509017944336f, -0.166666597127914428710938f, 1.0f});
  return value * (quadrant & 1 ? -1.0f : 1.0f) * (x < 0 ? -1.0f : 1.0f);
}

}  // namespace uopdiff::adversary
