// The generator of all that is random in a simulation: SplitMix64 (Steele, Lea, Flood 2014). The standard library's
// distributions differ between implementations; these do not.
#pragma once

#include <cstdint>

#include "sched/units.h"

namespace sojourn::sim {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // A stream of its own for each purpose and each flow, so that turning one thing on leaves the others as they were.
  Random(uint64_t seed, uint64_t stream) : state_(mixed(seed ^ mixed(stream + 0x5107ea4))) {}

  uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15); }
  // In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // In [0, count); count > 0.
  uint64_t below(uint64_t count) { return static_cast<uint64_t>((Uint128{next()} * count) >> 64); }
  bool chance(uint32_t parts_per_billion) { return below(1'000'000'000) < parts_per_billion; }
  Duration exponential(Duration mean);

 private:
  static uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

}  // namespace sojourn::sim
