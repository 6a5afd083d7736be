// SPEC "CoDel", what the golden tables do not show.
#include <gtest/gtest.h>

#include "tests/sched/fixture.h"

namespace sojourn {
namespace {

using test::Bench;
using test::Ecn;

constexpr uint64_t kMs = 1'000'000;

Plan one_queue() {
  Plan plan;
  plan.flows = 1;
  plan.limit_packets = plan.limit_buffers = 100'000;
  return plan;
}

void fill(Bench& bench, Time now, unsigned packets, Ecn ecn = Ecn::kNotEct) {
  for (unsigned i = 0; i < packets; ++i) bench.enqueue(now, {0, 1514, ecn});
}

// A queue that has been over target for an interval, one packet before the first signal.
struct AboutToSignal : Bench {
  AboutToSignal(const Plan& plan, Ecn ecn) : Bench(plan) {
    fill(*this, {0}, 100, ecn);
    dequeue({10 * kMs});
  }
};

TEST(Codel, NeverMarksNotEct) {
  Bench bench(one_queue());
  fill(bench, {0}, 1000);
  for (uint64_t t = 10; t < 2000; ++t) bench.dequeue({t * kMs});
  EXPECT_GT(bench.counters().dropped[0].packets, 10u);
  EXPECT_EQ(bench.counters().marked_ecn, 0u);
  for (const auto& p : bench.owner.packets) ASSERT_EQ(p.ecn, Ecn::kNotEct);
}

TEST(Codel, MarksBothEctCodepointsAndDropsNone) {
  for (const Ecn ecn : {Ecn::kEct0, Ecn::kEct1}) {
    AboutToSignal bench(one_queue(), ecn);
    EXPECT_GE(bench.dequeue({200 * kMs}), 0);
    EXPECT_EQ(bench.counters().marked_ecn, 1u);
    EXPECT_EQ(bench.counters().dropped[0].packets, 0u);
  }
}

TEST(Codel, ForwardsCeUnchangedAndCountsItAsTheSignal) {
  AboutToSignal bench(one_queue(), Ecn::kCe);
  EXPECT_GE(bench.dequeue({200 * kMs}), 0);
  EXPECT_EQ(bench.counters().already_ce, 1u);
  EXPECT_EQ(bench.counters().marked_ecn, 0u);
  EXPECT_EQ(bench.counters().dropped[0].packets, 0u);
  EXPECT_EQ(bench.scheduler.codel(0).count, 1u);
}

TEST(Codel, DropsEctWhenEcnIsOff) {
  Plan plan = one_queue();
  plan.codel.ecn = false;
  AboutToSignal bench(plan, Ecn::kEct0);
  bench.dequeue({200 * kMs});
  EXPECT_EQ(bench.counters().dropped[0].packets, 1u);
}

TEST(Codel, ExemptsAQueueOfOneMtuFrameBehindTheHead) {
  Bench bench(one_queue());
  for (uint64_t t = 0; t < 5'000; t += 100) {
    bench.enqueue({t * kMs}, {0, 1514, Ecn::kNotEct});
    bench.enqueue({t * kMs}, {0, 1514, Ecn::kNotEct});
    bench.dequeue({(t + 50) * kMs});
    bench.dequeue({(t + 90) * kMs});
  }
  EXPECT_EQ(bench.counters().dropped[0].packets, 0u);
}

// SPEC: CoDel runs on a packet only when the shaper lets it leave now.
TEST(Codel, PollingAClosedGateAMillionTimesChangesNoState) {
  Plan plan = one_queue();
  plan.pacer = Pacer::Plan::compile({1'000}, 0);
  AboutToSignal bench(plan, Ecn::kNotEct);  // its one packet closes the gate for 12 s
  const Flow before = bench.scheduler.flow(0);
  for (uint64_t i = 0; i < 1'000'000; ++i) ASSERT_EQ(bench.dequeue({200 * kMs + i}), -1);
  const Flow& after = bench.scheduler.flow(0);
  EXPECT_EQ(after.codel_event_ns, before.codel_event_ns);
  EXPECT_EQ(after.flags, before.flags);
  EXPECT_EQ(after.packets, before.packets);
  EXPECT_EQ(bench.counters().dropped[0].packets, 0u);
}

TEST(Codel, OverflowDropsDoNotChangeCount) {
  Plan plan = one_queue();
  plan.limit_packets = 100;
  AboutToSignal bench(plan, Ecn::kNotEct);
  bench.dequeue({200 * kMs});
  const uint32_t count = bench.scheduler.codel(0).count;
  fill(bench, {201 * kMs}, 500);
  EXPECT_GT(bench.owner.drops[DropCause::kOverLimit], 0u);
  EXPECT_EQ(bench.scheduler.codel(0).count, count);
}

TEST(Codel, DropsSeveralThatAreDueInOneCall) {
  AboutToSignal bench(one_queue(), Ecn::kNotEct);
  bench.dequeue({200 * kMs});
  const uint64_t before = bench.counters().dropped[0].packets;
  bench.dequeue({600 * kMs});  // intervals of 100, 71, 58, 50, ... ms have passed
  EXPECT_GE(bench.counters().dropped[0].packets - before, 4u);
}

// The work of one call is bounded; a million drops that are due come out the same, whatever a call hands out at most.
TEST(Codel, BoundedCallsDecideAsOneUnboundedCallWould) {
  const auto run = [](size_t at_once) {
    Plan plan = one_queue();
    plan.codel.interval = {100'000};
    plan.codel.target = {10'000};
    Bench bench(plan);
    fill(bench, {0}, 20'000);
    bench.dequeue({10 * kMs});
    std::vector<PacketHandle> out(at_once), all;
    for (const uint64_t t : {200 * kMs, 5'000 * kMs}) {
      do {
        const size_t n = bench.scheduler.dequeue({t}, out, bench.owner);
        all.insert(all.end(), out.begin(), out.begin() + static_cast<long>(n));
      } while (bench.scheduler.is_ready({t}) && all.size() < 30);
    }
    all.resize(30);
    return std::pair(all, bench.owner.dropped);
  };
  const auto one = run(1), many = run(30);
  EXPECT_EQ(one.first, many.first);
  const size_t common = std::min(one.second.size(), many.second.size());
  EXPECT_GT(common, 50u);
  EXPECT_TRUE(std::equal(one.second.begin(), one.second.begin() + static_cast<long>(common), many.second.begin()));
}

// The packet behind the one that was dropped to enter dropping is delivered, also when the bound on one call's work
// falls between the two and the next drop has become due meanwhile: 71 turns without credit, the drop, and the bound.
TEST(Codel, DeliversThePacketBehindTheDropToEnterInALaterCallToo) {
  Plan plan = one_queue();
  plan.quantum_bytes = 64;
  Bench bench(plan);
  for (int i = 0; i < 10; ++i) bench.enqueue({0}, {0, 4'600, Ecn::kNotEct});
  ASSERT_EQ(bench.dequeue({10 * kMs}), 0);
  PacketHandle out = 0;
  ASSERT_EQ(bench.scheduler.dequeue({200 * kMs}, {&out, 1}, bench.owner), 0u);
  ASSERT_EQ(bench.owner.dropped, std::vector<PacketHandle>{1});
  ASSERT_EQ(bench.scheduler.dequeue({400 * kMs}, {&out, 1}, bench.owner), 1u);
  EXPECT_EQ(out, 2u);
  EXPECT_EQ(bench.owner.dropped.size(), 1u);
}

TEST(Codel, ThresholdMarksWhatIsOverItAndNotWhatReachesIt) {
  for (const uint64_t over_ns : {0u, 1u}) {
    Plan plan = one_queue();
    plan.codel.ce_threshold = {static_cast<int64_t>(kMs)};
    Bench bench(plan);
    bench.enqueue({0}, {0, 1514, Ecn::kEct0});
    bench.dequeue({kMs + over_ns});
    EXPECT_EQ(bench.counters().marked_ce_threshold, over_ns);
  }
}

// One queue's state, laid open.
struct Laws {
  CodelPlan plan;
  uint64_t event_ns = 0;
  uint8_t flags = 0;
  CodelCold cold;
  Codel codel{plan, event_ns, flags, cold};
  CodelVerdict advance(Time now) {
    return codel.advance(now, plan.target, 9'000, [] { return false; });
  }
};

// RFC 8289 5.5: "now - drop_next_ < 16 * interval".
TEST(Codel, ReentryIsNotRecentAtSixteenIntervalsToTheNanosecond) {
  for (const int64_t early_ns : {0, 1}) {
    Laws laws;
    laws.flags = CodelHot::kArmed;
    laws.cold = {500, 10, 5};
    EXPECT_EQ(laws.advance(Time{500} + Duration{16 * laws.plan.interval.ns - early_ns}), CodelVerdict::kDrop);
    EXPECT_EQ(laws.cold.count, early_ns == 0 ? 1u : 5u);
  }
}

// Between two of its packets a queue may be emptied by a limit, and is then found so.
TEST(Codel, AnEmptyQueueForgetsThatItsLastPacketWasDropped) {
  Laws dropping;
  dropping.flags = CodelHot::kArmed | CodelHot::kDropping;
  EXPECT_EQ(dropping.advance({kMs}), CodelVerdict::kDrop);
  dropping.codel.found_empty();
  EXPECT_EQ(dropping.flags, 0);
  Laws entering;
  entering.flags = CodelHot::kArmed;
  EXPECT_EQ(entering.advance({kMs}), CodelVerdict::kDrop);
  entering.codel.found_empty();
  EXPECT_EQ(entering.flags, CodelHot::kDropping) << "RFC 8289 5.5 sets dropping_ whatever the second dodequeue brings";
}

TEST(Codel, CountStaysAtItsMostInsteadOfWrapping) {
  Laws laws;
  laws.flags = CodelHot::kArmed | CodelHot::kDropping;
  laws.cold.count = UINT32_MAX;
  EXPECT_EQ(laws.advance({kMs}), CodelVerdict::kDrop);
  EXPECT_EQ(laws.cold.count, UINT32_MAX);
}

TEST(Codel, ThresholdMarksOnlyWhatCodelDidNotSignal) {
  Plan plan = one_queue();
  plan.codel.ce_threshold = {static_cast<int64_t>(kMs)};
  AboutToSignal bench(plan, Ecn::kEct0);
  EXPECT_EQ(bench.counters().marked_ce_threshold, 1u);
  bench.dequeue({200 * kMs});
  EXPECT_EQ(bench.counters().marked_ce_threshold, 1u);
  EXPECT_EQ(bench.counters().marked_ecn, 1u);
}

class ClockStart : public testing::TestWithParam<uint64_t> {};
TEST_P(ClockStart, MakesNoDifferenceToTheDropsNorDoLongGaps) {
  const auto run = [](uint64_t start, uint64_t gap_s) {
    Bench bench(one_queue(), {start});
    for (const uint64_t at : {uint64_t{0}, gap_s * 1'000'000'000}) {
      fill(bench, {start + at}, 300);
      for (uint64_t t = 10; t < 2'000; t += 5) bench.dequeue({start + at + t * kMs});
    }
    return bench.owner.dropped;
  };
  for (const uint64_t gap_s : {3ull, 35 * 60ull, 72 * 60ull, 10 * 86400ull}) {
    const auto dropped = run(GetParam(), gap_s);
    EXPECT_GT(dropped.size(), 10u);
    EXPECT_EQ(dropped, run(0, gap_s)) << "start " << GetParam() << " gap " << gap_s << " s";
  }
}
INSTANTIATE_TEST_SUITE_P(Starts, ClockStart, testing::Values((1ull << 31), (1ull << 32) - 1, (1ull << 63) - 1));

TEST(Codel, ClampsANegativeSojournToZero) {
  Bench bench(one_queue());
  fill(bench, {100 * kMs}, 3);
  EXPECT_GE(bench.dequeue({50 * kMs}), 0);
  EXPECT_EQ(bench.scheduler.sojourn().max().ns, 0);
}

}  // namespace
}  // namespace sojourn
