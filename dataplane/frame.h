// What a frame's bytes say about its flow and its ECN field. Pure: bytes in, facts out; any bytes at all are allowed.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sched/flow_hash.h"
#include "sched/packet.h"
#include "sched/parameters.h"

namespace sojourn {

enum class FlowKind : uint8_t { kMac, kIpv4, kIpv6 };

// SPEC "Flow queues". All bytes are defined; unused ones are 0.
struct FlowKey {
  uint8_t source[16] = {};       // IPv4: the first 4; MAC: the first 6
  uint8_t destination[16] = {};  // likewise
  uint32_t ports = 0;            // source port << 16 | destination port; ESP and AH: SPI
  uint16_t ether_type = 0;       // MAC only
  uint8_t protocol = 0;          // IP only
  FlowKind kind = FlowKind::kMac;
  bool operator==(const FlowKey&) const = default;
};
static_assert(sizeof(FlowKey) == 40);

// "tcp 192.0.2.1:1000 > 198.51.100.2:2000", "mac 02:..:01 > 02:..:02 type 0x0806"
std::string to_string(const FlowKey& key);

uint64_t flow_hash(const FlowKey& key, HashKey secret);

struct Frame {
  FlowKey key;
  bool is_malformed = false;  // its EtherType, or what carries it, says IP, and the outermost IP header cannot be
  bool is_fragment = false;   // the header that gave the key is a fragment's
  uint8_t ip_version = 0;     // of the outermost IP header; 0: there is none
  uint8_t traffic_class = 0;  // of the outermost IP header: DSCP << 2 | ECN
  uint32_t ip_offset = 0;     // of the outermost IP header
};

// From the first byte of an Ethernet header.
Frame parse(std::span<const uint8_t> frame, HashDepth depth);
// From the first byte of an IP header: frames without Ethernet.
Frame parse_ip(std::span<const uint8_t> packet, HashDepth depth);

// Sets Congestion Experienced in the outermost IP header, if it is ECN-capable (RFC 3168), with the incremental
// checksum of RFC 1624 equation 3: a wrong checksum stays wrong by as much. Nothing else changes. kNotIp: no IP, or
// malformed.
EcnMark mark_ce(std::span<uint8_t> frame);
EcnMark mark_ce_ip(std::span<uint8_t> packet);

}  // namespace sojourn
