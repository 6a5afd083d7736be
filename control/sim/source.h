// One end of a flow, as the network sees it, and the network, as the source sees it.
#pragma once

#include <cstdint>

#include "control/sim/event_queue.h"
#include "control/sim/packet.h"
#include "sched/units.h"

namespace sojourn::sim {

class Source {
 public:
  virtual ~Source() = default;
  virtual void on_start(Time now) = 0;
  // The answer to `first` and to those chained to it is here. The packets stay the network's.
  virtual void on_answer(Time now, uint32_t first) = 0;
  virtual void on_timer(Time now, EventKind kind) = 0;
  virtual void on_stop(Time now) = 0;
  // Segments, for traces; 0 where there is no window.
  virtual double window() const { return 0; }
};

// Counts of a source's own; the network counts what becomes of packets.
struct SourceCounts {
  uint64_t goodput_bytes = 0;  // user data delivered, each byte once
  uint64_t retransmissions = 0;
  uint64_t reductions = 0;
  uint64_t timeouts = 0;
  uint64_t transfers = 0;  // completed
  uint64_t transfer_ns = 0;
};

class SourceLink {
 public:
  virtual ~SourceLink() = default;
  // A packet of this flow, not yet sent.
  virtual uint32_t take_packet(uint32_t flow) = 0;
  virtual Packet& packet(uint32_t index) = 0;
  virtual void send(Time now, uint32_t index) = 0;
  virtual void wake_at(Time time, EventKind kind, uint32_t flow) = 0;
};

}  // namespace sojourn::sim
