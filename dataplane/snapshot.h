// What control sees of a worker: a copy that the worker makes of itself, at rest between two passes.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/counters.h"
#include "sched/histogram.h"
#include "sched/plan.h"

namespace sojourn {

struct DirectionSnapshot {
  Counters counters;  // packets that wait for the transmit ring are among `queued`
  Tally tx_full;      // given up at stop: the transmit ring took no more
  Tally malformed;    // dropped: no byte in it, or tag that cannot be put back; no port could send it
  uint64_t malformed_forwarded_packets = 0;  // sent on, keyed on their MAC pair and EtherType
  uint32_t tx_waiting_packets = 0;           // past the shaper, not yet taken by the transmit ring
  uint32_t new_flows = 0;                    // flows on the new list (sparse)
  uint32_t old_flows = 0;                    // flows on the old list (bulk)
  Histogram sojourn;                         // of the packets that the shaper let leave
  Plan plan;                                 // in force
  uint64_t room_packets = 0;                 // that the scheduler has place for
};

struct LabSnapshot {
  uint64_t received_packets = 0, sent_packets = 0, queued_packets = 0, queued_bytes = 0;
  uint64_t dropped_overflow = 0, dropped_loss = 0, dropped_capacity = 0;
  uint64_t dropped_tx_full = 0;  // given up at stop: still under way, or the transmit ring took no more
};

struct WorkerSnapshot {
  Time taken{};  // on the worker's clock; rates are differences over this
  uint64_t passes = 0;
  uint64_t busy_passes = 0;                   // that moved at least one packet
  std::vector<DirectionSnapshot> directions;  // sized by whoever asks
  std::vector<LabSnapshot> labs;              // of the directions that have one, in their order
};

}  // namespace sojourn
