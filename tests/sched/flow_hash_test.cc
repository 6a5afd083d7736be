#include "sched/flow_hash.h"

#include <gtest/gtest.h>

#include <vector>

namespace sojourn {
namespace {

// Aumasson, Bernstein: the reference implementation's vectors. Key 00 01 .. 0f; input 00 01 .. of this many bytes.
constexpr HashKey kReferenceKey{0x0706050403020100, 0x0f0e0d0c0b0a0908};
constexpr uint64_t kWords[] = {0x0706050403020100, 0x0f0e0d0c0b0a0908, 0x1716151413121110, 0x1f1e1d1c1b1a1918,
                               0x2726252423222120};

TEST(SipHash, TwoFourMatchesTheReferenceVectors) {
  EXPECT_EQ((siphash<2, 4>(std::span(kWords, 0), kReferenceKey)), 0x726fdb47dd0e0e31u);
  EXPECT_EQ((siphash<2, 4>(std::span(kWords, 1), kReferenceKey)), 0x93f5f5799a932462u);
  EXPECT_EQ((siphash<2, 4>(std::span(kWords, 2), kReferenceKey)), 0x3f2acc7f57c29bdbu);
}

TEST(SipHash, OneThreeIsWhatTheFlowHashUses) {
  EXPECT_EQ(keyed_hash(std::span(kWords, 2), kReferenceKey), (siphash<1, 3>(std::span(kWords, 2), kReferenceKey)));
  EXPECT_NE(keyed_hash(std::span(kWords, 2), kReferenceKey), (siphash<2, 4>(std::span(kWords, 2), kReferenceKey)));
}

TEST(SipHash, DependsOnEveryBitOfInputAndKey) {
  std::vector<uint64_t> words(kWords, kWords + 2);
  const uint64_t original = keyed_hash(words, kReferenceKey);
  for (unsigned bit = 0; bit < 128; ++bit) {
    std::vector<uint64_t> other = words;
    other[bit / 64] ^= uint64_t{1} << bit % 64;
    const int flipped = std::popcount(keyed_hash(other, kReferenceKey) ^ original);
    EXPECT_GT(flipped, 12) << bit;
    HashKey key = kReferenceKey;
    (bit < 64 ? key.k0 : key.k1) ^= uint64_t{1} << bit % 64;
    EXPECT_GT(std::popcount(keyed_hash(words, key) ^ original), 12) << bit;
  }
}

// 100 000 flows that differ by a counter into 1024 sets: chi-square with 1023 degrees of freedom stays within 6 sigma.
TEST(SipHash, SpreadsCountersEvenly) {
  std::vector<uint64_t> sets(1024);
  for (uint64_t i = 0; i < 100'000; ++i) {
    const uint64_t words[] = {i, 0x0600'0000'0050'0000};
    ++sets[keyed_hash(words, {1, 2}) % sets.size()];
  }
  const double expected = 100'000.0 / 1024;
  double chi_square = 0;
  for (const uint64_t n : sets)
    chi_square += (static_cast<double>(n) - expected) * (static_cast<double>(n) - expected) / expected;
  EXPECT_NEAR(chi_square, 1023, 6 * 45.2);
}

}  // namespace
}  // namespace sojourn
