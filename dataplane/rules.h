// Which frames go ahead of the queues: rules over the outermost headers of a frame, the first that matches decides.
// Compiled into one bit a rule for every value of every field, so that a frame's rules are found by a few ANDs however
// many there are. Pure functions over bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sojourn {

enum class RuleAction : uint8_t { kShape, kBypass };

template <typename T>
struct ValueRange {
  T first, last;  // both included
  bool operator==(const ValueRange&) const = default;
};

// An address as it stands in a frame, and how many of its bits count.
struct AddressPrefix {
  bool is_ipv6 = false;
  std::array<uint8_t, 16> address{};  // IPv4: the first four
  uint8_t bits = 0;
  bool operator==(const AddressPrefix&) const = default;
};

struct MacPrefix {
  std::array<uint8_t, 6> address{};
  uint8_t bits = 48;
  bool operator==(const MacPrefix&) const = default;
};

// What is absent matches everything; all that is present must match. Ports match the pieces of a datagram that have
// them: the first fragment and whole ones.
struct Rule {
  std::string name;  // for people
  RuleAction action = RuleAction::kBypass;
  std::optional<MacPrefix> destination_mac;
  std::optional<uint16_t> ether_type;  // behind all VLAN tags
  std::optional<uint16_t> vlan;        // identifier of the outermost tag; 0: none, or a priority tag
  std::optional<AddressPrefix> source, destination;
  std::optional<uint8_t> protocol;  // IPv4's, or IPv6's behind extension headers
  std::optional<ValueRange<uint16_t>> source_port, destination_port;
  std::optional<uint8_t> dscp;
  std::optional<ValueRange<uint8_t>> icmp_type;  // of ICMP or ICMPv6, as `protocol` says
  bool operator==(const Rule&) const = default;
};

inline constexpr size_t kMostRules = 64;

class RuleSet {
 public:
  RuleSet() = default;
  // At most kMostRules; the rest is not looked at.
  explicit RuleSet(const std::vector<Rule>& rules);

  // Index of the first rule that an Ethernet frame matches; -1: none. Never reads outside `frame`. A frame that is cut
  // off matches by what it has.
  int match(std::span<const uint8_t> frame) const;
  bool bypasses(std::span<const uint8_t> frame) const {
    const int rule = match(frame);
    return rule >= 0 && (bypass_ >> rule & 1) != 0;
  }
  bool is_empty() const { return all_ == 0; }

 private:
  using Mask = uint64_t;  // bit n: rule n may match

  // Port numbers where the set of matching rules changes, and the rules from there on.
  struct Ports {
    static constexpr size_t kMost = 2 * kMostRules + 1;
    std::array<uint16_t, kMost> starts{};
    std::array<Mask, kMost> masks{};
    uint32_t count = 0;
    Mask at(uint16_t port) const;
  };
  // A prefix matches when each of its bytes does: the rules by place of the byte and its value. No tables while no rule
  // names such a field.
  struct Prefixes {
    std::vector<std::array<Mask, 256>> bytes;
    void narrow(Mask rule, std::span<const uint8_t> prefix, unsigned bits);
    Mask at(const uint8_t* field) const {
      Mask mask = ~Mask{0};
      for (const auto& byte : bytes) mask &= byte[*field++];
      return mask;
    }
  };
  struct Addresses {
    Prefixes source, destination;
    Mask named = 0;  // rules that name an address of this family
  };
  template <typename T>
  struct Listed {  // values that some rule names, and the rules for each
    std::vector<std::pair<T, Mask>> values;
    Mask others = ~Mask{0};
    Mask at(const T& value) const;
  };

  Mask match_network(std::span<const uint8_t> packet, uint16_t ether_type, Mask mask) const;
  Mask match_addresses(const uint8_t* source, const uint8_t* destination, const Addresses& family,
                       const Addresses& other, Mask mask) const;
  Mask match_transport(std::span<const uint8_t> transport, uint8_t protocol, bool is_first, Mask mask) const;

  Mask all_ = 0, bypass_ = 0;
  bool is_group_only_ = true;  // every MAC address that is named is one of a group
  Mask needs_mac_ = 0, needs_ip_ = 0, needs_port_ = 0, needs_icmp_ = 0;
  Listed<uint16_t> ether_types_, vlans_;
  std::array<Mask, 256> protocols_{}, icmp_types_{};
  std::array<Mask, 64> dscps_{};
  Ports source_ports_, destination_ports_;
  Prefixes macs_;
  Addresses ipv4_, ipv6_;
};

// ARP, neighbour discovery, DHCP, link-local MAC control (STP, LACP, LLDP, pause), BFD, VRRP and CARP, pfsync, OSPF,
// IS-IS, BGP: what must get through lest the network itself fails.
std::vector<Rule> control_plane_rules();

}  // namespace sojourn
