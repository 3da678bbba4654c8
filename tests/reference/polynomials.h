// The two compilers' own polynomials (tinygrad 0.12.0 uop/decompositions.py, xexp2, xlog2 and xsin; the same
// in Morok 0.1.0-alpha.2 ir/src/decompositions/transcendentals.rs), in any float type.
#pragma once

#include <cmath>
#include <initializer_list>
#include <limits>
#include <type_traits>

namespace uopdiff::adversary {

// `step` is applied to the result of every operation: it rounds to a narrower format, or not.
template <class T, class Step>
T horner(T x, std::initializer_list<double> coefficients, Step step) {
  T value = 0;
  for (const double c : coefficients) value = step(step(value * x) + step(static_cast<T>(c)));
  return value;
}

template <class T>
T nearest(T x) {
  return std::trunc(x + static_cast<T>(x < 0 ? -0.5 : 0.5));
}

template <class T, class Step>
T polynomial_exp2(T x, Step step) {
  if (std::isnan(x)) return x;
  if (x >= std::numeric_limits<T>::max_exponent) return std::numeric_limits<T>::infinity();
  if (x < (std::is_same_v<T, double> ? -2000 : -150)) return 0;
  const T whole = nearest(x), rest = step(x - whole);
  T u;
  if constexpr (std::is_same_v<T, double>)
    u = horner(rest,
               {0.4434359082926529454e-9, 0.7073164598085707425e-8, 0.1017819260921760451e-6,
                0.1321543872511327615e-5, 0.1525273353517584730e-4, 0.1540353045101147808e-3,
                0.1333355814670499073e-2, 0.9618129107597600536e-2, 0.5550410866482046596e-1,
                0.2402265069591012214e+0, 0.6931471805599452862e+0, 0.1000000000000000000e+1},
               step);
  else
    u = horner(rest,
               {0.1535920892e-3, 0.1339262701e-2, 0.9618384764e-2, 0.5550347269e-1, 0.2402264476e+0,
                0.6931471825e+0, 1.0},
               step);
  return step(std::ldexp(u, static_cast<int>(whole)));
}

template <class T, class Step>
T polynomial_log2(T x, Step step) {
  if (!(x >= 0)) return std::numeric_limits<T>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<T>::infinity();
  if (std::isinf(x)) return x;
  const T scaled = step(x * static_cast<T>(1.0 / 0.75));
  const int exponent = std::isinf(scaled) ? std::ilogb(x) + 1 : std::ilogb(scaled);
  const T mantissa = std::ldexp(x, -exponent);
  const auto e = static_cast<T>(exponent);
  const T t = step(step(mantissa - 1) / step(mantissa + 1)), square = step(t * t);
  const T cube = step(t * square);
  if constexpr (std::is_same_v<T, double>) {
    const T poly = horner(square,
                          {0.2211941750456081490e+0, 0.2200768693152277689e+0, 0.2623708057488514656e+0,
                           0.3205977477944495502e+0, 0.4121985945485324709e+0, 0.5770780162997058982e+0,
                           0.96179669392608091449},
                          step);
    return step(step(step(poly * cube) + e) + step(t * 2.885390081777926774));
  } else {
    const T poly = horner(square, {0.4374550283, 0.5764790177, 0.9618012905120}, step);
    const T high = step(step(step(poly * cube) + e) + step(t * step(2.8853900432586669922f)));
    return step(high + step(t * 3.2734474483568488616e-08f));
  }
}

template <class T, class Step>
T polynomial_sin(T x, Step step) {
  if (!std::isfinite(x)) return std::numeric_limits<T>::quiet_NaN();
  const T size = std::abs(x), q = nearest(size * static_cast<T>(0.318309886183790671537767526745028724));
  T d = size;
  const auto odd = static_cast<long long>(q) & 1;
  T value;
  if constexpr (std::is_same_v<T, double>) {
    for (const double part : {3.1415926218032836914, 3.1786509424591713469e-08, 1.2246467864107188502e-16,
                              1.2736634327021899816e-24})
      d = q * -part + d;
    value = d * horner(d * d,
                       {-7.97255955009037868891952e-18, 2.81009972710863200091251e-15,
                        -7.64712219118158833288484e-13, 1.60590430605664501629054e-10,
                        -2.50521083763502045810755e-08, 2.75573192239198747630416e-06,
                        -0.000198412698412696162806809, 0.00833333333333332974823815,
                        -0.166666666666666657414808, 1.0},
                       step);
  } else {
    for (const float part : {3.1414794921875f, 0.00011315941810607910156f, 1.9841872589410058936e-09f,
                             1.2154201256553420762e-10f})
      d = q * -part + d;
    d = step(d);
    value = step(d * horner(step(d * d),
                            {2.6083159809786593541503e-06, -0.0001981069071916863322258,
                             0.00833307858556509017944336, -0.166666597127914428710938, 1.0},
                            step));
  }
  return value * static_cast<T>(odd ? -1 : 1) * static_cast<T>(x < 0 ? -1 : 1);
}

}  // namespace uopdiff::adversary
