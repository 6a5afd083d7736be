// From the bytes of a frame: the flow it belongs to and where its ECN field is. Pure functions over bytes.
#pragma once

#include <cstdint>
#include <span>

#include "dataplane/frame_key.h"
#include "sched/packet.h"
#include "sched/parameters.h"

namespace sojourn {

enum class IpVersion : uint8_t { kNone = 0, k4 = 4, k6 = 6 };

// What parse() found. "Outermost" is the first IP header from the front of the frame, the one that may be marked.
struct Frame {
  FlowKey key;
  uint16_t ecn_offset = 0;             // offset of the outermost IP header; meaningful unless `outer` is kNone
  IpVersion outer = IpVersion::kNone;  // kNone: no valid IP header, keyed on the MAC pair and EtherType
  bool malformed = false;              // cut off, or its outermost IP header contradicts itself or the frame
  bool is_fragment = false;            // the keyed datagram is a piece; an IPv6 atomic fragment is whole (RFC 6946)
  uint8_t ip_headers = 0;              // walked through up to and including the keyed one
  uint8_t outer_traffic_class = 0;     // DSCP << 2 | ECN of the outermost IP header
  uint8_t key_traffic_class = 0;       // and of the one that the key was taken from
};
static_assert(sizeof(Frame) == 48);

inline constexpr int kMostVlanTags = 4;
inline constexpr int kMostMplsLabels = 8;
inline constexpr int kMostExtensionHeaders = 8;  // of one IPv6 header
inline constexpr int kMostLinkLayers = 8;        // Ethernet, PPPoE, label stack...: between two IP headers
inline constexpr int kMostIpHeaders = 4;         // the fourth is keyed, whatever it carries

// Reads an Ethernet frame without FCS. Never reads outside `bytes`, whatever they hold.
// A header that only a guess found (behind MPLS or in GTP-U nothing announces IP) must prove itself by its checksum or
// exact length, else the frame is opaque: marking must never touch what is not IP.
Frame parse(std::span<const uint8_t> bytes, HashDepth depth);

// The same for bytes that start with an IP header. Without one the key is all zeros.
Frame parse_ip(std::span<const uint8_t> bytes, HashDepth depth);

// Sets CE in the outermost IP header of an Ethernet frame if that header says ECT(0) or ECT(1), and corrects the IPv4
// checksum by the same difference (RFC 1624): a bad checksum stays bad by as much. Nothing else changes, and nothing
// at all for the other results. kNotIp: not IP or malformed, as parse() has it.
EcnMark mark_ce(std::span<uint8_t> bytes);

// The same for bytes that start with an IP header.
EcnMark mark_ce_ip(std::span<uint8_t> bytes);

}  // namespace sojourn
