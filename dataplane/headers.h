// Finding and checking headers in a frame. Every read is bounds-checked through View; every walk has a bound.
#pragma once

#include <cstdint>
#include <span>

namespace sojourn {

// Bytes of a frame; offsets may be anything.
class View {
 public:
  explicit View(std::span<const uint8_t> bytes) : data_(bytes.data()), size_(static_cast<uint32_t>(bytes.size())) {}
  uint32_t size() const { return size_; }
  bool has(uint32_t offset, uint32_t length) const { return offset <= size_ && size_ - offset >= length; }
  // The caller has asked `has`.
  uint8_t u8(uint32_t offset) const { return data_[offset]; }
  uint16_t u16(uint32_t offset) const { return static_cast<uint16_t>(data_[offset] << 8 | data_[offset + 1]); }
  uint32_t u32(uint32_t offset) const { return uint32_t{u16(offset)} << 16 | u16(offset + 2); }
  const uint8_t* at(uint32_t offset) const { return data_ + offset; }
  // The same bytes up to `end`.
  View until(uint32_t end) const { return View({data_, end < size_ ? end : size_}); }

 private:
  const uint8_t* data_;
  uint32_t size_;
};

namespace ether_type {
inline constexpr uint16_t kIpv4 = 0x0800, kIpv6 = 0x86dd, kVlan = 0x8100, kQinq = 0x88a8, kQinqOld1 = 0x9100,
                          kQinqOld2 = 0x9200, kMpls = 0x8847, kMplsUpstream = 0x8848, kPppoeSession = 0x8864,
                          kTransparentEthernet = 0x6558, kErspan2 = 0x88be, kPpp = 0x880b;
}  // namespace ether_type

namespace ip_protocol {
inline constexpr uint8_t kHopByHop = 0, kIpv4 = 4, kTcp = 6, kUdp = 17, kDccp = 33, kIpv6 = 41, kRouting = 43,
                         kFragment = 44, kGre = 47, kEsp = 50, kAh = 51, kDestinationOptions = 60, kSctp = 132,
                         kMobility = 135, kUdpLite = 136, kHip = 139, kShim6 = 140;
}  // namespace ip_protocol

// Where a network header stands, or that there is none.
struct NetworkHeader {
  uint32_t offset = 0;
  uint16_t ether_type = 0;  // behind all tags; kIpv4 or kIpv6 when `is_ip`
  bool is_ip = false;
};

// From an Ethernet header at `offset`: up to 4 VLAN tags, LLC/SNAP, PPPoE, MPLS, Ethernet over MPLS.
NetworkHeader find_network_header(View frame, uint32_t offset);
// From what an EtherType announces at `offset`.
NetworkHeader find_network_header(View frame, uint32_t offset, uint16_t type);

// A checked IPv4 or IPv6 header with its extension headers.
struct IpHeader {
  bool is_valid = false;
  uint8_t version = 0;
  uint8_t protocol = 0;  // behind all extension headers; of a fragment: what its fragment header says
  uint8_t traffic_class = 0;
  bool is_fragment = false;  // an atomic fragment (RFC 6946) is a whole datagram, and none
  uint32_t offset = 0;
  uint32_t payload = 0;  // offset of what `protocol` announces
  uint32_t end = 0;      // of the datagram; what follows in the frame is padding
};

// `type`: kIpv4 or kIpv6, which the version must match.
IpHeader read_ip(View frame, uint32_t offset, uint16_t type);

// The IP header that `outer` carries through a tunnel (IPIP, 6in4, GRE, VXLAN, Geneve, GTP-U); is_ip false: none.
NetworkHeader find_tunnelled(View frame, const IpHeader& outer);

}  // namespace sojourn
