// The packet path of one direction over real ports: what goes in comes out.
#include "dataplane/direction.h"

#include "tests/dataplane/direction_bench.h"
#include "tests/dataplane/environment.h"

namespace sojourn::test {
namespace {

Parameters at_rate(uint64_t bits_per_second) {
  Parameters p;
  p.rate = {bits_per_second};
  return p;
}

TEST(Direction, FramesComeOutByteExactAndInOrder) {
  DirectionBench bench;
  std::vector<Bytes> sent;
  for (uint32_t i = 0; i < 500; ++i) {
    sent.push_back(bytes(UdpFrame{.number = i, .bytes = 60 + i * 2}));
    bench.arrive(sent.back());
  }
  bench.pass(kStart);
  EXPECT_EQ(bench.out.take_all(), sent);
  EXPECT_TRUE(bench.direction->is_empty());
}

TEST(Direction, EachFlowKeepsItsOrder) {
  DirectionBench bench({.parameters = at_rate(100'000'000)});
  for (uint32_t i = 0; i < 1000; ++i) {
    bench.arrive(bytes(UdpFrame{.flow = static_cast<uint16_t>(i % 7), .number = i, .bytes = 100 + i}));
  }
  const std::vector<Bytes> frames = bench.run(kStart, kStart + kMillisecond * 100, {100'000});
  ASSERT_EQ(frames.size(), 1000u);
  std::array<int64_t, 7> last;
  last.fill(-1);
  for (const Bytes& frame : frames) {
    const uint32_t number = number_of(frame);
    EXPECT_GT(number, last[flow_of(frame)]);
    last[flow_of(frame)] = number;
    EXPECT_EQ(frame, bytes(UdpFrame{static_cast<uint16_t>(number % 7), number, 100 + number}));
  }
}

// CASES CK-4: every packet is charged once, for its own length.
TEST(Direction, ChargesEachPacketOnce) {
  DirectionBench bench({.parameters = at_rate(100'000'000)});
  uint64_t total = 0;
  for (uint32_t i = 0; i < 300; ++i) {
    bench.arrive(bytes(UdpFrame{.flow = static_cast<uint16_t>(i % 3), .number = i, .bytes = 100 + i}));
    total += 100 + i;
  }
  bench.run(kStart, kStart + kMillisecond * 100, {100'000});
  EXPECT_EQ(bench.snapshot().counters.sent_wire_bytes, total);
  EXPECT_EQ(bench.snapshot().counters.sent, (Tally{300, total}));
}

// CASES VP-2, DN-8: tagged frames, and those to or from the virtual MAC address of VRRP and CARP, wait in the same
// queues and are charged for every byte, with the overhead.
TEST(Direction, ChargesTaggedFramesAndThoseOfVirtualAddresses) {
  constexpr uint64_t kOverhead = 24;
  Parameters p = at_rate(10'000'000);
  p.overhead_bytes = kOverhead;
  DirectionBench bench({.parameters = p, .rules = control_plane_rules()});
  uint64_t packets = 0, total = 0;
  const auto arrive = [&](const Bytes& frame) {
    bench.arrive(frame);
    ++packets;
    total += frame.size();
  };
  for (uint32_t i = 0; i < 20; ++i) {
    Bytes frame = bytes(UdpFrame{.flow = 1, .number = i, .bytes = 500});
    arrive(tagged(frame, 100));
    arrive(tagged(tagged(frame, 7), 9));
    frame[0] = 0x00, frame[1] = 0x00, frame[2] = 0x5e, frame[3] = 0x00, frame[4] = 0x01, frame[5] = 0x0a;
    arrive(frame);
    std::copy_n(frame.begin(), 6, frame.begin() + 6);
    arrive(frame);
  }
  bench.run(kStart, kStart + kMillisecond * 200, {100'000});
  EXPECT_EQ(bench.snapshot().counters.sent, (Tally{packets, total}));
  EXPECT_EQ(bench.snapshot().counters.sent_wire_bytes, total + packets * kOverhead);
  EXPECT_EQ(bench.snapshot().counters.bypassed.packets, 0u);
}

// CASES CK-4: 100 Mbit/s configured are 100 Mbit/s measured, never more; from the first departure, burst taken off.
TEST(Direction, SendsAtTheRateAndNotAtHalfOfIt) {
  Parameters p = at_rate(100'000'000);
  p.burst_bytes = 1514;
  p.aqm = Aqm::kNone;
  DirectionBench bench({.parameters = p});
  for (uint32_t i = 0; i < 2000; ++i) bench.arrive(bytes(UdpFrame{.number = i, .bytes = 1000}));
  const auto frames = bench.run(kStart, kStart + kMillisecond * 100, {10'000});  // 1,250,000 bytes of time
  EXPECT_GE(frames.size(), 1249u);
  EXPECT_LE(frames.size(), 1253u);
}

rte_mbuf* stripped(DirectionBench& bench, const Bytes& frame, uint16_t tci) {
  rte_mbuf* m = mbuf(bench.buffers, frame);
  m->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
  m->vlan_tci = tci;
  return m;
}

// CASES LQ-7: a driver that takes the tag off whatever it is told.
TEST(Direction, PutsAStrippedVlanTagBack) {
  DirectionBench bench;
  std::vector<Bytes> wanted;
  for (const uint16_t tci : {0x0001, 0x0fff, 0xe064, 0x0000}) {
    const Bytes frame = bytes(UdpFrame{.number = tci, .bytes = 1514});
    bench.in.arrive(stripped(bench, frame, tci));
    wanted.push_back(tagged(frame, tci));
  }
  bench.pass(kStart);
  EXPECT_EQ(bench.out.take_all(), wanted);
  EXPECT_EQ(bench.snapshot().counters.sent.bytes, 4u * 1518);
}

// CASES LQ-7: a tag beside the frame goes in front of the one that is still within.
TEST(Direction, LeavesTheInnerTagOfTwo) {
  DirectionBench bench;
  const Bytes inner = tagged(bytes(UdpFrame{}), 7);
  bench.in.arrive(stripped(bench, inner, 0x2009));
  bench.arrive(inner);
  bench.pass(kStart);
  EXPECT_EQ(bench.out.take_all(), (std::vector<Bytes>{tagged(inner, 0x2009), inner}));
}

TEST(Direction, CountsAFrameWhoseTagCannotBePutBack) {
  DirectionBench bench;
  rte_mbuf* no_headroom = stripped(bench, bytes(UdpFrame{}), 5);
  rte_pktmbuf_prepend(no_headroom, rte_pktmbuf_headroom(no_headroom));
  bench.in.arrive(no_headroom);
  bench.in.arrive(stripped(bench, Bytes(11), 5));  // no place for a tag: shorter than two addresses
  bench.pass(kStart);
  EXPECT_EQ(bench.snapshot().malformed.packets, 2u);
  EXPECT_FALSE(bench.out.take());
  EXPECT_EQ(bench.buffers.in_use(), 0u);
}

TEST(Direction, CountsAndFreesFramesThatNoPortCanSend) {
  DirectionBench bench;
  const Bytes good = bytes(UdpFrame{});
  bench.arrive({});
  bench.arrive(good);
  bench.arrive({});
  rte_mbuf* too_long = mbuf(bench.buffers, good);
  too_long->pkt_len = kMostFrameBytes + 1;
  bench.in.arrive(too_long);
  bench.pass(kStart);
  EXPECT_EQ(bench.out.take_all(), std::vector<Bytes>{good});
  EXPECT_EQ(bench.snapshot().malformed, (Tally{3, kMostFrameBytes + 1}));
  EXPECT_EQ(bench.snapshot().counters.received.packets, 4u);
  EXPECT_EQ(bench.buffers.in_use(), 0u);
}

TEST(Direction, ForwardsMalformedIpUnchanged) {
  DirectionBench bench;
  std::vector<Bytes> odd(4, bytes(UdpFrame{.ecn = kEct0}));
  odd[0][kIpOffset] = 0x41;          // header shorter than a header
  odd[1][kIpOffset] = 0x65;          // EtherType says 4, header 6
  odd[2].resize(kIpOffset + 10);     // ends within the header
  put16(odd[3], kIpOffset + 2, 15);  // length shorter than the header
  for (const Bytes& frame : odd) bench.arrive(frame);
  bench.arrive(Bytes{0x55});  // not even a MAC address
  odd.push_back(Bytes{0x55});
  bench.pass(kStart);
  const auto frames = bench.out.take_all();
  EXPECT_TRUE(std::is_permutation(frames.begin(), frames.end(), odd.begin(), odd.end()));
  EXPECT_EQ(bench.snapshot().malformed_forwarded_packets, 5u);
  EXPECT_EQ(bench.snapshot().malformed.packets, 0u);
}

// 320 ms of one flow at 10 Mbit/s: CoDel must speak after one interval, and again after another.
std::vector<Bytes> through_a_bottleneck(DirectionBench& bench, uint8_t ecn) {
  for (uint32_t i = 0; i < 400; ++i) bench.arrive(bytes(UdpFrame{.number = i, .bytes = 1000, .ecn = ecn}));
  return bench.run(kStart, kStart + kMillisecond * 350, {100'000});
}

TEST(Direction, MarksEctPacketsWhenCodelSignals) {
  DirectionBench bench({.parameters = at_rate(10'000'000)});
  const auto frames = through_a_bottleneck(bench, kEct0);
  ASSERT_EQ(frames.size(), 400u);
  uint64_t marked = 0;
  for (uint32_t i = 0; i < frames.size(); ++i) {
    marked += ecn_of(frames[i]) == kCe;
    EXPECT_EQ(ip_sum(frames[i]), 0xffff);
    EXPECT_EQ(frames[i], bytes(UdpFrame{.number = i, .bytes = 1000, .ecn = ecn_of(frames[i])}));
  }
  EXPECT_GE(marked, 2u);
  EXPECT_EQ(bench.snapshot().counters.marked_ecn, marked);
  EXPECT_EQ(bench.dropped(DropCause::kAqm), 0u);
}

// CASES LQ-7: the mark finds the IP header behind a tag that has just been put back.
TEST(Direction, MarksBehindARestoredTag) {
  DirectionBench bench({.parameters = at_rate(10'000'000)});
  for (uint32_t i = 0; i < 400; ++i) {
    bench.in.arrive(stripped(bench, bytes(UdpFrame{.number = i, .bytes = 1000, .ecn = kEct0}), 100));
  }
  uint64_t marked = 0;
  for (const Bytes& frame : bench.run(kStart, kStart + kMillisecond * 350, {100'000})) {
    const uint8_t ecn = frame[kIpOffset + 4 + 1] & 3;
    const UdpFrame f{.number = get16(frame, kNumberOffset + 4 + 2), .bytes = 1000, .ecn = ecn};
    EXPECT_EQ(frame, tagged(bytes(f), 100));
    EXPECT_EQ(ip_sum(frame, kIpOffset + 4), 0xffff);
    marked += ecn == kCe;
  }
  EXPECT_GE(marked, 2u);
  EXPECT_EQ(bench.snapshot().counters.marked_ecn, marked);
}

TEST(Direction, DropsNotEctPacketsWhenCodelSignals) {
  DirectionBench bench({.parameters = at_rate(10'000'000)});
  const auto frames = through_a_bottleneck(bench, kNotEct);
  EXPECT_GE(bench.dropped(DropCause::kAqm), 2u);
  EXPECT_EQ(frames.size() + bench.dropped(DropCause::kAqm), 400u);
  EXPECT_EQ(bench.snapshot().counters.marked_ecn, 0u);
  EXPECT_EQ(bench.buffers.in_use(), 0u);
}

}  // namespace
}  // namespace sojourn::test

int main(int argc, char** argv) {
  return sojourn::test::run_with_dpdk(argc, argv, "direction");
}
