// The walk from one IP header to the next: link layers and tunnels. Private to frame.cc, and a header for its size.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "dataplane/frame.h"

namespace sojourn::layers {

static_assert(std::endian::native == std::endian::little);

inline uint16_t be16(const uint8_t* p) {
  uint16_t v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_bswap16(v);
}
inline uint32_t be32(const uint8_t* p) {
  uint32_t v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_bswap32(v);
}

// kOpaque: nothing more can be reached. kMalformed: a header is cut off or contradicts itself.
enum class Layer : uint8_t { kOpaque, kMalformed, kIpv4, kIpv6, kEthernet, kPppoe, kMpls };

// Where in the frame a layer begins and ends: at <= end <= frame length, always.
struct Position {
  uint32_t at;
  uint32_t end;
  Layer layer;
  bool guessed = false;     // nothing announced what follows
  uint16_t ether_type = 0;  // of the Ethernet header passed last, behind its tags; 0 for 802.3 lengths

  uint32_t left() const { return end - at; }
  Position as(Layer next) const { return {at, end, next, guessed, ether_type}; }
  Position skip(uint32_t bytes, Layer next) const { return {at + bytes, end, next, guessed, ether_type}; }
};

inline Layer layer_of(uint16_t ether_type) {
  switch (ether_type) {
    case 0x0800:
      return Layer::kIpv4;
    case 0x86dd:
      return Layer::kIpv6;
    case 0x6558:
      return Layer::kEthernet;  // transparent Ethernet bridging, in GRE and Geneve
    case 0x8847:
    case 0x8848:
      return Layer::kMpls;
    case 0x8864:
      return Layer::kPppoe;
    default:
      return Layer::kOpaque;
  }
}

inline bool is_vlan(uint16_t ether_type) {
  return (ether_type == 0x8100) | (ether_type == 0x88a8) | (ether_type == 0x9100) | (ether_type == 0x9200);
}

// IEEE 802.3 length instead of an EtherType: IP only behind LLC/SNAP with the zero OUI (RFC 1042).
[[gnu::noinline]] inline Position walk_llc(const uint8_t* bytes, Position p, uint16_t length) {
  p.ether_type = 0;
  if (length > p.left()) return p.as(Layer::kOpaque);
  p.end = p.at + length;
  constexpr uint8_t kSnap[6] = {0xaa, 0xaa, 0x03, 0, 0, 0};
  if (length < 8 || std::memcmp(bytes + p.at, kSnap, sizeof kSnap) != 0) return p.as(Layer::kOpaque);
  return p.skip(8, layer_of(be16(bytes + p.at + 6)));
}

inline Position walk_ethernet(const uint8_t* bytes, Position p) {
  if (p.left() < 14) return p.as(Layer::kMalformed);
  p.at += 14;
  uint16_t type = be16(bytes + p.at - 2);
  for (int tags = 0; is_vlan(type) && tags < kMostVlanTags; ++tags) {
    p.ether_type = type;
    if (p.left() < 4) return p.as(Layer::kMalformed);
    type = be16(bytes + p.at + 2);
    p.at += 4;
  }
  if (type < 0x600) return walk_llc(bytes, p, type);
  p.ether_type = type;
  return p.as(layer_of(type));
}

// RFC 2516: version and type 1, code 0 (session), session, length; then the PPP protocol. The length must fit into the
// frame but does not bound the IP packet: senders exist whose IP packet is longer, and it is one flow with the others.
inline Position walk_pppoe(const uint8_t* bytes, Position p) {
  if (p.left() < 8) return p.as(Layer::kMalformed);
  const uint32_t length = be16(bytes + p.at + 4);
  if (be16(bytes + p.at) != 0x1100) return p.as(Layer::kOpaque);
  if (length < 2 || length > p.left() - 6) return p.as(Layer::kMalformed);
  switch (be16(bytes + p.at + 6)) {
    case 0x0021:
      return p.skip(8, Layer::kIpv4);
    case 0x0057:
      return p.skip(8, Layer::kIpv6);
    case 0x0281:
      return p.skip(8, Layer::kMpls);
    default:
      return p.skip(8, Layer::kOpaque);
  }
}

inline Layer layer_by_nibble(uint8_t first_byte) {
  return first_byte >> 4 == 4 ? Layer::kIpv4 : first_byte >> 4 == 6 ? Layer::kIpv6 : Layer::kOpaque;
}

// The label stack does not say what it carries (RFC 3032, RFC 4928): IP by its first nibble, a pseudowire's Ethernet
// with or without control word (RFC 4385) by an EtherType that is IP or a tag.
inline Position walk_mpls(const uint8_t* bytes, Position p) {
  bool is_bottom = false;
  for (int labels = 0; !is_bottom; ++labels) {
    if (labels == kMostMplsLabels || p.left() < 4) return p.as(Layer::kOpaque);
    is_bottom = (bytes[p.at + 2] & 1) != 0;
    p.at += 4;
  }
  p.guessed = true;
  if (p.left() == 0) return p.as(Layer::kOpaque);
  const uint8_t first = bytes[p.at];
  if (layer_by_nibble(first) != Layer::kOpaque) return p.as(layer_by_nibble(first));
  const auto holds_ethernet_at = [&](uint32_t offset) {
    if (p.left() < offset + 14) return false;
    const uint16_t type = be16(bytes + p.at + offset + 12);
    return is_vlan(type) || layer_of(type) != Layer::kOpaque;
  };
  if (first == 0 && holds_ethernet_at(4)) return p.skip(4, Layer::kEthernet);
  return holds_ethernet_at(0) ? p.as(Layer::kEthernet) : p.as(Layer::kOpaque);
}

// From a link layer to the next IP header, to kOpaque or to kMalformed.
[[gnu::noinline]] inline Position walk_link_layers(const uint8_t* bytes, Position p) {
  for (int i = 0; i < kMostLinkLayers; ++i) {
    switch (p.layer) {
      case Layer::kEthernet:
        p = walk_ethernet(bytes, p);
        break;
      case Layer::kPppoe:
        p = walk_pppoe(bytes, p);
        break;
      case Layer::kMpls:
        p = walk_mpls(bytes, p);
        break;
      case Layer::kOpaque:
      case Layer::kMalformed:
      case Layer::kIpv4:
      case Layer::kIpv6:
        return p;
    }
  }
  return p.as(Layer::kOpaque);
}

// RFC 2784, RFC 2890 and, by their protocol types, NVGRE and ERSPAN. Version 1 (PPTP) carries compressed PPP: opaque.
inline Position walk_gre(const uint8_t* bytes, Position p) {
  constexpr uint16_t kChecksum = 0x8000, kRouting = 0x4000, kKey = 0x2000, kSequence = 0x1000, kVersion = 7;
  if (p.left() < 4) return p.as(Layer::kOpaque);
  const uint16_t flags = be16(bytes + p.at);
  const uint16_t type = be16(bytes + p.at + 2);
  if ((flags & (kRouting | kVersion)) != 0) return p.as(Layer::kOpaque);
  uint32_t length = 4 + (flags & kChecksum ? 4 : 0) + (flags & kKey ? 4 : 0) + (flags & kSequence ? 4 : 0);
  Layer next = layer_of(type);
  if (type == 0x88be) {  // ERSPAN I has no header of its own, II has eight bytes and always a sequence number
    length += flags & kSequence ? 8 : 0;
    next = Layer::kEthernet;
  } else if (type == 0x22eb && p.left() >= length + 12) {  // ERSPAN III: 12 bytes, and 8 more if its O bit says so
    length += (bytes[p.at + length + 11] & 1) != 0 ? 20 : 12;
    next = Layer::kEthernet;
  }
  return p.left() < length ? p.as(Layer::kOpaque) : p.skip(length, next);
}

// RFC 7348, with the G bit of group policy and the P bit of the generic protocol extension. The other reserved bits
// must be zero here, so that another use of the port is not taken for a tunnel.
inline Position walk_vxlan(const uint8_t* bytes, Position p) {
  constexpr uint8_t kInstance = 0x08, kProtocol = 0x04, kGroup = 0x80;
  if (p.left() < 8) return p.as(Layer::kOpaque);
  const uint8_t* h = bytes + p.at;
  if ((h[0] & ~(kProtocol | kGroup)) != kInstance || h[7] != 0) return p.as(Layer::kOpaque);
  if ((h[0] & kProtocol) == 0) return p.skip(8, Layer::kEthernet);
  switch (h[3]) {
    case 1:
      return p.skip(8, Layer::kIpv4);
    case 2:
      return p.skip(8, Layer::kIpv6);
    case 3:
      return p.skip(8, Layer::kEthernet);
    default:
      return p.as(Layer::kOpaque);
  }
}

// RFC 8926: version 0, options in words of four bytes.
inline Position walk_geneve(const uint8_t* bytes, Position p) {
  if (p.left() < 8) return p.as(Layer::kOpaque);
  const uint32_t length = 8 + (bytes[p.at] & 0x3fu) * 4;
  if (bytes[p.at] >> 6 != 0 || bytes[p.at + 7] != 0 || p.left() < length) return p.as(Layer::kOpaque);
  return p.skip(length, layer_of(be16(bytes + p.at + 2)));
}

// 3GPP TS 29.281: version 1, protocol type GTP, message G-PDU; then a chain of extension headers.
inline Position walk_gtp_u(const uint8_t* bytes, Position p) {
  if (p.left() < 8 || (bytes[p.at] & 0xf0) != 0x30 || bytes[p.at + 1] != 0xff) return p.as(Layer::kOpaque);
  const uint32_t length = be16(bytes + p.at + 2);
  const uint8_t flags = bytes[p.at];
  if (length > p.left() - 8) return p.as(Layer::kOpaque);
  p.end = p.at + 8 + length;
  p.at += 8;
  p.guessed = true;
  if ((flags & 7) != 0) {
    if (p.left() < 4) return p.as(Layer::kOpaque);
    uint8_t next = flags & 4 ? bytes[p.at + 3] : 0;
    p.at += 4;
    for (int i = 0; next != 0; ++i) {
      if (i == kMostExtensionHeaders || p.left() < 4) return p.as(Layer::kOpaque);
      const uint32_t size = bytes[p.at] * 4u;
      if (size == 0 || p.left() < size) return p.as(Layer::kOpaque);
      next = bytes[p.at + size - 1];
      p.at += size;
    }
  }
  return p.left() == 0 ? p.as(Layer::kOpaque) : p.as(layer_by_nibble(bytes[p.at]));
}

// Only the destination port tells a tunnel; the source port is the sender's hash.
inline constexpr uint16_t kVxlanPort = 4789, kGenevePort = 6081, kGtpUPort = 2152;

inline bool is_tunnel_port(uint16_t port) {
  return (port == kVxlanPort) | (port == kGenevePort) | (port == kGtpUPort);
}

// From a UDP header.
inline Position walk_udp(const uint8_t* bytes, Position p) {
  if (p.left() < 8) return p.as(Layer::kOpaque);
  const Position payload = p.skip(8, Layer::kOpaque);
  switch (be16(bytes + p.at + 2)) {
    case kVxlanPort:
      return walk_vxlan(bytes, payload);
    case kGenevePort:
      return walk_geneve(bytes, payload);
    case kGtpUPort:
      return walk_gtp_u(bytes, payload);
    default:
      return payload;
  }
}

}  // namespace sojourn::layers
