#include "sched/scheduler.h"

#include <algorithm>

namespace sojourn {

Scheduler::Scheduler(const Plan& plan, Time start, std::pmr::memory_resource* memory, uint64_t least_packets)
    : plan_(plan),
      room_(std::max(plan.most_packets(), least_packets)),
      limit_packets_(plan.limit_packets),
      limit_buffers_(plan.limit_buffers),
      pacer_(plan.pacer, start),
      flows_(plan.flows, memory),
      codel_(plan.flows, memory),
      table_(plan.flows, memory),
      chunks_(ChunkPool::needed(static_cast<uint32_t>(room_), plan.flows + 1), memory),
      bypass_limiter_(plan.bypass, start),
      new_flows_(plan.flows, memory),
      old_flows_(plan.flows, memory),
      fat_(plan.flows, memory) {}

void Scheduler::adopt(const Plan& plan, Time now) {
  assert(can_adopt(plan_, room_, plan));
  pacer_.adopt(plan.pacer, now);
  bypass_limiter_.adopt(plan.bypass, now);
  if (flows_.size() == 1) table_.join_crowd(0, flows_[0]);  // what goes ahead may be another choice from now on
  plan_ = plan;
  limit_packets_ = plan.limit_packets;
  limit_buffers_ = plan.limit_buffers;
}

void Scheduler::succeed(Scheduler& old, Time now) {
  pacer_ = old.pacer_;
  pacer_.adopt(plan_.pacer, now);
  bypass_limiter_ = old.bypass_limiter_;
  bypass_limiter_.adopt(plan_.bypass, now);
  was_backlogged_ = old.was_backlogged_;
  sojourn_ = old.sojourn_;
  counters_ = old.counters_;
  counters_.queued = {};
  const Tally still_queued = old.counters_.queued;
  old.counters_ = {};
  old.counters_.queued = still_queued;
  old.limit_packets_ = plan_.limit_packets;
  old.limit_buffers_ = plan_.limit_buffers;
}

bool Scheduler::release(Released& released) {
  if (bypass_.packets != 0) {
    released = {pop_bypass(), FlowList::kIdle, true};
    return true;
  }
  FlowRing& list = new_flows_.is_empty() ? old_flows_ : new_flows_;
  if (list.is_empty()) return false;
  const uint32_t queue = list.front();
  Flow& f = flows_[queue];
  list.pop_front();
  if (f.packets == 0) {
    f.list = FlowList::kIdle;
    return false;
  }
  released = {pop(queue), f.list, false};
  if (f.packets != 0) {
    list.push_back(queue);
  } else {
    f.list = FlowList::kIdle;
  }
  return true;
}

void Scheduler::requeue(const Released& released, uint64_t flow_hash) {
  counters_.queued.add(released.packet.frame_bytes());
  if (released.bypasses) return chunks_.push(bypass_, released.packet);
  const uint32_t queue = table_.place(flow_hash, flows_).queue;
  Flow& f = flows_[queue];
  const uint32_t backlog = f.backlog_bytes;
  chunks_.push(f, released.packet);
  fat_.update(queue, backlog, f.backlog_bytes);
  if (f.list == FlowList::kIdle) {
    f.list = released.list;
    f.deficit = plan_.quantum_bytes;
    (released.list == FlowList::kNew ? new_flows_ : old_flows_).push_back(queue);
  }
}

void Scheduler::leave_room_for(uint64_t packets) {
  limit_packets_ = plan_.limit_packets - std::min<uint64_t>(packets, plan_.limit_packets);
  limit_buffers_ = plan_.limit_buffers - std::min<uint64_t>(packets, plan_.limit_buffers);
}

void Scheduler::absorb(Scheduler& old) {
  counters_.add(old.counters_);
  old.counters_ = {};
}

size_t Scheduler::drain(std::span<PacketHandle> out) {
  size_t count = 0;
  while (count < out.size() && counters_.queued.packets != 0) {
    out[count++] = (bypass_.packets != 0 ? pop_bypass() : pop(fat_.fattest())).handle();
  }
  return count;
}

}  // namespace sojourn
