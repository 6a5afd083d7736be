// What tells one flow from another, and its keyed hash.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "sched/flow_hash.h"

namespace sojourn {

enum class KeyKind : uint8_t { kMac = 0, kIpv4 = 4, kIpv6 = 6 };

// Source, destination, protocol and ports; a frame without a valid IP header is its MAC pair and EtherType. The two
// directions of a connection are two flows. Every byte is significant: equal flows are equal bytes.
struct FlowKey {
  // Addresses as they stand in the frame, first byte first: four bytes (IPv4), six (MAC) or sixteen (IPv6), then zeros.
  std::array<uint64_t, 2> source{};
  std::array<uint64_t, 2> destination{};
  // kind << 56 | protocol << 48 | EtherType << 32 | ports or SPI. One word, because the hash reads it right after it is
  // written, and smaller stores would not be forwarded to that load.
  uint64_t upper = 0;

  static constexpr uint64_t pack(KeyKind kind, uint8_t protocol, uint32_t ports) {
    return uint64_t{static_cast<uint8_t>(kind)} << 56 | uint64_t{protocol} << 48 | ports;
  }
  static constexpr uint64_t pack_mac(uint16_t ether_type) { return uint64_t{ether_type} << 32; }

  constexpr KeyKind kind() const { return static_cast<KeyKind>(upper >> 56); }
  constexpr uint8_t protocol() const { return static_cast<uint8_t>(upper >> 48); }
  constexpr uint16_t ether_type() const { return static_cast<uint16_t>(upper >> 32); }
  constexpr uint16_t source_port() const { return static_cast<uint16_t>(upper >> 16); }
  constexpr uint16_t destination_port() const { return static_cast<uint16_t>(upper); }
  constexpr uint32_t spi() const { return static_cast<uint32_t>(upper); }  // ESP and AH only

  constexpr bool operator==(const FlowKey&) const = default;
};
static_assert(sizeof(FlowKey) == 40 && std::has_unique_object_representations_v<FlowKey>);

// 64 uniform bits. The kinds hash messages of different lengths, and the length is part of the message.
inline uint64_t flow_hash(const FlowKey& flow, HashKey key) {
  switch (flow.kind()) {
    case KeyKind::kIpv4:
      return siphash13(std::array{flow.source[0] | flow.destination[0] << 32, flow.upper}, key);
    case KeyKind::kIpv6:
      return siphash13(std::array{flow.source[0], flow.source[1], flow.destination[0], flow.destination[1], flow.upper},
                       key);
    case KeyKind::kMac:
      break;
  }
  return siphash13(std::array{flow.source[0], flow.destination[0], flow.upper}, key);
}

// For people: "tcp 192.0.2.1:1000 > 198.51.100.2:2000", "esp 192.0.2.1 > 198.51.100.2 spi 0x00001234",
// "ethertype 0x0806 02:00:00:00:00:01 > ff:ff:ff:ff:ff:ff". IPv6 addresses as in RFC 5952.
std::string format(const FlowKey& flow);

}  // namespace sojourn
