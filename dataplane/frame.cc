#include "dataplane/frame.h"

#include <arpa/inet.h>

#include <array>
#include <cstdio>
#include <cstring>

#include "dataplane/headers.h"

namespace sojourn {
namespace {

constexpr unsigned kMostIpHeaders = 5;  // one outside, four in tunnels

// A MAC pair and EtherType: frames without IP, and those whose IP cannot be.
FlowKey mac_key(View v, uint16_t type) {
  FlowKey key;
  if (v.has(0, 12)) {
    std::memcpy(key.destination, v.at(0), 6);
    std::memcpy(key.source, v.at(6), 6);
  }
  key.ether_type = type;
  return key;
}

// Ports, where the protocol has them and the datagram reaches them; ESP and AH: the SPI.
uint32_t ports_of(View v, const IpHeader& h) {
  using namespace ip_protocol;
  if (h.is_fragment) return 0;
  switch (h.protocol) {
    case kTcp:
    case kUdp:
    case kSctp:
    case kDccp:
    case kUdpLite:
    case kEsp:
      return v.has(h.payload, 4) ? v.u32(h.payload) : 0;
    case kAh:
      return v.has(h.payload, 8) ? v.u32(h.payload + 4) : 0;  // RFC 4302 2
    default:
      return 0;
  }
}

FlowKey ip_key(View frame, const IpHeader& h) {
  FlowKey key;
  const bool is_v4 = h.version == 4;
  const uint32_t source = h.offset + (is_v4 ? 12 : 8), length = is_v4 ? 4 : 16;
  std::memcpy(key.source, frame.at(source), length);
  std::memcpy(key.destination, frame.at(source + length), length);
  key.kind = is_v4 ? FlowKind::kIpv4 : FlowKind::kIpv6;
  key.protocol = h.protocol;
  key.ports = ports_of(frame.until(h.end), h);
  return key;
}

// The innermost IP header that can be reached; one that cannot be is as if it were not there.
IpHeader innermost(View v, IpHeader h) {
  for (unsigned i = 1; i < kMostIpHeaders && !h.is_fragment; ++i) {
    const NetworkHeader next = find_tunnelled(v, h);
    if (!next.is_ip) break;
    const IpHeader inner = read_ip(v.until(h.end), next.offset, next.ether_type);
    if (!inner.is_valid) break;
    h = inner;
  }
  return h;
}

Frame describe(View v, const NetworkHeader& network, HashDepth depth) {
  Frame f;
  const IpHeader outer = network.is_ip ? read_ip(v, network.offset, network.ether_type) : IpHeader{};
  f.is_malformed = network.is_ip && !outer.is_valid;
  if (!outer.is_valid) {
    f.key = mac_key(v, network.ether_type);
    return f;
  }
  f.ip_version = outer.version;
  f.traffic_class = outer.traffic_class;
  f.ip_offset = outer.offset;
  const IpHeader chosen = depth == HashDepth::kInner ? innermost(v, outer) : outer;
  f.key = ip_key(v, chosen);
  f.is_fragment = chosen.is_fragment;
  return f;
}

NetworkHeader bare_ip(View v) {
  const bool is_v6 = v.has(0, 1) && v.u8(0) >> 4 == 6;
  return {0, is_v6 ? ether_type::kIpv6 : ether_type::kIpv4, true};
}

constexpr uint8_t kEcnMask = 3, kNotEct = 0, kCe = 3;

// RFC 1624 equation 3: HC' = ~(~HC + ~m + m').
void update_checksum(uint8_t* checksum, uint16_t old_word, uint16_t new_word) {
  uint32_t sum = static_cast<uint16_t>(~(checksum[0] << 8 | checksum[1]));
  sum += static_cast<uint16_t>(~old_word);
  sum += new_word;
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  checksum[0] = static_cast<uint8_t>(~sum >> 8);
  checksum[1] = static_cast<uint8_t>(~sum);
}

EcnMark mark_header(std::span<uint8_t> frame, const NetworkHeader& network) {
  if (!network.is_ip) return EcnMark::kNotIp;
  const IpHeader h = read_ip(View(frame), network.offset, network.ether_type);
  if (!h.is_valid) return EcnMark::kNotIp;
  if ((h.traffic_class & kEcnMask) == kNotEct) return EcnMark::kNotEct;
  if ((h.traffic_class & kEcnMask) == kCe) return EcnMark::kAlreadyCe;
  uint8_t* ip = frame.data() + h.offset;
  if (h.version == 6) {
    ip[1] = static_cast<uint8_t>(ip[1] | kCe << 4);
    return EcnMark::kMarked;
  }
  const auto old_word = static_cast<uint16_t>(ip[0] << 8 | ip[1]);
  ip[1] |= kCe;
  update_checksum(ip + 10, old_word, static_cast<uint16_t>(ip[0] << 8 | ip[1]));
  return EcnMark::kMarked;
}

std::string address_text(const FlowKey& key, const uint8_t* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (key.kind == FlowKind::kMac) {
    std::snprintf(text.data(), text.size(), "%02x:%02x:%02x:%02x:%02x:%02x", address[0], address[1], address[2],
                  address[3], address[4], address[5]);
  } else {
    inet_ntop(key.kind == FlowKind::kIpv4 ? AF_INET : AF_INET6, address, text.data(), text.size());
  }
  return text.data();
}

}  // namespace

Frame parse(std::span<const uint8_t> frame, HashDepth depth) {
  const View v(frame);
  return describe(v, find_network_header(v, 0), depth);
}

Frame parse_ip(std::span<const uint8_t> packet, HashDepth depth) {
  const View v(packet);
  return describe(v, bare_ip(v), depth);
}

EcnMark mark_ce(std::span<uint8_t> frame) {
  return mark_header(frame, find_network_header(View(frame), 0));
}
EcnMark mark_ce_ip(std::span<uint8_t> packet) {
  return mark_header(packet, bare_ip(View(packet)));
}

uint64_t flow_hash(const FlowKey& key, HashKey secret) {
  std::array<uint64_t, 5> words;
  std::memcpy(&words[4], reinterpret_cast<const uint8_t*>(&key) + 32, 8);
  if (key.kind == FlowKind::kIpv4) {
    std::array<uint64_t, 2> short_words{0, words[4]};
    std::memcpy(&short_words[0], key.source, 4);
    std::memcpy(reinterpret_cast<uint8_t*>(&short_words[0]) + 4, key.destination, 4);
    return keyed_hash(short_words, secret);
  }
  std::memcpy(words.data(), &key, 32);
  return keyed_hash(words, secret);
}

std::string to_string(const FlowKey& key) {
  const std::string source = address_text(key, key.source), destination = address_text(key, key.destination);
  std::array<char, 32> tail{};
  if (key.kind == FlowKind::kMac) {
    std::snprintf(tail.data(), tail.size(), " type 0x%04x", key.ether_type);
    return "mac " + source + " > " + destination + tail.data();
  }
  using namespace ip_protocol;
  const std::string name = key.protocol == kTcp   ? "tcp"
                           : key.protocol == kUdp ? "udp"
                                                  : "proto " + std::to_string(key.protocol);
  if (key.protocol == kEsp || key.protocol == kAh) {
    std::snprintf(tail.data(), tail.size(), " spi 0x%08x", key.ports);
    return name + " " + source + " > " + destination + tail.data();
  }
  if (key.ports == 0) return name + " " + source + " > " + destination;
  const bool is_v6 = key.kind == FlowKind::kIpv6;
  const std::string open = is_v6 ? "[" : "", close = is_v6 ? "]:" : ":";
  return name + " " + open + source + close + std::to_string(key.ports >> 16) + " > " + open + destination + close +
         std::to_string(key.ports & 0xffff);
}

}  // namespace sojourn
