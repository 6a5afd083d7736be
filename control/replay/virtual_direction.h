// One direction of a wire in virtual time: the data plane's parser, marker and scheduler, with instants that come from
// a capture and not from a clock. What the worker would do if it looked at every nanosecond.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "control/replay/capture.h"
#include "dataplane/frame.h"
#include "sched/flow_hash.h"
#include "sched/scheduler.h"

namespace sojourn {

// A frame on its way through, and what is known of it.
struct Passage {
  uint64_t number = 0;  // from 1, as in the capture
  Time arrival;
  FlowKey key;
  uint64_t flow_hash = 0;
  uint32_t length = 0;          // on the wire
  uint32_t captured_bytes = 0;  // the first of `bytes`; what follows is zeros that stand for what was not captured
  bool is_malformed = false;
  EcnMark mark = EcnMark::kNotEct;  // the last attempt to mark it; kMarked: it bears CE because of us
  uint32_t queue = 0;
  std::vector<uint8_t> bytes;  // as it leaves
};

enum class Fate : uint8_t { kSent, kDropped, kNotSendable };  // the last: no byte in it, or more than a port can send

// The end of a passage.
struct Departure {
  const Passage& passage;
  Time time;  // its transmission starts, or it is dropped
  Fate fate;
  DropCause cause;  // of kDropped
  FlowList list;    // that its queue was on
  // CoDel's state after it acted on this packet, with the instant of the next signal.
  bool is_codel_action;
  uint32_t codel_count;
  Time codel_drop_next;
};

class DepartureSink {
 public:
  virtual ~DepartureSink() = default;
  virtual void leave(const Departure& departure) = 0;
};

class VirtualDirection {
 public:
  struct Options {
    Plan plan;
    HashKey hash_key;
    LinkType link_type = LinkType::kEthernet;
    Time start;
  };
  VirtualDirection(const Options& options, DepartureSink& sink);

  // The frame comes at its time, or at the time of the one before it if that is later. Whatever leaves before goes
  // first; what would leave at the same instant leaves after it.
  void arrive(const CapturedFrame& frame);

  // Nothing more comes: lets everything leave.
  void finish();

  const Scheduler& scheduler() const { return scheduler_; }
  Counters counters() const;  // with the frames that cannot be sent among the received
  const Tally& not_sendable() const { return not_sendable_; }
  uint64_t malformed_frames() const { return malformed_frames_; }
  uint64_t cut_frames() const { return cut_frames_; }            // captured in part
  uint64_t backward_frames() const { return backward_frames_; }  // bear a time before the one ahead of them

 private:
  struct Owner;  // the scheduler's PacketOwner

  bool has_work() const;
  void run_until(Time end);
  void step();
  Passage& take_passage(const CapturedFrame& frame);
  void classify(Passage& passage);
  void enqueue(Passage& passage);
  void end(Passage& passage, Fate fate, DropCause cause, bool is_codel_action);

  HashKey hash_key_;
  LinkType link_type_;
  DepartureSink& sink_;
  Scheduler scheduler_;
  Time now_;
  std::vector<Passage> passages_;  // by handle; as many as were ever queued at once
  std::vector<uint32_t> free_;
  uint64_t frames_ = 0;
  Tally not_sendable_;
  uint64_t malformed_frames_ = 0, cut_frames_ = 0, backward_frames_ = 0;
};

}  // namespace sojourn
