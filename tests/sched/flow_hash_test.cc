#include "sched/flow_hash.h"

#include <gtest/gtest.h>

#include <vector>

namespace sojourn {
namespace {

// Bytes 0, 1, 2... as words, the message of the published vectors.
template <size_t kWords>
constexpr std::array<uint64_t, kWords> counting() {
  std::array<uint64_t, kWords> words{};
  for (size_t i = 0; i < kWords * 8; ++i) words[i / 8] |= static_cast<uint64_t>(i) << (i % 8 * 8);
  return words;
}

constexpr HashKey kPublishedKey{0x0706050403020100, 0x0f0e0d0c0b0a0908};

// vectors.h of the reference implementation, lengths 0, 8, 16, 24 and 40.
static_assert(siphash<2, 4>(counting<0>(), kPublishedKey) == 0x726fdb47dd0e0e31);

TEST(FlowHash, TwoFourMatchesThePublishedVectors) {
  EXPECT_EQ((siphash<2, 4>(counting<1>(), kPublishedKey)), 0x93f5f5799a932462u);
  EXPECT_EQ((siphash<2, 4>(counting<2>(), kPublishedKey)), 0x3f2acc7f57c29bdbu);
  EXPECT_EQ((siphash<2, 4>(counting<3>(), kPublishedKey)), 0xb8ad50c6f649af94u);
  EXPECT_EQ((siphash<2, 4>(counting<5>(), kPublishedKey)), 0x0e3ea96b5304a7d0u);
}

TEST(FlowHash, OneThreeMatchesAnIndependentImplementation) {  // Rust's DefaultHasher: SipHash-1-3, key zero
  EXPECT_EQ(siphash13(counting<0>(), {}), 0xd1fba762150c532cu);
  EXPECT_EQ(siphash13(counting<1>(), {}), 0xead411e67ebe2eeau);
  EXPECT_EQ(siphash13(counting<2>(), {}), 0x8972188433a5c5b7u);
  EXPECT_EQ(siphash13(counting<3>(), {}), 0x31185a47af932f3au);
  EXPECT_EQ(siphash13(counting<5>(), {}), 0x95bc321ab41d8206u);
}

TEST(FlowHash, BothHalvesOfTheKeyMatter) {
  const auto words = counting<2>();
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_NE(siphash13(words, {}), siphash13(words, {uint64_t{1} << bit, 0}));
    EXPECT_NE(siphash13(words, {}), siphash13(words, {0, uint64_t{1} << bit}));
  }
}

TEST(FlowHash, OneInputBitFlipsHalfOfTheOutput) {
  for (int bit = 0; bit < 128; ++bit) {
    int flipped = 0;
    constexpr int kMessages = 1000;
    for (uint64_t i = 0; i < kMessages; ++i) {
      const std::array<uint64_t, 2> a{i, ~i};
      auto b = a;
      b[static_cast<size_t>(bit / 64)] ^= uint64_t{1} << (bit % 64);
      flipped += std::popcount(siphash13(a, kPublishedKey) ^ siphash13(b, kPublishedKey));
    }
    // 64 000 fair coins: mean 32 000, standard deviation 126; six of them.
    EXPECT_NEAR(flipped, 32 * kMessages, 760) << "bit " << bit;
  }
}

}  // namespace
}  // namespace sojourn
