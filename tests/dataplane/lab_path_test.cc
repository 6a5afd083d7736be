#include "dataplane/lab_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "dataplane/setup_error.h"

namespace sojourn {
namespace {

constexpr Time kStart{1'000'000'000};
constexpr Duration kMillisecond{1'000'000};
constexpr Duration kSecond{1'000'000'000};

Duration operator*(Duration d, int64_t n) {
  return {d.ns * n};
}

LabPath::Handle handle(uint64_t n) {
  return reinterpret_cast<LabPath::Handle>(n + 1);
}
uint64_t number(LabPath::Handle h) {
  return reinterpret_cast<uint64_t>(h) - 1;
}

LabPathParameters with_rate(uint64_t bits_per_second) {
  LabPathParameters p;
  p.rate = {bits_per_second};
  return p;
}
LabPathParameters with_delay(Duration delay, Duration jitter = {}) {
  LabPathParameters p;
  p.delay = delay;
  p.jitter = jitter;
  return p;
}
LabPathChange change_of_delay(Duration at, Duration delay, std::optional<Duration> repeat = {}) {
  LabPathChange c;
  c.at = at;
  c.delay = delay;
  c.repeat = repeat;
  return c;
}
LabPathChange change_of_rate(Duration at, uint64_t bits_per_second) {
  LabPathChange c;
  c.at = at;
  c.rate = BitsPerSecond{bits_per_second};
  return c;
}

bool comes_out_at(LabPath& path, Time t) {
  std::array<LabPath::Handle, 1> out;
  return path.pop(t, out) == 1;
}
// The frame at the front comes out at `t` and not a nanosecond before.
void expect_exactly_at(LabPath& path, Time t) {
  EXPECT_FALSE(comes_out_at(path, t - Duration{1})) << "at or before " << (t - kStart).ns - 1;
  EXPECT_TRUE(comes_out_at(path, t)) << "after " << (t - kStart).ns;
}
std::vector<uint64_t> pop_all(LabPath& path, Time t) {
  std::vector<uint64_t> numbers;
  std::array<LabPath::Handle, 32> out;
  for (unsigned n = path.pop(t, out); n != 0; n = path.pop(t, out)) {
    for (unsigned i = 0; i < n; ++i) numbers.push_back(number(out[i]));
  }
  return numbers;
}
void expect_conserved(const LabPathCounters& c) {
  for (const auto member : {&Tally::packets, &Tally::bytes}) {
    EXPECT_EQ(c.received.*member, c.sent.*member + c.queued.*member + c.overflow.*member + c.loss.*member +
                                      c.capacity.*member + c.returned.*member);
  }
}

TEST(LabPath, WithNothingAskedForPassesFramesAtOnce) {
  LabPath path(LabPathParameters{}, 4, kStart);
  EXPECT_EQ(path.push(kStart, handle(7), 1514), LabPath::Verdict::kTaken);
  EXPECT_EQ(pop_all(path, kStart), std::vector<uint64_t>{7});
}

// 1514 B at 45 Mbit/s take 269155 5/9 ns: the fractions must add up. Frame n ends when all bytes up to its last have
// been sent, rounded up to a nanosecond.
TEST(LabPath, BottleneckKeepsTheRateExactlyOverLongRuns) {
  for (const uint64_t rate : {1'000u, 45'000'000u, 999'999'937u}) {
    LabPath path(with_rate(rate), 8, kStart);
    std::array<Time, 4> ends{kStart, kStart, kStart, kStart};  // of the last four frames: the link is never idle
    uint64_t bytes = 0;
    for (unsigned i = 0; i < 100'000; ++i) {
      const Time oldest = ends[i % 4];
      if (i >= 4) expect_exactly_at(path, oldest);
      const uint32_t frame = 60 + i * 7919 % 1455;
      ASSERT_EQ(path.push(oldest, handle(i), frame), LabPath::Verdict::kTaken);
      bytes += frame;
      const Uint128 bit_ns = Uint128{bytes} * 8'000'000'000;
      ends[i % 4] = kStart + Duration{static_cast<int64_t>((bit_ns + rate - 1) / rate)};
    }
    EXPECT_EQ(path.size(), 4u);
  }
}

TEST(LabPath, At400GigabitStaysExact) {
  LabPath path(with_rate(400'000'000'000), 4096, kStart);
  for (unsigned i = 0; i < 1000; ++i) path.push(kStart, handle(i), 61);  // 1.22 ns each
  EXPECT_EQ(pop_all(path, kStart + Duration{1219}).size(), 999u);
  EXPECT_EQ(pop_all(path, kStart + Duration{1220}).size(), 1u);
}

TEST(LabPath, AnIdleBottleneckEarnsNoCredit) {
  LabPath path(with_rate(8'000'000), 16, kStart);  // 1 byte a microsecond
  path.push(kStart + kSecond, handle(0), 1000);
  path.push(kStart + kSecond, handle(1), 1000);
  expect_exactly_at(path, kStart + kSecond + kMillisecond);
  expect_exactly_at(path, kStart + kSecond + kMillisecond * 2);
}

// FIELD: the modem that accepts 45 Mbit/s and holds 3375000 bytes.
TEST(LabPath, AFullBufferOf600MillisecondsDelaysBy600Milliseconds) {
  LabPathParameters p = with_rate(45'000'000);
  p.buffer_bytes = 3'375'000;
  LabPath path(p, 8192, kStart);
  uint64_t taken = 0;
  while (path.push(kStart, handle(taken), 1500) == LabPath::Verdict::kTaken) ++taken;
  EXPECT_EQ(taken, 2250u);
  EXPECT_EQ(pop_all(path, kStart + kMillisecond * 600 - Duration{1}).size(), 2249u);
  EXPECT_EQ(pop_all(path, kStart + kMillisecond * 600).size(), 1u);
}

TEST(LabPath, ABufferInBytesCountsBytesAndOneInPacketsPackets) {
  LabPathParameters bytes = with_rate(1'000'000);
  bytes.buffer_bytes = 1500;
  LabPath in_bytes(bytes, 64, kStart);
  EXPECT_EQ(in_bytes.push(kStart, handle(0), 1000), LabPath::Verdict::kTaken);
  EXPECT_EQ(in_bytes.push(kStart, handle(1), 501), LabPath::Verdict::kOverflow);
  EXPECT_EQ(in_bytes.push(kStart, handle(2), 500), LabPath::Verdict::kTaken);
  EXPECT_EQ(in_bytes.push(kStart + kMillisecond * 8 - Duration{1}, handle(3), 1), LabPath::Verdict::kOverflow);
  EXPECT_EQ(in_bytes.push(kStart + kMillisecond * 8, handle(4), 1000), LabPath::Verdict::kTaken);

  LabPathParameters packets = with_rate(1'000'000);
  packets.buffer_packets = 2;
  LabPath in_packets(packets, 64, kStart);
  EXPECT_EQ(in_packets.push(kStart, handle(0), 60), LabPath::Verdict::kTaken);
  EXPECT_EQ(in_packets.push(kStart, handle(1), 1514), LabPath::Verdict::kTaken);
  EXPECT_EQ(in_packets.push(kStart, handle(2), 60), LabPath::Verdict::kOverflow);
  EXPECT_EQ(in_packets.counters().overflow.packets, 1u);
  EXPECT_EQ(in_packets.counters().overflow.bytes, 60u);
}

TEST(LabPath, FramesInTheDelayLineDoNotFillTheBuffer) {
  LabPathParameters p = with_rate(8'000'000);
  p.buffer_packets = 1;
  p.delay = kSecond;
  LabPath path(p, 64, kStart);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(path.push(kStart + kMillisecond * i, handle(0), 1000), LabPath::Verdict::kTaken);
  }
  EXPECT_EQ(path.size(), 10u);
}

TEST(LabPath, ALinkWithoutARateNeedsNoBuffer) {
  LabPathParameters p;
  p.buffer_packets = 0;
  LabPath path(p, 4, kStart);
  EXPECT_EQ(path.push(kStart, handle(0), 1500), LabPath::Verdict::kTaken);
}

TEST(LabPath, MoreFramesThanPlacesAreRefusedAndCounted) {
  LabPath path(with_delay(kSecond), 3, kStart);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(path.push(kStart, handle(0), 100), LabPath::Verdict::kTaken);
  EXPECT_EQ(path.push(kStart, handle(0), 100), LabPath::Verdict::kCapacity);
  EXPECT_EQ(path.counters().capacity.packets, 1u);
  EXPECT_EQ(path.queued_bytes(), 300u);
  expect_conserved(path.counters());
}

TEST(LabPath, DelayIsExactToTheNanosecond) {
  LabPath path(with_delay({12'345'678}), 16, kStart);
  path.push(kStart, handle(0), 60);
  path.push(kStart + Duration{5}, handle(1), 60);
  expect_exactly_at(path, kStart + Duration{12'345'678});
  expect_exactly_at(path, kStart + Duration{12'345'683});
}

TEST(LabPath, DelayComesAfterTheBottleneck) {
  LabPathParameters p = with_rate(8'000'000);
  p.delay = kMillisecond * 12;
  LabPath path(p, 16, kStart);
  path.push(kStart, handle(0), 1000);
  path.push(kStart, handle(1), 500);
  expect_exactly_at(path, kStart + kMillisecond * 13);
  expect_exactly_at(path, kStart + kMillisecond * 13 + Duration{500'000});
}

TEST(LabPath, ItsClockMayWrap) {
  const Time end_of_time{UINT64_MAX - 999};
  LabPathParameters p = with_rate(8'000'000'000);  // 1 byte a nanosecond
  p.delay = {1000};
  LabPath path(p, 16, end_of_time);
  path.push(end_of_time, handle(0), 1500);
  EXPECT_FALSE(comes_out_at(path, end_of_time + Duration{2499}));
  EXPECT_TRUE(comes_out_at(path, end_of_time + Duration{2500}));
}

TEST(LabPath, PopGivesNoMoreThanAskedFor) {
  LabPath path(LabPathParameters{}, 16, kStart);
  for (int i = 0; i < 5; ++i) path.push(kStart, handle(0), 60);
  std::array<LabPath::Handle, 3> out;
  EXPECT_EQ(path.pop(kStart, out), 3u);
  EXPECT_EQ(path.pop(kStart, out), 2u);
  EXPECT_EQ(path.pop(kStart, out), 0u);
}

// Frames 10 ms apart: no frame waits for the one before, so that the jitter itself is seen.
TEST(LabPath, JitterStaysWithinItsBoundsAndReachesBothEnds) {
  LabPath path(with_delay(kMillisecond * 3, {9}), 16, kStart);
  std::array<unsigned, 10> seen{};
  for (int i = 0; i < 10'000; ++i) {
    const Time sent = kStart + kMillisecond * (10 * i);
    path.push(sent, handle(0), 60);
    ASSERT_FALSE(comes_out_at(path, sent + kMillisecond * 3 - Duration{1}));
    int64_t extra = 0;
    while (!comes_out_at(path, sent + kMillisecond * 3 + Duration{extra})) ASSERT_LE(++extra, 9);
    ++seen[static_cast<size_t>(extra)];
  }
  for (const unsigned n : seen) EXPECT_NEAR(n, 1000, 150);  // 5 sigma
}

TEST(LabPath, JitterNeverReorders) {
  LabPath path(with_delay(kMillisecond * 10, kMillisecond * 10), 1024, kStart);
  std::vector<uint64_t> order;
  for (unsigned i = 0; i < 10'000; ++i) {
    const Time now = kStart + Duration{100'000} * i;
    path.push(now, handle(i), 60);
    for (const uint64_t n : pop_all(path, now)) order.push_back(n);
  }
  for (const uint64_t n : pop_all(path, kStart + kSecond * 100)) order.push_back(n);
  EXPECT_EQ(order.size(), 10'000u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

std::vector<unsigned> lost(const LabPathParameters& p, unsigned frames) {
  LabPath path(p, 1, kStart);
  std::vector<unsigned> numbers;
  for (unsigned i = 0; i < frames; ++i) {
    if (path.push(kStart + kMillisecond * i, handle(i), 1000) == LabPath::Verdict::kLoss) numbers.push_back(i);
    pop_all(path, kStart + kMillisecond * i);
  }
  EXPECT_EQ(path.counters().loss.packets, numbers.size());
  EXPECT_EQ(path.counters().loss.bytes, numbers.size() * 1000);
  expect_conserved(path.counters());
  return numbers;
}

// FIELD: 1.5 % random loss. 200000 frames: mean 3000, standard deviation 54.4.
TEST(LabPath, LossIsOfTheFractionAskedForAndReproducible) {
  LabPathParameters p;
  p.loss = 0.015;
  const std::vector<unsigned> first = lost(p, 200'000);
  EXPECT_NEAR(first.size(), 3000, 4 * 54.4);
  EXPECT_EQ(first, lost(p, 200'000));
  p.jitter = {1};  // another random element leaves the losses where they were
  EXPECT_EQ(first, lost(p, 200'000));
  p.seed = 2;
  EXPECT_NE(first, lost(p, 200'000));
}

TEST(LabPath, LossesAreIndependentOfEachOther) {
  LabPathParameters p;
  p.loss = 0.1;
  const std::vector<unsigned> numbers = lost(p, 100'000);
  unsigned pairs = 0;
  for (size_t i = 1; i < numbers.size(); ++i) pairs += numbers[i] == numbers[i - 1] + 1;
  EXPECT_NEAR(pairs, 1000, 150);
}

TEST(LabPath, LossOfNoneAndOfAll) {
  LabPathParameters p;
  EXPECT_TRUE(lost(p, 10'000).empty());
  p.loss = 1;
  EXPECT_EQ(lost(p, 10'000).size(), 10'000u);
}

TEST(LabPath, ReordersTheFractionAskedForAndOnlyIfAsked) {
  for (const double fraction : {0.0, 0.01}) {
    LabPathParameters p = with_delay(kMillisecond * 5);
    p.reorder = fraction;
    p.reorder_hold = kMillisecond * 2;
    LabPath path(p, 1024, kStart);
    std::vector<uint64_t> order;
    for (unsigned i = 0; i < 100'000; ++i) {
      const Time now = kStart + Duration{100'000} * i;
      path.push(now, handle(i), 60);
      for (const uint64_t n : pop_all(path, now)) order.push_back(n);
    }
    for (const uint64_t n : pop_all(path, kStart + kSecond * 100)) order.push_back(n);
    ASSERT_EQ(order.size(), 100'000u);
    unsigned overtaken = 0;
    for (size_t i = 1; i < order.size(); ++i) overtaken += order[i] < order[i - 1];
    EXPECT_NEAR(overtaken, 1000 * fraction * 100, fraction == 0 ? 0.5 : 130);
  }
}

std::vector<uint64_t> order_when_polled_every(Duration period, uint64_t seed) {
  LabPathParameters p = with_delay(kMillisecond * 5);
  p.reorder = 0.3;
  p.reorder_hold = kMillisecond * 2;
  p.seed = seed;
  LabPath path(p, 1024, kStart);
  for (unsigned i = 0; i < 500; ++i) path.push(kStart + Duration{100'000} * i, handle(i), 60);
  std::vector<uint64_t> order;
  for (Time t = kStart; (t - kStart).ns < kSecond.ns; t = t + period) {
    for (const uint64_t n : pop_all(path, t)) order.push_back(n);
  }
  return order;
}

TEST(LabPath, HowOftenItIsPolledDoesNotChangeTheOrder) {
  const std::vector<uint64_t> order = order_when_polled_every({1'000}, 1);
  EXPECT_EQ(order.size(), 500u);
  EXPECT_EQ(order, order_when_polled_every(kMillisecond * 500, 1));
  EXPECT_NE(order, order_when_polled_every({1'000}, 2));
}

TEST(LabPath, JitterDependsOnTheSeedAlone) {
  const auto first_out = [](uint64_t seed) {
    LabPathParameters p = with_delay({0}, {1'000'000'000});
    p.seed = seed;
    Duration low{-1}, high{1'000'000'000};
    while (high.ns - low.ns > 1'000) {  // each probe on a fresh path: pop would take the frame out
      const Duration middle{(low.ns + high.ns) / 2};
      LabPath probe(p, 16, kStart);
      probe.push(kStart, handle(0), 60);
      (comes_out_at(probe, kStart + middle) ? high : low) = middle;
    }
    return high.ns;
  };
  EXPECT_EQ(first_out(1), first_out(1));
  EXPECT_NE(first_out(1), first_out(2));
}

TEST(LabPath, AFrameHeldBackComesOutAfterItsHoldExactly) {
  LabPathParameters p = with_delay(kMillisecond * 5);
  p.reorder = 1;
  p.reorder_hold = kMillisecond * 2;
  LabPath path(p, 16, kStart);
  path.push(kStart, handle(0), 60);
  expect_exactly_at(path, kStart + kMillisecond * 7);
}

TEST(LabPath, DelayChangesAtTheExactInstantForFramesSentFromThenOn) {
  LabPathParameters p = with_delay(kMillisecond * 4);
  p.timetable = {change_of_delay(kSecond, kMillisecond * 22)};
  LabPath path(p, 16, kStart);
  path.push(kStart + kSecond - Duration{1}, handle(0), 60);
  path.push(kStart + kSecond, handle(1), 60);
  expect_exactly_at(path, kStart + kSecond + kMillisecond * 4 - Duration{1});
  expect_exactly_at(path, kStart + kSecond + kMillisecond * 22);
}

// FIELD: routes that flip between 4 and 22 ms every 30 s, for an hour.
TEST(LabPath, ARouteFlipsBackAndForthAsOftenAsItRepeats) {
  LabPathParameters p = with_delay(kMillisecond * 4);
  p.timetable = {change_of_delay(kSecond * 30, kMillisecond * 22, kSecond * 60),
                 change_of_delay(kSecond * 60, kMillisecond * 4, kSecond * 60)};
  LabPath path(p, 16, kStart);
  for (int flip = 1; flip <= 120; ++flip) {
    const Time at = kStart + kSecond * (30 * flip);
    const bool becomes_long = flip % 2 == 1;
    path.push(at - kSecond, handle(0), 60);
    expect_exactly_at(path, at - kSecond + kMillisecond * (becomes_long ? 4 : 22));
    path.push(at, handle(1), 60);
    expect_exactly_at(path, at + kMillisecond * (becomes_long ? 22 : 4));
  }
}

TEST(LabPath, AnIdleDayOverManyRepeatsEndsInTheRightState) {
  LabPathParameters p = with_delay(kMillisecond * 4);
  p.timetable = {change_of_delay({500}, kMillisecond * 22, Duration{1000}),
                 change_of_delay({1000}, kMillisecond * 4, Duration{1000})};
  LabPath path(p, 16, kStart);
  path.push(kStart + kSecond * 86'400 + Duration{700}, handle(0), 60);
  expect_exactly_at(path, kStart + kSecond * 86'400 + Duration{700} + kMillisecond * 22);
}

TEST(LabPath, AFlipToAShorterRouteKeepsTheOrder) {
  LabPathParameters p = with_delay(kMillisecond * 22);
  p.timetable = {change_of_delay(kSecond, kMillisecond * 4)};
  LabPath path(p, 16, kStart);
  path.push(kStart + kSecond - Duration{1}, handle(0), 60);
  path.push(kStart + kSecond, handle(1), 60);
  EXPECT_TRUE(pop_all(path, kStart + kSecond + kMillisecond * 22 - Duration{2}).empty());
  EXPECT_EQ(pop_all(path, kStart + kSecond + kMillisecond * 22 - Duration{1}), (std::vector<uint64_t>{0, 1}));
}

TEST(LabPath, RateChangesForTheFrameThatBeginsAtTheInstant) {
  LabPathParameters p = with_rate(8'000'000);  // 1 byte a microsecond
  p.timetable = {change_of_rate(kMillisecond * 2, 4'000'000), change_of_rate(kMillisecond * 4, kUnlimited.value)};
  LabPath path(p, 16, kStart);
  for (unsigned i = 0; i < 5; ++i) path.push(kStart, handle(i), 1000);
  expect_exactly_at(path, kStart + kMillisecond);
  expect_exactly_at(path, kStart + kMillisecond * 2);
  expect_exactly_at(path, kStart + kMillisecond * 4);  // begun at 2 ms: the new rate
  EXPECT_EQ(pop_all(path, kStart + kMillisecond * 4).size(), 2u);
}

TEST(LabPath, AChangeOfRateKeepsTheFractionOfANanosecond) {
  LabPathParameters p = with_rate(3'000'000'000);       // a byte takes 2 2/3 ns
  p.timetable = {change_of_rate({2}, 12'000'000'000)};  // from now on 2/3 ns
  LabPath path(p, 16, kStart);
  for (unsigned i = 0; i < 3; ++i) path.push(kStart, handle(i), 1);
  expect_exactly_at(path, kStart + Duration{3});          // 2 2/3
  expect_exactly_at(path, kStart + Duration{4});          // 3 1/3; without the fraction it would be 2 2/3
  EXPECT_TRUE(comes_out_at(path, kStart + Duration{4}));  // 4
}

TEST(LabPath, AFrameBegunWithinTheNanosecondBeforeTheInstantHasTheOldRate) {
  LabPathParameters p = with_rate(3'000'000'000);
  p.timetable = {change_of_rate({3}, 12'000'000'000)};
  LabPath path(p, 16, kStart);
  for (unsigned i = 0; i < 2; ++i) path.push(kStart, handle(i), 1);
  expect_exactly_at(path, kStart + Duration{3});  // 2 2/3
  expect_exactly_at(path, kStart + Duration{6});  // 5 1/3
}

TEST(LabPath, ALateCallAppliesWhatWasInForceAtTheTime) {
  LabPathParameters p = with_rate(8'000'000);
  p.delay = kMillisecond * 4;
  p.timetable = {change_of_rate(kMillisecond * 2, 1'000'000), change_of_delay({1'500'000}, kMillisecond * 22)};
  LabPath path(p, 16, kStart);
  for (unsigned i = 0; i < 2; ++i) path.push(kStart, handle(i), 1000);
  expect_exactly_at(path, kStart + kMillisecond * 5);   // sent at 1 ms, when the delay was 4 ms
  expect_exactly_at(path, kStart + kMillisecond * 24);  // begun at 1 ms at the old rate, sent at 2 ms
}

TEST(LabPath, OfTwoChangesAtOneInstantTheLastInTheTableCounts) {
  LabPathParameters p;
  p.timetable = {change_of_delay(kSecond, kMillisecond), change_of_delay(kSecond, kMillisecond * 2)};
  LabPath path(p, 16, kStart);
  path.push(kStart + kSecond, handle(0), 60);
  expect_exactly_at(path, kStart + kSecond + kMillisecond * 2);
}

TEST(LabPath, LossAndJitterFollowTheTimetable) {
  LabPathChange all_lost, none_lost;
  all_lost.at = kSecond;
  all_lost.loss = 1.0;
  none_lost.at = kSecond * 2;
  none_lost.loss = 0.0;
  none_lost.jitter = kMillisecond;
  LabPathParameters p;
  p.timetable = {all_lost, none_lost};
  LabPath path(p, 16, kStart);
  EXPECT_EQ(path.push(kStart + kSecond - Duration{1}, handle(0), 60), LabPath::Verdict::kTaken);
  EXPECT_TRUE(comes_out_at(path, kStart + kSecond - Duration{1}));
  EXPECT_EQ(path.push(kStart + kSecond, handle(1), 60), LabPath::Verdict::kLoss);
  EXPECT_EQ(path.push(kStart + kSecond * 2 - Duration{1}, handle(2), 60), LabPath::Verdict::kLoss);
  EXPECT_EQ(path.push(kStart + kSecond * 2, handle(3), 60), LabPath::Verdict::kTaken);
  EXPECT_FALSE(comes_out_at(path, kStart + kSecond * 2));  // jitter of 0 has a chance of one in a million
}

LabPathParameters everything_at_once() {
  LabPathParameters p = with_rate(100'000'000);
  p.buffer_bytes = 30'000;
  p.buffer_packets = 60;
  p.delay = kMillisecond * 2;
  p.jitter = kMillisecond;
  p.loss = 0.02;
  p.reorder = 0.05;
  p.reorder_hold = kMillisecond;
  p.timetable = {change_of_rate(kSecond, 10'000'000), change_of_rate(kSecond * 2, kUnlimited.value),
                 change_of_delay(kMillisecond * 300, kMillisecond * 8, kMillisecond * 700)};
  return p;
}

TEST(LabPath, UnderRandomOperationsNothingIsLostOrTwice) {
  std::mt19937_64 random(20240607);
  LabPath path(everything_at_once(), 100, kStart);
  std::vector<bool> is_inside;
  std::array<LabPath::Handle, 64> out;
  Time now = kStart;
  const auto take_out = [&](unsigned n) {
    for (unsigned i = 0; i < n; ++i) {
      ASSERT_TRUE(is_inside[number(out[i])]);
      is_inside[number(out[i])] = false;
    }
  };
  for (unsigned i = 0; i < 300'000; ++i) {
    now = now + Duration{static_cast<int64_t>(random() % 20'000)};
    const unsigned burst = random() % 4;
    for (unsigned k = 0; k < burst; ++k) {
      const auto verdict = path.push(now, handle(is_inside.size()), static_cast<uint32_t>(60 + random() % 1455));
      is_inside.push_back(verdict == LabPath::Verdict::kTaken);
    }
    take_out(path.pop(now, std::span(out).first(random() % out.size())));
    if (i % 64 == 0) expect_conserved(path.counters());
    ASSERT_EQ(path.size(), path.counters().queued.packets);
  }
  const LabPathCounters& c = path.counters();
  EXPECT_GT(c.overflow.packets, 0u);
  EXPECT_GT(c.loss.packets, 0u);
  EXPECT_GT(c.capacity.packets, 0u);
  EXPECT_GT(c.sent.packets, 10'000u);
  EXPECT_GT(path.size(), 0u);
  for (unsigned n = path.drain(out); n != 0; n = path.drain(out)) take_out(n);
  EXPECT_EQ(std::count(is_inside.begin(), is_inside.end(), true), 0);
  EXPECT_EQ(path.size(), 0u);
  EXPECT_EQ(path.queued_bytes(), 0u);
  expect_conserved(c);
}

TEST(LabPath, OnceDrainedItHasItsWholeBufferAgain) {
  LabPathParameters p = with_rate(1'000'000);
  p.buffer_bytes = 1500;
  LabPath path(p, 16, kStart);
  EXPECT_EQ(path.push(kStart, handle(0), 1500), LabPath::Verdict::kTaken);
  std::array<LabPath::Handle, 4> out;
  EXPECT_EQ(path.drain(out), 1u);
  EXPECT_EQ(path.drain(out), 0u);
  EXPECT_EQ(path.push(kStart, handle(1), 1500), LabPath::Verdict::kTaken);
}

TEST(LabPath, RefusesWhatCannotBe) {
  const std::vector<std::function<void(LabPathParameters&)>> faults = {
      [](auto& p) { p.rate = {0}; },
      [](auto& p) { p.rate = {400'000'000'001}; },
      [](auto& p) { p.delay = {-1}; },
      [](auto& p) { p.jitter = {-1}; },
      [](auto& p) { p.loss = 1.01; },
      [](auto& p) { p.loss = std::nan(""); },
      [](auto& p) { p.reorder = -0.1; },
      [](auto& p) { p.reorder = 0.1; },  // without a hold
      [](auto& p) { p.timetable = {LabPathChange{}}; },
      [](auto& p) { p.timetable = {change_of_rate({0}, 0)}; },
      [](auto& p) { p.timetable = {change_of_delay({-1}, {1})}; },
      [](auto& p) { p.timetable = {change_of_delay({0}, {1}, Duration{0})}; },
      [](auto& p) { p.timetable.assign(65, change_of_delay({0}, {1})); },
  };
  for (size_t i = 0; i < faults.size(); ++i) {
    LabPathParameters p;
    faults[i](p);
    EXPECT_THROW(LabPath(p, 16, kStart), SetupError) << "fault " << i;
  }
  EXPECT_THROW(LabPath(LabPathParameters{}, 0, kStart), SetupError);
  EXPECT_NO_THROW(LabPath(LabPathParameters{}, 1, kStart));
}

}  // namespace
}  // namespace sojourn
