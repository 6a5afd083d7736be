#include "dataplane/frame.h"

#include "dataplane/frame_layers.h"

namespace sojourn {
namespace {

using layers::be16;
using layers::be32;
using layers::Layer;
using layers::Position;

// Protocol numbers of IANA.
enum : uint8_t {
  kHopByHop = 0,
  kIpInIp = 4,
  kTcp = 6,
  kUdp = 17,
  kDccp = 33,
  kIpv6InIp = 41,
  kRouting = 43,
  kFragment = 44,
  kGre = 47,
  kEsp = 50,
  kAh = 51,
  kDestinationOptions = 60,
  kSctp = 132,
  kUdpLite = 136,
};

// One valid IP header at `at`. What it carries lies in [payload, end); padding of the link layer is beyond `end`.
struct IpHeader {
  uint32_t at;
  uint32_t payload;
  uint32_t end;
  IpVersion version;
  uint8_t traffic_class;
  uint8_t protocol;
  bool is_fragment;
};

[[gnu::noinline]] uint16_t ones_complement_sum(const uint8_t* header, uint32_t bytes) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < bytes; i += 2) sum += be16(header + i);
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(sum + (sum >> 16));
}

// A total length of 0 stands for more than 65535 bytes (segmentation offload, BIG TCP): the frame's length counts.
inline bool read_ipv4(const uint8_t* bytes, Position p, IpHeader& out) {
  if (p.left() < 20) return false;
  const uint8_t* h = bytes + p.at;
  const uint32_t header = (h[0] & 15u) * 4;
  uint32_t total = be16(h + 2);
  total = total == 0 ? p.left() : total;
  if ((h[0] >> 4 != 4) | (header < 20) | (total < header) | (total > p.left())) return false;
  if (p.guessed && ones_complement_sum(h, header) != 0xffff) return false;
  const bool is_fragment = (be16(h + 6) & 0x3fff) != 0;  // more fragments, or an offset
  out = {p.at, p.at + header, p.at + total, IpVersion::k4, h[1], h[9], is_fragment};
  return true;
}

// A payload length of 0 stands for a jumbogram (RFC 2675) or for nothing but padding: the frame's length counts.
inline bool read_ipv6(const uint8_t* bytes, Position p, IpHeader& out) {
  if (p.left() < 40) return false;
  const uint8_t* h = bytes + p.at;
  const uint32_t payload = be16(h + 4);
  const uint32_t total = payload == 0 ? p.left() : payload + 40;
  if ((h[0] >> 4 != 6) | (total > p.left())) return false;
  constexpr uint32_t kMostPaddedFrame = 64;
  if (p.guessed && total != p.left() && p.end > kMostPaddedFrame) return false;
  const uint8_t traffic_class = static_cast<uint8_t>(be16(h) >> 4);
  out = {p.at, p.at + 40, p.at + total, IpVersion::k6, traffic_class, h[6], false};
  return true;
}

inline bool read_ip(const uint8_t* bytes, Position p, IpHeader& out) {
  if (p.layer == Layer::kIpv4) return read_ipv4(bytes, p, out);
  if (p.layer == Layer::kIpv6) return read_ipv6(bytes, p, out);
  return false;
}

inline bool has_extension(const IpHeader& ip) {
  return ip.version == IpVersion::k6 && (ip.protocol == kHopByHop || ip.protocol == kRouting ||
                                         ip.protocol == kFragment || ip.protocol == kDestinationOptions);
}

// Goes on to the upper layer of an IPv6 header. A chain that is cut off or too long ends at the header that cannot be
// read, so the payload is empty; a fragment ends at what its fragment header names, which all pieces share.
IpHeader behind_extension_headers(const uint8_t* bytes, IpHeader ip) {
  for (int i = 0; has_extension(ip); ++i) {
    const uint32_t left = ip.end - ip.payload;
    const uint8_t* h = bytes + ip.payload;
    const bool is_readable = i < kMostExtensionHeaders && left >= 8;
    const uint32_t length = !is_readable ? 0 : ip.protocol == kFragment ? 8 : (h[1] + 1u) * 8;
    if (!is_readable || length > left) {
      ip.payload = ip.end;
      return ip;
    }
    // Offset and M flag; both 0 is an atomic fragment, a whole datagram (RFC 6946).
    ip.is_fragment = ip.protocol == kFragment && (be16(h + 2) & 0xfff9) != 0;
    ip.protocol = h[0];
    ip.payload += length;
    if (ip.is_fragment) return ip;
  }
  return ip;
}

