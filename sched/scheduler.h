// One direction of a wire: flow queues (RFC 8290 DRR++), CoDel in each, limits over all, and the shaper in front.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "sched/counters.h"
#include "sched/fat_flows.h"
#include "sched/flow.h"
#include "sched/flow_ring.h"
#include "sched/flow_table.h"
#include "sched/histogram.h"
#include "sched/plan.h"

namespace sojourn {

class Scheduler {
 public:
  // Takes all memory that it will ever use from `memory`. `start`: an instant not after the first `now`. It has room
  // for `least_packets`, or for as many as the limits allow if that is more.
  Scheduler(const Plan& plan, Time start, std::pmr::memory_resource* memory, uint64_t least_packets = 0);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Queues the packets, in this order, as arrived at `now`. Each becomes the scheduler's; when a limit is passed, heads
  // of a fat flow go back through owner.drop, or, without AQM, the packet itself.
  template <PacketOwner Owner>
  void enqueue(Time now, std::span<const Arrival> arrivals, Owner& owner);

  // Hands out, in the order of departure, the packets that may leave now, at most out.size(). Packets that CoDel drops
  // go through owner.drop. Work is bounded: fewer packets than could leave may come, and is_ready(now) then holds.
  template <PacketOwner Owner>
  size_t dequeue(Time now, std::span<PacketHandle> out, Owner& owner);

  bool is_ready(Time now) const { return counters_.queued.packets != 0 && pacer_.is_open(now); }
  // The first instant at which the shaper is open.
  Time opens_at() const { return pacer_.opens_at(); }

  // Takes every packet out, unsent: owner.drop is not called and nothing is counted as dropped. At most out.size() a
  // call; 0 when nothing is left. For shutdown.
  size_t drain(std::span<PacketHandle> out);

  // Puts another plan in force for the next packet; queues stay. Only a plan for which can_adopt() holds; any other
  // needs a successor.
  void adopt(const Plan& plan, Time now);
  // May a scheduler with this plan and room_packets() adopt `next`? The queues and keys are the same, and there is
  // room.
  static bool can_adopt(const Plan& plan, uint64_t room_packets, const Plan& next) {
    return next.flows == plan.flows && next.hash == plan.hash && next.most_packets() <= room_packets;
  }
  uint64_t room_packets() const { return room_; }

  // The change to other tables, without loss or reordering. A new scheduler succeeds the old one: it has the old one's
  // history from then on and sends alone. What comes still goes to the old one, behind what it has of the same flow,
  // and is moved, packet by packet in the order of service, until the old one is empty; then the new one absorbs what
  // the old one has counted meanwhile.
  struct Released {
    Descriptor packet;
    FlowList list = FlowList::kIdle;  // that its queue was on
    bool bypasses = false;
  };
  void succeed(Scheduler& old, Time now);
  // Takes the next packet out, or an empty queue off its list, regardless of shaper and AQM; counts it nowhere. False:
  // no packet this time.
  bool release(Released& released);
  // Queues a released packet as one that is here since its arrival.
  void requeue(const Released& released, uint64_t flow_hash);
  // Packets that are held elsewhere, under the limits of this plan.
  void leave_room_for(uint64_t packets);
  void absorb(Scheduler& old);
  // Nothing is queued, and no queue waits for a turn to leave its list.
  bool is_at_rest() const { return new_flows_.is_empty() && old_flows_.is_empty() && bypass_.packets == 0; }

  const Plan& plan() const { return plan_; }
  const Counters& counters() const { return counters_; }
  const Histogram& sojourn() const { return sojourn_; }
  struct FlowCounts {
    uint32_t new_list, old_list;
  };
  FlowCounts flow_counts() const { return {new_flows_.size(), old_flows_.size()}; }

  // Queue a packet with this hash would be put into now; for tests and traces.
  uint32_t queue_of(uint64_t hash) const { return table_.guess(hash); }
  const Flow& flow(uint32_t queue) const { return flows_[queue]; }
  const CodelCold& codel(uint32_t queue) const { return codel_[queue]; }
  // Chunks that hold packets now; 0 when nothing is queued.
  uint32_t used_chunks() const { return chunks_.chunks() - chunks_.free_chunks(); }

