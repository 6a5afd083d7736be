// SipHash over whole 64-bit words: the keyed hash that picks a flow's queue. Whoever does not know the key cannot aim
// flows at one queue. Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sojourn {

// The secret of one process, drawn at start.
struct HashKey {
  uint64_t k0 = 0;
  uint64_t k1 = 0;
  constexpr bool operator==(const HashKey&) const = default;
};

// A key for tests and reproduction: any seed gives a key without structure, and always the same one. SplitMix64
// (Steele, Lea, Flood 2014).
constexpr HashKey hash_key_from_seed(uint64_t seed) {
  const auto next = [&seed] {
    uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  const uint64_t k0 = next();
  return {k0, next()};
}

namespace detail {
struct SipState {
  uint64_t v0, v1, v2, v3;

  constexpr void round() {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32) + v3;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }

  template <int kRounds>
  constexpr void absorb(uint64_t word) {
    v3 ^= word;
    for (int i = 0; i < kRounds; ++i) round();
    v0 ^= word;
  }
};
}  // namespace detail

// SipHash-c-d of `words`, each read as eight bytes, least significant first. Equals the reference over the same bytes.
template <int kCompressionRounds, int kFinalRounds, size_t kWords>
constexpr uint64_t siphash(const std::array<uint64_t, kWords>& words, HashKey key) {
  detail::SipState s{key.k0 ^ 0x736f6d6570736575, key.k1 ^ 0x646f72616e646f6d, key.k0 ^ 0x6c7967656e657261,
                     key.k1 ^ 0x7465646279746573};
  for (uint64_t word : words) s.absorb<kCompressionRounds>(word);
  s.absorb<kCompressionRounds>(uint64_t{kWords * 8} << 56);
  s.v2 ^= 0xff;
  for (int i = 0; i < kFinalRounds; ++i) s.round();
  return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

// The variant in use: one compression round, three final ones.
template <size_t kWords>
constexpr uint64_t siphash13(const std::array<uint64_t, kWords>& words, HashKey key) {
  return siphash<1, 3>(words, key);
}

}  // namespace sojourn
