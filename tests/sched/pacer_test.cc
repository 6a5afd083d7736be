// SPEC "Shaper", in virtual time.
#include "sched/pacer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <random>

#include "sched/parameters.h"

namespace sojourn {
namespace {

constexpr uint32_t kFrame = 1514;

Pacer pacer_at(uint64_t bits_per_second, uint32_t burst_bytes, Time start = {0}) {
  return Pacer(Pacer::Plan::compile({bits_per_second}, burst_bytes), start);
}

// Sends back to back from `start` and returns the instant at which the link is free again after `packets`.
Time send_all(Pacer& pacer, Time now, uint32_t bytes, uint64_t packets) {
  for (uint64_t i = 0; i < packets; ++i) {
    if (!pacer.is_open(now)) now = pacer.opens_at();
    pacer.charge(now, {bytes});
  }
  return pacer.opens_at();
}

// CASES DS-2, DN-4: from 1 kbit/s to 400 Gbit/s, exact to 10 ppm over a long run.
class LongRun : public testing::TestWithParam<uint64_t> {};
TEST_P(LongRun, ErrorIsBelowTenPpm) {
  const uint64_t rate = GetParam();
  const uint32_t bytes = rate < 1'000'000 ? 125 : 9014;
  const uint64_t packets = rate < 1'000'000 ? 1'000'000 : 10'000'000;  // 1 kbit/s: 10^6 s
  Pacer pacer = pacer_at(rate, 0);
  const double seconds = static_cast<double>(send_all(pacer, {0}, bytes, packets).ns) / 1e9;
  const double expected = static_cast<double>(packets) * bytes * 8 / static_cast<double>(rate);
  EXPECT_NEAR(seconds / expected, 1.0, 10e-6);
  EXPECT_GE(seconds, expected * (1 - 1e-9)) << "never above the rate";
}
INSTANTIATE_TEST_SUITE_P(Rates, LongRun,
                         testing::Values(1'000, 10'000, 1'000'000, 40'000'000, 10'000'000'000, 100'000'000'000,
                                         400'000'000'000));

// CASES DS-2: 10^6 s of virtual time at any rate. Nothing is rounded on the way (the clock after n packets is n times
// one packet's), so the error of the whole is that of the reciprocal, which is exact arithmetic.
TEST(Pacer, DriftsLessThanTenPpmOverAMillionSecondsAtAnyRate) {
  for (double exponent = 3; exponent <= 11.602; exponent += 0.01) {
    const auto rate = std::min<uint64_t>(static_cast<uint64_t>(std::pow(10.0, exponent)), 400'000'000'000);
    const auto plan = Pacer::Plan::compile({rate}, 0);
    const Uint128 wire_bytes = Uint128{rate} * 1'000'000 / 8;
    const Uint128 ns = (plan.ns_per_byte_q32 * wire_bytes) >> 32;
    const auto exact_ns = static_cast<uint64_t>(wire_bytes * 8'000'000'000 / rate);
    ASSERT_GE(static_cast<uint64_t>(ns), exact_ns) << "above the rate " << rate;
    ASSERT_LE(static_cast<uint64_t>(ns) - exact_ns, exact_ns / 100'000) << rate;
    Pacer pacer(plan, {0});
    constexpr uint64_t kPackets = 10'000;
    EXPECT_EQ(send_all(pacer, {0}, 1'499, kPackets).ns,
              static_cast<uint64_t>(((Uint128{plan.ns_per_byte_q32} * 1'499 * kPackets) + UINT32_MAX) >> 32));
  }
}

TEST(Pacer, NeverPassesMoreThanBurstAndRateAndOneFrameInAnyWindow) {
  std::mt19937_64 random(1);
  constexpr uint64_t kRate = 50'000'000;
  constexpr uint32_t kBurst = 5000;
  Pacer pacer = pacer_at(kRate, kBurst);
  Time now{0};
  std::deque<std::pair<uint64_t, uint32_t>> sent;
  for (int i = 0; i < 20'000; ++i) {
    now = now + Duration{static_cast<int64_t>(random() % 400'000)};
    for (int polls = 0; polls < 5 && pacer.is_open(now); ++polls) {
      const auto bytes = static_cast<uint32_t>(64 + random() % (kFrame - 63));
      pacer.charge(now, {bytes});
      sent.emplace_back(now.ns, bytes);
    }
    while (sent.size() > 200) sent.pop_front();
    uint64_t bytes = 0;
    for (auto it = sent.rbegin(); it != sent.rend(); ++it) {
      bytes += it->second;
      const double window_ns = static_cast<double>(now.ns - it->first);
      ASSERT_LE(static_cast<double>(bytes), kBurst + window_ns * kRate / 8e9 + kFrame + 1);
    }
  }
}

TEST(Pacer, IdleLinkEarnsNoMoreThanTheBurst) {
  Pacer pacer = pacer_at(8'000'000, 3000);  // 1 byte a microsecond
  const Time later{3'600'000'000'000};
  unsigned packets = 0;
  for (; pacer.is_open(later); ++packets) pacer.charge(later, {1000});
  EXPECT_EQ(packets, 4u) << "3 kB of credit, and one packet of debt";
}

TEST(Pacer, ZeroBurstLetsOnePacketOutAfterAnyIdleTime) {
  Pacer pacer = pacer_at(8'000'000, 0);
  const Time later{1'000'000'000};
  ASSERT_TRUE(pacer.is_open(later));
  pacer.charge(later, {1000});
  EXPECT_FALSE(pacer.is_open(later));
  EXPECT_EQ((pacer.opens_at() - later).ns, 1'000'000);
}

TEST(Pacer, PollingAClosedGateChangesNothing) {
  Pacer pacer = pacer_at(8'000'000, 0);
  pacer.charge({0}, {1000});
  const Time opens = pacer.opens_at();
  for (int i = 0; i < 1'000'000; ++i) ASSERT_FALSE(pacer.is_open({static_cast<uint64_t>(i % 999'999)}));
  EXPECT_EQ(pacer.opens_at(), opens);
}

TEST(Pacer, UnlimitedIsAlwaysOpen) {
  Pacer pacer = pacer_at(kUnlimited.value, 0);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(pacer.is_open({0}));
    pacer.charge({0}, {65535});
  }
}

TEST(Pacer, NewRateHoldsFromTheNextPacketAndDebtKeepsItsBytes) {
  Pacer pacer = pacer_at(1'000, 0);
  pacer.charge({0}, {1500});  // 12 s of debt
  EXPECT_EQ(pacer.opens_at().ns / 1'000'000'000, 12u);
  pacer.adopt(Pacer::Plan::compile({1'000'000'000}, 0), {0});
  EXPECT_NEAR(static_cast<double>(pacer.opens_at().ns), 12'000, 2) << "1500 bytes at 1 Gbit/s";
  pacer.charge(pacer.opens_at(), {1500});
  EXPECT_NEAR(static_cast<double>(pacer.opens_at().ns), 24'000, 4);
}

TEST(Pacer, NewRateGivesNoCreditBeyondTheNewBurst) {
  Pacer pacer = pacer_at(1'000'000, 3000);
  pacer.adopt(Pacer::Plan::compile({8'000'000}, 1000), {1'000'000'000});
  unsigned packets = 0;
  for (; pacer.is_open({1'000'000'000}); ++packets) pacer.charge({1'000'000'000}, {500});
  EXPECT_EQ(packets, 3u);
}

TEST(Pacer, LeavingUnlimitedStartsWithAFullBurst) {
  Pacer pacer = pacer_at(kUnlimited.value, 0);
  pacer.adopt(Pacer::Plan::compile({8'000'000}, 1000), {5'000'000'000});
  EXPECT_TRUE(pacer.is_open({5'000'000'000}));
}

// Whoever waits for opens_at() must not wait out a debt that the new plan does not know.
TEST(Pacer, UnlimitedIsOpenFromTheInstantOfItsAdoption) {
  Pacer pacer = pacer_at(1'000, 0);
  pacer.charge({0}, {1500});  // 12 s of debt
  pacer.adopt(Pacer::Plan::compile(kUnlimited, 0), {1'000});
  EXPECT_TRUE(pacer.is_open({1'000}));
  EXPECT_EQ(pacer.opens_at().ns, 1'000u);
}

class ClockStart : public testing::TestWithParam<uint64_t> {};
TEST_P(ClockStart, MakesNoDifferenceNorDoLongGaps) {
  const uint64_t start = GetParam();
  for (const uint64_t gap_s : {0ull, 35 * 60ull, 72 * 60ull, 10 * 86400ull}) {
    Pacer pacer = pacer_at(8'000'000, 1000, {start});
    Time now{start + gap_s * 1'000'000'000};
    unsigned at_once = 0;
    for (; pacer.is_open(now); ++at_once) pacer.charge(now, {1000});
    EXPECT_EQ(at_once, 2u) << gap_s;
    EXPECT_NEAR(static_cast<double>((pacer.opens_at() - now).ns), 1e6, 2) << gap_s;
  }
}
INSTANTIATE_TEST_SUITE_P(Starts, ClockStart,
                         testing::Values(0u, (1ull << 31), (1ull << 32) - 1, (1ull << 63) - 1, UINT64_MAX - 5));

}  // namespace
}  // namespace sojourn
