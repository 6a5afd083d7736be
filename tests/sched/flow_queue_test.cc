// SPEC "Flow queues": service order, isolation, limits.
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <set>

#include "tests/sched/fixture.h"

namespace sojourn {
namespace {

using test::Bench;
using test::Ecn;

Plan plan_of(uint32_t flows, uint32_t limit = 1u << 20) {
  Plan plan;
  plan.flows = flows;
  plan.limit_packets = limit;
  plan.limit_buffers = 1u << 20;
  plan.codel.is_on = false;
  return plan;
}

// With AQM a fat flow pays for a limit that was passed, without it the tail is dropped. At one instant CoDel is silent.
Plan with_aqm(Plan plan) {
  plan.codel.is_on = true;
  return plan;
}

uint64_t flow_of(const Bench& bench, int64_t handle) {
  return bench.owner.packets[static_cast<size_t>(handle)].flow;
}

TEST(FlowQueues, NewFlowsGoBeforeOld) {
  Bench bench(plan_of(64));
  for (int i = 0; i < 10; ++i) bench.enqueue({0}, {8, 1514, Ecn::kNotEct});
  for (int i = 0; i < 3; ++i) bench.dequeue({0});  // flow 8 is bulk now
  bench.enqueue({0}, {16, 100, Ecn::kNotEct});
  EXPECT_EQ(flow_of(bench, bench.dequeue({0})), 16u);
  EXPECT_EQ(flow_of(bench, bench.dequeue({0})), 8u);
}

// An emptied new flow goes to the tail of the old list also when that list is empty: a flow that sends again at once is
// not new again, and cannot starve others by draining to zero.
TEST(FlowQueues, AnEmptiedNewFlowIsOldWhenItReturns) {
  Bench bench(plan_of(64));
  bench.enqueue({0}, {8, 100, Ecn::kNotEct});
  bench.dequeue({0});
  EXPECT_EQ(bench.dequeue({0}), -1);
  EXPECT_EQ(bench.counters().new_flows, 1u);
  Bench returning(plan_of(64));
  for (int i = 0; i < 5; ++i) returning.enqueue({0}, {16, 1514, Ecn::kNotEct});
  returning.enqueue({0}, {8, 100, Ecn::kNotEct});
  for (int i = 0; i < 3; ++i) returning.dequeue({0});
  returning.enqueue({0}, {8, 100, Ecn::kNotEct});
  EXPECT_EQ(returning.counters().new_flows, 2u);
}

// A lone sparse flow beside 64 bulk flows waits at most 3 MTU times. Sparse (RFC 8290): it sends less often than the
// others take turns, 19.4 ms here.
TEST(FlowQueues, ASparseFlowBesideSixtyFourBulkFlowsWaitsAtMostThreeFrames) {
  Plan plan = plan_of(1024);
  plan.codel.is_on = true;
  plan.pacer = Pacer::Plan::compile({40'000'000}, 0);
  Bench bench(plan);
  const int64_t frame_ns = 1514 * 8 * 25;
  std::mt19937_64 random(7);
  std::map<PacketHandle, uint64_t> sent_at;
  int64_t worst = 0;
  uint64_t next_probe = 100'000'000;  // when the bulk flows have become old
  unsigned probes = 0;
  for (uint64_t now = 0; now < 6'000'000'000; now += 20'000) {
    for (int i = 0; bench.counters().queued.packets < 640 && i < 64; ++i) {
      bench.enqueue({now}, {1000 + random() % 64 * 8, 1514, Ecn::kNotEct});
    }
    if (now >= next_probe) {
      sent_at[bench.enqueue({now}, {1, 100, Ecn::kNotEct})] = now;
      next_probe = now + 40'000'000 + random() % 10'000'000;
    }
    for (int64_t h = bench.dequeue({now}); h >= 0; h = bench.dequeue({now})) {
      const auto it = sent_at.find(static_cast<PacketHandle>(h));
      if (it == sent_at.end()) continue;
      worst = std::max(worst, static_cast<int64_t>(now - it->second));
      ++probes;
    }
  }
  EXPECT_GT(probes, 100u);
  EXPECT_LE(worst, 3 * frame_ns);
}

TEST(FlowQueues, SharesAreEqualInBytesWhateverTheQuantumAndPacketSizes) {
  for (const int32_t quantum : {300, 576, 1514, 4500, 9000}) {
    Plan plan = plan_of(64);
    plan.quantum_bytes = quantum;
    Bench bench(plan);
    const std::vector<uint32_t> sizes{64, 576, 1514, 9000};
    std::vector<uint64_t> bytes(sizes.size());
    std::vector<uint64_t> queued(sizes.size());
    for (uint64_t total = 0; total < 200'000'000;) {
      for (size_t f = 0; f < sizes.size(); ++f) {
        for (; queued[f] < 200; ++queued[f]) bench.enqueue({0}, {f * 8, sizes[f], Ecn::kNotEct});
      }
      const auto f = static_cast<size_t>(flow_of(bench, bench.dequeue({0})) / 8);
      --queued[f];
      bytes[f] += sizes[f];
      total += sizes[f];
    }
    const double fair = 200'000'000.0 / static_cast<double>(sizes.size());
    for (const uint64_t b : bytes) EXPECT_NEAR(static_cast<double>(b) / fair, 1.0, 0.001) << "quantum " << quantum;
  }
}

TEST(Limits, TheFatFlowPaysFromItsHead) {
  Bench bench(with_aqm(plan_of(64, 100)));
  for (int i = 0; i < 10; ++i) bench.enqueue({0}, {8, 100, Ecn::kNotEct});
  for (int i = 0; i < 91; ++i) bench.enqueue({0}, {16, 1000, Ecn::kNotEct});
  EXPECT_EQ(bench.owner.drops[DropCause::kOverLimit], 46u) << "half of its bytes, rounded up to whole packets";
  for (const PacketHandle h : bench.owner.dropped) EXPECT_EQ(bench.owner.packets[h].flow, 16u);
  EXPECT_EQ(bench.owner.dropped.front(), 10u) << "the oldest of the fat flow";
  EXPECT_TRUE(test::is_conserved(bench.counters()));
}

TEST(Limits, AtMostSixtyFourPacketsGoAtOnce) {
  Bench bench(with_aqm(plan_of(64, 1000)));
  for (int i = 0; i < 1001; ++i) bench.enqueue({0}, {8, 100, Ecn::kNotEct});
  EXPECT_EQ(bench.owner.dropped.size(), 64u);
}

TEST(Limits, OfOnePacketKeepsTheNewest) {
  Bench bench(with_aqm(plan_of(1, 1)));
  bench.enqueue({0}, {8, 100, Ecn::kNotEct});
  bench.enqueue({0}, {8, 100, Ecn::kNotEct});
  EXPECT_EQ(bench.dequeue({0}), 1);
  EXPECT_EQ(bench.owner.dropped.size(), 1u);
}

TEST(Limits, MemoryHasItsOwnCause) {
  Plan plan = with_aqm(plan_of(64));
  plan.limit_buffers = 50;
  Bench bench(plan);
  for (int i = 0; i < 60; ++i) bench.enqueue({0}, {8, 64, Ecn::kNotEct});
  EXPECT_GT(bench.owner.drops[DropCause::kOverMemory], 0u);
  EXPECT_EQ(bench.owner.drops[DropCause::kOverLimit], 0u);
  EXPECT_LE(bench.counters().queued.packets, 50u);
}

TEST(Limits, TheVictimHasAtLeastHalfOfTheLargestBacklog) {
  std::mt19937_64 random(3);
  Bench bench(with_aqm(plan_of(256, 400)));
  for (int i = 0; i < 50'000; ++i) {
    std::map<uint64_t, uint64_t> backlog;
    const size_t before = bench.owner.dropped.size();
    std::map<uint32_t, uint32_t> bytes;
    for (uint32_t q = 0; q < 256; ++q) bytes[q] = bench.scheduler.flow(q).backlog_bytes;
    const uint64_t flow = random() % 40 * 8;
    const auto size = static_cast<uint32_t>(64 + random() % 1450);
    bench.enqueue({0}, {flow, size, Ecn::kNotEct});
    bytes[bench.scheduler.queue_of(flow)] += size;
    if (bench.owner.dropped.size() != before) {
      const uint64_t victim = bench.owner.packets[bench.owner.dropped[before]].flow;
      uint32_t largest = 0;
      for (const auto& [queue, b] : bytes) largest = std::max(largest, b);
      ASSERT_GE(2 * bytes[bench.scheduler.queue_of(victim)], largest);
    }
    if (random() % 3 == 0) bench.dequeue({0});
  }
}

TEST(Limits, WithoutAqmTheTailIsDropped) {
  for (const uint32_t flows : {1u, 64u}) {
    Bench bench(plan_of(flows, 10));
    for (int i = 0; i < 25; ++i) bench.enqueue({0}, {8, 1514, Ecn::kNotEct});
    EXPECT_EQ(bench.owner.drops[DropCause::kOverLimit], 15u);
    EXPECT_EQ(bench.owner.dropped.front(), 10u) << "the packet that came, not the head";
    EXPECT_EQ(bench.counters().overflows, 15u);
    EXPECT_EQ(bench.counters().received.packets, 25u);
    EXPECT_TRUE(test::is_conserved(bench.counters()));
    for (int64_t i = 0; i < 10; ++i) EXPECT_EQ(bench.dequeue({0}), i);
  }
}

TEST(Limits, WithoutAqmAShortQueueIsTakenAndTheFatFlowPays) {
  Bench bench(plan_of(64, 10));
  for (int i = 0; i < 10; ++i) bench.enqueue({0}, {8, 1514, Ecn::kNotEct});
  const PacketHandle small = bench.enqueue({0}, {16, 100, Ecn::kNotEct});
  EXPECT_EQ(bench.owner.dropped.size(), 5u);
  for (const PacketHandle h : bench.owner.dropped) EXPECT_NE(h, small);
  EXPECT_EQ(bench.scheduler.flow(bench.scheduler.queue_of(16)).packets, 1u);
}

TEST(Limits, WithoutAqmMemoryHasItsOwnCauseToo) {
  Plan plan = plan_of(1);
  plan.limit_buffers = 5;
  Bench bench(plan);
  for (int i = 0; i < 9; ++i) bench.enqueue({0}, {8, 64, Ecn::kNotEct});
  EXPECT_EQ(bench.owner.drops[DropCause::kOverMemory], 4u);
  EXPECT_EQ(bench.counters().queued.packets, 5u);
}

// A worker that was held up for longer than the burst covers has lost link time, and says how much; an idle link has
// not.
TEST(Late, CountsLinkTimeLostWithPacketsWaiting) {
  Plan plan = plan_of(64);
  plan.pacer = Pacer::Plan::compile({8'000'000}, 2000);  // 1 byte a microsecond; 2 ms of burst
  Bench bench(plan);
  const uint64_t ms = 1'000'000;
  for (int i = 0; i < 10; ++i) bench.enqueue({0}, {8, 1000, Ecn::kNotEct});
  while (bench.dequeue({0}) >= 0) continue;  // burst and one of debt: open again after 1 ms
  bench.dequeue({2 * ms});
  EXPECT_EQ(bench.counters().late_ns, 0u);
  bench.dequeue({10 * ms});  // open since 2 ms, 2 ms of that are kept as burst
  EXPECT_EQ(bench.counters().late_ns, 6 * ms);
  for (uint64_t t = 10; bench.counters().queued.packets != 0; ++t) bench.dequeue({t * ms});
  const uint64_t late = bench.counters().late_ns;
  bench.enqueue({5'000 * ms}, {8, 1000, Ecn::kNotEct});
  bench.dequeue({5'000 * ms});
  EXPECT_EQ(bench.counters().late_ns, late);
}

// A call that sends nothing, here because all that it may do is spent on drops, does not count the same time again.
TEST(Late, IsCountedOnceHoweverOftenDequeueIsCalled) {
  Plan plan = with_aqm(plan_of(64));
  plan.pacer = Pacer::Plan::compile({8'000'000}, 2000);
  Bench bench(plan);
  const uint64_t ms = 1'000'000;
  for (int i = 0; i < 10; ++i) bench.enqueue({0}, {8, 1000, Ecn::kNotEct});
  while (bench.dequeue({0}) >= 0) continue;
  for (int i = 0; i < 3; ++i) bench.scheduler.dequeue({10 * ms}, {}, bench.owner);
  EXPECT_EQ(bench.counters().late_ns, 7 * ms) << "open since 1 ms, 2 ms are kept as burst";
  bench.scheduler.dequeue({11 * ms}, {}, bench.owner);
  EXPECT_EQ(bench.counters().late_ns, 8 * ms);
}

// Four policies: isolation and aqm are switches of their own.
TEST(Policies, OneQueueIsFirstInFirstOut) {
  for (const bool codel : {false, true}) {
    Plan plan = plan_of(1);
    plan.codel.is_on = codel;
    Bench bench(plan);
    for (uint64_t i = 0; i < 100; ++i) bench.enqueue({0}, {i * 8, 1514, Ecn::kNotEct});
    for (int64_t i = 0; i < 100; ++i) ASSERT_EQ(bench.dequeue({0}), i);
  }
}

TEST(Policies, WithoutAqmNothingIsSignalled) {
  for (const uint32_t flows : {1u, 64u}) {
    Bench bench(plan_of(flows));
    for (int i = 0; i < 100; ++i) bench.enqueue({0}, {8, 1514, Ecn::kEct0});
    for (uint64_t t = 1; t <= 100; ++t) bench.dequeue({t * 100'000'000});
    EXPECT_EQ(bench.counters().sent.packets, 100u);
    EXPECT_EQ(bench.counters().marked_ecn, 0u);
  }
}

// No flow shares a queue while its set has a free one, and each flow's packets leave in order, at loads where sets
// overflow all the time.
TEST(Collisions, NeverShareWhileTheSetHasAFreeQueueAndKeepOrder) {
  std::mt19937_64 random(11);
  std::vector<uint64_t> hashes(14);  // one set of 8; up to 14 flows live in it, all exactly accounted
  for (uint64_t& h : hashes) h = random() & ~uint64_t{0xff};
  Bench bench(plan_of(64, 1000));
  std::map<uint64_t, std::deque<PacketHandle>> inside;  // by flow, in order of arrival
  std::map<PacketHandle, uint32_t> queue_of;
  uint64_t shared = 0;
  for (int i = 0; i < 200'000; ++i) {
    if (random() % 100 < 50) {
      const uint64_t flow = hashes[random() % (i / 1000 % hashes.size() + 1)];
      std::set<uint32_t> occupied;
      std::map<uint32_t, uint32_t> before;
      for (uint32_t q = 0; q < 8; ++q) before[q] = bench.scheduler.flow(q).packets;
      const PacketHandle h = bench.enqueue({0}, {flow, 100, Ecn::kNotEct});
      uint32_t queue = 99;
      for (uint32_t q = 0; q < 8; ++q) {
        if (bench.scheduler.flow(q).packets != before[q]) queue = q;
        if (before[q] != 0) occupied.insert(q);
      }
      ASSERT_NE(queue, 99u);
      queue_of[h] = queue;
      bool is_own = true, is_present = !inside[flow].empty();
      for (const auto& [other, handles] : inside) {
        for (const PacketHandle o : handles) is_own = is_own && (other == flow || queue_of[o] != queue);
      }
      if (is_present) {
        ASSERT_EQ(queue_of[inside[flow].back()], queue) << "a flow stays where its packets are";
      } else if (!is_own) {
        ++shared;
        ASSERT_EQ(occupied.size(), 8u) << "shared while a queue was free";
      }
      inside[flow].push_back(h);
    } else if (const int64_t h = bench.dequeue({0}); h >= 0) {
      auto& mine = inside[flow_of(bench, h)];
      ASSERT_EQ(mine.front(), static_cast<PacketHandle>(h)) << "reordered";
      mine.pop_front();
    }
  }
  EXPECT_GT(shared, 100u);
}

TEST(Collisions, AnyNumberOfFlowsInASetKeepTheirOrder) {
  std::mt19937_64 random(5);
  Bench bench(plan_of(8, 500));
  std::map<uint64_t, uint64_t> last;  // by flow: handle of the last one sent; handles grow
  for (int i = 0; i < 300'000; ++i) {
    if (random() % 100 < 51) {
      bench.enqueue({0}, {random() % 60 << 32 | random() % 60 << 61 | 1, 100, Ecn::kNotEct});
    } else if (const int64_t h = bench.dequeue({0}); h >= 0) {
      auto& previous = last[flow_of(bench, h)];
      ASSERT_GE(static_cast<uint64_t>(h) + 1, previous + 1) << "reordered";
      previous = static_cast<uint64_t>(h);
    }
  }
  EXPECT_GT(bench.counters().collisions, 1000u);
}

// Tags have 32 bits, so two flows of a set may have the same one, or one the complement of the other's, or 0.
TEST(Collisions, FlowsWithRelatedTagsKeepTheirOrder) {
  std::mt19937_64 random(6);
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < 12; ++i) {
    const uint64_t tag = i == 0 ? 0 : random() >> 32, low = random() & 0xffffffff;
    hashes.push_back((tag ^ low) << 32 | low);
    hashes.push_back((~tag ^ low) << 32 | low);                               // the complement
    hashes.push_back((tag ^ (low ^ 0xe0000000)) << 32 | (low ^ 0xe0000000));  // the same tag
  }
  for (size_t flows = 9; flows <= hashes.size(); ++flows) {
    Bench bench(plan_of(8, 500));
    std::map<uint64_t, int64_t> last;
    for (int i = 0; i < 20'000; ++i) {
      if (random() % 100 < 50) {
        bench.enqueue({0}, {hashes[random() % flows], 100, Ecn::kNotEct});
      } else if (const int64_t h = bench.dequeue({0}); h >= 0) {
        auto& previous = last.try_emplace(flow_of(bench, h), -1).first->second;
        ASSERT_GT(h, previous) << "reordered";
        previous = h;
      }
    }
  }
}

// CASES DS-6: create, run, destroy; at rest the counters tell of nothing left.
TEST(Conservation, HoldsAfterEveryOperationAndEndsAtRest) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 40; ++round) {
    Plan plan = plan_of(1u << random() % 8, 1 + random() % 64);
    plan.codel.is_on = round % 2 == 0;
    plan.codel.target = {1000};
    plan.codel.interval = {10'000};
    plan.pacer = Pacer::Plan::compile({random() % 2 ? kUnlimited.value : 100'000'000}, 3000);
    Bench bench(plan);
    uint64_t now = 0;
    for (int i = 0; i < 5'000; ++i) {
      now += random() % 20'000;
      if (random() % 2) {
        bench.enqueue({now}, {random(), static_cast<uint32_t>(1 + random() % 9000), static_cast<Ecn>(random() % 4)});
      } else {
        bench.dequeue({now});
      }
      ASSERT_TRUE(test::is_conserved(bench.counters()));
      ASSERT_LE(bench.counters().queued.packets, plan.limit_packets);
    }
    while (bench.counters().queued.packets != 0) bench.dequeue({now += 1'000'000});
    for (int i = 0; i < 10; ++i) bench.dequeue({now += 1'000'000'000});  // empty flows leave a bounded number a call
    EXPECT_EQ(bench.counters().queued, Tally{});
    EXPECT_EQ(bench.scheduler.flow_counts().new_list + bench.scheduler.flow_counts().old_list, 0u);
    for (uint32_t q = 0; q < plan.flows; ++q) ASSERT_EQ(bench.scheduler.flow(q).backlog_bytes, 0u);
  }
}

TEST(Conservation, DrainGivesEveryPacketBackUncounted) {
  Bench bench(plan_of(64));
  for (uint64_t i = 0; i < 1000; ++i) bench.enqueue({0}, {i, 100, Ecn::kNotEct});
  std::vector<PacketHandle> out(32);
  std::set<PacketHandle> back;
  while (const size_t n = bench.scheduler.drain(out)) back.insert(out.begin(), out.begin() + static_cast<long>(n));
  EXPECT_EQ(back.size(), 1000u);
  EXPECT_EQ(bench.counters().queued, Tally{});
}

}  // namespace
}  // namespace sojourn
