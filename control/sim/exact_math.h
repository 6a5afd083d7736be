// Elementary functions from additions, multiplications and divisions alone: IEEE 754 fixes the result of those to the
// last bit, while math libraries differ. Needs -ffp-contract=off, see meson.build. Relative error below 1e-13.
#pragma once

namespace sojourn::sim {

double natural_log(double x);  // x > 0 and normal
double exponential(double x);  // |x| < 700
double cube_root(double x);    // any sign

// The value below which `fraction` (0 < fraction < 1) of a standard normal distribution lies; absolute error below
// 1e-8. P. J. Acklam, "An algorithm for computing the inverse normal cumulative distribution function".
double normal_quantile(double fraction);

}  // namespace sojourn::sim
