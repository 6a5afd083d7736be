#include "control/replay/virtual_direction.h"

#include <algorithm>

namespace sojourn {
namespace {

Time later_of(Time a, Time b) {
  return is_before(a, b) ? b : a;
}

}  // namespace

struct VirtualDirection::Owner {
  VirtualDirection& direction;

  EcnMark mark_ce(PacketHandle handle) {
    Passage& p = direction.passages_[handle];
    p.mark = direction.link_type_ == LinkType::kEthernet ? sojourn::mark_ce(p.bytes) : mark_ce_ip(p.bytes);
    return p.mark;
  }
  void drop(PacketHandle handle, DropCause cause) {
    direction.end(direction.passages_[handle], Fate::kDropped, cause, cause == DropCause::kAqm);
  }
  void queued(PacketHandle handle, uint32_t queue) { direction.passages_[handle].queue = queue; }
  void prefetch(PacketHandle handle) { __builtin_prefetch(&direction.passages_[handle]); }
};

VirtualDirection::VirtualDirection(const Options& options, DepartureSink& sink)
    : hash_key_(options.hash_key),
      link_type_(options.link_type),
      sink_(sink),
      scheduler_(options.plan, options.start, std::pmr::new_delete_resource()),
      now_(options.start) {}

void VirtualDirection::arrive(const CapturedFrame& frame) {
  backward_frames_ += is_before(frame.time, now_);
  const Time arrival = later_of(frame.time, now_);
  run_until(arrival);
  now_ = arrival;
  enqueue(take_passage(frame));
}

Passage& VirtualDirection::take_passage(const CapturedFrame& frame) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(passages_.size()));
    passages_.emplace_back();
  }
  Passage& p = passages_[free_.back()];
  free_.pop_back();
  p.number = ++frames_;
  p.arrival = now_;
  p.length = frame.length;
  p.captured_bytes = static_cast<uint32_t>(frame.bytes.size());
  p.mark = EcnMark::kNotEct;
  p.bytes.assign(frame.bytes.begin(), frame.bytes.end());
  if (p.bytes.size() != frame.length) {
    p.bytes.resize(std::min(frame.length, kMostFrameBytes));
    ++cut_frames_;
  }
  return p;
}

void VirtualDirection::classify(Passage& p) {
  const HashDepth depth = scheduler_.plan().hash;
  const Frame frame = link_type_ == LinkType::kEthernet ? parse(p.bytes, depth) : parse_ip(p.bytes, depth);
  p.key = frame.key;
  p.flow_hash = flow_hash(frame.key, hash_key_);
  p.is_malformed = frame.malformed;
}

void VirtualDirection::enqueue(Passage& p) {
  classify(p);
  if (p.length == 0 || p.length > kMostFrameBytes) {
    not_sendable_.add(p.length);
    p.queue = 0;
    return end(p, Fate::kNotSendable, {}, false);
  }
  malformed_frames_ += p.is_malformed;
  const Arrival arrival{static_cast<PacketHandle>(&p - passages_.data()), p.flow_hash, p.length};
  p.queue = scheduler_.queue_of(p.flow_hash);
  Owner owner{*this};
  scheduler_.enqueue(now_, {&arrival, 1}, owner);
}

// A queue on a list wants a turn also when it is empty: that is how it leaves the list.
bool VirtualDirection::has_work() const {
  const Scheduler::FlowCounts counts = scheduler_.flow_counts();
  return counts.new_list + counts.old_list != 0;
}

void VirtualDirection::run_until(Time end) {
  while (has_work()) {
    const Time next = later_of(scheduler_.opens_at(), now_);
    if (!is_before(next, end)) return;
    now_ = next;
    step();
  }
}

void VirtualDirection::finish() {
  while (has_work()) {
    now_ = later_of(scheduler_.opens_at(), now_);
    step();
  }
}

// One packet at a time, so that CoDel's state and the lists are seen as that packet left them.
void VirtualDirection::step() {
  const auto signals = [this] { return scheduler_.counters().marked_ecn + scheduler_.counters().already_ce; };
  const uint64_t before = signals();
  Owner owner{*this};
  PacketHandle handle = 0;
  if (scheduler_.dequeue(now_, {&handle, 1}, owner) == 0) return;
  end(passages_[handle], Fate::kSent, {}, signals() != before);
}

void VirtualDirection::end(Passage& p, Fate fate, DropCause cause, bool is_codel_action) {
  const Flow& flow = scheduler_.flow(p.queue);
  const CodelCold& codel = scheduler_.codel(p.queue);
  // After a drop within the dropping state the law moves on when the next packet is looked at: say where to.
  const bool is_pending = fate == Fate::kDropped && (flow.flags & CodelHot::kAfterDrop) != 0;
  const Time due{codel.drop_next_ns};
  const Time next = is_pending ? control_law(due, scheduler_.plan().codel.interval, codel.count) : due;
  sink_.leave({p, now_, fate, cause, flow.list, is_codel_action, codel.count, next});
  free_.push_back(static_cast<uint32_t>(&p - passages_.data()));
}

Counters VirtualDirection::counters() const {
  Counters c = scheduler_.counters();
  c.received.packets += not_sendable_.packets;
  c.received.bytes += not_sendable_.bytes;
  return c;
}

}  // namespace sojourn
