// Properties of the whole scheduler under random loads: SPEC "Flow queues", "Shaper" and "What must never happen".
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/sched/fixture.h"

namespace sojourn {
namespace {

using test::Bench;
using test::Ecn;
using Random = std::mt19937_64;

// Any rate, from 1 kbit/s to 400 Gbit/s, each order of magnitude as likely as any other.
uint64_t any_rate(Random& random) {
  return static_cast<uint64_t>(std::pow(10.0, 3 + static_cast<double>(random() % 8'602) / 1'000));
}

Plan plan_at(uint64_t rate, uint32_t burst_bytes, uint32_t flows = 64, uint32_t limit = 1'000) {
  Plan plan;
  plan.flows = flows;
  plan.limit_packets = plan.limit_buffers = limit;
  plan.pacer = Pacer::Plan::compile({rate}, burst_bytes);
  return plan;
}

Plan without_aqm(Plan plan) {
  plan.codel.is_on = false;
  return plan;
}

// About the time of one MTU frame.
int64_t frame_time_ns(uint64_t rate) {
  return std::max<int64_t>(1, transmission_time(1514, {rate}).ns);
}

Time later(Time t, uint64_t ns) {
  return t + Duration{static_cast<int64_t>(ns)};
}

test::Packet any_packet(Random& random, uint64_t flows) {
  return {random() % flows * 8 + 1, static_cast<uint32_t>(64 + random() % 1'451), static_cast<Ecn>(random() % 4)};
}

// What one flow's packets tell as they leave: handles grow with arrival.
class OrderWatch {
 public:
  void left(uint64_t flow, int64_t handle) {
    auto& previous = last_.try_emplace(flow, -1).first->second;
    ASSERT_GT(handle, previous) << "reordered";
    previous = handle;
  }

 private:
  std::map<uint64_t, int64_t> last_;
};

// SPEC: always, also across reload and rate change; and where sets overflow, limits are passed and CoDel drops.
TEST(Order, HoldsWithinEveryFlowAcrossCollisionsLimitsDropsAndNewPlans) {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    const uint32_t flows = 8u << random() % 3;
    Plan plan = plan_at(any_rate(random), 3'000, flows, 200);
    plan.codel.target = {1'000};
    plan.codel.interval = {4'000};
    Bench bench(plan);
    OrderWatch watch;
    Time now{1};
    for (int i = 0; i < 5'000; ++i) {
      now = later(now, random() % static_cast<uint64_t>(2 * frame_time_ns(any_rate(random))));
      const test::Packet packet{random() % 60 << 32 | random() % 60 << 59 | 1,
                                static_cast<uint32_t>(1 + random() % 2'000), static_cast<Ecn>(random() % 4)};
      if (random() % 2 == 0) bench.enqueue(now, packet);
      if (const int64_t h = bench.dequeue(now); h >= 0) {
        watch.left(bench.owner.packets[static_cast<size_t>(h)].flow, h);
      }
      if (random() % 200 != 0) continue;
      plan.pacer = Pacer::Plan::compile({any_rate(random)}, static_cast<uint32_t>(random() % 10'000));
      plan.limit_packets = static_cast<uint32_t>(1 + random() % 200);
      plan.codel.is_on = random() % 3 != 0;
      plan.quantum_bytes = static_cast<int32_t>(64 + random() % 9'000);
      bench.scheduler.adopt(plan, now);
    }
  }
}

// Keeps what a window must not exceed, for every window that ends at a departure and begins at one: in units of a bit
// times a nanosecond, so that nothing is rounded.
class WindowWatch {
 public:
  WindowWatch(uint64_t rate, uint64_t allowance_bytes) : rate_(rate), allowance_(Exact{allowance_bytes} * kByte) {}

  // True while bytes <= allowance + rate x T holds for all windows that end now.
  bool left(Time now, uint64_t wire_bytes) {
    const Exact line = Exact{now.ns} * rate_;
    lowest_ = std::min(lowest_, sent_ - line);
    sent_ += Exact{wire_bytes} * kByte;
    return sent_ - line - lowest_ <= allowance_ + rate_;  // the clock resolves one nanosecond
  }

 private:
  __extension__ using Exact = __int128;
  static constexpr Exact kByte = Exact{8} * 1'000'000'000;
  Exact rate_, allowance_;
  Exact sent_ = 0;
  Exact lowest_ = Exact{1} << 125;
};

TEST(RateBound, HoldsForEveryWindowAtAnyRateUnderRandomLoads) {
  Random random(2);
  for (int round = 0; round < 60; ++round) {
    const uint64_t rate = any_rate(random);
    const auto burst = static_cast<uint32_t>(round % 3 == 0 ? 0 : random() % 65'536);
    Plan plan = plan_at(rate, burst);
    plan.overhead_bytes = static_cast<int32_t>(random() % 100) - 50;
    Bench bench(plan);
    WindowWatch watch(rate, burst + plan.charged(1514).value);
    Time now{0};
    for (int i = 0; i < 5'000; ++i) {
      const int64_t step = frame_time_ns(rate) * (random() % 100 == 0 ? 200 : 2);
      now = later(now, random() % static_cast<uint64_t>(step));
      const Time opens = bench.scheduler.opens_at();
      if (random() % 3 == 0 && is_before(now, opens)) now = opens;
      for (uint64_t n = random() % 4; n != 0; --n) bench.enqueue(now, any_packet(random, 20));
      for (uint64_t n = random() % 40; n != 0; --n) {
        const int64_t h = bench.dequeue(now);
        if (h < 0) break;
        ASSERT_TRUE(watch.left(now, plan.charged(bench.owner.packets[static_cast<size_t>(h)].bytes).value))
            << "rate " << rate << " burst " << burst << " at " << now.ns;
      }
    }
  }
}

// While packets wait, the link is never idle: whoever asks at opens_at() gets a packet, and a backlog leaves in exactly
// its own time at the rate.
TEST(WorkConservation, TheGateIsOpenAndPacketsWaitSoOneLeaves) {
  Random random(3);
  for (int round = 0; round < 40; ++round) {
    const uint64_t rate = any_rate(random);
    Bench bench(without_aqm(plan_at(rate, 0)));
    uint64_t waiting = 0, bytes = 0;
    for (int i = 0; i < 900; ++i)
      bytes += bench.owner.packets[bench.enqueue({0}, any_packet(random, 300))].bytes, ++waiting;
    while (waiting-- != 0) {
      const Time now = bench.scheduler.opens_at();
      ASSERT_TRUE(bench.scheduler.is_ready(now));
      ASSERT_TRUE(now.ns == 0 || !bench.scheduler.is_ready(now - Duration{1})) << "not the first instant";
      ASSERT_GE(bench.dequeue(now), 0);
    }
    const double exact_ns = static_cast<double>(bytes) * 8e9 / static_cast<double>(rate);
    EXPECT_NEAR(static_cast<double>(bench.scheduler.opens_at().ns), exact_ns, 2 + exact_ns * 1e-7) << "rate " << rate;
    EXPECT_EQ(bench.counters().late_ns, 0u);
  }
}

// A call that comes back with less than it was asked for has either found the gate closed, nothing queued, or spent its
// bound; then the next call goes on.
TEST(WorkConservation, NoQueueIsForgottenWhileTheGateIsOpen) {
  Random random(4);
  Bench bench(plan_at(kUnlimited.value, 0, 1024, 5'000));
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 1'000; ++i) bench.enqueue({0}, any_packet(random, 2'000));
    std::vector<PacketHandle> out(32);
    for (int calls = 0; bench.scheduler.is_ready({0}); ++calls) {
      ASSERT_LT(calls, 1'000) << "packets wait, and none comes";
      bench.scheduler.dequeue({0}, out, bench.owner);
    }
    ASSERT_EQ(bench.counters().queued.packets, 0u);
  }
}

// Runs one fixed load from `start` and tells what left, and when, since then.
std::vector<std::pair<int64_t, uint64_t>> departures(uint64_t start, uint64_t gap_s) {
  Random random(5);
  Plan plan = plan_at(20'000'000, 6'000, 16, 300);
  Bench bench(plan, {start});
  std::vector<std::pair<int64_t, uint64_t>> out;
  Time now{start};
  for (int part = 0; part < 2; ++part) {
    for (int i = 0; i < 4'000; ++i) {
      now = later(now, random() % 500'000);
      for (uint64_t n = random() % 3; n != 0; --n) bench.enqueue(now, any_packet(random, 30));
      for (int64_t h = bench.dequeue(now); h >= 0; h = bench.dequeue(now)) out.emplace_back(h, now.ns - start);
    }
    now = later(now, gap_s * 1'000'000'000);
  }
  for (const PacketHandle h : bench.owner.dropped) out.emplace_back(static_cast<int64_t>(h), UINT64_MAX);
  out.emplace_back(-1, bench.counters().late_ns);
  out.emplace_back(-1, static_cast<uint64_t>(bench.scheduler.sojourn().max().ns));
  return out;
}

class ClockStart : public testing::TestWithParam<uint64_t> {};
TEST_P(ClockStart, MakesNoDifferenceToTheWholeSchedulerNorDoLongGaps) {
  for (const uint64_t gap_s : {1ull, 35 * 60ull, 72 * 60ull, 10 * 86400ull}) {
    const auto from_zero = departures(0, gap_s);
    EXPECT_GT(std::count_if(from_zero.begin(), from_zero.end(), [](auto& d) { return d.second == UINT64_MAX; }), 10);
    EXPECT_EQ(departures(GetParam(), gap_s), from_zero) << "gap " << gap_s << " s";
  }
}
INSTANTIATE_TEST_SUITE_P(Starts, ClockStart,
                         testing::Values((1ull << 31), (1ull << 32) - 1, (1ull << 63) - 1, UINT64_MAX - 1'000'000'000));

// What can be counted from the flows, counted from the flows.
void expect_sums(const Scheduler& s) {
  Tally queued;
  uint32_t in_new = 0, in_old = 0;
  uint64_t most_chunks = 0;
  for (uint32_t q = 0; q < s.plan().flows; ++q) {
    const Flow& f = s.flow(q);
    queued.packets += f.packets;
    queued.bytes += f.backlog_bytes;
    in_new += f.list == FlowList::kNew;
    in_old += f.list == FlowList::kOld;
    most_chunks += f.packets <= 2 ? 0 : (f.packets - 2 + 3 + 3) / 4;
    ASSERT_EQ(f.packets == 0, f.backlog_bytes == 0);
    ASSERT_TRUE(f.packets == 0 || f.list != FlowList::kIdle) << "packets that nobody will serve";
    ASSERT_LE(f.deficit, s.plan().quantum_bytes);
    ASSERT_GT(f.deficit, -9'100) << "debt is at most one packet";
  }
  ASSERT_EQ(queued, s.counters().queued);
  ASSERT_EQ(in_new, s.flow_counts().new_list);
  ASSERT_EQ(in_old, s.flow_counts().old_list);
  ASSERT_LE(s.used_chunks(), most_chunks);
  ASSERT_TRUE(test::is_conserved(s.counters()));
}

// CASES CK-1: no aggregate drifts from what it sums, through collisions, evictions from the table and drops.
TEST(Sums, OverFlowsAreTheCountersAfterEveryOperationAndZeroAtRest) {
  Random random(6);
  for (int round = 0; round < 40; ++round) {
    Plan plan = plan_at(round % 2 ? kUnlimited.value : 1'000'000'000, 3'000, 1u << random() % 6,
                        static_cast<uint32_t>(1 + random() % 100));
    plan.codel = {round % 4 != 0, true, {1'000}, {10'000}, {INT64_MAX}, 1'514};
    Bench bench(plan);
    Time now{0};
    for (int i = 0; i < 2'000; ++i) {
      now = later(now, random() % 20'000);
      if (random() % 2) {
        bench.enqueue(now, {random() % 50 << 32 | random() % 16, static_cast<uint32_t>(1 + random() % 9'000)});
      } else {
        bench.dequeue(now);
      }
      ASSERT_NO_FATAL_FAILURE(expect_sums(bench.scheduler));
    }
    for (int i = 0; i < 2'000; ++i) bench.dequeue(now = later(now, 1'000'000));
    ASSERT_NO_FATAL_FAILURE(expect_sums(bench.scheduler));
    EXPECT_EQ(bench.counters().queued, Tally{});
    EXPECT_EQ(bench.scheduler.flow_counts().new_list + bench.scheduler.flow_counts().old_list, 0u);
    EXPECT_EQ(bench.scheduler.used_chunks(), 0u);
  }
}

// A new flow that CoDel drops empty is served on as one that has sent all: to the tail of old, once, and then off.
TEST(DropToEmpty, ByCodelLeavesEveryFlowOnOneListOrNone) {
  Plan plan = plan_at(kUnlimited.value, 0, 8);
  plan.codel = {true, true, {1'000}, {2'000}, {INT64_MAX}, 0};
  Bench bench(plan);
  uint64_t emptied = 0;
  for (uint64_t t = 1; t < 2'000; ++t) {
    for (uint64_t i = 0; i < 3; ++i) bench.enqueue({t * 10'000}, {t % 3, 100, Ecn::kNotEct});
    const uint64_t dropped = bench.owner.dropped.size();
    bench.dequeue({t * 10'000 + 9'000});
    ASSERT_NO_FATAL_FAILURE(expect_sums(bench.scheduler));
    emptied +=
        bench.owner.dropped.size() != dropped && bench.scheduler.flow(bench.scheduler.queue_of(t % 3)).packets == 0;
  }
  EXPECT_GT(emptied, 10u);
}

// The limit of one packet: an arrival drops another flow empty while it is on the new list, the old, or in turn; or its
// own, when the half that goes is all.
TEST(DropToEmpty, ByTheLimitLeavesEveryFlowOnOneListOrNone) {
  Random random(7);
  Bench bench(plan_at(kUnlimited.value, 0, 16, 1));
  for (int i = 0; i < 5'000; ++i) {
    bench.enqueue({0}, any_packet(random, 12));
    ASSERT_LE(bench.counters().queued.packets, 1u);
    if (random() % 5 == 0) bench.dequeue({0});
    ASSERT_NO_FATAL_FAILURE(expect_sums(bench.scheduler));
  }
  EXPECT_GT(bench.owner.dropped.size(), 1'000u);
  bench.dequeue({0});
  EXPECT_EQ(bench.dequeue({0}), -1);
  EXPECT_EQ(bench.scheduler.flow_counts().new_list + bench.scheduler.flow_counts().old_list, 0u);
}

// CASES DS-6: memory that lives exactly as long as its scheduler, for every size; run under AddressSanitizer.
TEST(Lifetime, CreateRunDestroyTakesAllMemoryAtTheStartAndGivesItBack) {
  struct Counting : std::pmr::memory_resource {
    uint64_t taken = 0, given = 0;
    void* do_allocate(size_t bytes, size_t alignment) override {
      taken += bytes;
      return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* p, size_t bytes, size_t alignment) override {
      given += bytes;
      std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
  };
  Random random(8);
  for (uint32_t flows = 1; flows <= 65'536; flows *= 2) {
    Counting memory;
    {
      Plan plan = plan_at(1'000'000'000, 3'000, flows, 1'000);
      Scheduler scheduler(plan, {0}, &memory);
      const uint64_t at_start = memory.taken;
      test::Owner owner;
      std::vector<PacketHandle> out(32);
      for (uint64_t i = 0; i < 2'000; ++i) {
        const Arrival a{owner.add(any_packet(random, 5'000)), random(), 1'514};
        scheduler.enqueue({i * 1'000}, {&a, 1}, owner);
        if (i % 8 == 0) scheduler.dequeue({i * 1'000}, out, owner);
      }
      EXPECT_EQ(memory.taken, at_start);
      EXPECT_EQ(memory.given, 0u);
    }
    EXPECT_EQ(memory.given, memory.taken);
  }
}

}  // namespace
}  // namespace sojourn
