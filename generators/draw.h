// Random choices on RapidCheck's splittable generator, without its global state: safe in any thread.
#pragma once

#include <rapidcheck.h>

#include <vector>

namespace uopdiff {

class Draw {
 public:
  explicit Draw(const rc::Random& random) : random_(random) {}

  int64_t range(int64_t low, int64_t high);  // both included
  bool chance(double probability);
  size_t weighted(const std::vector<double>& weights);  // a position; weights of 0 are never taken
  template <class T>
  const T& one_of(const std::vector<T>& items) {
    return items[static_cast<size_t>(range(0, static_cast<int64_t>(items.size()) - 1))];
  }

 private:
  double unit();  // in [0,1)
  rc::Random random_;
};

}  // namespace uopdiff
