// Durations observed: count, mean and largest exactly, quantiles to 0.2 %. Finer than the data plane's histogram, which
// has 3 %: a reproduction that is judged to 3 % needs it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "sched/units.h"

namespace sojourn::sim {

class DelaySamples {
 public:
  void record(Duration d) {
    const auto ns = static_cast<uint64_t>(std::max<int64_t>(0, d.ns));
    const uint32_t place = bucket(ns);
    if (place >= counts_.size()) counts_.resize(place + 1);
    ++counts_[place];
    ++count_;
    sum_ns_ += ns;
    most_ns_ = std::max(most_ns_, ns);
  }

  void add(const DelaySamples& other) {
    if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
    for (size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    sum_ns_ += other.sum_ns_;
    most_ns_ = std::max(most_ns_, other.most_ns_);
  }

  uint64_t count() const { return count_; }
  Duration max() const { return {static_cast<int64_t>(most_ns_)}; }
  Duration mean() const { return {count_ == 0 ? 0 : static_cast<int64_t>(sum_ns_ / count_)}; }

  // The value below or at which `percent` (0 to 100) of the samples lie; 0 when there are none.
  Duration percentile(uint32_t percent) const {
    const uint64_t wanted = (count_ * percent + 99) / 100;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted && seen != 0) return {static_cast<int64_t>(std::min(middle(i), most_ns_))};
    }
    return {0};
  }

  void clear() { *this = {}; }

 private:
  static constexpr unsigned kSubBits = 8;
  static uint32_t bucket(uint64_t ns) {
    const auto bits = static_cast<unsigned>(std::bit_width(ns));
    if (bits <= kSubBits) return static_cast<uint32_t>(ns);
    const unsigned octave = bits - kSubBits;
    return (octave << kSubBits) + static_cast<uint32_t>((ns >> (octave - 1)) - (1u << kSubBits));
  }
  static uint64_t middle(uint32_t index) {
    const unsigned octave = index >> kSubBits;
    if (octave == 0) return index;
    const uint64_t low = (uint64_t{1} << kSubBits | (index & ((1u << kSubBits) - 1))) << (octave - 1);
    return low + (uint64_t{1} << (octave - 1)) / 2;
  }

  std::vector<uint64_t> counts_;
  uint64_t count_ = 0;
  uint64_t sum_ns_ = 0;
  uint64_t most_ns_ = 0;
};

}  // namespace sojourn::sim
