#include "tests/sched/model/model.h"

#include <utility>

#include "tests/sched/model/control_law.h"

namespace sojourn::model {
namespace {

int bits_of(uint64_t n) {
  int bits = 0;
  for (; n != 0; n /= 2) ++bits;
  return bits;
}

}  // namespace

Model::Model(const Setting& setting, Instant start, Marking marking)
    : rules_(setting),
      marking_(std::move(marking)),
      shaper_(rules_, start),
      queues_(rules_),
      places_(rules_, queues_) {}

void Model::adopt(const Setting& setting, Instant now) {
  const Rules after(setting);
  shaper_.adopt(rules_, after, now);
  rules_ = after;
}

void Model::enqueue(Instant now, std::span<const Arrival> arrivals, Events& events) {
  for (const Arrival& arrival : arrivals) enqueue_one(now, arrival, events);
}

void Model::enqueue_one(Instant now, const Arrival& arrival, Events& events) {
  const uint64_t with_this = counters_.queued.packets + 1;
  const bool is_over = with_this > rules_.limit_packets || with_this > rules_.limit_buffers;
  counters_.received.add(arrival.frame_bytes);
  if (arrival.frame_bytes > counters_.most_frame_bytes) counters_.most_frame_bytes = arrival.frame_bytes;
  if (is_over) ++counters_.overflows;
  Packet packet{arrival.handle, arrival.frame_bytes, now, Places::tag_of(arrival.flow_hash), Standing::kOwner};
  if (is_over && is_tail_dropped(arrival)) return count_drop(packet, overflow_cause(with_this), events);
  const Place place = places_.place(arrival.flow_hash);
  packet.standing = place.standing;
  if (place.is_collision) ++counters_.collisions;
  push(place.queue, packet);
  Queue& queue = queues_.at(place.queue);
  if (queue.list == List::kIdle) {
    queue.list = List::kNew;
    queue.deficit = rules_.quantum_bytes;
    new_flows_.push_back(place.queue);
    ++counters_.new_flows;
  }
  if (is_over) drop_from_fat_flow(events);
}

// Without AQM the packet that comes is the one to go, unless its own queue is a short one.
bool Model::is_tail_dropped(const Arrival& arrival) {
  if (rules_.has_aqm) return false;
  const auto own = places_.own_queue(arrival.flow_hash);
  if (!own || by_backlog_.empty()) return false;
  const uint64_t backlog = queues_.at(*own).backlog_bytes;
  return backlog != 0 && bits_of(backlog) == by_backlog_.rbegin()->first;
}

// SPEC "Flow queues": from the head half of its bytes, at most 64 packets.
void Model::drop_from_fat_flow(Events& events) {
  const DropCause cause = overflow_cause(counters_.queued.packets);
  const uint32_t victim = by_backlog_.rbegin()->second.front();
  const uint64_t half = queues_.at(victim).backlog_bytes / 2;
  uint64_t bytes = 0;
  int packets = 0;
  do {
    const Packet packet = pop(victim);
    bytes += packet.frame_bytes;
    ++packets;
    count_drop(packet, cause, events);
  } while (bytes < half && packets < 64);
}

std::vector<PacketHandle> Model::dequeue(Instant now, size_t most, Events& events) {
  std::vector<PacketHandle> out;
  if (was_backlogged_) counters_.late_ns += static_cast<uint64_t>(shaper_.lose(rules_, now));
  for (size_t turns = 64 + 8 * most; turns != 0 && out.size() < most; --turns) {
    if (!shaper_.is_open(rules_, now) || !take_turn(now, out, events)) break;
  }
  was_backlogged_ = counters_.queued.packets != 0;
  return out;
}

// RFC 8290 4.2: one look at the first flow of the lists. False when they are empty.
bool Model::take_turn(Instant now, std::vector<PacketHandle>& out, Events& events) {
  if (new_flows_.empty() && old_flows_.empty()) return false;
  std::deque<uint32_t>& list = new_flows_.empty() ? old_flows_ : new_flows_;
  const uint32_t index = list.front();
  Queue& queue = queues_.at(index);
  if (queue.deficit <= 0) {
    queue.deficit += rules_.quantum_bytes;
    list.pop_front();
    queue.list = List::kOld;
    old_flows_.push_back(index);
  } else if (queue.packets.empty()) {
    queue.codel.advance({false, now, 0, 0, false});
    list.pop_front();
    if (queue.list == List::kNew) old_flows_.push_back(index);
    queue.list = queue.list == List::kNew ? List::kOld : List::kIdle;
  } else {
    const Fate fate = judge(now, queue, events);
    const Packet packet = pop(index);
    if (fate == Fate::kDrop) {
      count_drop(packet, DropCause::kAqm, events);
    } else {
      send(now, queue, packet);
      out.push_back(packet.handle);
    }
  }
  return true;
}

Fate Model::judge(Instant now, Queue& queue, Events& events) {
  if (!rules_.has_aqm) return Fate::kDeliver;
  const Packet& head = queue.packets.front();
  const Wide sojourn = now > head.arrival ? now - head.arrival : 0;
  const EcnMark kind = marking_(head.handle);
  const bool can_carry = kind == EcnMark::kMarked || kind == EcnMark::kAlreadyCe;
  const Fate fate = queue.codel.advance({true, now, sojourn, queue.backlog_bytes - Wide{head.frame_bytes}, can_carry});
  is_beyond_exactness_ = is_beyond_exactness_ || queue.codel.state().count >= kFirstInexactCount;
  const bool is_over_threshold = rules_.has_ce_threshold && sojourn > rules_.ce_threshold_ns;
  if (fate == Fate::kDeliverSignalled) {
    counters_.marked_ecn += kind == EcnMark::kMarked;
    counters_.already_ce += kind == EcnMark::kAlreadyCe;
  } else if (fate == Fate::kDeliver && is_over_threshold) {
    counters_.marked_ce_threshold += kind == EcnMark::kMarked;
  }
  const bool is_attempted = fate == Fate::kDeliverSignalled || (fate == Fate::kDeliver && is_over_threshold);
  if (is_attempted && kind == EcnMark::kMarked) events.push_back({head.handle, std::nullopt});
  return fate;
}

void Model::send(Instant now, Queue& queue, const Packet& packet) {
  const Wide wire = rules_.wire_bytes(packet.frame_bytes);
  queue.deficit -= wire;
  shaper_.charge(rules_, now, wire);
  counters_.sent.add(packet.frame_bytes);
  counters_.sent_wire_bytes += static_cast<uint64_t>(wire);
  ++recorded_sojourns_;
  if (now - packet.arrival > longest_sojourn_ns_) longest_sojourn_ns_ = now - packet.arrival;
}

void Model::push(uint32_t index, const Packet& packet) {
  Queue& queue = queues_.at(index);
  const uint64_t before = queue.backlog_bytes;
  queue.packets.push_back(packet);
  queue.backlog_bytes += packet.frame_bytes;
  if (packet.standing == Standing::kOwner) ++queue.owner_packets;
  if (packet.standing == Standing::kGuest) ++queue.guest_packets[packet.tag];
  if (packet.standing == Standing::kCrowd) ++queue.crowd_packets;
  counters_.queued.add(packet.frame_bytes);
  file_by_backlog(index, before, queue.backlog_bytes);
}

Packet Model::pop(uint32_t index) {
  Queue& queue = queues_.at(index);
  const Packet packet = queue.packets.front();
  const uint64_t before = queue.backlog_bytes;
  queue.packets.pop_front();
  queue.backlog_bytes -= packet.frame_bytes;
  if (packet.standing == Standing::kOwner) --queue.owner_packets;
  if (packet.standing == Standing::kCrowd) --queue.crowd_packets;
  if (packet.standing == Standing::kGuest && --queue.guest_packets[packet.tag] == 0) {
    queue.guest_packets.erase(packet.tag);
  }
  --counters_.queued.packets;
  counters_.queued.bytes -= packet.frame_bytes;
  file_by_backlog(index, before, queue.backlog_bytes);
  return packet;
}

void Model::file_by_backlog(uint32_t index, uint64_t before, uint64_t after) {
  const int old_bits = bits_of(before), new_bits = bits_of(after);
  if (old_bits == new_bits) return;
  if (old_bits != 0) {
    by_backlog_[old_bits].remove(index);
    if (by_backlog_[old_bits].empty()) by_backlog_.erase(old_bits);
  }
  if (new_bits != 0) by_backlog_[new_bits].push_front(index);
}

void Model::count_drop(const Packet& packet, DropCause cause, Events& events) {
  counters_.dropped[static_cast<size_t>(cause)].add(packet.frame_bytes);
  events.push_back({packet.handle, cause});
}

DropCause Model::overflow_cause(uint64_t packets) const {
  return packets > rules_.limit_packets ? DropCause::kOverLimit : DropCause::kOverMemory;
}

}  // namespace sojourn::model
