#include "config/match.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <vector>

#include "config/nearest.h"

namespace sojourn {
namespace {

struct Named {
  const char* name;
  unsigned value;
};
constexpr Named kEtherTypes[] = {{"ipv4", 0x0800}, {"arp", 0x0806},    {"rarp", 0x8035},  {"ipv6", 0x86dd},
                                 {"mpls", 0x8847}, {"pppoe", 0x8864},  {"eapol", 0x888e}, {"lldp", 0x88cc},
                                 {"slow", 0x8809}, {"macsec", 0x88e5}, {"ptp", 0x88f7}};
constexpr Named kProtocols[] = {{"icmp", 1},  {"igmp", 2},   {"tcp", 6},     {"udp", 17},    {"gre", 47},
                                {"esp", 50},  {"ah", 51},    {"icmpv6", 58}, {"eigrp", 88},  {"ospf", 89},
                                {"pim", 103}, {"vrrp", 112}, {"sctp", 132},  {"pfsync", 240}};
constexpr Named kDscps[] = {{"cs0", 0},   {"le", 1},    {"cs1", 8},   {"af11", 10}, {"af12", 12}, {"af13", 14},
                            {"cs2", 16},  {"af21", 18}, {"af22", 20}, {"af23", 22}, {"cs3", 24},  {"af31", 26},
                            {"af32", 28}, {"af33", 30}, {"cs4", 32},  {"af41", 34}, {"af42", 36}, {"af43", 38},
                            {"cs5", 40},  {"va", 44},   {"ef", 46},   {"cs6", 48},  {"cs7", 56}};

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value, is_hex ? 16 : 10);
  return r.ec == std::errc() && r.ptr == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

template <typename T, size_t kCount>
Parsed<T> parse_named(std::string_view text, const Named (&names)[kCount], unsigned least, unsigned most,
                      const char* what) {
  const std::string word(trimmed(text));
  for (const Named& n : names) {
    if (word == n.name) return {static_cast<T>(n.value), "", 0};
  }
  const auto value = number(word);
  if (value && *value >= least && *value <= most) return {static_cast<T>(*value), "", 0};
  if (value) {
    return {std::nullopt,
            '"' + word + "\" is out of range; nearest is " + std::to_string(std::clamp(*value, least, most)), 0};
  }
  std::vector<std::string> known;
  for (const Named& n : names) known.emplace_back(n.name);
  return {std::nullopt, '"' + word + "\" is no " + what + suggestion(word, known), 0};
}

template <size_t kCount>
std::string format_named(unsigned value, const Named (&names)[kCount]) {
  for (const Named& n : names) {
    if (n.value == value) return n.name;
  }
  return std::to_string(value);
}

template <typename T>
Parsed<NumberRange<T>> parse_range(std::string_view text, const char* what) {
  constexpr unsigned kMost = static_cast<T>(-1);
  const std::string_view word = trimmed(text);
  const size_t dash = word.find('-');
  const auto first = number(trimmed(word.substr(0, dash)));
  const auto last = dash == word.npos ? first : number(trimmed(word.substr(dash + 1)));
  const std::string quoted = '"' + std::string(word) + '"';
  if (!first || !last)
    return {std::nullopt, quoted + " is no " + what + "; write one number, or two as in \"10-20\"", 0};
  if (*first > kMost || *last > kMost)
    return {std::nullopt, quoted + " is out of range; nearest is " + std::to_string(kMost), 0};
  if (*first > *last) return {std::nullopt, quoted + " ends before it begins", 0};
  return {NumberRange<T>{static_cast<T>(*first), static_cast<T>(*last)}, "", 0};
}

template <typename T>
std::string format_range(NumberRange<T> r) {
  return r.first == r.last ? std::to_string(r.first) : std::to_string(r.first) + '-' + std::to_string(r.last);
}

// What follows a slash, or all bits. Sets the bits beyond to zero, and says so when there were any.
template <size_t kBytes>
std::string read_bits(std::string_view text, unsigned most, std::array<uint8_t, kBytes>& address, uint8_t& bits) {
  const size_t slash = text.find('/');
  const auto given = slash == text.npos ? std::optional(most) : number(trimmed(text.substr(slash + 1)));
  if (!given || *given > most) return "has no length from 0 to " + std::to_string(most) + " behind its slash";
  bits = static_cast<uint8_t>(*given);
  for (unsigned i = bits; i < most; ++i) {
    const auto bit = static_cast<uint8_t>(0x80 >> i % 8);
    if ((address[i / 8] & bit) != 0)
      return "has bits beyond its " + std::to_string(bits) + "; clear them, or lengthen it";
  }
  return {};
}

}  // namespace