// Ports or SPI, 0 where the protocol has none or they are not all there. Pieces have none: only the first has them.
inline uint32_t read_ports(const uint8_t* bytes, const IpHeader& ip) {
  if (ip.is_fragment) return 0;
  const uint32_t left = ip.end - ip.payload;
  switch (ip.protocol) {
    case kTcp:
    case kUdp:
    case kDccp:
    case kEsp:
    case kSctp:
    case kUdpLite:
      return left >= 4 ? be32(bytes + ip.payload) : 0;
    case kAh:
      return left >= 8 ? be32(bytes + ip.payload + 4) : 0;
    default:
      return 0;
  }
}

inline void fill_key(const uint8_t* bytes, const IpHeader& ip, uint32_t ports, Frame& frame) {
  const uint8_t* h = bytes + ip.at;
  if (ip.version == IpVersion::k4) {
    uint32_t source, destination;
    std::memcpy(&source, h + 12, sizeof source);
    std::memcpy(&destination, h + 16, sizeof destination);
    frame.key = {{source, 0}, {destination, 0}, FlowKey::pack(KeyKind::kIpv4, ip.protocol, ports)};
  } else {
    std::memcpy(frame.key.source.data(), h + 8, 16);
    std::memcpy(frame.key.destination.data(), h + 24, 16);
    frame.key.upper = FlowKey::pack(KeyKind::kIpv6, ip.protocol, ports);
  }
  frame.is_fragment = ip.is_fragment;
  frame.key_traffic_class = ip.traffic_class;
}

// Whether another IP header may follow. Most packets end here, without a look at their payload.
inline bool is_tunnel(const IpHeader& ip, uint32_t ports) {
  if (ip.protocol == kUdp) return layers::is_tunnel_port(static_cast<uint16_t>(ports));
  return !ip.is_fragment && (ip.protocol == kIpInIp || ip.protocol == kIpv6InIp || ip.protocol == kGre);
}

// What begins behind the header of a tunnel: another IP header, or the layers that lead to it.
inline Position enter_tunnel(const uint8_t* bytes, Position p, uint8_t protocol) {
  switch (protocol) {
    case kIpInIp:
      return p.as(Layer::kIpv4);
    case kIpv6InIp:
      return p.as(Layer::kIpv6);
    case kGre:
      return layers::walk_gre(bytes, p);
    default:
      return layers::walk_udp(bytes, p);
  }
}

[[gnu::noinline]] void fill_mac_key(const uint8_t* bytes, size_t length, uint16_t ether_type, Frame& frame) {
  frame.key.upper = FlowKey::pack_mac(ether_type);
  if (length < 14) return;
  std::memcpy(frame.key.destination.data(), bytes, 6);
  std::memcpy(frame.key.source.data(), bytes + 6, 6);
}

// Keys the frame on `ip`, whose extension headers are behind; true if there may be another IP header inside.
inline bool fill_key_and_look(const uint8_t* bytes, const IpHeader& ip, Frame& frame) {
  const uint32_t ports = read_ports(bytes, ip);
  fill_key(bytes, ip, ports, frame);
  return is_tunnel(ip, ports);
}

// Moves the key to the innermost valid IP header behind `payload`; what is not valid is not entered.
[[gnu::noinline]] void fill_from_tunnel(const uint8_t* bytes, Position payload, uint8_t protocol, Frame& frame) {
  for (int headers = 1; headers < kMostIpHeaders; ++headers) {
    IpHeader ip;
    if (!read_ip(bytes, layers::walk_link_layers(bytes, enter_tunnel(bytes, payload, protocol)), ip)) return;
    ip = behind_extension_headers(bytes, ip);
    frame.ip_headers = static_cast<uint8_t>(headers + 1);
    if (!fill_key_and_look(bytes, ip, frame)) return;
    payload = {ip.payload, ip.end, Layer::kOpaque};
    protocol = ip.protocol;
  }
}

inline void fill_from_ip(const uint8_t* bytes, const IpHeader& ip, HashDepth depth, Frame& frame) {
  frame.outer = ip.version;
  frame.ecn_offset = static_cast<uint16_t>(ip.at);
  frame.outer_traffic_class = ip.traffic_class;
  frame.ip_headers = 1;
  const bool may_hold_ip = fill_key_and_look(bytes, ip, frame);
  if (may_hold_ip && depth == HashDepth::kInner) {
    fill_from_tunnel(bytes, {ip.payload, ip.end, Layer::kOpaque}, ip.protocol, frame);
  }
}

