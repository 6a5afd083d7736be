// Numbers out of a number: what a trial's single 64-bit words stand for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sojourn::model {

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014: SplitMix64.
class Draw {
 public:
  explicit Draw(uint64_t number) : state_(number) {}

  uint64_t any() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // 0 to n - 1.
  uint64_t below(uint64_t n) { return any() % n; }
  uint64_t between(uint64_t least, uint64_t most) { return least + below(most - least + 1); }
  bool one_in(uint64_t n) { return below(n) == 0; }
  // Every order of magnitude as likely as any other.
  uint64_t scaled(uint64_t least, uint64_t most) {
    unsigned bits = 0;
    while (bits < 63 && (most >> (bits + 1)) >= least) ++bits;
    const uint64_t low = least << below(bits + 1);
    return between(low, low > most / 2 ? most : 2 * low);
  }
  template <typename T, size_t kSize>
  T of(const std::array<T, kSize>& choices) {
    return choices[below(kSize)];
  }

 private:
  uint64_t state_;
};

}  // namespace sojourn::model
