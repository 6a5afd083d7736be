// A log-linear histogram of durations: 32 buckets an octave (3 % wide), fixed memory, one writer.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "sched/units.h"

namespace sojourn {

class Histogram {
 public:
  static constexpr unsigned kSubBits = 5;
  static constexpr unsigned kMostBits = 42;  // 2^42 ns = 73 min; what is longer counts in the last bucket
  static constexpr unsigned kBuckets = (kMostBits - kSubBits + 1) << kSubBits;

  void record(Duration d) {
    const auto ns = static_cast<uint64_t>(d.ns);
    ++counts_[bucket(ns)];
    ++count_;
    most_ = ns > most_ ? ns : most_;
  }

  uint64_t count() const { return count_; }
  Duration max() const { return {static_cast<int64_t>(most_)}; }

  // The value below or at which `fraction` (0..1) of the recorded durations lie, to a bucket's width; 0 when empty.
  Duration quantile(double fraction) const {
    const auto wanted = static_cast<uint64_t>(fraction * static_cast<double>(count_) + 0.999999);
    uint64_t seen = 0;
    for (unsigned i = 0; i < kBuckets; ++i) {
      seen += counts_[i];
      if (seen >= wanted && seen != 0) return {static_cast<int64_t>(is_last(i) ? most_ : std::min(middle(i), most_))};
    }
    return max();
  }

  void add(const Histogram& other) {
    for (unsigned i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    most_ = std::max(most_, other.most_);
  }

 private:
  static unsigned bucket(uint64_t ns) {
    const auto bits = static_cast<unsigned>(std::bit_width(ns));
    if (bits <= kSubBits) return static_cast<unsigned>(ns);
    if (bits > kMostBits) return kBuckets - 1;
    const unsigned octave = bits - kSubBits;  // 1..
    return (octave << kSubBits) + static_cast<unsigned>((ns >> (octave - 1)) - (1u << kSubBits));
  }
  // The last bucket has no upper end: all that is known of what is in it is the longest.
  static bool is_last(unsigned index) { return index == kBuckets - 1; }
  static uint64_t middle(unsigned index) {
    const unsigned octave = index >> kSubBits;
    if (octave == 0) return index;
    const uint64_t low = (uint64_t{1} << kSubBits | (index & ((1u << kSubBits) - 1))) << (octave - 1);
    return low + (uint64_t{1} << (octave - 1)) / 2;
  }

  std::array<uint64_t, kBuckets> counts_{};
  uint64_t count_ = 0;
  uint64_t most_ = 0;
};

}  // namespace sojourn
