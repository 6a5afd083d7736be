// What rules match on, as people write it: names or numbers, prefixes, ranges.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/quantity.h"

namespace sojourn {

template <typename T>
struct NumberRange {
  T first = 0, last = 0;  // both included
  constexpr bool operator==(const NumberRange&) const = default;
};

// Addresses as they stand in a frame; IPv4: the first four bytes.
struct IpPrefix {
  bool is_ipv6 = false;
  std::array<uint8_t, 16> address{};
  uint8_t bits = 0;
  bool operator==(const IpPrefix&) const = default;
};
struct MacAddressPrefix {
  std::array<uint8_t, 6> address{};
  uint8_t bits = 48;
  bool operator==(const MacAddressPrefix&) const = default;
};

// "arp", "ipv4", "ipv6", "lldp", ..., or "0x0806", or a number from 1536 on.
Parsed<uint16_t> parse_ether_type(std::string_view text);
// "tcp", "udp", "icmp", "icmpv6", "ospf", ..., or 0 to 255.
Parsed<uint8_t> parse_protocol(std::string_view text);
// "cs6", "ef", "af41", ..., or 0 to 63.
Parsed<uint8_t> parse_dscp(std::string_view text);
// "80", "1000-2000".
Parsed<NumberRange<uint16_t>> parse_ports(std::string_view text);
Parsed<NumberRange<uint8_t>> parse_icmp_types(std::string_view text);
// "192.0.2.0/24", "2001:db8::/32", "192.0.2.1".
Parsed<IpPrefix> parse_prefix(std::string_view text);
// "01:80:c2:00:00:00/44", "02:00:00:00:00:01".
Parsed<MacAddressPrefix> parse_mac_prefix(std::string_view text);

std::string format_ether_type(uint16_t type);
std::string format_protocol(uint8_t protocol);
std::string format_dscp(uint8_t dscp);
std::string format_ports(NumberRange<uint16_t> ports);
std::string format_icmp_types(NumberRange<uint8_t> types);
std::string format_prefix(IpPrefix prefix);
std::string format_mac_prefix(MacAddressPrefix prefix);

}  // namespace sojourn
