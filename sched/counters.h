// What one direction has done since it started. 64-bit, one writer. At rest, between calls of the scheduler:
// received = sent + queued + dropped over all causes, in packets and in bytes, exactly.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sched/packet.h"

namespace sojourn {

struct Tally {
  uint64_t packets = 0;
  uint64_t bytes = 0;  // frame bytes, without FCS
  void add(uint32_t frame_bytes) {
    ++packets;
    bytes += frame_bytes;
  }
  void add(const Tally& other) {
    packets += other.packets;
    bytes += other.bytes;
  }
  bool operator==(const Tally&) const = default;
};

struct Counters {
  Tally received;
  Tally sent;
  Tally queued;
  std::array<Tally, kDropCauses> dropped{};  // by DropCause
  uint64_t sent_wire_bytes = 0;              // as the shaper charged them
  uint64_t marked_ecn = 0;                   // CE set because CoDel signalled
  uint64_t marked_ce_threshold = 0;          // CE set because of ce_threshold alone
  uint64_t already_ce = 0;                   // CoDel signalled and the packet bore CE when it came
  uint64_t new_flows = 0;                    // a flow became active (tc: new_flow_count)
  uint64_t collisions = 0;                   // packets put into another flow's queue because their set was full
  uint64_t overflows = 0;                    // times that a limit was passed (tc: overlimit)
  Tally bypassed;                            // sent ahead of the queues
  uint64_t bypass_over_limit = 0;            // packets that should have been and were shaped: there were too many
  uint64_t late_ns = 0;           // link time lost with packets waiting: dequeue was called later than the burst covers
  uint32_t most_frame_bytes = 0;  // tc: maxpacket
  bool operator==(const Counters&) const = default;

  void add(const Counters& other) {
    received.add(other.received);
    sent.add(other.sent);
    queued.add(other.queued);
    for (unsigned i = 0; i < kDropCauses; ++i) dropped[i].add(other.dropped[i]);
    sent_wire_bytes += other.sent_wire_bytes;
    marked_ecn += other.marked_ecn;
    marked_ce_threshold += other.marked_ce_threshold;
    already_ce += other.already_ce;
    new_flows += other.new_flows;
    collisions += other.collisions;
    overflows += other.overflows;
    bypassed.add(other.bypassed);
    bypass_over_limit += other.bypass_over_limit;
    late_ns += other.late_ns;
    most_frame_bytes = std::max(most_frame_bytes, other.most_frame_bytes);
  }
};

}  // namespace sojourn
