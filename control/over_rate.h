// Judges whether a direction keeps its limit, from what it has sent and not from what its plan says: the limit is the
// one that was asked for. CASES DN-3. Pure: time is an argument.
#pragma once

#include <cstdint>
#include <optional>

#include "sched/pacer.h"

namespace sojourn {

class OverRate {
 public:
  static constexpr Duration kWindow{1'000'000'000};  // at least
  static constexpr unsigned kTolerancePercent = 2;

  struct Observation {
    Time at;
    uint64_t sent_wire_bytes = 0;
    Pacer::Plan limit;         // that was asked for; another one may have been in force since the last observation
    uint64_t frame_bytes = 0;  // the longest frame as it is charged
  };

  // What a window has passed, and the most that it may have.
  struct Excess {
    Duration window;
    uint64_t sent_bytes, allowed_bytes;
  };

  // To be called once before each change of the limit, so that there is at most one between two calls; the larger limit
  // then counts for the time between them, and no change makes an alarm. Time without a limit ends a window.
  std::optional<Excess> observe(const Observation& now);

  uint64_t alarms() const { return alarms_; }

 private:
  void begin(const Observation& now);
  uint64_t allowed_since_last(const Observation& now) const;

  std::optional<Observation> first_;  // of the window
  Observation last_;
  uint64_t allowed_bytes_ = 0;  // of the window up to `last_`, without what follows
  uint64_t burst_bytes_ = 0, frame_bytes_ = 0;
  uint64_t alarms_ = 0;
};

}  // namespace sojourn
