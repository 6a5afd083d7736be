// A link and the queue before it: the data plane's own scheduler, driven by events instead of a worker.
#pragma once

#include <memory>

#include "control/sim/event_queue.h"
#include "control/sim/packet.h"
#include "control/sim/scenario.h"
#include "control/sim/statistics.h"
#include "sched/flow_hash.h"
#include "sched/scheduler.h"

namespace sojourn::sim {

// What becomes of packets that a bottleneck lets go.
class BottleneckOwner {
 public:
  virtual ~BottleneckOwner() = default;
  virtual void on_dropped(uint32_t packet, DropCause cause) = 0;
  virtual void on_marked(uint32_t packet) = 0;
  // It has been sent whole at `time`.
  virtual void on_sent(Time time, uint32_t packet) = 0;
};

class Bottleneck {
 public:
  Bottleneck(uint32_t number, const BottleneckScenario& scenario, PacketPool& pool, EventQueue& events,
             BottleneckOwner& owner, HashKey key);

  void enqueue(Time now, uint32_t packet);
  void on_departure(Time now);
  void on_change(Time now);
  // Statistics are from here on.
  void warm(Time now);
  // Accounts for the capacity up to now.
  void settle(Time now);

  const BottleneckStatistics& statistics() const { return statistics_; }
  uint64_t queued_packets() const { return scheduler_.counters().queued.packets; }
  uint64_t queued_bytes() const { return scheduler_.counters().queued.bytes; }
  const Scheduler& scheduler() const { return scheduler_; }

 private:
  struct Packets {  // the PacketOwner of sched
    Bottleneck& bottleneck;
    EcnMark mark_ce(PacketHandle handle);
    void drop(PacketHandle handle, DropCause cause) {
      bottleneck.owner_.on_dropped(static_cast<uint32_t>(handle), cause);
    }
    void prefetch(PacketHandle) {}
  };

  Plan plan_at(BitsPerSecond rate) const;
  void schedule_departure(Time now);
  void schedule_change(Time now, size_t change);
  Duration time_on_wire(uint32_t bytes) const;

  uint32_t number_;
  const BottleneckScenario& scenario_;
  PacketPool& pool_;
  EventQueue& events_;
  BottleneckOwner& owner_;
  HashKey key_;
  Packets packets_{*this};
  BitsPerSecond rate_;
  std::vector<Time> next_change_;  // of each line of the timetable
  Scheduler scheduler_;
  bool is_departure_pending_ = false;
  Time departure_;
  bool is_warm_ = false;
  Time settled_;
  BottleneckStatistics statistics_;
};

}  // namespace sojourn::sim