// An Ethernet frame up to its outermost IP header.
inline Position walk_to_ip(const uint8_t* bytes, uint32_t length) {
  return layers::walk_link_layers(bytes, {0, length, Layer::kEthernet});
}

// The same for most frames, without a loop: Ethernet, at most one tag, IP. For all others kOpaque.
inline Position plain_ip(const uint8_t* bytes, uint32_t length) {
  if (length < 18) return {0, length, Layer::kOpaque};
  uint16_t type = be16(bytes + 12);
  uint32_t at = 14;
  if (layers::is_vlan(type)) {
    type = be16(bytes + 16);
    at = 18;
  }
  return {at, length, type == 0x0800 ? Layer::kIpv4 : type == 0x86dd ? Layer::kIpv6 : Layer::kOpaque};
}

inline Position start_of_ip(std::span<const uint8_t> bytes) {
  const Position p{0, static_cast<uint32_t>(bytes.size()), Layer::kMalformed};
  return bytes.empty() ? p : p.as(layers::layer_by_nibble(bytes[0]));
}

inline EcnMark mark_at(uint8_t* bytes, Position p) {
  IpHeader ip;
  if (!read_ip(bytes, p, ip)) return EcnMark::kNotIp;
  const unsigned ecn = ip.traffic_class & 3;
  if (ecn == 0) return EcnMark::kNotEct;
  if (ecn == 3) return EcnMark::kAlreadyCe;
  uint8_t* h = bytes + ip.at;
  if (ip.version == IpVersion::k6) {
    h[1] |= 0x30;
    return EcnMark::kMarked;
  }
  // RFC 1624, equation 3: HC' = ~(~HC + ~m + m'), where m' - m is how much the traffic class grew.
  h[1] |= 3;
  uint32_t sum = static_cast<uint16_t>(~be16(h + 10)) + (3 - ecn);
  sum = (sum & 0xffff) + (sum >> 16);
  const uint16_t checksum = __builtin_bswap16(static_cast<uint16_t>(~sum));
  std::memcpy(h + 10, &checksum, sizeof checksum);
  return EcnMark::kMarked;
}

// Any start at all. Apart from the plain path, so that this one's calls do not cost the other its registers.
[[gnu::noinline]] EcnMark mark_any(std::span<uint8_t> bytes) {
  return mark_at(bytes.data(), walk_to_ip(bytes.data(), static_cast<uint32_t>(bytes.size())));
}

[[gnu::noinline]] void parse_any(std::span<const uint8_t> bytes, HashDepth depth, Frame& frame) {
  IpHeader ip;
  const Position p = walk_to_ip(bytes.data(), static_cast<uint32_t>(bytes.size()));
  if (read_ip(bytes.data(), p, ip)) {
    fill_from_ip(bytes.data(), behind_extension_headers(bytes.data(), ip), depth, frame);
    return;
  }
  frame.malformed = p.layer != Layer::kOpaque && !p.guessed;
  fill_mac_key(bytes.data(), bytes.size(), p.ether_type, frame);
}

}  // namespace

Frame parse(std::span<const uint8_t> bytes, HashDepth depth) {
  Frame frame;  // returned by every path, so that it is built in the caller's memory and never copied
  IpHeader ip;
  const Position p = plain_ip(bytes.data(), static_cast<uint32_t>(bytes.size()));
  if (read_ip(bytes.data(), p, ip) && !has_extension(ip)) {
    fill_from_ip(bytes.data(), ip, depth, frame);
  } else {
    parse_any(bytes, depth, frame);
  }
  return frame;
}

Frame parse_ip(std::span<const uint8_t> bytes, HashDepth depth) {
  Frame frame;
  IpHeader ip;
  if (read_ip(bytes.data(), start_of_ip(bytes), ip)) {
    fill_from_ip(bytes.data(), behind_extension_headers(bytes.data(), ip), depth, frame);
  } else {
    frame.malformed = true;
  }
  return frame;
}

EcnMark mark_ce(std::span<uint8_t> bytes) {
  const EcnMark mark = mark_at(bytes.data(), plain_ip(bytes.data(), static_cast<uint32_t>(bytes.size())));
  return mark == EcnMark::kNotIp ? mark_any(bytes) : mark;
}

EcnMark mark_ce_ip(std::span<uint8_t> bytes) {
  return mark_at(bytes.data(), start_of_ip(bytes));
}

}  // namespace sojourn
