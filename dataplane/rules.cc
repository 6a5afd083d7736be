#include "dataplane/rules.h"

#include <algorithm>
#include <bit>

namespace sojourn {
namespace {

constexpr uint16_t kIpv4 = 0x0800, kIpv6 = 0x86dd;
constexpr uint8_t kTcp = 6, kUdp = 17, kIcmp = 1, kIcmpv6 = 58, kSctp = 132, kDccp = 33, kUdpLite = 136;
constexpr size_t kEthernetBytes = 14, kTagBytes = 4, kIpv4Bytes = 20, kIpv6Bytes = 40;
constexpr int kMostTags = 4, kMostExtensions = 8;

uint16_t read16(const uint8_t* at) {
  return static_cast<uint16_t>(at[0] << 8 | at[1]);
}

bool is_tag(uint16_t ether_type) {
  return ether_type == 0x8100 || ether_type == 0x88a8 || ether_type == 0x9100 || ether_type == 0x9200;
}

bool is_extension(uint8_t header) {  // hop-by-hop, routing, destination options: length in the second byte
  return header == 0 || header == 43 || header == 60;
}

bool has_ports(uint8_t protocol) {
  return protocol == kTcp || protocol == kUdp || protocol == kSctp || protocol == kDccp || protocol == kUdpLite;
}

template <typename Masks, typename T>
void allow(Masks& masks, const std::optional<T>& first, const std::optional<T>& last, uint64_t bit) {
  for (size_t value = 0; value < masks.size(); ++value) {
    if (!first || (value >= *first && value <= *last)) masks[value] |= bit;
  }
}

}  // namespace

RuleSet::Mask RuleSet::Ports::at(uint16_t port) const {
  uint32_t at_or_below = 0;
  for (uint32_t i = 0; i < count; ++i) at_or_below += starts[i] <= port;
  return at_or_below == 0 ? ~Mask{0} : masks[at_or_below - 1];
}

template <typename T>
RuleSet::Mask RuleSet::Listed<T>::at(const T& value) const {
  for (const auto& [listed, mask] : values) {
    if (listed == value) return mask;
  }
  return others;
}

void RuleSet::Prefixes::narrow(Mask rule, std::span<const uint8_t> prefix, unsigned bits) {
  if (bytes.empty()) {
    bytes.resize(prefix.size());
    for (auto& byte : bytes) byte.fill(~Mask{0});
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    const unsigned named = std::min(8u, bits - std::min<unsigned>(bits, static_cast<unsigned>(8 * i)));
    const unsigned mask = 0xff00u >> named & 0xffu;
    for (unsigned value = 0; value < 256; ++value) {
      if (((value ^ prefix[i]) & mask) != 0) bytes[i][value] &= ~rule;
    }
  }
}

RuleSet::RuleSet(const std::vector<Rule>& all) {
  const std::span<const Rule> rules(all.data(), std::min(all.size(), kMostRules));
  std::vector<uint16_t> types, vlans, source_starts{0}, destination_starts{0};
  for (const Rule& r : rules) {
    if (r.ether_type) types.push_back(*r.ether_type);
    if (r.vlan) vlans.push_back(*r.vlan);
    const auto add_starts = [](std::vector<uint16_t>& starts, const auto& ports) {
      if (!ports) return;
      starts.push_back(ports->first);
      if (ports->last != UINT16_MAX) starts.push_back(static_cast<uint16_t>(ports->last + 1));
    };
    add_starts(source_starts, r.source_port);
    add_starts(destination_starts, r.destination_port);
  }
  const auto list = [](Listed<uint16_t>& listed, std::vector<uint16_t>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    listed.others = 0;
    for (const uint16_t v : values) listed.values.emplace_back(v, 0);
  };
  list(ether_types_, types);
  list(vlans_, vlans);
  const auto cut = [](Ports& ports, std::vector<uint16_t>& starts) {
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    ports.count = static_cast<uint32_t>(starts.size());
    std::copy(starts.begin(), starts.end(), ports.starts.begin());
  };
  cut(source_ports_, source_starts);
  cut(destination_ports_, destination_starts);
  for (size_t i = 0; i < rules.size(); ++i) {
    const Rule& r = rules[i];
    const Mask bit = Mask{1} << i;
    all_ |= bit;
    if (r.action == RuleAction::kBypass) bypass_ |= bit;
    if (r.destination_mac) {
      needs_mac_ |= bit;
      macs_.narrow(bit, r.destination_mac->address, r.destination_mac->bits);
      is_group_only_ &= r.destination_mac->bits >= 8 && (r.destination_mac->address[0] & 1) != 0;
    }
    const auto narrow_addresses = [&](Prefixes Addresses::*side, const std::optional<AddressPrefix>& p) {
      if (!p) return;
      Addresses& family = p->is_ipv6 ? ipv6_ : ipv4_;
      (family.*side).narrow(bit, {p->address.data(), p->is_ipv6 ? size_t{16} : size_t{4}}, p->bits);
      family.named |= bit;
    };
    narrow_addresses(&Addresses::source, r.source);
    narrow_addresses(&Addresses::destination, r.destination);
    if (r.source_port || r.destination_port) needs_port_ |= bit;
    if (r.icmp_type) needs_icmp_ |= bit;
    if (((ipv4_.named | ipv6_.named | needs_port_ | needs_icmp_) & bit) != 0 || r.protocol || r.dscp) needs_ip_ |= bit;
    for (auto* listed : {&ether_types_, &vlans_}) {
      const auto& wanted = listed == &vlans_ ? r.vlan : r.ether_type;
      if (!wanted) listed->others |= bit;
      for (auto& [value, mask] : listed->values) {
        if (!wanted || *wanted == value) mask |= bit;
      }
    }
    allow(protocols_, r.protocol, r.protocol, bit);
    allow(dscps_, r.dscp, r.dscp, bit);
    const auto type_first = r.icmp_type ? std::optional(r.icmp_type->first) : std::nullopt;
    const auto type_last = r.icmp_type ? std::optional(r.icmp_type->last) : std::nullopt;
    allow(icmp_types_, type_first, type_last, bit);
    const auto allow_ports = [bit](Ports& ports, const auto& wanted) {
      for (uint32_t p = 0; p < ports.count; ++p) {
        if (!wanted || (ports.starts[p] >= wanted->first && ports.starts[p] <= wanted->last)) ports.masks[p] |= bit;
      }
    };
    allow_ports(source_ports_, r.source_port);
    allow_ports(destination_ports_, r.destination_port);
  }
}

// Whatever the number of rules; the tables are left alone where no rule that may still match asks for them.
RuleSet::Mask RuleSet::match_addresses(const uint8_t* source, const uint8_t* destination, const Addresses& family,
                                       const Addresses& other, Mask mask) const {
  mask &= ~other.named;
  return (mask & family.named) == 0 ? mask : mask & family.source.at(source) & family.destination.at(destination);
}

int RuleSet::match(std::span<const uint8_t> frame) const {
  Mask mask = all_;
  if (mask == 0 || frame.size() < kEthernetBytes) return -1;
  const bool is_group = (frame[0] & 1) != 0;
  mask &= is_group || !is_group_only_ ? macs_.at(frame.data()) : ~needs_mac_;
  size_t at = 12;
  uint16_t type = read16(&frame[at]);
  uint16_t vlan = 0;
  for (int tags = 0; is_tag(type) && tags < kMostTags && frame.size() >= at + kTagBytes + 2; ++tags) {
    if (tags == 0) vlan = read16(&frame[at + 2]) & 0x0fff;
    at += kTagBytes;
    type = read16(&frame[at]);
  }
  mask &= ether_types_.at(type) & vlans_.at(vlan);
  if ((mask & needs_ip_) != 0) mask = match_network(frame.subspan(at + 2), type, mask);
  return mask == 0 ? -1 : std::countr_zero(mask);
}

RuleSet::Mask RuleSet::match_network(std::span<const uint8_t> p, uint16_t ether_type, Mask mask) const {
  const Mask without_ip = mask & ~needs_ip_;
  if (ether_type == kIpv4 && p.size() >= kIpv4Bytes && p[0] >> 4 == 4) {
    const size_t header = size_t{p[0] & 0xfu} * 4;
    mask &= protocols_[p[9]] & dscps_[p[1] >> 2];
    mask = match_addresses(&p[12], &p[16], ipv4_, ipv6_, mask);
    const bool is_first = (read16(&p[6]) & 0x1fff) == 0;
    return match_transport(p.subspan(std::min(std::max(header, kIpv4Bytes), p.size())), p[9], is_first, mask);
  }
  if (ether_type != kIpv6 || p.size() < kIpv6Bytes || p[0] >> 4 != 6) return without_ip;
  uint8_t next = p[6];
  size_t at = kIpv6Bytes;
  bool is_first = true;
  for (int i = 0; i < kMostExtensions && p.size() >= at + 8 && (is_extension(next) || next == 44); ++i) {
    if (next == 44) is_first &= (read16(&p[at + 2]) & 0xfff8) == 0;
    const size_t bytes = next == 44 ? 8 : size_t{8} * (p[at + 1] + 1u);
    next = p[at];
    at += bytes;
  }
  mask &= protocols_[next] & dscps_[(read16(p.data()) >> 4 & 0xff) >> 2];
  mask = match_addresses(&p[8], &p[24], ipv6_, ipv4_, mask);
  return match_transport(p.subspan(std::min(at, p.size())), next, is_first, mask);
}

RuleSet::Mask RuleSet::match_transport(std::span<const uint8_t> t, uint8_t protocol, bool is_first, Mask mask) const {
  if ((mask & needs_port_) != 0) {
    const bool is_readable = is_first && has_ports(protocol) && t.size() >= 4;
    mask &= is_readable ? source_ports_.at(read16(&t[0])) & destination_ports_.at(read16(&t[2])) : ~needs_port_;
  }
  if ((mask & needs_icmp_) != 0) {
    const bool is_readable = is_first && (protocol == kIcmp || protocol == kIcmpv6) && !t.empty();
    mask &= is_readable ? icmp_types_[t[0]] : ~needs_icmp_;
  }
  return mask;
}

std::vector<Rule> control_plane_rules() {
  std::vector<Rule> rules;
  const auto add = [&rules](const char* name) -> Rule& {
    rules.emplace_back().name = name;
    return rules.back();
  };
  const auto add_mac = [&](const char* name, std::array<uint8_t, 6> mac, uint8_t bits) {
    add(name).destination_mac = MacPrefix{mac, bits};
  };
  const auto add_type = [&](const char* name, uint16_t type) { add(name).ether_type = type; };
  const auto add_protocol = [&](const char* name, uint8_t protocol) { add(name).protocol = protocol; };
  const auto add_port = [&](const char* name, uint8_t protocol, ValueRange<uint16_t> ports) {
    Rule& r = add(name);
    r.protocol = protocol;
    r.destination_port = ports;
  };
  add_mac("link-local MAC control: STP, pause, LACP, LLDP", {0x01, 0x80, 0xc2, 0, 0, 0}, 44);  // IEEE 802.1D 7.12.6
  add_mac("IS-IS", {0x01, 0x80, 0xc2, 0, 0, 0x14}, 47);                                        // ISO 10589 8.4.8
  add_mac("IS-IS, all systems", {0x09, 0, 0x2b, 0, 0, 0x04}, 47);
  add_type("ARP", 0x0806);
  add_type("MAC control", 0x8808);
  add_type("slow protocols: LACP", 0x8809);
  add_type("LLDP", 0x88cc);
  Rule& discovery = add("neighbour and router discovery");  // RFC 4861
  discovery.protocol = kIcmpv6;
  discovery.icmp_type = ValueRange<uint8_t>{133, 137};
  add_port("DHCP", kUdp, {67, 68});
  add_port("DHCPv6", kUdp, {546, 547});
  add_port("BFD", kUdp, {3784, 3785});            // RFC 5881
  add_port("BFD, multihop", kUdp, {4784, 4784});  // RFC 5883
  add_protocol("VRRP, CARP", 112);
  add_protocol("pfsync", 240);
  add_protocol("OSPF", 89);
  add_port("BGP", kTcp, {179, 179});
  Rule& bgp = add("BGP, from the listener");
  bgp.protocol = kTcp;
  bgp.source_port = ValueRange<uint16_t>{179, 179};
  return rules;
}

}  // namespace sojourn
