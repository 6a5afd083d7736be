// What the parser says about frames that are what they claim to be, and about headers that contradict themselves.
#include "dataplane/frame.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/dataplane/frame_builder.h"

namespace sojourn {
namespace {

using build::Bytes;
using build::operator+;

std::string flow_of(const Bytes& bytes, HashDepth depth = HashDepth::kInner) {
  return format(parse(bytes, depth).key);
}

TEST(Frame, EveryEncapsulationLeadsToItsInnermostFlow) {  // CK-6, DN-10
  for (const auto& s : build::samples(2)) {
    EXPECT_EQ(flow_of(s.bytes), s.flow) << s.name;
    EXPECT_EQ(flow_of(s.bytes, HashDepth::kOuter), s.outer_flow) << s.name;
  }
}

TEST(Frame, EveryEncapsulationKeepsItsOutermostHeaderForTheMark) {  // CK-6, VP-3
  for (unsigned ecn = 0; ecn < 4; ++ecn) {
    for (const auto& s : build::samples(0xb8 | ecn)) {
      for (HashDepth depth : {HashDepth::kInner, HashDepth::kOuter}) {
        const Frame f = parse(s.bytes, depth);
        EXPECT_FALSE(f.malformed) << s.name;
        EXPECT_EQ(f.outer == IpVersion::kNone, s.ecn_offset == 0) << s.name;
        EXPECT_EQ(f.ecn_offset, s.ecn_offset) << s.name;
        EXPECT_EQ(f.outer_traffic_class, s.ecn_offset == 0 ? 0u : (0xb8 | ecn)) << s.name;
      }
    }
  }
}

TEST(Frame, PaddingIsNotRead) {
  for (size_t payload : {0, 1, 2, 3}) {
    const Bytes v4 = build::ethernet(build::kIp4, build::ipv4(17, Bytes(payload, 7))) + Bytes(30, 0xee);
    EXPECT_EQ(flow_of(v4), "udp 192.0.2.1 > 198.51.100.2");
    const Bytes v6 =
        build::ethernet(build::kIp6, build::ipv6(60, build::extension(17, 8, Bytes(payload, 7)))) + Bytes(30, 0xee);
    EXPECT_EQ(flow_of(v6), "udp 2001:db8::1 > 2001:db8::2");
  }
  const Bytes tunnel = build::ethernet(build::kIp4, build::ipv4(4, {})) + build::ipv4(6, build::tcp(1, 2));
  EXPECT_EQ(flow_of(tunnel), "ipip 192.0.2.1 > 198.51.100.2");
}

TEST(Frame, LengthZeroMeansTheFramesLength) {  // segmentation offload, BIG TCP, RFC 2675
  Bytes v4 = build::ethernet(build::kIp4, build::ipv4(6, build::tcp(1000, 2000, build::zeros(70'000))));
  v4[16] = v4[17] = 0;
  EXPECT_EQ(flow_of(v4), "tcp 192.0.2.1:1000 > 198.51.100.2:2000");
  const Bytes big = build::tcp(1000, 2000, build::zeros(70'000));
  Bytes v6 = build::ethernet(build::kIp6, build::ipv6(0, build::extension(6, 8, big)));
  v6[18] = v6[19] = 0;
  EXPECT_EQ(flow_of(v6), "tcp [2001:db8::1]:1000 > [2001:db8::2]:2000");
}

TEST(Frame, PppoeLengthBelowThePacketsIsForgiven) {
  Bytes session = build::ethernet(0x8864, build::pppoe(0x21, build::ipv4(6, build::tcp(1000, 2000))));
  session[19] = static_cast<uint8_t>(session[19] - 6);
  EXPECT_EQ(flow_of(session), "tcp 192.0.2.1:1000 > 198.51.100.2:2000");
}

TEST(Frame, TagThatLooksLikeAnIpHeaderIsATag) {
  for (unsigned tag : {0x4500u, 0x4600u, 0x6000u}) {
    for (unsigned ether_type : {build::kIp4, build::kIp6}) {
      const Bytes tcp = build::tcp(1000, 2000, build::zeros(50'000));
      const Bytes ip = ether_type == build::kIp4 ? build::ipv4(6, tcp) : build::ipv6(6, tcp);
      Bytes frame = build::ethernet(ether_type, ip, {0x8100});
      frame[14] = static_cast<uint8_t>(tag >> 8);
      frame[15] = static_cast<uint8_t>(tag);
      EXPECT_EQ(parse(frame, HashDepth::kInner).ecn_offset, 18);
      EXPECT_EQ(parse(frame, HashDepth::kInner).key.source_port(), 1000);
    }
  }
}

struct Lie {
  const char* name;
  size_t at;
  uint8_t value;
};

void expect_malformed(const Bytes& good, const Lie& lie, const char* key) {
  Bytes bytes = good;
  bytes[lie.at] = lie.value;
  const Frame f = parse(bytes, HashDepth::kInner);
  EXPECT_TRUE(f.malformed) << lie.name;
  EXPECT_EQ(f.outer, IpVersion::kNone) << lie.name;
  EXPECT_EQ(format(f.key), key) << lie.name;
  const Bytes before = bytes;
  EXPECT_EQ(mark_ce(bytes), EcnMark::kNotIp) << lie.name;
  EXPECT_EQ(bytes, before) << lie.name;
}

TEST(Frame, HeaderThatContradictsItselfIsMalformedAndNeverMarked) {  // LQ-11
  const Bytes v4 = build::ethernet(build::kIp4, build::ipv4(6, build::tcp(1, 2), {.traffic_class = 2}));
  constexpr char kKey4[] = "ethertype 0x0800 02:00:00:00:00:0a > 02:00:00:00:00:0b";
  for (unsigned version_ihl = 0; version_ihl < 256; ++version_ihl) {
    if (version_ihl >> 4 == 4 && (version_ihl & 15) >= 5 && (version_ihl & 15) * 4 <= v4.size() - 14) continue;
    expect_malformed(v4, {"version or IHL", 14, static_cast<uint8_t>(version_ihl)}, kKey4);
  }
  expect_malformed(v4, {"total length below the header", 17, 19}, kKey4);
  expect_malformed(v4, {"total length beyond the frame", 17, static_cast<uint8_t>(v4.size() - 14 + 1)}, kKey4);
  const Bytes v6 = build::ethernet(build::kIp6, build::ipv6(6, build::tcp(1, 2), {"::1", "::2", 2}));
  constexpr char kKey6[] = "ethertype 0x86dd 02:00:00:00:00:0a > 02:00:00:00:00:0b";
  for (unsigned version : {0u, 4u, 5u, 7u, 15u}) {
    expect_malformed(v6, {"version", 14, static_cast<uint8_t>(version << 4)}, kKey6);
  }
  expect_malformed(v6, {"payload beyond the frame", 19, static_cast<uint8_t>(v6.size() - 54 + 1)}, kKey6);
  const Bytes ppp = build::ethernet(0x8864, build::pppoe(0x21, build::ipv4(6, build::tcp(1, 2))));
  constexpr char kKeyPpp[] = "ethertype 0x8864 02:00:00:00:00:0a > 02:00:00:00:00:0b";
  expect_malformed(ppp, {"PPPoE length beyond the frame", 19, static_cast<uint8_t>(ppp.size() - 20 + 1)}, kKeyPpp);
  expect_malformed(ppp, {"PPPoE length below its protocol", 19, 1}, kKeyPpp);
}

TEST(Frame, EveryPieceOfADatagramHasOneKey) {  // LQ-11
  std::set<std::string> v4, v6;
  for (unsigned offset = 0; offset < 8192; ++offset) {
    for (unsigned more : {0u, 1u}) {
      if (offset == 0 && more == 0) continue;
      const build::Ip ip{.fragment = more << 13 | offset};
      const Bytes four = build::ethernet(build::kIp4, build::ipv4(17, build::udp(offset, more), ip));
      const Bytes piece = build::fragment(17, offset << 3 | more, build::udp(offset, more));
      const Bytes six = build::ethernet(build::kIp6, build::ipv6(44, piece));
      for (const Bytes& b : {four, six}) ASSERT_TRUE(parse(b, HashDepth::kInner).is_fragment);
      v4.insert(flow_of(four));
      v6.insert(flow_of(six));
    }
  }
  EXPECT_EQ(v4, std::set<std::string>{"udp 192.0.2.1 > 198.51.100.2"});
  EXPECT_EQ(v6, std::set<std::string>{"udp 2001:db8::1 > 2001:db8::2"});
}

TEST(Frame, DontFragmentIsNoFragment) {
  const build::Ip ip{.fragment = 0x4000};
  const Frame f = parse(build::ethernet(build::kIp4, build::ipv4(6, build::tcp(1, 2), ip)), HashDepth::kInner);
  EXPECT_FALSE(f.is_fragment);
  EXPECT_EQ(f.key.source_port(), 1);
}

TEST(Frame, KeyDoesNotFollowWhatChangesWithinAFlow) {  // DN-10
  using namespace build;
  for (unsigned flags : {0u, 0x2000u, 0xb000u}) {
    Bytes one = ethernet(kIp4, ipv4(47, gre(flags, 0x8909, zeros(20))));
    Bytes two = ethernet(kIp4, ipv4(47, gre(flags, 0x8909, Bytes(80, 9)), {.traffic_class = 3}), {0x8100});
    if (flags != 0) two[two.size() - 81] ^= 1;  // key or sequence number
    EXPECT_EQ(flow_of(one), "gre 192.0.2.1 > 198.51.100.2");
    EXPECT_EQ(parse(one, HashDepth::kInner).key, parse(two, HashDepth::kInner).key);
  }
  const Frame plain = parse(ethernet(kIp4, ipv4(6, tcp(1, 2))), HashDepth::kInner);
  const Frame dressed = parse(ethernet(kIp4, ipv4(6, tcp(1, 2), {.traffic_class = 0xff, .option_bytes = 40}), {0x8100}),
                              HashDepth::kInner);
  EXPECT_EQ(plain.key, dressed.key);
}

TEST(Frame, DirectionsAreTwoFlows) {
  using namespace build;
  const Bytes there = ethernet(kIp4, ipv4(6, tcp(5, 5), {"10.0.0.1", "10.0.0.2"}));
  const Bytes back = ethernet(kIp4, ipv4(6, tcp(5, 5), {"10.0.0.2", "10.0.0.1"}));
  EXPECT_NE(parse(there, HashDepth::kInner).key, parse(back, HashDepth::kInner).key);
}

TEST(Frame, ExtensionHeadersAreBounded) {
  using namespace build;
  Bytes chain = tcp(1000, 2000);
  unsigned next = 6;
  for (int i = 0; i < kMostExtensionHeaders; ++i) {
    chain = extension(next, 8, chain);
    next = 60;
  }
  EXPECT_EQ(flow_of(ethernet(kIp6, ipv6(60, chain))), "tcp [2001:db8::1]:1000 > [2001:db8::2]:2000");
  EXPECT_EQ(flow_of(ethernet(kIp6, ipv6(60, extension(60, 8, chain)))), "protocol 60 2001:db8::1 > 2001:db8::2");
}

TEST(Frame, BareIpIsReadByItsVersion) {
  using namespace build;
  EXPECT_EQ(format(parse_ip(ipv4(6, tcp(1, 2)), HashDepth::kInner).key), "tcp 192.0.2.1:1 > 198.51.100.2:2");
  EXPECT_EQ(format(parse_ip(ipv6(6, tcp(1, 2)), HashDepth::kInner).key), "tcp [2001:db8::1]:1 > [2001:db8::2]:2");
  for (const Bytes& b : {Bytes{}, Bytes{0x45}, Bytes(60, 0)}) {
    EXPECT_TRUE(parse_ip(b, HashDepth::kInner).malformed);
    EXPECT_EQ(parse_ip(b, HashDepth::kInner).key, FlowKey{});
  }
}

TEST(Frame, ControlFramesOfOneLinkShareAKeyWhateverTheirLength) {
  using namespace build;
  const Frame shorter = parse(llc(Bytes{0x42, 0x42, 3} + zeros(35)), HashDepth::kInner);
  const Frame longer = parse(llc(Bytes{0x42, 0x42, 3} + zeros(99)), HashDepth::kInner);
  EXPECT_EQ(shorter.key, longer.key);
  EXPECT_FALSE(shorter.malformed);
}

}  // namespace
}  // namespace sojourn
