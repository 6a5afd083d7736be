// SPEC "Flow queues", flow key. CASES DN-10, LQ-11(a).
#include <gtest/gtest.h>

#include <map>

#include "tests/dataplane/frame_builder.h"

namespace sojourn {
namespace {

using namespace test;

TEST(FlowKey, IsOfTheInnermostHeaderInEveryEncapsulation) {
  for (const Sample& s : samples(2)) {
    SCOPED_TRACE(s.name);
    const Frame f = parse(s.bytes, HashDepth::kInner);
    EXPECT_FALSE(f.is_malformed);
    EXPECT_EQ(f.key.kind, s.inner);
    EXPECT_EQ(f.key.protocol, s.inner_protocol);
    EXPECT_EQ(f.key.ports, s.inner_ports);
    EXPECT_EQ(f.key.source[s.inner == FlowKind::kIpv4 ? 3 : 15], s.inner_last);
    EXPECT_EQ(f.ip_offset, s.ip_offset);
    EXPECT_EQ(f.ip_version, s.version);
    EXPECT_EQ(f.traffic_class, 10 << 2 | 2);
  }
}

TEST(FlowKey, IsOfTheOutermostHeaderWhenAsked) {
  for (const Sample& s : samples(2)) {
    SCOPED_TRACE(s.name);
    const Frame f = parse(s.bytes, HashDepth::kOuter);
    EXPECT_EQ(f.key.kind, s.version == 4 ? FlowKind::kIpv4 : FlowKind::kIpv6);
    EXPECT_EQ(f.key.source[s.version == 4 ? 3 : 15], 1);
  }
}

TEST(FlowKey, OfFramesWithoutEthernetIsTheSame) {
  for (const Sample& s : samples(2)) {
    const Bytes packet(s.bytes.begin() + s.ip_offset, s.bytes.end());
    EXPECT_EQ(parse_ip(packet, HashDepth::kInner).key, parse(s.bytes, HashDepth::kInner).key) << s.name;
  }
}

// Every fragment of a datagram, first or not, has one key; a whole datagram of the same flow has ports.
TEST(FlowKey, IsOneForAllFragmentsOfADatagram) {
  std::map<std::string, FlowKey> keys;
  for (const Sample& s : samples(2)) keys[s.name] = parse(s.bytes, HashDepth::kInner).key;
  EXPECT_EQ(keys["first fragment"], keys["later fragment"]);
  EXPECT_EQ(keys["first fragment v6"], keys["later fragment v6"]);
  EXPECT_NE(keys["first fragment"], keys["ipv4"]);
  EXPECT_EQ(keys["atomic fragment"], keys["ipv6"]) << "RFC 6946: a whole datagram";
}

TEST(FlowKey, OfAFragmentedTunnelIsTheOuterOne) {
  const Bytes inner = ethernet(0x0800) + ipv4(6, l4());
  const Frame f =
      parse(ethernet(0x0800) + ipv4(17, udp(4789, vxlan(inner)), {.fragment_field = 0x2000}), HashDepth::kInner);
  EXPECT_TRUE(f.is_fragment);
  EXPECT_EQ(f.key.protocol, 17);
  EXPECT_EQ(f.key.ports, 0u);
}

// CASES DN-10: payload, TTL, identification and checksum do not move a flow.
TEST(FlowKey, IsStableOverWhatIsNotTheFlow) {
  for (const Sample& s : samples(0)) {
    for (const Sample& marked : samples(3)) {
      if (marked.name == s.name) {
        EXPECT_EQ(parse(s.bytes, HashDepth::kInner).key, parse(marked.bytes, HashDepth::kInner).key) << s.name;
      }
    }
  }
}

TEST(FlowKey, WithABrokenInnerHeaderIsTheDeepestWholeOne) {
  Bytes broken = ipv4(6, l4());
  broken[0] = 0x43;  // IHL 3
  const Frame f = parse(ethernet(0x0800) + ipv4(17, udp(4789, vxlan(ethernet(0x0800) + broken))), HashDepth::kInner);
  EXPECT_FALSE(f.is_malformed);
  EXPECT_EQ(f.key.ports, 40000u << 16 | 4789);
}

TEST(FlowKey, OfFramesWithoutIpIsTheMacPairAndEtherType) {
  const Frame arp = parse(ethernet(0x0806) + Bytes(28, 0), HashDepth::kInner);
  EXPECT_FALSE(arp.is_malformed);
  EXPECT_EQ(arp.key.kind, FlowKind::kMac);
  EXPECT_EQ(arp.key.ether_type, 0x0806);
  EXPECT_EQ(arp.ip_version, 0);
  EXPECT_EQ(to_string(arp.key), "mac 02:00:00:00:00:01 > 02:00:00:00:00:02 type 0x0806");
}

struct Broken {
  const char* name;
  Bytes bytes;
};
std::vector<Broken> broken_frames() {
  const auto changed = [](Bytes b, size_t at, uint8_t value) {
    b[at] = value;
    return b;
  };
  const Bytes v4 = ethernet(0x0800) + ipv4(6, l4()), v6 = ethernet(0x86dd) + ipv6(6, l4());
  return {{"version 6 where 4", changed(v4, 14, 0x65)},
          {"version 4 where 6", changed(v6, 14, 0x40)},
          {"IHL 4", changed(v4, 14, 0x44)},
          {"header beyond the frame",
           ethernet(0x0800) + Bytes{0x4f, 0, 0, 20, 0, 0, 0, 0, 64, 6, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}},
          {"header beyond a frame of unknown length",
           ethernet(0x0800) + Bytes{0x4f, 0, 0, 0, 0, 0, 0, 0, 64, 6, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}},
          {"total length beyond the frame", changed(v4, 16, 0x40)},
          {"total length below the header", changed(v4, 17, 19)},
          {"payload length beyond the frame", changed(v6, 18, 0x40)},
          {"39 bytes of an IPv6 header", Bytes(v6.begin(), v6.begin() + 14 + 39)},
          {"extension header beyond the datagram", ethernet(0x86dd) + ipv6(0, Bytes{6, 9, 0, 0, 0, 0, 0, 0})},
          {"nothing behind the EtherType", ethernet(0x0800)}};
}

TEST(Malformed, IsKeyedOnTheMacPairAndNeverMarked) {
  for (Broken& b : broken_frames()) {
    SCOPED_TRACE(b.name);
    const Frame f = parse(b.bytes, HashDepth::kInner);
    EXPECT_TRUE(f.is_malformed);
    EXPECT_EQ(f.key.kind, FlowKind::kMac);
    const Bytes before = b.bytes;
    EXPECT_EQ(mark_ce(b.bytes), EcnMark::kNotIp);
    EXPECT_EQ(b.bytes, before);
  }
}

TEST(Malformed, IsNotATotalLengthOfZero) {  // segmentation offload: the frame's length counts
  Bytes b = ethernet(0x0800) + ipv4(6, l4());
  b[16] = b[17] = 0;
  const Frame f = parse(b, HashDepth::kInner);
  EXPECT_FALSE(f.is_malformed);
  EXPECT_EQ(f.key.ports, kPorts);
}

TEST(FlowKey, ReadsNoPortsFromPadding) {
  Bytes b = ethernet(0x0800) + ipv4(17, {});
  b.resize(60, 0x77);
  EXPECT_EQ(parse(b, HashDepth::kInner).key.ports, 0u);
}

TEST(FlowKey, HasAWrittenForm) {
  EXPECT_EQ(to_string(parse(ethernet(0x0800) + ipv4(6, l4()), HashDepth::kInner).key),
            "tcp 192.0.2.1:1000 > 198.51.100.2:2000");
  EXPECT_EQ(to_string(parse(ethernet(0x86dd) + ipv6(17, l4()), HashDepth::kInner).key),
            "udp [2001:db8::1]:1000 > [2001:db8::99]:2000");
  EXPECT_EQ(to_string(parse(ethernet(0x0800) + ipv4(50, l4(0xff)), HashDepth::kInner).key),
            "proto 50 192.0.2.1 > 198.51.100.2 spi 0x000000ff");
}

TEST(FlowHash, DiffersForEveryDifferentKeyAndSecret) {
  std::map<uint64_t, std::string> seen;
  for (const Sample& s : samples(0)) {
    const FlowKey key = parse(s.bytes, HashDepth::kInner).key;
    const auto [it, is_new] = seen.emplace(flow_hash(key, {1, 2}), to_string(key));
    EXPECT_TRUE(is_new || it->second == to_string(key)) << s.name;
    EXPECT_NE(flow_hash(key, {1, 2}), flow_hash(key, {1, 3}));
  }
  EXPECT_GT(seen.size(), 12u);
}

}  // namespace
}  // namespace sojourn
