#include "control/budget.h"

#include <algorithm>

namespace sojourn {
namespace {

// An AF_XDP socket's fill and completion rings take buffers of their own, whatever the descriptor counts.
constexpr uint32_t kAfXdpDriverPackets = 4096 + 2048;
constexpr uint32_t kBurstPackets = 32;
constexpr uint32_t kCachePackets = 256 * 3 / 2;  // a core's mempool cache, with its flush margin
constexpr uint32_t kLabOnTheWayPackets = 16'384;
constexpr uint32_t kLabAverageBytes = 256;

uint64_t queued_at_most(const Parameters& p, uint32_t buffer_bytes) {
  return std::min<uint64_t>(p.limit_packets, p.memory_bytes / buffer_bytes) + 1;
}

}  // namespace

uint32_t lab_capacity_packets(const LabPathConfig& lab) {
  return lab.buffer.packets + static_cast<uint32_t>(lab.buffer.bytes / kLabAverageBytes) + kLabOnTheWayPackets;
}

Budget budget_of(const Config& config, uint32_t buffer_bytes) {
  Budget b;
  for (const WireConfig& w : config.wires) {
    for (const DirectionConfig* d : {&w.egress, &w.ingress}) {
      b.scheduler_packets += queued_at_most(d->parameters, buffer_bytes);
      b.core_packets += 2 * kBurstPackets;  // one burst on its way in, one past the shaper
    }
  }
  for (const LabPathConfig& l : config.lab) b.lab_packets += lab_capacity_packets(l);
  for (const PortConfig& p : config.ports) {
    b.ring_packets += p.rx_descriptors + p.tx_descriptors;
    if (p.device.starts_with("net_af_xdp")) b.ring_packets += kAfXdpDriverPackets;
  }
  b.core_packets += 2 * kCachePackets;  // the worker's and the control thread's
  return b;
}

uint64_t environment_bytes(const Budget& budget, uint32_t buffer_bytes, size_t ports) {
  constexpr uint64_t kPoolRingBytesPerPacket = 2 * 8;  // rounded up to a power of two
  constexpr uint64_t kBytesPerPort = uint64_t{4} << 20;
  constexpr uint64_t kFixedBytes = uint64_t{32} << 20;
  const uint64_t buffers = budget.packets() * (uint64_t{buffer_bytes} + kPoolRingBytesPerPacket);
  return buffers + buffers / 4 + ports * kBytesPerPort + kFixedBytes;  // a quarter for what the pool's chunks waste
}

}  // namespace sojourn
