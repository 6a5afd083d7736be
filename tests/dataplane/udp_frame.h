// Ethernet, IPv4, UDP: bytes that a test can recognise when they come back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace sojourn::test {

using Bytes = std::vector<uint8_t>;

inline constexpr uint8_t kNotEct = 0, kEct1 = 1, kEct0 = 2, kCe = 3;
inline constexpr size_t kIpOffset = 14, kIpBytes = 20, kNumberOffset = 42, kLeastUdpBytes = 46;

struct UdpFrame {
  uint16_t flow = 1;    // the source port
  uint32_t number = 0;  // the first bytes of the payload
  size_t bytes = 200;   // kLeastUdpBytes at least
  uint8_t ecn = kNotEct;
};

inline void put16(Bytes& b, size_t at, size_t value) {
  b[at] = static_cast<uint8_t>(value >> 8);
  b[at + 1] = static_cast<uint8_t>(value);
}
inline uint16_t get16(const Bytes& b, size_t at) {
  return static_cast<uint16_t>(b[at] << 8 | b[at + 1]);
}

// Sum of the header's 16-bit words, as RFC 791 has it: 0xffff over a header whose checksum is right.
inline uint16_t ip_sum(const Bytes& frame, size_t at = kIpOffset) {
  uint32_t sum = 0;
  for (size_t i = 0; i < kIpBytes; i += 2) sum += get16(frame, at + i);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(sum);
}

inline Bytes bytes(const UdpFrame& f) {
  Bytes b(f.bytes);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<uint8_t>(i * 7 + f.number);
  const Bytes macs{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0};
  std::copy(macs.begin(), macs.end(), b.begin());
  const Bytes ip{0x45, f.ecn, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, 192, 0, 2, 1, 198, 51, 100, 2};
  std::copy(ip.begin(), ip.end(), b.begin() + kIpOffset);
  put16(b, kIpOffset + 2, f.bytes - kIpOffset);
  put16(b, kIpOffset + 10, static_cast<uint16_t>(~ip_sum(b)));
  put16(b, 34, f.flow);
  put16(b, 36, 9);
  put16(b, 38, f.bytes - kIpOffset - kIpBytes);
  put16(b, 40, 0);
  put16(b, kNumberOffset, f.number >> 16);
  put16(b, kNumberOffset + 2, f.number);
  return b;
}

inline uint16_t flow_of(const Bytes& frame) {
  return get16(frame, 34);
}
inline uint32_t number_of(const Bytes& frame) {
  return uint32_t{get16(frame, kNumberOffset)} << 16 | get16(frame, kNumberOffset + 2);
}
inline uint8_t ecn_of(const Bytes& frame) {
  return frame[kIpOffset + 1] & 3;
}

// The frame with an 802.1Q tag behind the addresses.
inline Bytes tagged(Bytes frame, uint16_t tci) {
  const Bytes tag{0x81, 0x00, static_cast<uint8_t>(tci >> 8), static_cast<uint8_t>(tci)};
  frame.insert(frame.begin() + 12, tag.begin(), tag.end());
  return frame;
}

}  // namespace sojourn::test
