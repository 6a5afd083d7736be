// The keyed hash that spreads flows over queues. Keyed, so that nobody outside can choose flows that meet: SipHash-1-3
// (Aumasson, Bernstein 2012, with the rounds that Rust and Python use for their tables) over whole 64-bit words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sojourn {

// Drawn at start; secret.
struct HashKey {
  uint64_t k0 = 0, k1 = 0;
};

template <unsigned kCompressionRounds, unsigned kFinalRounds>
constexpr uint64_t siphash(std::span<const uint64_t> words, HashKey key) {
  uint64_t v0 = key.k0 ^ 0x736f6d6570736575, v1 = key.k1 ^ 0x646f72616e646f6d;
  uint64_t v2 = key.k0 ^ 0x6c7967656e657261, v3 = key.k1 ^ 0x7465646279746573;
  const auto round = [&] {
    v0 += v1, v1 = std::rotl(v1, 13), v1 ^= v0, v0 = std::rotl(v0, 32);
    v2 += v3, v3 = std::rotl(v3, 16), v3 ^= v2;
    v0 += v3, v3 = std::rotl(v3, 21), v3 ^= v0;
    v2 += v1, v1 = std::rotl(v1, 17), v1 ^= v2, v2 = std::rotl(v2, 32);
  };
  const auto compress = [&](uint64_t word) {
    v3 ^= word;
    for (unsigned i = 0; i < kCompressionRounds; ++i) round();
    v0 ^= word;
  };
  for (const uint64_t word : words) compress(word);
  compress(static_cast<uint64_t>(words.size() * 8) << 56);  // the length, as the standard has it for whole words
  v2 ^= 0xff;
  for (unsigned i = 0; i < kFinalRounds; ++i) round();
  return v0 ^ v1 ^ v2 ^ v3;
}

constexpr uint64_t keyed_hash(std::span<const uint64_t> words, HashKey key) {
  return siphash<1, 3>(words, key);
}

}  // namespace sojourn