Parsed<uint16_t> parse_ether_type(std::string_view text) {
  return parse_named<uint16_t>(text, kEtherTypes, 1536, 65'535, "EtherType");
}
Parsed<uint8_t> parse_protocol(std::string_view text) {
  return parse_named<uint8_t>(text, kProtocols, 0, 255, "protocol");
}
Parsed<uint8_t> parse_dscp(std::string_view text) {
  return parse_named<uint8_t>(text, kDscps, 0, 63, "DSCP");
}
Parsed<NumberRange<uint16_t>> parse_ports(std::string_view text) {
  return parse_range<uint16_t>(text, "port");
}
Parsed<NumberRange<uint8_t>> parse_icmp_types(std::string_view text) {
  return parse_range<uint8_t>(text, "ICMP type");
}

Parsed<IpPrefix> parse_prefix(std::string_view text) {
  const std::string word(trimmed(text)), address = word.substr(0, word.find('/'));
  IpPrefix prefix;
  prefix.is_ipv6 = address.find(':') != address.npos;
  const int family = prefix.is_ipv6 ? AF_INET6 : AF_INET;
  if (inet_pton(family, address.c_str(), prefix.address.data()) != 1)
    return {std::nullopt, '"' + word + "\" is no prefix; write one such as \"192.0.2.0/24\" or \"2001:db8::/32\"", 0};
  const std::string reason = read_bits(word, prefix.is_ipv6 ? 128 : 32, prefix.address, prefix.bits);
  if (!reason.empty()) return {std::nullopt, '"' + word + "\" " + reason, 0};
  return {prefix, "", 0};
}

Parsed<MacAddressPrefix> parse_mac_prefix(std::string_view text) {
  const std::string word(trimmed(text));
  MacAddressPrefix prefix;
  std::array<unsigned, 6> b{};
  int used = 0;
  const int count =
      std::sscanf(word.c_str(), "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &used);
  const auto end = static_cast<size_t>(used);
  if (count != 6 || (end != word.size() && word[end] != '/'))
    return {std::nullopt, '"' + word + "\" is no MAC address; write one such as \"01:80:c2:00:00:00/44\"", 0};
  std::transform(b.begin(), b.end(), prefix.address.begin(), [](unsigned v) { return static_cast<uint8_t>(v); });
  const std::string reason = read_bits(word, 48, prefix.address, prefix.bits);
  if (!reason.empty()) return {std::nullopt, '"' + word + "\" " + reason, 0};
  return {prefix, "", 0};
}

std::string format_ether_type(uint16_t type) {
  for (const Named& n : kEtherTypes) {
    if (n.value == type) return n.name;
  }
  char text[8];
  std::snprintf(text, sizeof text, "0x%04x", type);
  return text;
}
std::string format_protocol(uint8_t protocol) {
  return format_named(protocol, kProtocols);
}
std::string format_dscp(uint8_t dscp) {
  return format_named(dscp, kDscps);
}
std::string format_ports(NumberRange<uint16_t> ports) {
  return format_range(ports);
}
std::string format_icmp_types(NumberRange<uint8_t> types) {
  return format_range(types);
}
std::string format_prefix(IpPrefix prefix) {
  char text[INET6_ADDRSTRLEN];
  inet_ntop(prefix.is_ipv6 ? AF_INET6 : AF_INET, prefix.address.data(), text, sizeof text);
  return std::string(text) + '/' + std::to_string(prefix.bits);
}
std::string format_mac_prefix(MacAddressPrefix p) {
  char text[24];
  const auto& a = p.address;
  std::snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", a[0], a[1], a[2], a[3], a[4], a[5]);
  return p.bits == 48 ? text : std::string(text) + '/' + std::to_string(p.bits);
}

}  // namespace sojourn
