// Judges from a worker's passes whether it is stalled. Pure: `now` is an argument.
#pragma once

#include <cstdint>

#include "sched/units.h"

namespace sojourn {

class StallDetector {
 public:
  static constexpr Duration kPatience{100'000'000};  // without a pass

  enum class Event : uint8_t { kNone, kStalled, kBack };

  explicit StallDetector(Time start) : last_pass_(start) {}

  // `passes`: what the worker's heartbeat says now. An event is told once. Time is judged between two looks, so that a
  // control thread that was itself away for long accuses nobody.
  Event look(uint64_t passes, Time now);

  bool is_stalled() const { return is_stalled_; }
  uint64_t stalls() const { return stalls_; }
  // How long the worker has made no pass: of the stall that lasts, or, at kBack, of the one that has ended. Up to one
  // look too long.
  Duration away() const { return away_; }

 private:
  uint64_t passes_ = 0, stalls_ = 0;
  Time last_pass_;  // the last look that found a new one
  Duration away_{0};
  bool is_stalled_ = false;
};

}  // namespace sojourn