 private:
  static constexpr uint32_t kMostDropsAtOnce = 64;  // SPEC: from a fat flow
  static constexpr size_t kFlowLineAhead = 8;       // turns; see bench/
  static constexpr size_t kPacketAhead = 4;

  template <PacketOwner Owner>
  void enqueue_one(Time now, const Arrival& arrival, Owner& owner);
  bool takes_bypass(Time now, const Arrival& arrival, bool is_full);
  bool must_drop_tail(uint64_t hash) const;
  template <PacketOwner Owner>
  void drop_tail(const Arrival& arrival, Owner& owner);
  template <PacketOwner Owner>
  void drop_from_fattest(Owner& owner);
  DropCause overflow_cause(uint64_t packets) const {
    return packets > limit_packets_ ? DropCause::kOverLimit : DropCause::kOverMemory;
  }
  template <PacketOwner Owner>
  CodelVerdict judge(Time now, uint32_t queue, Owner& owner);
  template <PacketOwner Owner>
  void prefetch_turns(const FlowRing& list, Owner& owner) const;

  Descriptor pop(uint32_t queue);
  Descriptor pop_bypass();
  PacketHandle send_bypass(Time now);
  WireBytes account_sent(Time now, const Descriptor& d);
  void rotate(FlowRing& list, uint32_t queue);
  void retire_empty(FlowRing& list, uint32_t queue);

