#include "control/sim/exact_math.h"

#include <array>
#include <cmath>
#include <span>

namespace sojourn::sim {
namespace {

constexpr double kLn2 = 0.693147180559945309417232121458;
constexpr double kSqrtHalf = 0.707106781186547524400844362105;

double polynomial(std::span<const double> coefficients, double x) {
  double sum = 0;
  for (const double c : coefficients) sum = sum * x + c;
  return sum;
}

}  // namespace

double natural_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // exact
  if (mantissa < kSqrtHalf) {
    mantissa *= 2;
    --exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1), square = s * s;
  double sum = 0;
  for (int k = 27; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return 2 * s * sum + exponent * kLn2;
}

double exponential(double x) {
  const int power = static_cast<int>(x / kLn2 + (x < 0 ? -0.5 : 0.5));
  const double rest = x - power * kLn2;
  double sum = 1;
  for (int k = 18; k >= 1; --k) sum = 1 + sum * rest / k;
  return std::ldexp(sum, power);  // exact
}

double cube_root(double x) {
  if (x == 0) return 0;
  if (x < 0) return -cube_root(-x);
  int exponent = 0;
  std::frexp(x, &exponent);
  double root = std::ldexp(1.0, exponent / 3);
  for (int i = 0; i < 8; ++i) root -= (root * root * root - x) / (3 * root * root);  // Newton, from within a factor 2
  return root;
}

double normal_quantile(double fraction) {
  constexpr std::array a{-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                         1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr std::array b{-5.447609879822406e+01, 1.615858368580409e+02,  -1.556989798598866e+02,
                         6.680131188771972e+01,  -1.328068155288572e+01, 1.0};
  constexpr std::array c{-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                         -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr std::array d{7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00,
                         1.0};
  constexpr double kTail = 0.02425;
  if (fraction > 1 - kTail) return -normal_quantile(1 - fraction);
  if (fraction < kTail) {
    const double q = std::sqrt(-2 * natural_log(fraction));  // IEEE 754 fixes the square root too
    return polynomial(c, q) / polynomial(d, q);
  }
  const double q = fraction - 0.5, square = q * q;
  return polynomial(a, square) * q / polynomial(b, square);
}

}  // namespace sojourn::sim
