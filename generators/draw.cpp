#include "generators/draw.h"

namespace uopdiff {

double Draw::unit() { return static_cast<double>(random_.next() >> 11) * 0x1p-53; }

int64_t Draw::range(int64_t low, int64_t high) {
  const auto count = static_cast<uint64_t>(high - low) + 1;
  return low + static_cast<int64_t>(random_.next() % count);
}

bool Draw::chance(double probability) { return unit() < probability; }

size_t Draw::weighted(const std::vector<double>& weights) {
  double total = 0;
  for (double weight : weights) total += weight;
  double at = unit() * total;
  for (size_t k = 0; k < weights.size(); ++k) {
    at -= weights[k];
    if (weights[k] > 0 && at < 0) return k;
  }
  for (size_t k = weights.size(); k-- > 0;)
    if (weights[k] > 0) return k;
  return 0;
}

}  // namespace uopdiff