  Plan plan_;
  uint64_t room_;                           // in packets
  uint64_t limit_packets_, limit_buffers_;  // the plan's, less what is held elsewhere
  Pacer pacer_;
  std::pmr::vector<Flow> flows_;
  std::pmr::vector<CodelCold> codel_;
  FlowTable table_;
  ChunkPool chunks_;
  Pacer bypass_limiter_;
  Flow bypass_;  // first in, first out, ahead of all others
  FlowRing new_flows_;
  FlowRing old_flows_;
  FatFlows fat_;
  Counters counters_;
  Histogram sojourn_;
  bool was_backlogged_ = false;  // when dequeue returned last
};

template <PacketOwner Owner>
void Scheduler::enqueue(Time now, std::span<const Arrival> arrivals, Owner& owner) {
  for (const Arrival& a : arrivals) table_.prefetch(a.flow_hash);
  for (const Arrival& a : arrivals) __builtin_prefetch(&flows_[table_.guess(a.flow_hash)], 1);
  for (const Arrival& a : arrivals) enqueue_one(now, a, owner);
}

template <PacketOwner Owner>
void Scheduler::enqueue_one(Time now, const Arrival& arrival, Owner& owner) {
  const bool is_full = counters_.queued.packets >= limit_packets_ || counters_.queued.packets >= limit_buffers_;
  if (arrival.bypasses && takes_bypass(now, arrival, is_full)) [[unlikely]] {
    if (is_full) drop_from_fattest(owner);
    return;
  }
  if (is_full && must_drop_tail(arrival.flow_hash)) [[unlikely]]
    return drop_tail(arrival, owner);
  const auto [queue, is_collision] = table_.place(arrival.flow_hash, flows_);
  Flow& f = flows_[queue];
  const uint32_t backlog = f.backlog_bytes;
  chunks_.push(f, Descriptor::of(arrival, now));
  fat_.update(queue, backlog, f.backlog_bytes);
  if (arrival.bypasses && flows_.size() == 1) [[unlikely]]
    table_.join_crowd(queue, f);
  if constexpr (QueueObserver<Owner>) owner.queued(arrival.handle, queue);
  if (f.list == FlowList::kIdle) {
    f.list = FlowList::kNew;
    f.deficit = plan_.quantum_bytes;
    new_flows_.push_back(queue);
    ++counters_.new_flows;
  }
  counters_.received.add(arrival.frame_bytes);
  counters_.queued.add(arrival.frame_bytes);
  counters_.collisions += is_collision;
  counters_.most_frame_bytes = std::max(counters_.most_frame_bytes, arrival.frame_bytes);
  if (is_full) [[unlikely]]
    drop_from_fattest(owner);
}

// A packet that goes ahead: within the limit on that, and only if it cannot overtake one of its own flow.
inline bool Scheduler::takes_bypass(Time now, const Arrival& arrival, bool is_full) {
  const bool has_room = !is_full || fat_.fattest() != kNone;
  if (!has_room || !bypass_limiter_.is_open(now) || table_.may_hold(arrival.flow_hash, flows_)) {
    ++counters_.bypass_over_limit;
    return false;
  }
  bypass_limiter_.charge(now, plan_.charged(arrival.frame_bytes));
  chunks_.push(bypass_, Descriptor::of(arrival, now));
  counters_.received.add(arrival.frame_bytes);
  counters_.queued.add(arrival.frame_bytes);
  counters_.most_frame_bytes = std::max(counters_.most_frame_bytes, arrival.frame_bytes);
  return true;
}

// Without AQM a full queue drops its tail: the packet that comes, if its own queue is at least half as long as the
// longest. A short queue's packet is taken all the same, and the fat flow pays.
inline bool Scheduler::must_drop_tail(uint64_t hash) const {
  const uint32_t queue = plan_.codel.is_on ? kNone : table_.own_queue(hash);
  return queue != kNone && fat_.is_fat(flows_[queue].backlog_bytes);
}

template <PacketOwner Owner>
void Scheduler::drop_tail(const Arrival& arrival, Owner& owner) {
  const DropCause cause = overflow_cause(counters_.queued.packets + 1);
  ++counters_.overflows;
  counters_.received.add(arrival.frame_bytes);
  counters_.dropped[static_cast<unsigned>(cause)].add(arrival.frame_bytes);
  counters_.most_frame_bytes = std::max(counters_.most_frame_bytes, arrival.frame_bytes);
  owner.drop(arrival.handle, cause);
}

// SPEC "Flow queues", limits: from the head, half of the victim's bytes, at most 64 packets.
template <PacketOwner Owner>
void Scheduler::drop_from_fattest(Owner& owner) {
  const DropCause cause = overflow_cause(counters_.queued.packets);
  const uint32_t queue = fat_.fattest();
  const uint32_t enough = flows_[queue].backlog_bytes / 2;
  ++counters_.overflows;
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < kMostDropsAtOnce && (i == 0 || bytes < enough); ++i) {
    const Descriptor d = pop(queue);
    bytes += d.frame_bytes();
    counters_.dropped[static_cast<unsigned>(cause)].add(d.frame_bytes());
    owner.drop(d.handle(), cause);
  }
}

template <PacketOwner Owner>
size_t Scheduler::dequeue(Time now, std::span<PacketHandle> out, Owner& owner) {
  size_t count = 0;
  if (was_backlogged_) counters_.late_ns += static_cast<uint64_t>(pacer_.forfeit(now).ns);
  for (size_t work = 64 + 8 * out.size(); work != 0 && count < out.size() && pacer_.is_open(now); --work) {
    if (bypass_.packets != 0) [[unlikely]] {
      out[count++] = send_bypass(now);
      continue;
    }
    FlowRing& list = new_flows_.is_empty() ? old_flows_ : new_flows_;
    if (list.is_empty()) break;
    const uint32_t queue = list.front();
    Flow& f = flows_[queue];
    if (f.deficit <= 0) {
      prefetch_turns(list, owner);
      rotate(list, queue);
      continue;
    }
    if (f.packets == 0) {
      retire_empty(list, queue);
      continue;
    }
    const CodelVerdict verdict = judge(now, queue, owner);
    const Descriptor d = pop(queue);
    if (verdict == CodelVerdict::kDrop) {
      counters_.dropped[static_cast<unsigned>(DropCause::kAqm)].add(d.frame_bytes());
      owner.drop(d.handle(), DropCause::kAqm);
      continue;
    }
    f.deficit -= static_cast<int32_t>(account_sent(now, d).value);
    out[count++] = d.handle();
  }
  was_backlogged_ = counters_.queued.packets != 0;
  return count;
}

