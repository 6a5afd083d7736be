// One direction when something behind it, or before it, has no room: transmit ring, lab path, packet buffers.
#include "dataplane/direction.h"
#include "dataplane/port.h"
#include "tests/dataplane/direction_bench.h"
#include "tests/dataplane/environment.h"

namespace sojourn::test {
namespace {

constexpr unsigned kTxRoom = 8;

void arrive(DirectionBench& bench, uint32_t count, uint8_t ecn = kEct0) {
  for (uint32_t i = 0; i < count; ++i) bench.arrive(bytes(UdpFrame{.number = i, .ecn = ecn}));
}

// CASES DS-4, VP-7: a full ring holds up, it loses nothing.
TEST(TransmitPressure, PacketsStayQueuedWhileTheRingTakesNothing) {
  DirectionBench bench({.sends = kTxRoom});
  arrive(bench, 500);
  bench.pass(kStart);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(bench.direction->transmit(kStart), 0u);
  const DirectionSnapshot s = bench.snapshot();
  EXPECT_EQ(s.counters.sent.packets, kTxRoom);
  EXPECT_EQ(s.counters.queued.packets, 500 - kTxRoom);
  EXPECT_EQ(s.tx_waiting_packets, kBurst - kTxRoom);  // no more than one burst is past the shaper
  EXPECT_EQ(s.counters.queued.bytes, (500 - kTxRoom) * 200u);
  EXPECT_FALSE(bench.direction->is_empty());
}

// CASES DS-4.
TEST(TransmitPressure, AllLeaveInOrderWhenTheRingIsEmptied) {
  DirectionBench bench({.sends = kTxRoom});
  arrive(bench, 500);
  bench.pass(kStart);
  std::vector<Bytes> frames;
  while (frames.size() < 500) {
    const auto some = bench.out.take_all();
    ASSERT_FALSE(some.empty());
    frames.insert(frames.end(), some.begin(), some.end());
    bench.pass(kStart);
  }
  for (uint32_t i = 0; i < 500; ++i) EXPECT_EQ(number_of(frames[i]), i);
  EXPECT_TRUE(bench.direction->is_empty());
  EXPECT_EQ(bench.buffers.in_use(), 0u);
}

// CASES DS-4: the time behind a full ring is time in the queue, and CoDel answers it.
TEST(TransmitPressure, CodelSeesTheTimeThatTheRingTakesNothing) {
  DirectionBench bench({.sends = kTxRoom});
  arrive(bench, 500);
  bench.pass(kStart);
  uint64_t ce = 0;
  Time now = kStart;
  while (!bench.direction->is_empty() || bench.out.sent() != 0) {
    now = now + kMillisecond * 5;  // the ring empties 8 packets in 5 ms
    for (const Bytes& frame : bench.out.take_all()) ce += ecn_of(frame) == kCe;
    bench.pass(now);
    ASSERT_TRUE(is_before(now, kStart + kMillisecond * 2000));
  }
  EXPECT_GE(ce, 2u);
  EXPECT_EQ(bench.snapshot().counters.marked_ecn, ce);
  EXPECT_GT(bench.snapshot().sojourn.max(), kMillisecond * 200);
}

// CASES DS-4.
TEST(TransmitPressure, TheLimitHoldsWhileTheRingTakesNothing) {
  Parameters p;
  p.limit_packets = 100;
  DirectionBench bench({.parameters = p, .sends = kTxRoom});
  for (int i = 0; i < 20; ++i) {
    arrive(bench, 100);
    bench.pass(kStart);
    EXPECT_LE(bench.snapshot().counters.queued.packets, 100u + kBurst);
    EXPECT_LE(bench.buffers.in_use(), 100u + kBurst + kTxRoom);
  }
  EXPECT_GT(bench.dropped(DropCause::kOverLimit), 1500u);
}

// CASES DS-4: what could not be sent at stop is counted as tx_full, and no buffer is lost or freed twice.
TEST(TransmitPressure, DiscardCountsWhatTheRingDidNotTake) {
  DirectionBench bench({.sends = kTxRoom});
  arrive(bench, 500);
  bench.pass(kStart);
  bench.direction->discard();
  bench.check();
  DirectionSnapshot s = bench.snapshot();
  EXPECT_EQ(s.tx_full, (Tally{500 - kTxRoom, (500 - kTxRoom) * 200}));
  EXPECT_EQ(s.counters.sent.packets, kTxRoom);
  EXPECT_EQ(s.counters.queued, Tally{});
  EXPECT_TRUE(bench.direction->is_empty());
  EXPECT_EQ(bench.buffers.in_use(), kTxRoom);
  bench.direction->discard();  // nothing is left to count
  EXPECT_EQ(bench.snapshot().tx_full, s.tx_full);
  EXPECT_EQ(bench.snapshot().counters.sent, s.counters.sent);
}

LabPathParameters modem() {
  LabPathParameters lab;
  lab.rate = {10'000'000};
  lab.buffer_packets = 50;
  lab.delay = kMillisecond * 10;
  lab.loss = 0.1;
  return lab;
}

TEST(LabOnTransmit, EveryBufferComesBack) {
  DirectionBench bench({.lab = modem()});
  std::vector<Bytes> frames;
  Time now = kStart;
  for (int i = 0; i < 20; ++i, now = now + kMillisecond * 10) {
    arrive(bench, 80);  // 12.8 ms of the modem's time, every 10 ms
    for (Bytes& frame : bench.run(now, now + kMillisecond * 9, kMillisecond)) frames.push_back(std::move(frame));
  }
  for (Bytes& frame : bench.run(now, now + kMillisecond * 50, kMillisecond)) frames.push_back(std::move(frame));
  const LabSnapshot lab = bench.lab();
  EXPECT_EQ(lab.received_packets, 1600u);
  EXPECT_EQ(lab.sent_packets, frames.size());
  EXPECT_EQ(lab.queued_packets, 0u);
  EXPECT_GT(lab.dropped_loss, 100u);
  EXPECT_GT(lab.dropped_overflow, 100u);
  EXPECT_TRUE(bench.direction->is_empty());
  EXPECT_EQ(bench.buffers.in_use(), 0u);
}

TEST(LabOnTransmit, AFullPathDropsAndGivesBack) {
  LabPathParameters lab;
  lab.delay = kMillisecond * 10;
  DirectionBench bench({.lab = lab, .lab_packets = 100});
  arrive(bench, 500);
  bench.pass(kStart);
  for (int i = 0; i < 16; ++i) bench.direction->transmit(kStart);
  bench.check();
  EXPECT_EQ(bench.lab().queued_packets, 100u);
  EXPECT_EQ(bench.lab().dropped_capacity, 400u);
  EXPECT_EQ(bench.buffers.in_use(), 100u);
}

// CASES DS-4: the transmit ring is full and the path is not empty; both are on the path's account.
TEST(LabOnTransmit, DiscardGivesBackWhatIsOnTheWayAndWhatWaits) {
  LabPathParameters lab = modem();
  lab.loss = 0;
  lab.buffer_packets.reset();
  DirectionBench bench({.lab = lab, .sends = kTxRoom});
  arrive(bench, 300);
  bench.run(kStart, kStart, kMillisecond);
  for (Time now = kStart; is_before(now, kStart + kMillisecond * 30); now = now + kMillisecond) {
    bench.direction->receive(now);
    bench.direction->transmit(now);
    bench.check();
  }
  EXPECT_GT(bench.snapshot().tx_waiting_packets, 0u);
  EXPECT_GT(bench.lab().queued_packets, bench.snapshot().tx_waiting_packets);
  bench.direction->discard();
  bench.check();
  EXPECT_EQ(bench.lab().queued_packets, 0u);
  EXPECT_EQ(bench.lab().sent_packets, kTxRoom);
  EXPECT_EQ(bench.lab().dropped_tx_full, 300 - kTxRoom);
  EXPECT_EQ(bench.buffers.in_use(), kTxRoom);
}

// net_null makes a frame of whatever the pool gives: when it gives nothing, nothing comes, and nothing else happens.
TEST(PoolExhaustion, ReceivesNothingAndRecovers) {
  Buffers buffers(511, 1514, 0);
  {
    Port in({.name = "in", .device = "net_null0", .mtu_bytes = {}});
    in.start(buffers.pool());
    RingPort out("out", buffers, kTxRoom);
    const Plan plan = compile(Parameters{}, 1500, Buffers::bytes_each(1514));
    Direction direction({in.id(), out.id(), plan, {1, 2}, {}, {}, 0}, kStart, std::pmr::new_delete_resource());
    DirectionSnapshot s;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 100; ++i) {
        direction.receive(kStart);
        direction.transmit(kStart);
      }
      direction.copy_to(s);
      expect_conserved(s);
      EXPECT_GT(buffers.in_use(), 511u - kBurst);
      out.take_all();
      EXPECT_LE(buffers.in_use(), 511u - kTxRoom);
    }
    direction.discard();
    direction.copy_to(s);
    expect_conserved(s);
    EXPECT_EQ(s.counters.sent.packets, 3 * kTxRoom);
  }
  EXPECT_EQ(buffers.in_use(), 0u);
}

