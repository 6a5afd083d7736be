// What goes ahead of the queues: first at the gate, charged, limited, and never past a packet of its own flow.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/sched/fixture.h"

namespace sojourn {
namespace {

using test::Bench;
using test::Ecn;

Plan plan_of(uint64_t rate_bps, uint64_t bypass_bps, Isolation isolation = Isolation::kFlows) {
  Parameters p;
  p.rate = {rate_bps};
  p.burst_bytes = 0;
  p.bypass_limit = BitsPerSecond{bypass_bps};
  p.isolation = isolation;
  p.limit_packets = 500;
  return compile(p, 1500, 2368);
}

struct BypassBench : Bench {
  using Bench::Bench;
  PacketHandle send(Time now, uint64_t flow, uint32_t bytes, bool bypasses) {
    const PacketHandle handle = owner.add({flow, bytes, Ecn::kNotEct});
    const Arrival a{handle, flow, bytes, bypasses};
    scheduler.enqueue(now, {&a, 1}, owner);
    return handle;
  }
};

TEST(Bypass, GoesFirstAndIsCharged) {
  BypassBench bench(plan_of(8'000'000, 1'000'000));
  for (int i = 0; i < 10; ++i) bench.send({0}, 8, 1000, false);
  EXPECT_EQ(bench.dequeue({0}), 0);
  const PacketHandle control = bench.send({500'000}, 16, 500, true);
  EXPECT_EQ(bench.dequeue({999'999}), -1) << "the gate holds for all: the line must not bloat";
  EXPECT_EQ(bench.dequeue({1'000'000}), static_cast<int64_t>(control));
  EXPECT_EQ(bench.scheduler.opens_at().ns, 1'500'000u) << "500 bytes at 8 Mbit/s";
  EXPECT_EQ(bench.counters().bypassed, (Tally{1, 500}));
  EXPECT_TRUE(test::is_conserved(bench.counters()));
}

// A flood cannot hide there: beyond its limit it is shaped like the rest.
TEST(Bypass, BeyondTheLimitIsShapedAndCounted) {
  BypassBench bench(plan_of(100'000'000, 1'000'000));
  for (uint64_t i = 0; i < 2000; ++i) bench.send({i * 100'000}, i * 8, 1000, true);
  const uint64_t allowed =
      1'000'000 / 8 / 5 + 4 * 1514 + 1000;  // 200 ms at the limit, what may come at once, one frame
  uint64_t sent = 0;
  for (uint64_t t = 200'000'000; bench.counters().queued.packets != 0; t += 80'000) sent += bench.dequeue({t}) >= 0;
  EXPECT_LE(bench.counters().bypassed.bytes, allowed);
  EXPECT_GE(bench.counters().bypassed.bytes, allowed - 3000);
  EXPECT_EQ(bench.counters().bypassed.packets + bench.counters().bypass_over_limit, 2000u);
  EXPECT_TRUE(test::is_conserved(bench.counters()));
}

// Order within a flow, whatever the limit lets ahead: also in one queue for all, and when sets are full.
TEST(Bypass, NeverOvertakesItsOwnFlow) {
  std::mt19937_64 random(8);
  for (const Isolation isolation : {Isolation::kFlows, Isolation::kNone}) {
    for (int round = 0; round < 50; ++round) {
      Plan plan = plan_of(20'000'000, 2'000'000, isolation);
      if (isolation == Isolation::kFlows) plan.flows = 8;
      plan.codel.is_on = round % 2 == 0;
      plan.limit_packets = round % 3 == 0 ? 20 : 500;
      BypassBench bench(plan);
      std::map<uint64_t, int64_t> last;
      Time now{0};
      for (int i = 0; i < 3000; ++i) {
        now = now + Duration{static_cast<int64_t>(random() % 300'000)};
        const uint64_t flow = random() % 20 << 3 | (random() % 20) << 61;
        bench.send(now, flow, 64 + random() % 1400, flow % 16 == 0);
        if (random() % 2 == 0) continue;
        const int64_t handle = bench.dequeue(now);
        if (handle < 0) continue;
        auto& previous = last.try_emplace(bench.owner.packets[static_cast<size_t>(handle)].flow, -1).first->second;
        ASSERT_GT(handle, previous);
        previous = handle;
        ASSERT_TRUE(test::is_conserved(bench.counters()));
      }
      EXPECT_GT(bench.counters().bypassed.packets, 5u);
      EXPECT_GT(bench.counters().bypass_over_limit, 10u);
    }
  }
}

// Full queues are no reason to lose what must get through: others pay for its place.
TEST(Bypass, IsTakenWhenAllQueuesAreFull) {
  for (const bool aqm : {true, false}) {
    for (const Isolation isolation : {Isolation::kFlows, Isolation::kNone}) {
      Plan plan = plan_of(1'000'000'000, 50'000'000, isolation);
      plan.codel.is_on = aqm;
      BypassBench bench(plan);
      for (int i = 0; i < 600; ++i) bench.send({0}, 8, 1000, false);
      const PacketHandle control = bench.send({0}, 16, 100, true);
      for (const PacketHandle h : bench.owner.dropped) EXPECT_NE(h, control);
      EXPECT_LE(bench.counters().queued.packets, 500u);
      EXPECT_EQ(bench.dequeue({0}), static_cast<int64_t>(control));
      EXPECT_TRUE(test::is_conserved(bench.counters()));
    }
  }
}

TEST(Bypass, AloneItKeepsWithinTheLimitOfAll) {
  Plan plan = plan_of(1'000'000, 1'000'000);
  plan.limit_packets = 3;
  BypassBench bench(plan);
  for (int i = 0; i < 50; ++i) bench.send({0}, 16, 64, true);
  EXPECT_LE(bench.counters().queued.packets, 3u);
  EXPECT_TRUE(test::is_conserved(bench.counters()));
}

TEST(BypassLimit, IsATwentiethOfTheRateAndAMegabitAtLeast) {
  const auto limit = [](uint64_t rate, std::optional<uint64_t> set) {
    Parameters p;
    p.rate = {rate};
    if (set) p.bypass_limit = BitsPerSecond{*set};
    return bypass_limit_in_force(p).value;
  };
  EXPECT_EQ(limit(100'000'000, {}), 5'000'000u);
  EXPECT_EQ(limit(10'000'000, {}), 1'000'000u);
  EXPECT_EQ(limit(500'000, {}), 500'000u) << "not above the rate";
  EXPECT_EQ(limit(100'000'000, 7'000'000), 7'000'000u);
  EXPECT_EQ(limit(5'000'000, 7'000'000), 5'000'000u);
  EXPECT_EQ(limit(kUnlimited.value, {}), kUnlimited.value);
}

}  // namespace
}  // namespace sojourn