inline WireBytes Scheduler::account_sent(Time now, const Descriptor& d) {
  const WireBytes charge = plan_.charged(d.frame_bytes());
  pacer_.charge(now, charge);
  counters_.sent.add(d.frame_bytes());
  counters_.sent_wire_bytes += charge.value;
  sojourn_.record(std::max(Duration{0}, now - d.arrival()));
  return charge;
}

inline PacketHandle Scheduler::send_bypass(Time now) {
  const Descriptor d = pop_bypass();
  account_sent(now, d);
  counters_.bypassed.add(d.frame_bytes());
  return d.handle();
}

inline Descriptor Scheduler::pop_bypass() {
  const Descriptor d = chunks_.pop(bypass_);
  --counters_.queued.packets;
  counters_.queued.bytes -= d.frame_bytes();
  return d;
}

// CoDel's word on the head of a queue; ce_threshold has the rest.
template <PacketOwner Owner>
CodelVerdict Scheduler::judge(Time now, uint32_t queue, Owner& owner) {
  if (!plan_.codel.is_on) return CodelVerdict::kDeliver;
  Flow& f = flows_[queue];
  const Descriptor& head = f.oldest[0];
  const Duration sojourn = std::max(Duration{0}, now - head.arrival());
  const auto mark = [&] {
    const EcnMark result = owner.mark_ce(head.handle());
    counters_.marked_ecn += result == EcnMark::kMarked;
    counters_.already_ce += result == EcnMark::kAlreadyCe;
    return result == EcnMark::kMarked || result == EcnMark::kAlreadyCe;
  };
  Codel codel(plan_.codel, f.codel_event_ns, f.flags, codel_[queue]);
  const CodelVerdict verdict = codel.advance(now, sojourn, f.backlog_bytes - head.frame_bytes(), mark);
  if (verdict == CodelVerdict::kDeliver && sojourn > plan_.codel.ce_threshold) [[unlikely]] {
    counters_.marked_ce_threshold += owner.mark_ce(head.handle()) == EcnMark::kMarked;
  }
  return verdict;
}

template <PacketOwner Owner>
void Scheduler::prefetch_turns(const FlowRing& list, Owner& owner) const {
  __builtin_prefetch(&flows_[list.peek(kFlowLineAhead)], 1);
  if (list.size() > kPacketAhead) owner.prefetch(flows_[list.peek(kPacketAhead)].oldest[0].handle());
}

inline Descriptor Scheduler::pop(uint32_t queue) {
  Flow& f = flows_[queue];
  const uint32_t backlog = f.backlog_bytes;
  const Descriptor d = chunks_.pop(f);
  fat_.update(queue, backlog, f.backlog_bytes);
  if ((f.flags & Flow::kHasGuests) != 0) [[unlikely]]
    table_.shared_queue_popped(queue, f);
  --counters_.queued.packets;
  counters_.queued.bytes -= d.frame_bytes();
  return d;
}

// A flow that has used its credit: one quantum, and to the tail of the old list.
inline void Scheduler::rotate(FlowRing& list, uint32_t queue) {
  Flow& f = flows_[queue];
  f.deficit += plan_.quantum_bytes;
  f.list = FlowList::kOld;
  list.pop_front();
  old_flows_.push_back(queue);
}

// A flow without packets: a new one to the tail of the old list, always; an old one leaves.
inline void Scheduler::retire_empty(FlowRing& list, uint32_t queue) {
  Flow& f = flows_[queue];
  Codel(plan_.codel, f.codel_event_ns, f.flags, codel_[queue]).found_empty();
  list.pop_front();
  if (f.list == FlowList::kNew) {
    f.list = FlowList::kOld;
    old_flows_.push_back(queue);
  } else {
    f.list = FlowList::kIdle;
  }
}

}  // namespace sojourn
