#include "sched/plan.h"

#include <algorithm>

namespace sojourn {

// Queues, limits and isolation stay, so that a change to and fro moves no packet and forgets none.
Parameters in_force(Parameters p) {
  if (p.shaping) return p;
  p.rate = kUnlimited;
  p.aqm = Aqm::kNone;
  return p;
}

Plan compile(const Parameters& asked, uint32_t mtu_bytes, uint32_t buffer_bytes) {
  const Parameters p = in_force(asked);
  Plan plan;
  plan.pacer = Pacer::Plan::compile(p.rate, burst_in_force_bytes(p, mtu_bytes));
  plan.bypass = Pacer::Plan::compile(bypass_limit_in_force(p), bypass_burst_bytes(p, mtu_bytes));
  plan.codel.is_on = p.aqm == Aqm::kCodel;
  plan.codel.ecn = p.ecn;
  plan.codel.target = target_in_force(p, mtu_bytes);
  plan.codel.interval = interval_in_force(p, mtu_bytes);
  if (p.ce_threshold) plan.codel.ce_threshold = *p.ce_threshold;
  plan.codel.exempt_bytes = mtu_frame_bytes(mtu_bytes);
  plan.flows = p.isolation == Isolation::kNone ? 1 : p.flows;
  plan.quantum_bytes = static_cast<int32_t>(p.quantum_bytes);
  plan.overhead_bytes = p.overhead_bytes;
  plan.mpu_bytes = static_cast<int32_t>(p.mpu_bytes);
  plan.limit_packets = p.limit_packets;
  plan.limit_buffers = std::max<uint64_t>(1, p.memory_bytes / buffer_bytes);
  plan.hash = p.hash;
  return plan;
}

}  // namespace sojourn
