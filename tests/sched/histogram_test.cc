#include "sched/histogram.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace sojourn {
namespace {

TEST(Histogram, QuantilesAreWithinABucketsWidth) {
  std::mt19937_64 random(1);
  Histogram h;
  std::vector<int64_t> values;
  for (int i = 0; i < 100'000; ++i) {
    values.push_back(static_cast<int64_t>(random() >> (24 + random() % 40)));
    h.record({values.back()});
  }
  std::sort(values.begin(), values.end());
  for (const double q : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    const auto exact = static_cast<double>(values[static_cast<size_t>(q * 100'000) - 1]);
    EXPECT_NEAR(static_cast<double>(h.quantile(q).ns), exact, exact / 32 + 1) << q;
  }
  EXPECT_EQ(h.max().ns, values.back());
  EXPECT_EQ(h.count(), 100'000u);
}

TEST(Histogram, SmallAndEqualValuesAreExact) {
  Histogram h;
  for (int i = 0; i < 10; ++i) h.record({7});
  EXPECT_EQ(h.quantile(0.5).ns, 7);
  EXPECT_EQ(h.quantile(1).ns, 7);
}

TEST(Histogram, EmptyIsZeroAndTheLongestIsCounted) {
  Histogram h;
  EXPECT_EQ(h.quantile(0.5).ns, 0);
  h.record({INT64_MAX});
  EXPECT_EQ(h.max().ns, INT64_MAX);
  EXPECT_EQ(h.count(), 1u);
  EXPECT_GE(h.quantile(1).ns, (int64_t{1} << Histogram::kMostBits) / 32 * 31) << "in the last bucket";
}

TEST(Histogram, SumsAreThoseOfBoth) {
  Histogram a, b;
  a.record({10});
  b.record({1'000'000});
  a.add(b);
  EXPECT_EQ(a.count(), 2u);
  EXPECT_EQ(a.quantile(0.5).ns, 10);
  EXPECT_EQ(a.max().ns, 1'000'000);
  EXPECT_EQ(a.max().ns, 1'000'000);
}

// Beyond the last bucket's beginning only the longest is known: better that than less than all of them.
TEST(Histogram, WhatIsBeyondTheLastBucketIsNotSaidToBeLess) {
  Histogram h;
  for (const int64_t hours : {2, 20, 30}) h.record({hours * 3'600'000'000'000});
  EXPECT_EQ(h.quantile(0.5).ns, 30 * 3'600'000'000'000);
}

}  // namespace
}  // namespace sojourn
