// The laws of each sender, told acknowledgements by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "control/sim/bbr.h"
#include "control/sim/cubic.h"
#include "control/sim/exact_math.h"
#include "control/sim/reno.h"
#include "control/sim/vegas.h"

namespace sojourn::sim {
namespace {

constexpr Duration kRtt{50'000'000};

// One acknowledgement of one segment, of a sender that its window holds back.
Acknowledgement ack_at(Time now, Duration rtt = kRtt) {
  Acknowledgement a;
  a.now = now;
  a.rtt = a.least_rtt = rtt;
  a.acked = 1;
  a.is_window_limited = true;
  return a;
}

// As many acknowledgements as the window has segments, evenly over one round trip. Returns its end.
template <typename Sender>
Time round_trip(Sender& sender, Time now, uint64_t& delivered, Duration rtt = kRtt, Duration least = kRtt) {
  const auto segments = static_cast<uint64_t>(sender.window());
  const uint64_t sent_at = delivered;
  for (uint64_t i = 1; i <= segments; ++i) {
    Acknowledgement a = ack_at(now + Duration{rtt.ns * static_cast<int64_t>(i) / static_cast<int64_t>(segments)}, rtt);
    a.least_rtt = least;
    a.delivered = ++delivered;
    a.delivered_then = sent_at;
    sender.on_ack(a);
  }
  return now + rtt;
}

TEST(Reno, DoublesEachRoundTripInSlowStart) {
  Reno reno({});
  uint64_t delivered = 0;
  Time now{0};
  for (const double wanted : {20.0, 40.0, 80.0}) {
    now = round_trip(reno, now, delivered);
    EXPECT_DOUBLE_EQ(reno.window(), wanted);
  }
}
TEST(Reno, HalvesAndThenGrowsByOneSegmentARoundTrip) {
  Reno reno({});
  uint64_t delivered = 0;
  Time now = round_trip(reno, Time{0}, delivered);
  reno.on_congestion(now, CongestionSignal::kLoss, 20);
  EXPECT_DOUBLE_EQ(reno.window(), 10);
  EXPECT_DOUBLE_EQ(reno.threshold(), 10);
  now = round_trip(reno, now, delivered);
  EXPECT_NEAR(reno.window(), 11, 0.06);
}
TEST(Reno, DoesNotGrowWhileItRecoversOrHasNothingToSend) {
  Reno reno({});
  Acknowledgement a = ack_at(Time{0});
  a.is_recovering = true;
  reno.on_ack(a);
  a = ack_at(Time{0});
  a.is_window_limited = false;
  reno.on_ack(a);
  EXPECT_DOUBLE_EQ(reno.window(), kInitialWindow);
}
TEST(Reno, BeginsAgainWithOneSegmentAfterATimeout) {
  Reno reno({});
  reno.on_timeout(Time{0}, 10);
  EXPECT_DOUBLE_EQ(reno.window(), 1);
  EXPECT_DOUBLE_EQ(reno.threshold(), 5);
}
// RFC 8511: a mark costs less than a loss, if asked for.
TEST(Reno, BacksOffLessForAMarkWhenAsked) {
  Reno plain({}), gentle({.has_ecn_backoff = true});
  plain.on_congestion(Time{0}, CongestionSignal::kEcn, 10);
  gentle.on_congestion(Time{0}, CongestionSignal::kEcn, 10);
  EXPECT_DOUBLE_EQ(plain.window(), 5);
  EXPECT_DOUBLE_EQ(gentle.window(), 8);
}

// RFC 9438 4.2: W_cubic(t) = C (t - K)^3 + W_max, K = cbrt((W_max - cwnd) / C).
TEST(Cubic, FollowsTheWindowFunction) {
  const double k = Cubic::period_of(1000, 700);
  EXPECT_NEAR(k, std::cbrt(300 / 0.4), 1e-9);
  EXPECT_NEAR(Cubic::cubic_window(0, k, 1000), 700, 1e-9);
  EXPECT_NEAR(Cubic::cubic_window(k, k, 1000), 1000, 1e-9);
  EXPECT_NEAR(Cubic::cubic_window(k + 2, k, 1000), 1000 + 0.4 * 8, 1e-9);
}
// Over a long round trip, where the Reno-friendly region does not reach: back at W_max after K.
TEST(Cubic, IsBackAtItsPlateauAfterK) {
  Cubic cubic({});
  uint64_t delivered = 0;
  Time now{0};
  const Duration rtt{200'000'000};
  while (cubic.window() < 1000) now = round_trip(cubic, now, delivered, rtt, rtt);
  const double most = cubic.window();
  cubic.on_congestion(now, CongestionSignal::kLoss, most);
  EXPECT_DOUBLE_EQ(cubic.window(), most * 0.7);
  const double k = Cubic::period_of(most, most * 0.7);
  const Time plateau = now + Duration{static_cast<int64_t>(k * 1e9)};
  while (is_before(now, plateau)) now = round_trip(cubic, now, delivered, rtt, rtt);
  EXPECT_NEAR(cubic.window(), most, most * 0.005);
  for (int i = 0; i < 10; ++i) now = round_trip(cubic, now, delivered, rtt, rtt);
  EXPECT_GT(cubic.window(), most);
}
// RFC 9438 4.3: over a short round trip, alpha = 0.53 segments a round trip.
TEST(Cubic, GrowsLikeRenoOverShortRoundTrips) {
  Cubic cubic({});
  uint64_t delivered = 0;
  Time now{0};
  const Duration rtt{5'000'000};
  now = round_trip(cubic, now, delivered, rtt, rtt);
  cubic.on_congestion(now, CongestionSignal::kLoss, 20);
  const double before = cubic.window();
  for (int i = 0; i < 8; ++i) now = round_trip(cubic, now, delivered, rtt, rtt);
  EXPECT_NEAR(cubic.window(), before + 8 * 3 * 0.3 / 1.7, 0.35);
}
// RFC 9438 4.7: a flow that loses before it is back at W_max lets go of more.
TEST(Cubic, ConvergesFasterWhenItLosesBelowItsPlateau) {
  Cubic cubic({});
  uint64_t delivered = 0;
  Time now{0};
  for (int i = 0; i < 5; ++i) now = round_trip(cubic, now, delivered);
  cubic.on_congestion(now, CongestionSignal::kLoss, cubic.window());
  const double second = cubic.window();
  cubic.on_congestion(now, CongestionSignal::kLoss, second);
  // The plateau is now at 0.85 of the second window: K from 0.7 of it to there.
  const double k = Cubic::period_of(second * 0.85, second * 0.7);
  const Time plateau = now + Duration{static_cast<int64_t>(k * 1e9)};
  while (is_before(now, plateau)) now = round_trip(cubic, now, delivered, Duration{100'000'000}, Duration{100'000'000});
  EXPECT_NEAR(cubic.window(), second * 0.85, second * 0.03);
}
TEST(Cubic, LeavesSlowStartWithHystartWhenTheDelayRises) {
  Cubic plain({}), careful({.has_hystart = true});
  uint64_t d1 = 0, d2 = 0;
  Time t1{0}, t2{0};
  for (const int64_t ms : {50, 50, 60, 70, 80}) {
    t1 = round_trip(plain, t1, d1, {ms * 1'000'000});
    t2 = round_trip(careful, t2, d2, {ms * 1'000'000});
  }
  EXPECT_DOUBLE_EQ(plain.window(), 320);
  EXPECT_LT(careful.window(), 60);
}

TEST(Vegas, KeepsBetweenAlphaAndBetaPacketsInTheQueue) {
  Vegas vegas({});
  uint64_t delivered = 0;
  Time now{0};
  vegas.on_congestion(now, CongestionSignal::kLoss, 10);  // ends slow start, at 5
  // The link takes 40 packets a round trip of 50 ms; what is above waits.
  double queued = 0;
  for (int i = 0; i < 100; ++i) {
    queued = std::max(0.0, std::floor(vegas.window()) - 40);
    const Duration rtt{kRtt.ns + static_cast<int64_t>(queued * 1'250'000)};
    now = round_trip(vegas, now, delivered, rtt);
  }
  EXPECT_GE(queued, Vegas::kAlpha);
  EXPECT_LE(queued, Vegas::kBeta);
  const double window = vegas.window();
  vegas.on_congestion(now, CongestionSignal::kLoss, window);
  EXPECT_DOUBLE_EQ(vegas.window(), window / 2);
}
TEST(Vegas, ShrinksByOneSegmentARoundTripAboveBeta) {
  Vegas vegas({});
  uint64_t delivered = 0;
  vegas.on_congestion(Time{0}, CongestionSignal::kLoss, 10);
  Time now = round_trip(vegas, Time{0}, delivered);  // a round without queue: + 1
  for (int i = 0; i < 30; ++i) now = round_trip(vegas, now, delivered);
  now = round_trip(vegas, now, delivered, {2 * kRtt.ns});  // judged when the next one begins
  const double before = vegas.window();
  now = round_trip(vegas, now, delivered, {2 * kRtt.ns});
  EXPECT_DOUBLE_EQ(vegas.window(), before - 1);
}

TEST(Math, AgreesWithTheLibrary) {
  for (double x = 1e-9; x < 1e12; x *= 1.7) {
    EXPECT_NEAR(natural_log(x), std::log(x), 1e-12 * std::abs(std::log(x)) + 1e-15) << x;
    EXPECT_NEAR(cube_root(x), std::cbrt(x), 1e-13 * std::cbrt(x)) << x;
    EXPECT_NEAR(cube_root(-x), std::cbrt(-x), 1e-13 * std::cbrt(x)) << x;
  }
  for (double x = -30; x < 30; x += 0.37) EXPECT_NEAR(exponential(x), std::exp(x), 1e-13 * std::exp(x)) << x;
}
TEST(Math, KnowsTheNormalQuantiles) {
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-9);
  EXPECT_NEAR(normal_quantile(0.95), 1.6448536270, 1e-7);
  EXPECT_NEAR(normal_quantile(0.001), -3.0902323062, 1e-7);
}

}  // namespace
}  // namespace sojourn::sim
