// The memory of one packet buffer, as a formula: whoever has no DPDK at hand counts the memory limit alike.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sojourn {

inline constexpr uint32_t kMbufBytes = 128;            // sizeof(rte_mbuf)
inline constexpr uint32_t kMbufHeadroomBytes = 128;    // RTE_PKTMBUF_HEADROOM
inline constexpr uint32_t kLeastDataRoomBytes = 2176;  // RTE_MBUF_DEFAULT_BUF_SIZE
inline constexpr uint32_t kVlanTagsBytes = 16;         // four may come on top of what the MTU allows
inline constexpr uint32_t kXdpHeadroomBytes = 256;     // the kernel keeps as much of an AF_XDP buffer for itself

// What follows the mbuf: headroom and data. No port splits a frame over buffers.
constexpr uint32_t data_room_bytes(uint32_t frame_bytes) {
  return std::max(kLeastDataRoomBytes, frame_bytes + kVlanTagsBytes + kXdpHeadroomBytes + kMbufHeadroomBytes);
}

// With the pool's own header, in cache lines: an odd number of them, by which rte_mempool spreads buffers over memory
// channels.
constexpr uint32_t buffer_bytes(uint32_t frame_bytes) {
  constexpr uint32_t kLine = 64, kPoolHeader = 64;
  const uint32_t lines = (kPoolHeader + kMbufBytes + data_room_bytes(frame_bytes) + kLine - 1) / kLine;
  return (lines | 1) * kLine;
}

}  // namespace sojourn
