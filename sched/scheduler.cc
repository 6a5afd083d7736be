#include "sched/scheduler.h"

namespace sojourn {
namespace {

// One more than the limit, because a packet is queued before the limit is looked at.
uint32_t most_packets(const Plan& plan) {
  return static_cast<uint32_t>(std::min<uint64_t>(plan.limit_packets, plan.limit_buffers)) + 1;
}

}  // namespace

Scheduler::Scheduler(const Plan& plan, Time start, std::pmr::memory_resource* memory)
    : plan_(plan),
      pacer_(plan.pacer, start),
      flows_(plan.flows, memory),
      codel_(plan.flows, memory),
      table_(plan.flows, memory),
      chunks_(ChunkPool::needed(most_packets(plan), plan.flows), memory),
      new_flows_(plan.flows, memory),
      old_flows_(plan.flows, memory),
      fat_(plan.flows, memory) {}

void Scheduler::adopt(const Plan& plan, Time now) {
  assert(plan.flows == plan_.flows);
  assert(ChunkPool::needed(most_packets(plan), plan.flows) <= chunks_.chunks());
  pacer_.adopt(plan.pacer, now);
  plan_ = plan;
}

size_t Scheduler::drain(std::span<PacketHandle> out) {
  size_t count = 0;
  while (count < out.size() && counters_.queued.packets != 0) out[count++] = pop(fat_.fattest()).handle();
  return count;
}

}  // namespace sojourn
