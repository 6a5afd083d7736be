// Frames from the inside out: every function wraps a payload in one more header, with lengths and checksums right.
#pragma once

#include <arpa/inet.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sojourn::build {

using Bytes = std::vector<uint8_t>;

inline Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
inline Bytes u8(unsigned v) {
  return {static_cast<uint8_t>(v)};
}
inline Bytes u16(unsigned v) {
  return u8(v >> 8) + u8(v & 0xff);
}
inline Bytes u32(uint32_t v) {
  return u16(v >> 16) + u16(v & 0xffff);
}
inline Bytes zeros(size_t n) {
  return Bytes(n, 0);
}
inline Bytes address(const std::string& text) {
  uint8_t raw[16];
  const bool is_v6 = text.find(':') != std::string::npos;
  inet_pton(is_v6 ? AF_INET6 : AF_INET, text.c_str(), raw);
  return Bytes(raw, raw + (is_v6 ? 16 : 4));
}
inline uint16_t checksum(const Bytes& b, size_t at, size_t length) {
  uint32_t sum = 0;
  for (size_t i = at; i < at + length; i += 2) sum += b[i] * 256u + b[i + 1];
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

// Upper layers.
inline Bytes tcp(unsigned source, unsigned destination, Bytes data = zeros(10)) {
  return u16(source) + u16(destination) + u32(1) + u32(2) + u16(0x5010) + u16(1000) + zeros(4) + data;
}
inline Bytes udp(unsigned source, unsigned destination, Bytes data = zeros(10)) {
  return u16(source) + u16(destination) + u16(static_cast<unsigned>(data.size() + 8)) + u16(0) + data;
}
inline Bytes sctp(unsigned source, unsigned destination) {
  return u16(source) + u16(destination) + u32(7) + zeros(20);
}
inline Bytes esp(uint32_t spi) {
  return u32(spi) + u32(1) + zeros(24);
}
inline Bytes ah(uint32_t spi, unsigned next = 6) {
  return u8(next) + u8(4) + u16(0) + u32(spi) + u32(1) + zeros(12) + tcp(1, 2);
}

// Network layer.
struct Ip {
  std::string source = "192.0.2.1";
  std::string destination = "198.51.100.2";
  unsigned traffic_class = 0;
  unsigned fragment = 0;  // IPv4: the sixteen bits of flags and offset
  size_t option_bytes = 0;
};
inline const Ip kV6{"2001:db8::1", "2001:db8::2"};

inline Bytes ipv4(unsigned protocol, const Bytes& payload, const Ip& ip = {}) {
  Bytes b = u8(0x45 + static_cast<unsigned>(ip.option_bytes / 4)) + u8(ip.traffic_class) +
            u16(static_cast<unsigned>(20 + ip.option_bytes + payload.size())) + u16(0x1234) + u16(ip.fragment) +
            u8(64) + u8(protocol) + u16(0) + address(ip.source) + address(ip.destination) + Bytes(ip.option_bytes, 1);
  const uint16_t sum = checksum(b, 0, b.size());
  b[10] = static_cast<uint8_t>(sum >> 8);
  b[11] = static_cast<uint8_t>(sum);
  return b + payload;
}
inline Bytes ipv6(unsigned next_header, const Bytes& payload, const Ip& ip = kV6) {
  return u32(0x60054321u | ip.traffic_class << 20) + u16(static_cast<unsigned>(payload.size())) + u8(next_header) +
         u8(64) + address(ip.source) + address(ip.destination) + payload;
}
inline Bytes extension(unsigned next_header, size_t bytes, const Bytes& payload) {
  return u8(next_header) + u8(static_cast<unsigned>(bytes / 8 - 1)) + Bytes(bytes - 2, 0) + payload;
}
inline Bytes fragment(unsigned next_header, unsigned offset_and_flag, const Bytes& payload) {
  return u8(next_header) + u8(0) + u16(offset_and_flag) + u32(0xabcdef) + payload;
}

// Link layers.
inline Bytes macs() {
  return {0x02, 0, 0, 0, 0, 0x0b, 0x02, 0, 0, 0, 0, 0x0a};  // destination, source
}
inline Bytes ethernet(unsigned ether_type, const Bytes& payload, const std::vector<unsigned>& tags = {}) {
  Bytes b = macs();
  for (unsigned tpid : tags) b = b + u16(tpid) + u16(0xa064);
  return b + u16(ether_type) + payload;
}
inline Bytes pppoe(unsigned protocol, const Bytes& payload) {
  return u16(0x1100) + u16(7) + u16(static_cast<unsigned>(payload.size() + 2)) + u16(protocol) + payload;
}
inline Bytes mpls(unsigned labels, const Bytes& payload) {
  Bytes b;
  for (unsigned i = 1; i <= labels; ++i) b = b + u32((16 + i) << 12 | (i == labels ? 0x100u : 0u) | 64u);
  return b + payload;
}
inline Bytes snap(unsigned ether_type, const Bytes& payload) {
  return Bytes{0xaa, 0xaa, 0x03, 0, 0, 0} + u16(ether_type) + payload;
}
inline Bytes llc(const Bytes& payload) {
  return macs() + u16(static_cast<unsigned>(payload.size())) + payload;
}

// Tunnels.
inline Bytes gre(unsigned flags, unsigned type, const Bytes& payload) {
  size_t options = (flags & 0x8000 ? 4 : 0) + (flags & 0x2000 ? 4 : 0) + (flags & 0x1000 ? 4 : 0);
  return u16(flags) + u16(type) + Bytes(options, 0x5a) + payload;
}
inline Bytes vxlan(const Bytes& payload) {
  return udp(50000, 4789, Bytes{0x08, 0, 0, 0, 0, 0, 42, 0} + payload);
}
inline Bytes geneve(unsigned option_words, unsigned type, const Bytes& payload) {
  return udp(50000, 6081, u8(option_words) + u8(0) + u16(type) + u32(0x2a00) + zeros(option_words * 4) + payload);
}
inline Bytes gtp_u(const Bytes& payload) {
  return udp(2152, 2152, u8(0x30) + u8(0xff) + u16(static_cast<unsigned>(payload.size())) + u32(9) + payload);
}
// With sequence number and one extension header (PDU session container).
inline Bytes gtp_u_extended(const Bytes& payload) {
  const Bytes extras = u16(1) + u8(0) + u8(0x85) + u8(1) + u16(0x0009) + u8(0);
  return udp(
      2152, 2152,
      u8(0x36) + u8(0xff) + u16(static_cast<unsigned>(payload.size() + extras.size())) + u32(9) + extras + payload);
}

inline constexpr unsigned kIp4 = 0x0800, kIp6 = 0x86dd;

struct Sample {
  std::string name;
  Bytes bytes;
  std::string flow;        // of hash depth inner
  std::string outer_flow;  // of hash depth outer; empty: the same
  size_t ecn_offset;       // of the outermost IP header; 0: none, must not be marked
};

// Every encapsulation the parser reaches into, and those it must not. ECN of the outermost header is `ecn`.
std::vector<Sample> samples(unsigned ecn);

}  // namespace sojourn::build
