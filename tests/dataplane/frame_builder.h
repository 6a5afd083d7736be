// Builds frames byte by byte, outermost header first, so that tests need no captures. A frame knows where its outermost
// IP header stands and what its innermost flow is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/frame.h"

namespace sojourn::test {

using Bytes = std::vector<uint8_t>;

inline void put16(Bytes& b, unsigned v) {
  b.push_back(static_cast<uint8_t>(v >> 8));
  b.push_back(static_cast<uint8_t>(v));
}
inline void put32(Bytes& b, uint32_t v) {
  put16(b, v >> 16), put16(b, v & 0xffff);
}
inline void put(Bytes& b, const Bytes& more) {
  b.insert(b.end(), more.begin(), more.end());
}
inline Bytes operator+(Bytes a, const Bytes& b) {
  put(a, b);
  return a;
}

inline Bytes ethernet(unsigned type) {
  Bytes b{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1};
  put16(b, type);
  return b;
}
// A tag's own TPID stands before it, in the type of what comes before.
inline Bytes vlan(unsigned vid, unsigned next_type) {
  Bytes b;
  put16(b, vid), put16(b, next_type);
  return b;
}
inline Bytes pppoe(unsigned payload, unsigned protocol) {
  Bytes b{0x11, 0, 0, 1};
  put16(b, payload + 2), put16(b, protocol);
  return b;
}
inline Bytes label(uint32_t value, bool is_bottom) {
  Bytes b;
  put32(b, value << 12 | (is_bottom ? 0x100u : 0u) | 64);
  return b;
}
inline Bytes snap(unsigned type) {
  Bytes b{0xaa, 0xaa, 3, 0, 0, 0};
  put16(b, type);
  return b;
}

inline uint16_t checksum(const uint8_t* p, size_t n) {
  uint32_t sum = 0;
  for (size_t i = 0; i + 1 < n; i += 2) sum += static_cast<uint32_t>(p[i] << 8 | p[i + 1]);
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

struct Ip {
  uint8_t ecn = 2;
  uint8_t dscp = 10;
  unsigned option_words = 0;    // IPv4
  unsigned fragment_field = 0;  // IPv4: flags and offset
  uint8_t last = 1;             // last byte of the source address
};
inline Bytes ipv4(uint8_t protocol, const Bytes& payload, const Ip& o = {}) {
  const unsigned header = 20 + 4 * o.option_words;
  Bytes b{static_cast<uint8_t>(0x40 | header / 4), static_cast<uint8_t>(o.dscp << 2 | o.ecn)};
  put16(b, static_cast<unsigned>(header + payload.size()));
  put16(b, 0x1234), put16(b, o.fragment_field);
  b.push_back(64), b.push_back(protocol), put16(b, 0);
  put(b, {192, 0, 2, o.last, 198, 51, 100, 2});
  b.insert(b.end(), 4 * o.option_words, 1);  // no-operation
  const uint16_t sum = checksum(b.data(), header);
  b[10] = static_cast<uint8_t>(sum >> 8), b[11] = static_cast<uint8_t>(sum);
  return b + payload;
}
inline Bytes ipv6(uint8_t next, const Bytes& payload, const Ip& o = {}) {
  Bytes b;
  put32(b, 6u << 28 | static_cast<uint32_t>(o.dscp << 2 | o.ecn) << 20 | 0xabcde);
  put16(b, static_cast<unsigned>(payload.size()));
  b.push_back(next), b.push_back(64);
  put(b, {0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, o.last});
  put(b, {0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x99});
  return b + payload;
}
inline Bytes extension(uint8_t next, unsigned eights = 1) {
  Bytes b(8 * eights, 0);
  b[0] = next, b[1] = static_cast<uint8_t>(eights - 1);
  return b;
}
inline Bytes fragment_header(uint8_t next, unsigned offset_field) {
  Bytes b{next, 0};
  put16(b, offset_field), put32(b, 77);
  return b;
}

inline constexpr uint8_t kTcp = 6, kUdp = 17;
inline constexpr uint32_t kPorts = 1000u << 16 | 2000;
inline Bytes l4(uint32_t ports = kPorts, size_t length = 20) {
  Bytes b;
  put32(b, ports);
  b.resize(length, 0x5a);
  return b;
}
inline Bytes udp(unsigned destination, const Bytes& payload) {
  Bytes b;
  put16(b, 40000), put16(b, destination);
  put16(b, static_cast<unsigned>(8 + payload.size())), put16(b, 0);
  return b + payload;
}
inline Bytes gre(unsigned flags, unsigned type, const Bytes& payload) {
  Bytes b;
  put16(b, flags), put16(b, type);
  for (const unsigned bit : {0x8000u, 0x2000u, 0x1000u}) {
    if (flags & bit) put32(b, 0x11223344);
  }
  return b + payload;
}
inline Bytes vxlan(const Bytes& frame) {
  return Bytes{8, 0, 0, 0, 0, 0, 42, 0} + frame;
}
inline Bytes geneve(unsigned option_words, unsigned type, const Bytes& payload) {
  Bytes b{static_cast<uint8_t>(option_words), 0};
  put16(b, type), put32(b, 42 << 8);
  b.insert(b.end(), 4 * option_words, 0);
  return b + payload;
}
inline Bytes gtp_u(const Bytes& packet) {
  Bytes b{0x30, 255};
  put16(b, static_cast<unsigned>(packet.size())), put32(b, 99);
  return b + packet;
}
// With a sequence number and one extension header (PDU session container).
inline Bytes gtp_u_extended(const Bytes& packet) {
  Bytes b{0x36, 255};
  put16(b, static_cast<unsigned>(packet.size() + 8)), put32(b, 99);
  put(b, {0, 7, 0, 0x85, 1, 0, 0, 0});
  return b + packet;
}

// One way to carry a packet. `ip_offset`: of the outermost IP header.
struct Sample {
  std::string name;
  Bytes bytes;
  uint32_t ip_offset;
  uint8_t version;  // of the outermost IP header
  FlowKind inner;   // of the innermost
  uint8_t inner_protocol;
  uint32_t inner_ports;
  uint8_t inner_last;  // last byte of the innermost source address
};

// Every encapsulation that SPEC names, with this ECN codepoint outside (inside: Not-ECT).
inline std::vector<Sample> samples(uint8_t ecn) {
  const Ip outer{ecn, 10, 0, 0, 1};
  const Ip inner{0, 0, 0, 0, 7};
  const Bytes v4 = ipv4(kTcp, l4(), outer), v6 = ipv6(kTcp, l4(), outer);
  const Bytes in4 = ipv4(kUdp, l4(), inner), in6 = ipv6(kUdp, l4(), inner);
  std::vector<Sample> s;
  const auto add4 = [&](const std::string& name, const Bytes& before, const Bytes& ip, uint8_t protocol = kTcp,
                        uint32_t ports = kPorts) {
    s.push_back({name, before + ip, static_cast<uint32_t>(before.size()), 4, FlowKind::kIpv4, protocol, ports, 1});
  };
  const auto add6 = [&](const std::string& name, const Bytes& before, const Bytes& ip, uint8_t protocol = kTcp,
                        uint32_t ports = kPorts) {
    s.push_back({name, before + ip, static_cast<uint32_t>(before.size()), 6, FlowKind::kIpv6, protocol, ports, 1});
  };
  const Bytes e4 = ethernet(0x0800), e6 = ethernet(0x86dd);
  add4("ipv4", e4, v4), add6("ipv6", e6, v6);
  Bytes tags = ethernet(0x8100);
  for (unsigned n = 1; n <= 4; ++n) {
    add4("vlan x" + std::to_string(n), tags + vlan(n, 0x0800), v4);
    add6("vlan x" + std::to_string(n) + " v6", tags + vlan(n, 0x86dd), v6);
    tags = tags + vlan(n, 0x8100);
  }
  add4("qinq", ethernet(0x88a8) + vlan(100, 0x8100) + vlan(5, 0x0800), v4);
  add4("old qinq", ethernet(0x9100) + vlan(100, 0x9200) + vlan(5, 0x0800), v4);
  add4("pppoe", ethernet(0x8864) + pppoe(static_cast<unsigned>(v4.size()), 0x21), v4);
  add6("vlan pppoe v6", ethernet(0x8100) + vlan(7, 0x8864) + pppoe(static_cast<unsigned>(v6.size()), 0x57), v6);
  add4("mpls", ethernet(0x8847) + label(16, true), v4);
  add6("mpls x3 v6", ethernet(0x8847) + label(16, false) + label(17, false) + label(18, true), v6);
  add4("mpls pseudowire", ethernet(0x8847) + label(16, true) + Bytes{0, 0, 0, 0} + e4, v4);
  add4("snap", ethernet(8 + static_cast<unsigned>(v4.size())) + snap(0x0800), v4);
  for (unsigned words = 1; words <= 10; ++words) {  // CASES DN-10: IHL up to 15
    add4("options x" + std::to_string(words), e4, ipv4(kTcp, l4(), {ecn, 10, words, 0, 1}));
  }
  for (const uint8_t p : {uint8_t{17}, uint8_t{132}, uint8_t{33}, uint8_t{136}}) {
    add4("protocol " + std::to_string(p), e4, ipv4(p, l4(), outer), p);
    add6("protocol " + std::to_string(p) + " v6", e6, ipv6(p, l4(), outer), p);
  }
  add4("esp", e4, ipv4(50, l4(0xdeadbeef), outer), 50, 0xdeadbeef);
  add4("ah", e4, ipv4(51, Bytes{6, 4, 0, 0} + l4(0xcafef00d), outer), 51, 0xcafef00d);
  add6("esp v6", e6, ipv6(50, l4(0xdeadbeef), outer), 50, 0xdeadbeef);
  add4("icmp", e4, ipv4(1, l4(), outer), 1, 0);
  add6("hop-by-hop", e6, ipv6(0, extension(kTcp) + l4(), outer));
  add6("three extension headers", e6, ipv6(0, extension(43) + extension(60, 3) + extension(kTcp) + l4(), outer));
  add6("atomic fragment", e6, ipv6(44, fragment_header(kTcp, 0) + l4(), outer));
  add4("first fragment", e4, ipv4(kTcp, l4(), {ecn, 10, 0, 0x2000, 1}), kTcp, 0);
  add4("later fragment", e4, ipv4(kTcp, l4(), {ecn, 10, 0, 185, 1}), kTcp, 0);
  add6("first fragment v6", e6, ipv6(44, fragment_header(kUdp, 1) + l4(), outer), kUdp, 0);
  add6("later fragment v6", e6, ipv6(0, extension(44) + fragment_header(kUdp, 1480) + l4(), outer), kUdp, 0);

  const auto tunnel = [&](const std::string& name, const Bytes& ip_and_below, bool is_v4_outside, FlowKind kind) {
    const Bytes& before = is_v4_outside ? e4 : e6;
    const auto version = static_cast<uint8_t>(is_v4_outside ? 4 : 6);
    s.push_back({name, before + ip_and_below, 14, version, kind, kUdp, kPorts, 7});
  };
  const Bytes f4 = ethernet(0x0800) + in4, f6 = ethernet(0x86dd) + in6;
  const Bytes tagged = ethernet(0x8100) + vlan(9, 0x86dd) + in6;
  using enum FlowKind;
  tunnel("ipip", ipv4(4, in4, outer), true, kIpv4), tunnel("6in4", ipv4(41, in6, outer), true, kIpv6);
  tunnel("4in6", ipv6(4, in4, outer), false, kIpv4), tunnel("6in6", ipv6(41, in6, outer), false, kIpv6);
  tunnel("gre", ipv4(47, gre(0, 0x0800, in4), outer), true, kIpv4);
  tunnel("gre checksum key sequence", ipv4(47, gre(0xb000, 0x86dd, in6), outer), true, kIpv6);
  tunnel("gre ethernet", ipv4(47, gre(0x2000, 0x6558, f4), outer), true, kIpv4);
  tunnel("vxlan", ipv4(kUdp, udp(4789, vxlan(f4)), outer), true, kIpv4);
  tunnel("vxlan vlan v6", ipv6(kUdp, udp(4789, vxlan(tagged)), outer), false, kIpv6);
  tunnel("geneve", ipv4(kUdp, udp(6081, geneve(0, 0x6558, f6)), outer), true, kIpv6);
  tunnel("geneve options", ipv4(kUdp, udp(6081, geneve(20, 0x0800, in4)), outer), true, kIpv4);
  tunnel("gtp-u", ipv4(kUdp, udp(2152, gtp_u(in4)), outer), true, kIpv4);
  tunnel("gtp-u extended", ipv4(kUdp, udp(2152, gtp_u_extended(in6)), outer), true, kIpv6);
  tunnel("vxlan in ipip", ipv4(4, ipv4(kUdp, udp(4789, vxlan(f4)), inner), outer), true, kIpv4);
  return s;
}

}  // namespace sojourn::test
