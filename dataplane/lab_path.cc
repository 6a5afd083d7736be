#include "dataplane/lab_path.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "dataplane/setup_error.h"

namespace sojourn {
namespace {

Time later(Time a, Time b) {
  return is_before(a, b) ? b : a;
}

}  // namespace

LabPath::Ring::Ring(uint32_t capacity) : entries_(std::bit_ceil(std::max(capacity, 1u))) {
  mask_ = static_cast<uint32_t>(entries_.size() - 1);
}

uint64_t LabPath::Random::next() {
  state += 0x9e3779b97f4a7c15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

LabPath::LabPath(const LabPathParameters& parameters, uint32_t capacity_packets, Time start)
    : timetable_(parameters, start),
      buffer_bytes_(parameters.buffer_bytes.value_or(UINT64_MAX)),
      buffer_packets_(parameters.buffer_packets.value_or(UINT32_MAX)),
      reorder_below_(LabTimetable::threshold(parameters.reorder)),
      reorder_hold_(parameters.reorder_hold),
      capacity_packets_(capacity_packets),
      loss_random_{parameters.seed},
      jitter_random_{loss_random_.next()},
      reorder_random_{loss_random_.next()},
      bottleneck_(capacity_packets),
      in_order_(capacity_packets),
      held_back_(parameters.reorder > 0 ? capacity_packets : 1),
      now_(start),
      free_at_(start) {
  if (capacity_packets == 0 || capacity_packets > 1u << 30) {
    throw SetupError("lab path: it must have from 1 to 2^30 places");
  }
}

LabPath::Verdict LabPath::push(Time now, Handle frame, uint32_t bytes) {
  assert(bytes <= kMostFrameBytes);
  now_ = later(now_, now);
  advance(now_);
  counters_.received.add(bytes);
  const uint64_t loss_below = timetable_.at(now_).loss_below;
  if (loss_below != 0 && loss_random_.next() < loss_below) {
    counters_.loss.add(bytes);
    return Verdict::kLoss;
  }
  if (!has_room(bytes)) {
    counters_.overflow.add(bytes);
    return Verdict::kOverflow;
  }
  if (size() == capacity_packets_) {
    counters_.capacity.add(bytes);
    return Verdict::kCapacity;
  }
  counters_.queued.add(bytes);
  bottleneck_bytes_ += bytes;
  bottleneck_.push_back({frame, now_, bytes});
  if (bottleneck_.size() == 1) begin_sending();
  return Verdict::kTaken;
}

unsigned LabPath::pop(Time now, std::span<Handle> out) {
  now_ = later(now_, now);
  advance(now_);
  unsigned n = 0;
  while (n < out.size()) {
    Ring* ring = earliest_due(now_);
    if (ring == nullptr) break;
    const Entry e = ring->pop_front();
    leave(e, counters_.sent);
    out[n++] = e.frame;
  }
  return n;
}

unsigned LabPath::drain(std::span<Handle> out) {
  unsigned n = 0;
  for (Ring* ring : {&in_order_, &held_back_, &bottleneck_}) {
    while (n < out.size() && !ring->is_empty()) {
      const Entry e = ring->pop_front();
      if (ring == &bottleneck_) bottleneck_bytes_ -= e.bytes;
      leave(e, counters_.returned);
      out[n++] = e.frame;
    }
  }
  return n;
}

void LabPath::leave(const Entry& e, Tally& into) {
  --counters_.queued.packets;
  counters_.queued.bytes -= e.bytes;
  into.add(e.bytes);
}

bool LabPath::has_room(uint32_t bytes) const {
  // Nothing waits for a link without a rate, whatever its buffer.
  if (bottleneck_.is_empty() && timetable_.in_force().rate == kUnlimited) return true;
  return bottleneck_bytes_ + bytes <= buffer_bytes_ && bottleneck_.size() < buffer_packets_;
}

// Moves what has been sent by `now` into the delay line. Bounded by the path's capacity, and by one frame for each push
// in the long run.
void LabPath::advance(Time now) {
  while (!bottleneck_.is_empty()) {
    const Time sent_at{free_at_.ns + (remainder_ != 0)};
    if (is_before(now, sent_at)) return;
    const Entry e = bottleneck_.pop_front();
    bottleneck_bytes_ -= e.bytes;
    if (!bottleneck_.is_empty()) begin_sending();  // first: it begins within the nanosecond that ends at sent_at
    enter_delay_line({e.frame, sent_at, e.bytes});
  }
}

// The first frame begins when the link is free and the frame is there, at the rate of that instant; a change of rate
// does not touch the frame that is being sent.
void LabPath::begin_sending() {
  const Entry& e = bottleneck_.front();
  if (is_before(free_at_, e.time)) {
    free_at_ = e.time;
    remainder_ = 0;
  }
  const LabConditions& c = timetable_.at(free_at_);
  if (c.rate != rate_) {
    remainder_ = c.rate == kUnlimited || rate_ == kUnlimited
                     ? 0
                     : static_cast<uint64_t>(Uint128{remainder_} * c.rate.value / rate_.value);
    rate_ = c.rate;
  }
  if (rate_ == kUnlimited) return;
  // bits x 10^9 / rate, exactly, by the inverse: its quotient is at most one too small.
  const uint64_t numerator = uint64_t{e.bytes} * 8'000'000'000 + remainder_;
  uint64_t ns = static_cast<uint64_t>((Uint128{numerator} * c.rate_inverse_q64) >> 64);
  remainder_ = numerator - ns * rate_.value;
  if (remainder_ >= rate_.value) {
    ++ns;
    remainder_ -= rate_.value;
  }
  free_at_.ns += ns;
}

void LabPath::enter_delay_line(const Entry& sent) {
  const LabConditions& c = timetable_.at(sent.time);
  Duration delay = c.delay;
  if (c.jitter.ns != 0) {
    const uint64_t choices = static_cast<uint64_t>(c.jitter.ns) + 1;
    delay.ns += static_cast<int64_t>((Uint128{jitter_random_.next()} * choices) >> 64);
  }
  if (reorder_random_.next() < reorder_below_) {
    held_back_.push_back({sent.frame, sent.time + delay + reorder_hold_, sent.bytes});
  } else {
    in_order_.push_back({sent.frame, sent.time + delay, sent.bytes});
  }
}

// A frame behind the front waits for it even if its own time has come.
LabPath::Ring* LabPath::earliest_due(Time now) {
  Ring* earliest = nullptr;
  for (Ring* ring : {&in_order_, &held_back_}) {
    if (ring->is_empty() || is_before(now, ring->front().time)) continue;
    if (earliest == nullptr || is_before(ring->front().time, earliest->front().time)) earliest = ring;
  }
  return earliest;
}

}  // namespace sojourn
