// What happens next: a heap of four children a node, so that a step down stays within few cache lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/units.h"

namespace sojourn::sim {

enum class EventKind : uint8_t {
  kArrival,      // subject: a packet, at its next bottleneck
  kReceived,     // subject: a packet, at a receiver that delays its acknowledgements
  kDelayedAck,   // subject: a flow whose receiver has waited long enough
  kAnswered,     // subject: the first packet of those acknowledged, at the sender
  kStart,        // subject: a flow
  kStop,         // subject: a flow
  kRetransmit,   // subject: a flow; its retransmission timer
  kPace,         // subject: a flow; it may send again
  kApplication,  // subject: a flow; it has something new to send, or stops
  kChange,       // subject: a bottleneck; its timetable
  kSample,       // the trace's next instant
  kWarm,         // the end of the warm-up
  kDeparture,    // subject: a bottleneck; after all else of the same instant: what arrives then is queued first
};

struct Event {
  uint64_t time_ns;
  uint64_t order;  // among those of one instant: departures last, else first scheduled, first served
  uint32_t subject;
  EventKind kind;

  Time time() const { return {time_ns}; }
  bool is_before(const Event& other) const {
    return time_ns != other.time_ns ? time_ns < other.time_ns : order < other.order;
  }
};

class EventQueue {
 public:
  void push(Time time, EventKind kind, uint32_t subject) {
    const uint64_t last = uint64_t{kind == EventKind::kDeparture} << 63;
    const Event event{time.ns, last | pushed_++, subject, kind};
    heap_.push_back(event);
    rise(heap_.size() - 1, event);
  }

  bool is_empty() const { return heap_.empty(); }
  const Event& top() const { return heap_.front(); }
  uint64_t pushed() const { return pushed_; }

  Event pop() {
    const Event first = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    return first;
  }

 private:
  static constexpr size_t kChildren = 4;

  void rise(size_t place, const Event& event) {
    while (place != 0) {
      const size_t parent = (place - 1) / kChildren;
      if (!event.is_before(heap_[parent])) break;
      heap_[place] = heap_[parent];
      place = parent;
    }
    heap_[place] = event;
  }

  void sink(const Event& event) {
    size_t place = 0;
    for (;;) {
      const size_t first = place * kChildren + 1;
      if (first >= heap_.size()) break;
      size_t least = first;
      for (size_t c = first + 1; c < first + kChildren && c < heap_.size(); ++c)
        if (heap_[c].is_before(heap_[least])) least = c;
      if (!heap_[least].is_before(event)) break;
      heap_[place] = heap_[least];
      place = least;
    }
    heap_[place] = event;
  }

  std::vector<Event> heap_;
  uint64_t pushed_ = 0;
};

}  // namespace sojourn::sim
