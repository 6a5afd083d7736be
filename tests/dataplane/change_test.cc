// A change of plan under load, on real ports in virtual time: nothing is lost, reordered or counted twice.
#include <map>
#include <random>

#include "tests/dataplane/direction_bench.h"
#include "tests/dataplane/environment.h"

namespace sojourn::test {
namespace {

constexpr Duration kPass{10'000};

// A change as the control thread makes it, and its way through the passes of a worker.
class Changing {
 public:
  Changing(DirectionBench& bench, const Parameters& p, Time now) : bench_(bench) {
    const DirectionSnapshot s = bench.snapshot();
    change_.plan = compile(p, 1500, Buffers::bytes_each(1514));
    if (!Scheduler::can_adopt(s.plan, s.room_packets, change_.plan)) {
      const uint64_t room = std::max(s.room_packets, s.plan.most_packets());
      change_.successor = std::make_unique<Scheduler>(change_.plan, now, std::pmr::new_delete_resource(), room);
    }
    bench.direction->adopt(change_, now);
  }
  // False when it is in force.
  bool pass() {
    if (!bench_.direction->is_settled()) bench_.direction->settle(change_);
    bench_.check();
    return !bench_.direction->is_settled();
  }
  bool had_successor() const { return change_.former != nullptr; }

 private:
  DirectionBench& bench_;
  DirectionChange change_;
};

// Frames of a flow come out in the order they went in, each at most once.
class Order {
 public:
  void see(const std::vector<Bytes>& frames) {
    for (const Bytes& f : frames) {
      ++seen_;
      const auto [last, is_first] = last_.try_emplace(flow_of(f), number_of(f));
      if (is_first) continue;
      EXPECT_GT(number_of(f), last->second) << "flow " << flow_of(f);
      last->second = number_of(f);
    }
  }
  uint64_t seen() const { return seen_; }

 private:
  std::map<uint16_t, uint32_t> last_;
  uint64_t seen_ = 0;
};

Parameters drawn(std::mt19937_64& random) {
  Parameters p;
  p.rate = {std::array<uint64_t, 4>{20'000'000, 50'000'000, 100'000'000, kUnlimited.value}[random() % 4]};
  p.flows = 1u << random() % 12;
  p.quantum_bytes = static_cast<uint32_t>(300 + random() % 3000);
  p.limit_packets = static_cast<uint32_t>(50 + random() % 1500);
  p.isolation = random() % 4 == 0 ? Isolation::kNone : Isolation::kFlows;
  p.hash = random() % 4 == 0 ? HashDepth::kOuter : HashDepth::kInner;
  p.aqm = random() % 3 == 0 ? Aqm::kNone : Aqm::kCodel;
  p.ecn = random() % 2 == 0;
  p.overhead_bytes = static_cast<int32_t>(random() % 40);
  return p;
}

// CASES LQ-1; LQ-2: a change of everything is no pause.
TEST(Change, AnyUnderAnyLoadKeepsOrderAndEveryPacket) {
  std::mt19937_64 random(4);
  unsigned successors = 0;
  for (int round = 0; round < 20; ++round) {
    DirectionBench bench({.parameters = drawn(random)});
    Order order;
    Time now = kStart;
    uint32_t number = 0;
    for (int changes = 0; changes < 10; ++changes) {
      const auto load = [&](size_t frames) {
        for (size_t i = 0; i < frames; ++i) {
          bench.arrive(bytes({.flow = static_cast<uint16_t>(random() % 60),
                              .number = ++number,
                              .bytes = 100 + random() % 1400,
                              .ecn = static_cast<uint8_t>(random() % 4)}));
        }
      };
      const auto pass = [&] {
        now = now + kPass;
        bench.direction->receive(now);
        bench.direction->transmit(now);
        order.see(bench.out.take_all());
      };
      for (unsigned i = 0, passes = 20 + random() % 100; i < passes; ++i) load(random() % 32), pass();
      const DirectionSnapshot before = bench.snapshot();
      Changing change(bench, drawn(random), now);
      EXPECT_EQ(bench.snapshot().counters.received, before.counters.received) << "counters go on";
      EXPECT_EQ(bench.snapshot().counters.dropped, before.counters.dropped) << "a change drops nothing";
      unsigned passes = 0;
      for (; change.pass(); ++passes) load(random() % 32), pass();
      EXPECT_LE(passes, 60u) << "it ends under load";
      successors += change.had_successor();
    }
    while (!bench.direction->is_empty()) {
      now = now + kMillisecond;
      bench.pass(now);
      order.see(bench.out.take_all());
    }
    const Counters c = bench.snapshot().counters;
    uint64_t dropped = 0;
    for (const Tally& t : c.dropped) dropped += t.packets;
    EXPECT_EQ(c.received.packets, number);
    EXPECT_EQ(order.seen() + dropped, number);
  }
  EXPECT_GT(successors, 100u);
}

// A thousand packets of a bulk flow are on the move; a lone packet that comes meanwhile leaves before them.
TEST(Change, ASparseFlowDoesNotWaitForTheMove) {
  Parameters p;
  p.rate = {100'000'000};
  DirectionBench bench({.parameters = p});
  for (uint32_t i = 0; i < 3000; ++i) bench.arrive(bytes({.flow = 1, .number = i, .bytes = 1514}));
  bench.receive_all(kStart);
  p.flows = 4096;
  Time now = kStart + kMillisecond;
  Changing change(bench, p, now);
  bench.transmit_all(now);
  bench.out.take_all();
  bench.arrive(bytes({.flow = 2, .number = 7, .bytes = 100}));
  for (int passes = 1;; ++passes) {
    ASSERT_LE(passes, 30) << "300 us";
    now = now + kPass;
    bench.direction->receive(now);
    change.pass();
    bench.direction->transmit(now);
    const auto out = bench.out.take_all();
    if (std::any_of(out.begin(), out.end(), [](const Bytes& f) { return flow_of(f) == 2; })) break;
  }
  while (change.pass()) bench.direction->transmit(now);
  EXPECT_TRUE(change.had_successor());
}

// While packets are on the move there are two schedulers, and one limit for both.
TEST(Change, TheLimitHoldsForBothSchedulersTogether) {
  Parameters p;
  p.rate = {1'000'000};
  p.limit_packets = 1000;
  DirectionBench bench({.parameters = p});
  uint32_t number = 0;
  const auto load = [&](unsigned frames) {
    for (unsigned i = 0; i < frames; ++i) {
      bench.arrive(bytes({.flow = static_cast<uint16_t>(number % 7), .number = number, .bytes = 200}));
      ++number;
    }
    bench.receive_all(kStart);
  };
  load(1000);
  p.flows = 64;
  Changing change(bench, p, kStart);
  do {
    load(32);
    EXPECT_LE(bench.snapshot().counters.queued.packets, 1000u);
  } while (change.pass());
  load(200);
  EXPECT_LE(bench.snapshot().counters.queued.packets, 1000u);
}

// The shaper's credit and debt go over: a change is no way around the rate.
TEST(Change, ChangingAllTheTimeGivesNoMoreThanTheRate) {
  Parameters p;
  p.rate = {10'000'000};
  p.burst_bytes = 3028;
  DirectionBench bench({.parameters = p, .buffers = 8191});
  Time now = kStart;
  uint64_t sent = 0;
  for (int i = 0; i < 1000; ++i) {
    for (int j = 0; j < 2; ++j)
      bench.arrive(bytes({.flow = 3, .number = static_cast<uint32_t>(2 * i + j), .bytes = 1000}));
    p.flows = i % 2 == 0 ? 64 : 128;
    now = now + kMillisecond;
    bench.receive_all(now);
    Changing change(bench, p, now);
    while (change.pass()) bench.transmit_all(now);
    bench.transmit_all(now);
    for (const Bytes& f : bench.out.take_all()) sent += f.size();
  }
  EXPECT_LE(sent, 10'000'000u / 8 + 3028 + 1000);
  EXPECT_GE(sent, 10'000'000u / 8 - 2000);
}

}  // namespace
}  // namespace sojourn::test

int main(int argc, char** argv) {
  return sojourn::test::run_with_dpdk(argc, argv, "change");
}
