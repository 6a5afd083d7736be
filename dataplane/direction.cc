#include "dataplane/direction.h"

#include <rte_ethdev.h>
#include <rte_ether.h>

#include <utility>

#include "dataplane/frame.h"
#include "dataplane/mbuf_owner.h"

namespace sojourn {
namespace {

uint32_t frame_bytes(const rte_mbuf* m) {
  return rte_pktmbuf_pkt_len(m);
}

// Some drivers hand over a frame without its first VLAN tag, beside it, whatever they were asked (AF_PACKET: the kernel
// has taken it off). The wire is transparent, so the tag goes back (CASES LQ-7).
bool restore_vlan_tag(rte_mbuf*& m) {
  return (m->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) == 0 || rte_vlan_insert(&m) == 0;
}

bool can_be_sent(const rte_mbuf* m) {
  return frame_bytes(m) != 0 && frame_bytes(m) <= kMostFrameBytes;
}

}  // namespace

Direction::Direction(const DirectionOptions& options, Time start, std::pmr::memory_resource* memory)
    : rx_port_(options.rx_port),
      tx_port_(options.tx_port),
      hash_key_(options.hash_key),
      rules_(options.rules),
      scheduler_(std::make_unique<Scheduler>(options.plan, start, memory)) {
  if (options.lab) lab_ = std::make_unique<LabPath>(*options.lab, options.lab_packets, start);
}

uint16_t Direction::receive(Time now) {
  std::array<rte_mbuf*, kBurst> frames;
  std::array<Arrival, kBurst> arrivals;
  const uint16_t received = rte_eth_rx_burst(rx_port_, 0, frames.data(), kBurst);
  for (uint16_t i = 0; i < received; ++i) rte_prefetch0(rte_pktmbuf_mtod(frames[i], void*));
  Scheduler& scheduler = receiver();
  uint16_t count = 0;
  for (uint16_t i = 0; i < received; ++i) {
    rte_mbuf* m = frames[i];
    if (!restore_vlan_tag(m) || !can_be_sent(m)) [[unlikely]] {
      malformed_.add(frame_bytes(m));
      rte_pktmbuf_free(m);
      continue;
    }
    const Frame frame = parse(bytes_of(m), scheduler.plan().hash);
    malformed_forwarded_ += frame.malformed;
    const bool bypasses = rules_ && rules_->bypasses(bytes_of(m));
    arrivals[count++] = {handle_of(m), flow_hash(frame.key, hash_key_), frame_bytes(m), bypasses};
  }
  MbufOwner owner;
  scheduler.enqueue(now, {arrivals.data(), count}, owner);
  return received;
}

uint16_t Direction::transmit(Time now) {
  refill(now);
  if (waiting_.count == 0) return 0;
  const uint16_t sent = rte_eth_tx_burst(tx_port_, 0, &waiting_.frames[waiting_.first], waiting_.count);
  waiting_.first = static_cast<uint16_t>(waiting_.first + sent);
  waiting_.count = static_cast<uint16_t>(waiting_.count - sent);
  return sent;
}

void Direction::adopt(DirectionChange& change, Time now) {
  rules_.swap(change.rules);
  if (change.successor == nullptr) return scheduler_->adopt(change.plan, now);
  former_ = std::exchange(scheduler_, std::move(change.successor));
  scheduler_->succeed(*former_, now);
}

// More than a burst, so that the former scheduler gets empty under any load; few enough that the wire does not notice.
void Direction::settle(DirectionChange& change) {
  constexpr unsigned kMovedAtOnce = 3 * kBurst;
  Scheduler::Released released;
  for (unsigned i = 0; i < kMovedAtOnce && !former_->is_at_rest(); ++i) {
    if (!former_->release(released)) continue;
    rte_mbuf* m = mbuf_of(released.packet.handle());
    scheduler_->requeue(released, flow_hash(parse(bytes_of(m), scheduler_->plan().hash).key, hash_key_));
  }
  former_->leave_room_for(scheduler_->counters().queued.packets);
  if (!former_->is_at_rest()) return;
  scheduler_->absorb(*former_);
  change.former.swap(former_);  // was empty; assigning would bring a destructor onto the packet path
}

// While the transmit ring is behind, packets stay in their queues, where CoDel sees them.
void Direction::refill(Time now) {
  if (lab_) return refill_through_lab(now);
  if (waiting_.count != 0) return;
  std::array<PacketHandle, kBurst> handles;
  MbufOwner owner;
  waiting_.first = 0;
  waiting_.count = static_cast<uint16_t>(scheduler_->dequeue(now, handles, owner));
  for (uint16_t i = 0; i < waiting_.count; ++i) waiting_.frames[i] = mbuf_of(handles[i]);
}

void Direction::refill_through_lab(Time now) {
  std::array<PacketHandle, kBurst> handles;
  MbufOwner owner;
  const size_t count = scheduler_->dequeue(now, handles, owner);
  for (size_t i = 0; i < count; ++i) {
    rte_mbuf* m = mbuf_of(handles[i]);
    if (lab_->push(now, m, frame_bytes(m)) != LabPath::Verdict::kTaken) rte_pktmbuf_free(m);
  }
  if (waiting_.count != 0) return;
  std::array<LabPath::Handle, kBurst> frames;
  waiting_.first = 0;
  waiting_.count = static_cast<uint16_t>(lab_->pop(now, frames));
  for (uint16_t i = 0; i < waiting_.count; ++i) waiting_.frames[i] = static_cast<rte_mbuf*>(frames[i]);
}

bool Direction::is_empty() const {
  return is_settled() && scheduler_->counters().queued.packets == 0 && waiting_.count == 0 &&
         (!lab_ || lab_->size() == 0);
}

// What the transmit ring has not taken: still ours to read.
Tally Direction::waiting() const {
  Tally waiting;
  for (uint16_t i = 0; i < waiting_.count; ++i) waiting.add(frame_bytes(waiting_.frames[waiting_.first + i]));
  return waiting;
}

// Without a lab path, what waits was the scheduler's; with one, the path has it on its account.
void Direction::discard() {
  for (; waiting_.count != 0; ++waiting_.first, --waiting_.count) {
    rte_mbuf* m = waiting_.frames[waiting_.first];
    never_sent_.add(frame_bytes(m));
    if (!lab_) discarded_.add(frame_bytes(m));
    rte_pktmbuf_free(m);
  }
  drain(*scheduler_);
  if (former_) drain(*former_);
  std::array<LabPath::Handle, kBurst> frames;
  while (const unsigned count = lab_ ? lab_->drain(frames) : 0) {
    for (unsigned i = 0; i < count; ++i) rte_pktmbuf_free(static_cast<rte_mbuf*>(frames[i]));
  }
}

void Direction::drain(Scheduler& scheduler) {
  std::array<PacketHandle, kBurst> handles;
  while (const size_t count = scheduler.drain(handles)) {
    for (size_t i = 0; i < count; ++i) {
      discarded_.add(frame_bytes(mbuf_of(handles[i])));
      rte_pktmbuf_free(mbuf_of(handles[i]));
    }
  }
}

void Direction::copy_to(DirectionSnapshot& s) const {
  s.counters = scheduler_->counters();
  if (former_) s.counters.add(former_->counters());
  s.malformed = malformed_;
  s.malformed_forwarded_packets = malformed_forwarded_;
  s.counters.received.packets += malformed_.packets;
  s.counters.received.bytes += malformed_.bytes;
  const Tally behind = lab_ ? Tally{} : waiting(), never = lab_ ? Tally{} : never_sent_;
  s.counters.sent.packets -= behind.packets + never.packets;
  s.counters.sent.bytes -= behind.bytes + never.bytes;
  s.counters.queued.packets += behind.packets;
  s.counters.queued.bytes += behind.bytes;
  s.tx_waiting_packets = waiting_.count;
  s.tx_full = discarded_;
  s.new_flows = scheduler_->flow_counts().new_list;
  s.old_flows = scheduler_->flow_counts().old_list;
  s.sojourn = scheduler_->sojourn();
  s.plan = scheduler_->plan();
  s.room_packets = scheduler_->room_packets();
}

void Direction::copy_to(LabSnapshot& s) const {
  const LabPathCounters& c = lab_->counters();
  const Tally behind = waiting();
  s.received_packets = c.received.packets;
  s.sent_packets = c.sent.packets - behind.packets - never_sent_.packets;
  s.queued_packets = c.queued.packets + behind.packets;
  s.queued_bytes = c.queued.bytes + behind.bytes;
  s.dropped_overflow = c.overflow.packets;
  s.dropped_loss = c.loss.packets;
  s.dropped_capacity = c.capacity.packets;
  s.dropped_tx_full = c.returned.packets + never_sent_.packets;
}

}  // namespace sojourn
