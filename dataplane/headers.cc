#include "dataplane/headers.h"

namespace sojourn {
namespace {

constexpr unsigned kMostVlanTags = 4;
constexpr unsigned kMostLabels = 8;
constexpr unsigned kMostEthernets = 3;  // Ethernet in MPLS in Ethernet in ...
constexpr unsigned kMostExtensionHeaders = 8;
constexpr uint32_t kEthernetBytes = 14;
constexpr NetworkHeader kNoHeader{};

bool is_vlan(uint16_t type) {
  using namespace ether_type;
  return type == kVlan || type == kQinq || type == kQinqOld1 || type == kQinqOld2;
}

bool is_ip_type(uint16_t type) {
  return type == ether_type::kIpv4 || type == ether_type::kIpv6;
}

// By the version nibble, where nothing else says which IP it is; 0: neither.
uint16_t type_by_nibble(View v, uint32_t at) {
  if (!v.has(at, 1)) return 0;
  const unsigned nibble = v.u8(at) >> 4;
  return nibble == 4 ? ether_type::kIpv4 : nibble == 6 ? ether_type::kIpv6 : uint16_t{0};
}

uint16_t type_of_ppp(uint16_t protocol) {
  return protocol == 0x0021 ? ether_type::kIpv4 : protocol == 0x0057 ? ether_type::kIpv6 : uint16_t{0};
}

// A step from one header to the next: where it stands and what it is. type 0: nothing more is known.
struct Step {
  uint32_t at;
  uint16_t type;
};

Step skip_vlan_tags(View v, Step s) {
  for (unsigned i = 0; i < kMostVlanTags && is_vlan(s.type) && v.has(s.at, 4); ++i) s = {s.at + 4, v.u16(s.at + 2)};
  return s;
}

// IEEE 802.3 length instead of a type: SNAP tells one.
Step skip_snap(View v, Step s) {
  if (s.type >= 0x0600 || !v.has(s.at, 8)) return s;
  const bool is_snap = v.u16(s.at) == 0xaaaa && v.u8(s.at + 2) == 3 && v.u8(s.at + 3) == 0 && v.u16(s.at + 4) == 0;
  return is_snap ? Step{s.at + 8, v.u16(s.at + 6)} : s;
}

// RFC 2516: version and type 1, code 0 is session data.
Step skip_pppoe(View v, Step s) {
  if (!v.has(s.at, 8) || v.u16(s.at) != 0x1100) return s;
  const uint16_t type = type_of_ppp(v.u16(s.at + 6));
  return type == 0 ? s : Step{s.at + 8, type};
}

// RFC 3032; behind the last label IP by its nibble, or Ethernet with (RFC 4385) or without a control word.
Step skip_mpls(View v, Step s) {
  uint32_t at = s.at;
  bool is_bottom = false;
  for (unsigned i = 0; i < kMostLabels && !is_bottom; ++i, at += 4) {
    if (!v.has(at, 4)) return s;
    is_bottom = (v.u8(at + 2) & 1) != 0;
  }
  if (!is_bottom) return s;
  if (const uint16_t type = type_by_nibble(v, at); type != 0) return {at, type};
  if (!v.has(at, 1)) return s;
  return {(v.u8(at) >> 4) == 0 ? at + 4 : at, ether_type::kTransparentEthernet};
}

}  // namespace

NetworkHeader find_network_header(View v, uint32_t offset) {
  return find_network_header(v, offset, ether_type::kTransparentEthernet);
}

NetworkHeader find_network_header(View v, uint32_t offset, uint16_t type) {
  Step s{offset, type};
  for (unsigned i = 0; i < kMostEthernets; ++i) {
    if (s.type == ether_type::kTransparentEthernet) {
      if (!v.has(s.at, kEthernetBytes)) return kNoHeader;
      s = {s.at + kEthernetBytes, v.u16(s.at + 12)};
    }
    s = skip_snap(v, skip_vlan_tags(v, s));
    if (s.type == ether_type::kPppoeSession) s = skip_pppoe(v, s);
    if (s.type == ether_type::kMpls || s.type == ether_type::kMplsUpstream) s = skip_mpls(v, s);
    if (s.type != ether_type::kTransparentEthernet) break;
  }
  return {s.at, s.type, is_ip_type(s.type)};
}

namespace {

IpHeader read_ipv4(View v, uint32_t at) {
  if (!v.has(at, 20) || v.u8(at) >> 4 != 4) return {};
  const uint32_t header = (v.u8(at) & 15u) * 4;
  const uint32_t total = v.u16(at + 2);
  if (header < 20 || !v.has(at, header)) return {};
  if (total != 0 && (total < header || !v.has(at, total))) return {};  // 0: segmentation offload, the frame's length
  IpHeader h;
  h.is_valid = true;
  h.version = 4;
  h.protocol = v.u8(at + 9);
  h.traffic_class = v.u8(at + 1);
  h.is_fragment = (v.u16(at + 6) & 0x3fff) != 0;  // more fragments, or an offset
  h.offset = at;
  h.payload = at + header;
  h.end = total != 0 ? at + total : v.size();
  return h;
}

// RFC 8200 4: walks to the upper-layer header. False: the chain leaves the datagram.
bool skip_extension_headers(View v, IpHeader& h) {
  using namespace ip_protocol;
  for (unsigned i = 0; i < kMostExtensionHeaders; ++i) {
    const uint8_t p = h.protocol;
    const bool is_option =
        p == kHopByHop || p == kRouting || p == kDestinationOptions || p == kMobility || p == kHip || p == kShim6;
    if (!is_option && p != kFragment) return true;
    if (!v.has(h.payload, 8)) return false;
    const uint32_t length = p == kFragment ? 8 : (v.u8(h.payload + 1) + 1u) * 8;
    if (!v.has(h.payload, length)) return false;
    h.is_fragment = p == kFragment && (v.u16(h.payload + 2) & 0xfff9) != 0;  // an offset, or more fragments
    h.protocol = v.u8(h.payload);
    h.payload += length;
    if (h.is_fragment) return true;
  }
  return true;
}

IpHeader read_ipv6(View v, uint32_t at) {
  if (!v.has(at, 40) || v.u8(at) >> 4 != 6) return {};
  const uint32_t length = v.u16(at + 4);
  if (!v.has(at + 40, length)) return {};
  IpHeader h;
  h.version = 6;
  h.protocol = v.u8(at + 6);
  h.traffic_class = static_cast<uint8_t>(v.u16(at) >> 4);
  h.offset = at;
  h.payload = at + 40;
  h.end = length != 0 ? at + 40 + length : v.size();  // 0: a jumbogram or segmentation offload, the frame's length
  h.is_valid = skip_extension_headers(v.until(h.end), h);
  return h;
}

NetworkHeader ip_at(View v, uint32_t at) {
  const uint16_t type = type_by_nibble(v, at);
  return {at, type, type != 0};
}

NetworkHeader ppp_at(View v, uint32_t at) {
  if (v.has(at, 2) && v.u16(at) == 0xff03) at += 2;  // address and control
  if (!v.has(at, 2)) return kNoHeader;
  const bool is_short = (v.u8(at) & 1) != 0;  // RFC 1661 6.5: compressed protocol field
  const uint16_t type = type_of_ppp(is_short ? v.u8(at) : v.u16(at));
  return {at + (is_short ? 1 : 2), type, type != 0};
}

// RFC 2784, 2890; version 1: RFC 2637.
NetworkHeader behind_gre(View v, uint32_t at) {
  if (!v.has(at, 4)) return kNoHeader;
  const unsigned flags = v.u16(at), version = flags & 7;
  const uint16_t type = v.u16(at + 2);
  const bool has_checksum = (flags & 0x8000) != 0, has_routing = (flags & 0x4000) != 0, has_key = (flags & 0x2000) != 0;
  const bool has_sequence = (flags & 0x1000) != 0, has_acknowledgement = (flags & 0x0080) != 0;
  if (version > 1 || has_routing) return kNoHeader;
  at += 4u + 4u * has_checksum + 4u * has_key + 4u * has_sequence + 4u * (version == 1 && has_acknowledgement);
  if (version == 1 || type == ether_type::kPpp) return ppp_at(v, at);
  if (type != ether_type::kErspan2) return find_network_header(v, at, type);
  return find_network_header(v, has_sequence ? at + 8 : at);  // type II has a header of its own, type I has none
}

// RFC 7348: the I flag is set.
NetworkHeader behind_vxlan(View v, uint32_t at) {
  if (!v.has(at, 8) || (v.u8(at) & 0x08) == 0) return kNoHeader;
  return find_network_header(v, at + 8);
}

// RFC 8926.
NetworkHeader behind_geneve(View v, uint32_t at) {
  if (!v.has(at, 8) || v.u8(at) >> 6 != 0) return kNoHeader;
  return find_network_header(v, at + 8 + (v.u8(at) & 63u) * 4, v.u16(at + 2));
}

// 3GPP TS 29.281: version 1, G-PDU.
NetworkHeader behind_gtp(View v, uint32_t at) {
  constexpr unsigned kMostExtensions = 4;
  if (!v.has(at, 8) || v.u8(at) >> 4 != 3 || v.u8(at + 1) != 255) return kNoHeader;
  const unsigned flags = v.u8(at) & 7u;  // next extension, sequence number, N-PDU number
  at += 8;
  if (flags == 0) return ip_at(v, at);
  if (!v.has(at, 4)) return kNoHeader;
  uint8_t next = (flags & 4) != 0 ? v.u8(at + 3) : uint8_t{0};
  at += 4;
  for (unsigned i = 0; i < kMostExtensions && next != 0; ++i) {
    if (!v.has(at, 4)) return kNoHeader;
    const uint32_t length = v.u8(at) * 4u;
    if (length == 0 || !v.has(at, length)) return kNoHeader;
    next = v.u8(at + length - 1);
    at += length;
  }
  return next == 0 ? ip_at(v, at) : kNoHeader;
}

NetworkHeader behind_udp(View v, uint32_t at) {
  constexpr uint16_t kVxlan = 4789, kGeneve = 6081, kGtpU = 2152;
  if (!v.has(at, 8)) return kNoHeader;
  switch (v.u16(at + 2)) {
    case kVxlan:
      return behind_vxlan(v, at + 8);
    case kGeneve:
      return behind_geneve(v, at + 8);
    case kGtpU:
      return behind_gtp(v, at + 8);
    default:
      return kNoHeader;
  }
}

}  // namespace

IpHeader read_ip(View v, uint32_t offset, uint16_t type) {
  return type == ether_type::kIpv4 ? read_ipv4(v, offset) : read_ipv6(v, offset);
}

NetworkHeader find_tunnelled(View frame, const IpHeader& outer) {
  const View v = frame.until(outer.end);
  switch (outer.protocol) {
    case ip_protocol::kIpv4:
      return {outer.payload, ether_type::kIpv4, true};
    case ip_protocol::kIpv6:
      return {outer.payload, ether_type::kIpv6, true};
    case ip_protocol::kGre:
      return behind_gre(v, outer.payload);
    case ip_protocol::kUdp:
      return behind_udp(v, outer.payload);
    default:
      return kNoHeader;
  }
}

}  // namespace sojourn