// No buffer is free while tagged and untagged frames pass: the path itself takes none.
TEST(PoolExhaustion, ForwardingTakesNoBuffer) {
  DirectionBench bench({.buffers = 511});
  for (uint32_t i = 0; i < 511; ++i) {
    rte_mbuf* m = mbuf(bench.buffers, bytes(UdpFrame{.number = i}));
    ASSERT_NE(m, nullptr);
    if (i % 2 != 0) m->ol_flags |= RTE_MBUF_F_RX_VLAN_STRIPPED;
    bench.in.arrive(m);
  }
  ASSERT_EQ(mbuf(bench.buffers, bytes(UdpFrame{})), nullptr);
  bench.pass(kStart);
  EXPECT_EQ(bench.out.take_all().size(), 511u);
  EXPECT_EQ(bench.buffers.in_use(), 0u);
}

// CASES DS-6: made, used and unmade again and again, with packets everywhere when it ends.
TEST(Lifecycle, MadeAndUnmadeAgainAndAgain) {
  for (int i = 0; i < 20; ++i) {
    DirectionBench bench({.lab = i % 2 != 0 ? std::optional(modem()) : std::nullopt, .sends = kTxRoom});
    arrive(bench, 200);
    bench.receive_all(kStart);
    bench.direction->transmit(kStart);
    bench.direction->transmit(kStart + kMillisecond * 20);
    bench.check();
  }
}

}  // namespace
}  // namespace sojourn::test

int main(int argc, char** argv) {
  return sojourn::test::run_with_dpdk(argc, argv, "direction-pressure");
}
