// What a run has counted. Totals are from its start and balance at any instant; `since` and the samples are from the
// end of the warm-up.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "control/jain_index.h"
#include "control/sim/delay_samples.h"
#include "control/sim/source.h"
#include "sched/counters.h"

namespace sojourn::sim {

struct PacketCounts {
  uint64_t sent = 0;
  uint64_t delivered = 0;
  uint64_t lost = 0;                            // on the path
  std::array<uint64_t, kDropCauses> dropped{};  // in bottlenecks
  uint64_t marked = 0;

  uint64_t dropped_in_all() const {
    uint64_t sum = 0;
    for (const uint64_t d : dropped) sum += d;
    return sum;
  }
};

struct FlowStatistics {
  PacketCounts packets, packets_warm;
  SourceCounts source, source_warm;
  DelaySamples rtt;
  DelaySamples waited;  // in all bottlenecks together

  uint64_t goodput_bytes() const { return source.goodput_bytes - source_warm.goodput_bytes; }
};

struct BottleneckStatistics {
  Counters counters, counters_warm;
  DelaySamples waited;
  Uint128 capacity_bit_ns = 0;  // measured part: rate x time
  uint32_t most_queued = 0;     // packets
};

}  // namespace sojourn::sim
