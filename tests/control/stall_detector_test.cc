// A worker that the test plays, in virtual time.
#include "control/stall_detector.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

using Event = StallDetector::Event;
constexpr Time kStart{1'000'000'000};

constexpr Time at(int64_t ms) {
  return kStart + Duration{ms * 1'000'000};
}

TEST(StallDetector, IsQuietWhilePassesAreMade) {
  StallDetector detector(kStart);
  for (int i = 1; i <= 1000; ++i) ASSERT_EQ(detector.look(static_cast<uint64_t>(i), at(50 * i)), Event::kNone);
  EXPECT_EQ(detector.stalls(), 0u);
}

TEST(StallDetector, RaisesOnceAfter100MillisecondsWithoutAPass) {
  StallDetector detector(kStart);
  EXPECT_EQ(detector.look(7, at(50)), Event::kNone);
  EXPECT_EQ(detector.look(7, at(100)), Event::kNone);
  EXPECT_EQ(detector.look(7, at(149)), Event::kNone);
  EXPECT_FALSE(detector.is_stalled());
  EXPECT_EQ(detector.look(7, at(150)), Event::kStalled);
  EXPECT_TRUE(detector.is_stalled());
  for (int ms = 200; ms < 5000; ms += 50) ASSERT_EQ(detector.look(7, at(ms)), Event::kNone);
  EXPECT_EQ(detector.stalls(), 1u);
  EXPECT_EQ(detector.away(), Duration{4'900'000'000});
}

TEST(StallDetector, SaysThatItIsBackAndForHowLongItWasAway) {
  StallDetector detector(kStart);
  detector.look(7, at(50));
  detector.look(7, at(200));
  EXPECT_EQ(detector.look(8, at(1250)), Event::kBack);
  EXPECT_EQ(detector.away(), Duration{1'200'000'000});
  EXPECT_FALSE(detector.is_stalled());
  EXPECT_EQ(detector.look(8, at(1300)), Event::kNone);
  EXPECT_EQ(detector.look(8, at(1350)), Event::kStalled) << "each stall is one";
  EXPECT_EQ(detector.stalls(), 2u);
}

TEST(StallDetector, SeesAWorkerThatNeverStarts) {
  StallDetector detector(kStart);
  EXPECT_EQ(detector.look(0, at(99)), Event::kNone);
  EXPECT_EQ(detector.look(0, at(100)), Event::kStalled);
}

// It is the looks that were late, not the passes.
TEST(StallDetector, AccusesNobodyWhenItHasLookedAwayItself) {
  StallDetector detector(kStart);
  detector.look(1, at(50));
  EXPECT_EQ(detector.look(2, at(60'000)), Event::kNone);
  EXPECT_EQ(detector.stalls(), 0u);
}

// The clock and the count may start anywhere and wrap.
TEST(StallDetector, DoesNotMindAWrap) {
  StallDetector detector(Time{UINT64_MAX - 10});
  EXPECT_EQ(detector.look(UINT64_MAX, Time{20'000'000}), Event::kNone);
  EXPECT_EQ(detector.look(0, Time{90'000'000}), Event::kNone);
  EXPECT_EQ(detector.look(0, Time{190'000'000}), Event::kStalled);
}

}  // namespace
}  // namespace sojourn
