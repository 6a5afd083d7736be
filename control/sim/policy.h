// The four policies that experiments compare: with and without flow queueing, with and without CoDel.
#pragma once

#include <array>
#include <string_view>

#include "sched/parameters.h"

namespace sojourn::sim {

struct Policy {
  std::string_view name;
  Isolation isolation;
  Aqm aqm;
};

inline constexpr Policy kDropTail{"drop-tail", Isolation::kNone, Aqm::kNone};
inline constexpr Policy kCodel{"codel", Isolation::kNone, Aqm::kCodel};
inline constexpr Policy kFairQueueing{"fq", Isolation::kFlows, Aqm::kNone};
inline constexpr Policy kFqCodel{"fq_codel", Isolation::kFlows, Aqm::kCodel};

// A link of `rate` with a queue of `limit_packets`: no burst, since a link saves nothing up while it is idle.
inline Parameters link_parameters(const Policy& policy, BitsPerSecond rate, uint32_t limit_packets) {
  Parameters p;
  p.rate = rate;
  p.burst_bytes = 0;
  p.limit_packets = limit_packets;
  p.memory_bytes = limits::kMemoryBytes.most;  // packets are what limits
  p.isolation = policy.isolation;
  p.aqm = policy.aqm;
  return p;
}

}  // namespace sojourn::sim
