// Jain's index of fairness. Jain, Chiu, Hawe: "A Quantitative Measure of Fairness", DEC-TR-301, 1984.
#pragma once

#include <vector>

namespace sojourn {

// 1 when all shares are equal, 1/n when one has all; 1 when there is nothing to share.
inline double jain_index(const std::vector<double>& shares) {
  double sum = 0, squares = 0;
  for (const double s : shares) {
    sum += s;
    squares += s * s;
  }
  return squares == 0 ? 1 : sum * sum / (static_cast<double>(shares.size()) * squares);
}

}  // namespace sojourn
