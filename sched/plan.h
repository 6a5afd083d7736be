// Parameters compiled for the packet path: no text, no division, no optional left.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/codel.h"
#include "sched/pacer.h"
#include "sched/parameters.h"

namespace sojourn {

struct Plan {
  Pacer::Plan pacer;
  Pacer::Plan bypass;  // limit on what goes ahead of the queues
  CodelPlan codel;
  uint32_t flows = 1024;  // 1 when isolation is none
  int32_t quantum_bytes = 1514;
  int32_t overhead_bytes = 0;
  int32_t mpu_bytes = 0;
  uint32_t limit_packets = 10240;
  uint64_t limit_buffers = 0;  // the memory limit, in packet buffers
  HashDepth hash = HashDepth::kInner;
  bool operator==(const Plan&) const = default;

  // One more than the limits, because a packet is queued before they are looked at.
  uint64_t most_packets() const { return std::min<uint64_t>(limit_packets, limit_buffers) + 1; }

  WireBytes charged(uint32_t frame_bytes) const {
    const int32_t bytes = static_cast<int32_t>(frame_bytes) + overhead_bytes;
    return {static_cast<uint32_t>(bytes > mpu_bytes ? bytes : mpu_bytes)};
  }
};

// What `parameters` come to: as they are, or, with shaping off, without a rate and without AQM.
Parameters in_force(Parameters parameters);

// `buffer_bytes`: memory that one queued packet occupies (its buffer and the buffer's header).
Plan compile(const Parameters& parameters, uint32_t mtu_bytes, uint32_t buffer_bytes);

}  // namespace sojourn
