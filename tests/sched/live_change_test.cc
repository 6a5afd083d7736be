// A live change. To another plan for the same tables: adopted. To other tables: a new scheduler succeeds the old one
// with its history, and has its packets one by one.
#include <gtest/gtest.h>

#include "tests/sched/fixture.h"

namespace sojourn {
namespace {

using test::Bench;
using test::Ecn;

Plan plan_of(uint64_t rate_bps, uint32_t flows = 64) {
  Parameters p;
  p.rate = {rate_bps};
  p.burst_bytes = 0;
  p.flows = flows;
  p.limit_packets = 100;
  return compile(p, 1500, 2368);
}

void limit(Plan& plan, bool memory, uint32_t packets) {
  if (memory) plan.limit_buffers = packets;
  if (!memory) plan.limit_packets = packets;
}

// A flow of its own set: place k of 8 sets.
constexpr uint64_t flow(uint64_t k) {
  return 8 * k;
}

struct Succession {
  Bench old;
  Bench next;
  explicit Succession(const Plan& first = plan_of(8'000'000), const Plan& second = plan_of(8'000'000, 128))
      : old(first), next(second) {}

  PacketHandle enqueue(Time now, uint64_t flow, uint32_t bytes = 1000, bool bypasses = false) {
    const PacketHandle handle = old.owner.add({flow, bytes, Ecn::kNotEct});
    next.owner.packets = old.owner.packets;
    const Arrival a{handle, flow, bytes, bypasses};
    old.scheduler.enqueue(now, {&a, 1}, old.owner);
    return handle;
  }
  std::vector<Scheduler::Released> move_all() {
    std::vector<Scheduler::Released> moved;
    for (Scheduler::Released r; !old.scheduler.is_at_rest();) {
      if (!old.scheduler.release(r)) continue;
      moved.push_back(r);
      next.scheduler.requeue(r, old.owner.packets[r.packet.handle()].flow);
    }
    return moved;
  }
};

PacketHandle send(Bench& bench, Time now, const test::Packet& packet, bool bypasses) {
  const PacketHandle handle = bench.owner.add(packet);
  const Arrival a{handle, packet.flow, packet.bytes, bypasses};
  bench.scheduler.enqueue(now, {&a, 1}, bench.owner);
  return handle;
}

// How many 64-byte packets, each of another flow, go ahead before one is over the limit.
unsigned ahead(Bench& bench, Time now) {
  const uint64_t over = bench.counters().bypass_over_limit;
  for (unsigned i = 0;; ++i) {
    send(bench, now, {flow(100 + bench.owner.packets.size()), 64, Ecn::kNotEct}, true);
    if (bench.counters().bypass_over_limit != over || i == 1000) return i;
  }
}

TEST(Adopt, RateAndLimitsAreInForceForTheNextPacket) {
  Bench bench(plan_of(8'000'000));
  for (int i = 0; i < 60; ++i) bench.enqueue({0}, {flow(1), 1000, Ecn::kNotEct});
  ASSERT_EQ(bench.dequeue({0}), 0);
  bench.scheduler.adopt(plan_of(16'000'000), {0});
  EXPECT_EQ(bench.scheduler.opens_at().ns, 500'000u);
  for (const bool memory : {false, true}) {
    Plan plan = plan_of(16'000'000);
    limit(plan, memory, memory ? 40 : 50);
    bench.scheduler.adopt(plan, {0});
    for (int i = 0; i < 60; ++i) bench.enqueue({0}, {flow(static_cast<uint64_t>(i % 7)), 100, Ecn::kNotEct});
    EXPECT_LE(bench.counters().queued.packets, memory ? 40u : 50u);
  }
  EXPECT_TRUE(test::is_conserved(bench.counters()));
}

Plan bypassing(uint64_t limit_bps, Isolation isolation = Isolation::kFlows, uint32_t flows = 64) {
  Parameters p;
  p.rate = {1'000'000'000};
  p.burst_bytes = 0;
  p.bypass_limit = BitsPerSecond{limit_bps};
  p.isolation = isolation;
  p.flows = flows;
  return compile(p, 1500, 2368);
}

// Credit that has built up at the new limit, in 10 ms: more than four frames only at the larger one.
TEST(Adopt, TheLimitOnWhatGoesAheadIsInForce) {
  const unsigned before = [] {
    Bench bench(bypassing(1'000'000));
    return ahead(bench, {0});
  }();
  Bench bench(bypassing(1'000'000));
  ahead(bench, {0});
  bench.scheduler.adopt(bypassing(100'000'000), {0});
  EXPECT_GT(ahead(bench, {1'000'000'000}), 2 * before);
  Bench old(bypassing(1'000'000)), next(bypassing(100'000'000, Isolation::kFlows, 128));
  ahead(old, {0});
  next.scheduler.succeed(old.scheduler, {0});
  EXPECT_GT(ahead(next, {1'000'000'000}), 2 * before);
}

// In one queue flows are not told apart: what is there when the rules change may be of the flow that now goes ahead.
TEST(Adopt, WithOneQueueNothingOvertakesWhatWasThere) {
  const Plan plan = bypassing(100'000'000, Isolation::kNone);
  Bench bench(plan);
  send(bench, {0}, {flow(1), 100, Ecn::kNotEct}, false);
  send(bench, {0}, {flow(1), 100, Ecn::kNotEct}, false);
  bench.scheduler.adopt(plan, {0});
  Time now{0};
  EXPECT_EQ(bench.dequeue(now), 0);
  send(bench, now, {flow(1), 100, Ecn::kNotEct}, true);
  for (const int64_t handle : {1, 2}) EXPECT_EQ(bench.dequeue(now = now + Duration{1'000'000}), handle);
  EXPECT_EQ(bench.counters().bypass_over_limit, 1u);
}

TEST(Successor, HasItsOwnRate) {
  Succession s(plan_of(8'000'000), plan_of(16'000'000, 128));
  s.enqueue({0}, flow(1));
  ASSERT_EQ(s.old.dequeue({0}), 0);
  s.next.scheduler.succeed(s.old.scheduler, {0});
  EXPECT_EQ(s.next.scheduler.opens_at().ns, 500'000u) << "the debt's bytes at the new rate";
}

TEST(Drain, WhatGoesAheadIsDrainedToo) {
  Bench bench(plan_of(8'000'000));
  send(bench, {0}, {flow(1), 100, Ecn::kNotEct}, true);
  send(bench, {0}, {flow(2), 100, Ecn::kNotEct}, false);
  std::array<PacketHandle, 8> out{};
  EXPECT_EQ(bench.scheduler.drain(out), 2u);
  EXPECT_EQ(out[0] + out[1], 1u);
  EXPECT_EQ(bench.scheduler.drain(out), 0u);
  EXPECT_EQ(bench.counters().queued, Tally{});
}

TEST(Successor, OnlyOtherQueuesKeysOrMoreRoomNeedOne) {
  const Plan plan = plan_of(8'000'000);
  const auto can = [&plan](const Plan& next) { return Scheduler::can_adopt(plan, plan.most_packets(), next); };
  Plan next = plan;
  EXPECT_TRUE(can(next));
  next = plan_of(9'000'000);
  next.codel.target = {1};
  next.limit_packets = 99;
  EXPECT_TRUE(can(next));
  (next = plan).flows = 128;
  EXPECT_FALSE(can(next));
  (next = plan).hash = HashDepth::kOuter;
  EXPECT_FALSE(can(next));
  (next = plan).limit_packets = 101;
  EXPECT_FALSE(can(next));
  EXPECT_TRUE(Scheduler::can_adopt(plan, plan.most_packets() + 1, next));
}

TEST(Successor, HasRoomForAsManyAsItIsTold) {
  const Plan plan = plan_of(8'000'000);
  EXPECT_EQ(Scheduler(plan, {0}, std::pmr::new_delete_resource()).room_packets(), 101u);
  EXPECT_EQ(Scheduler(plan, {0}, std::pmr::new_delete_resource(), 5000).room_packets(), 5000u);
  EXPECT_EQ(Scheduler(plan, {0}, std::pmr::new_delete_resource(), 5).room_packets(), 101u);
}

TEST(Successor, CountersDebtAndHistogramGoOn) {
  Succession s;
  for (int i = 0; i < 4; ++i) s.enqueue({0}, flow(1));
  s.enqueue({0}, flow(2), 100, true);
  ASSERT_EQ(s.old.dequeue({0}), 4) << "what goes ahead";
  ASSERT_EQ(s.old.dequeue({100'000}), 0);
  const Counters before = s.old.counters();
  s.next.scheduler.succeed(s.old.scheduler, {100'000});
  EXPECT_EQ(s.next.counters().sent, before.sent);
  EXPECT_EQ(s.next.counters().bypassed, before.bypassed);
  EXPECT_EQ(s.next.counters().queued, Tally{});
  EXPECT_EQ(s.old.counters().queued, before.queued);
  EXPECT_EQ(s.old.counters().sent, Tally{});
  EXPECT_EQ(s.next.scheduler.opens_at(), s.old.scheduler.opens_at()) << "the debt of the last packet";
  EXPECT_EQ(s.next.scheduler.sojourn().count(), 2u);
  s.move_all();
  s.enqueue({100'000}, flow(1));  // to the old one, which has nothing of its flow
  s.move_all();
  s.next.scheduler.absorb(s.old.scheduler);
  EXPECT_EQ(s.old.counters().received, Tally{});
  EXPECT_EQ(s.next.counters().received, (Tally{6, 5100}));
  EXPECT_TRUE(test::is_conserved(s.next.counters()));
  EXPECT_EQ(s.next.dequeue({1'099'999}), -1);
  Time now{10'000'000};
  for (const int64_t handle : {1, 2, 3, 5}) EXPECT_EQ(s.next.dequeue(now = now + Duration{1'000'000}), handle);
}

// Credit for what goes ahead is spent once, not once a scheduler.
TEST(Successor, TheLimitOnWhatGoesAheadGoesOn) {
  Succession s;
  while (s.old.counters().bypass_over_limit == 0) s.enqueue({0}, flow(1), 1514, true);
  s.next.scheduler.succeed(s.old.scheduler, {0});
  EXPECT_EQ(ahead(s.next, {0}), 0u);
}

// Late link time is lost across a change as it is without one.
TEST(Successor, LateTimeIsCountedAcrossAChange) {
  Succession s;
  for (int i = 0; i < 3; ++i) s.enqueue({0}, flow(1));
  s.old.dequeue({0});  // opens again at 1 ms
  s.next.scheduler.succeed(s.old.scheduler, {500'000});
  s.move_all();
  s.next.dequeue({5'000'000});
  EXPECT_EQ(s.next.counters().late_ns, 4'000'000u);
}

// First what goes ahead, then new flows, then old; a packet a turn.
TEST(Successor, PacketsMoveInTheOrderOfServiceAndKeepListAndArrival) {
  Succession s;
  for (uint64_t i = 0; i < 3; ++i) s.enqueue({i}, flow(1), 1514);
  ASSERT_EQ(s.old.dequeue({10}), 0);
  for (uint64_t t = 20; s.old.scheduler.flow_counts().old_list == 0; t += 2'000'000) {
    s.enqueue({t}, flow(1), 1514);
    s.old.dequeue({t});
  }
  const uint64_t of_old = s.old.counters().queued.packets;
  ASSERT_GE(of_old, 2u);
  s.enqueue({90'000'000}, flow(2), 101);
  s.enqueue({90'000'001}, flow(3), 102);
  s.enqueue({90'000'002}, flow(2), 103);
  s.enqueue({90'000'003}, flow(4), 104, true);
  s.next.scheduler.succeed(s.old.scheduler, {90'000'004});
  const auto moved = s.move_all();
  std::vector<uint32_t> sizes;
  for (const auto& r : moved) sizes.push_back(r.packet.frame_bytes());
  std::vector<uint32_t> expected{104, 101, 102, 103};
  expected.resize(4 + of_old, 1514);
  EXPECT_EQ(sizes, expected);
  EXPECT_TRUE(moved[0].bypasses);
  EXPECT_EQ(moved[1].list, FlowList::kNew);
  EXPECT_EQ(moved[4].list, FlowList::kOld);
  EXPECT_EQ(moved[1].packet.arrival().ns, 90'000'000u);
  EXPECT_EQ(s.next.scheduler.flow_counts().new_list, 2u);
  EXPECT_EQ(s.next.scheduler.flow_counts().old_list, 1u);
  EXPECT_EQ(s.next.counters().new_flows, s.old.counters().new_flows + 3) << "a move makes no flow new";
  const Flow& f = s.next.scheduler.flow(s.next.scheduler.queue_of(flow(2)));
  EXPECT_EQ(f.packets, 2u);
  EXPECT_EQ(f.deficit, s.next.scheduler.plan().quantum_bytes);
  EXPECT_EQ(f.oldest[0].arrival().ns, 90'000'000u) << "CoDel sees the real waiting time";
  EXPECT_EQ(s.old.scheduler.used_chunks(), 0u);
  EXPECT_TRUE(s.old.scheduler.is_at_rest());
}

// Moved packets are found by the choice of a victim.
TEST(Successor, AMovedFatFlowPays) {
  Succession s;
  for (int i = 0; i < 99; ++i) s.enqueue({0}, flow(1));
  s.enqueue({0}, flow(2), 100);
  s.next.scheduler.succeed(s.old.scheduler, {0});
  s.move_all();
  s.next.scheduler.absorb(s.old.scheduler);
  const PacketHandle handle = s.next.enqueue({0}, {flow(3), 100, Ecn::kNotEct});
  EXPECT_EQ(handle, 100u);
  ASSERT_FALSE(s.next.owner.dropped.empty());
  for (const PacketHandle h : s.next.owner.dropped) EXPECT_EQ(s.next.owner.packets[h].flow, flow(1));
}

TEST(Successor, WhatIsElsewhereCountsForTheLimits) {
  for (const bool memory : {false, true}) {
    Plan plan = plan_of(8'000'000);
    limit(plan, memory, 50);
    Bench bench(plan);
    bench.scheduler.leave_room_for(30);
    for (int i = 0; i < 40; ++i) {
      bench.enqueue({0}, {flow(static_cast<uint64_t>(i)), 100, Ecn::kNotEct});
      EXPECT_LE(bench.counters().queued.packets, 20u);
    }
    EXPECT_GE(bench.counters().queued.packets, 19u);
    bench.scheduler.leave_room_for(0);
    for (int i = 0; i < 30; ++i) bench.enqueue({0}, {flow(static_cast<uint64_t>(i)), 100, Ecn::kNotEct});
    EXPECT_GE(bench.counters().queued.packets, 49u);
    bench.scheduler.leave_room_for(60);
    EXPECT_TRUE(test::is_conserved(bench.counters()));
  }
}

// While a successor sends, the old scheduler keeps to the new limits.
TEST(Successor, NewLimitsHoldForTheOldOneAtOnce) {
  for (const bool memory : {false, true}) {
    Plan small = plan_of(8'000'000, 128);
    limit(small, memory, 10);
    Succession s(plan_of(8'000'000), small);
    s.next.scheduler.succeed(s.old.scheduler, {0});
    for (int i = 0; i < 20; ++i) s.enqueue({0}, flow(1));
    EXPECT_LE(s.old.counters().queued.packets, 10u);
  }
}

TEST(Successor, AnEmptyQueueLeavesItsListWithoutAPacket) {
  Succession s;
  s.enqueue({0}, flow(1));
  ASSERT_EQ(s.old.dequeue({0}), 0);
  EXPECT_FALSE(s.old.scheduler.is_at_rest()) << "its queue waits to leave the list";
  Scheduler::Released r;
  EXPECT_FALSE(s.old.scheduler.release(r));
  EXPECT_TRUE(s.old.scheduler.is_at_rest());
  EXPECT_FALSE(s.old.scheduler.release(r));
  s.enqueue({0}, flow(1), 100, true);
  EXPECT_FALSE(s.old.scheduler.is_at_rest()) << "what goes ahead is here";
}

}  // namespace
}  // namespace sojourn
