// What a lab path is set to, and when that changes: rate steps, route flips, bursts of loss.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/units.h"

namespace sojourn {

// From `at` after the start, and then every `repeat`, what is given here replaces what was in force. A route that flips
// between 4 and 22 ms every 30 s is two changes: at 30 s and at 60 s, each with a repeat of 60 s.
struct LabPathChange {
  Duration at{0};
  std::optional<Duration> repeat;  // absent: once
  std::optional<BitsPerSecond> rate;
  std::optional<Duration> delay;
  std::optional<Duration> jitter;
  std::optional<double> loss;
};

struct LabPathParameters {
  BitsPerSecond rate = kUnlimited;         // of the bottleneck; a frame's length is what it is charged
  std::optional<uint64_t> buffer_bytes;    // of the bottleneck, the frame being sent included; absent: no such limit
  std::optional<uint32_t> buffer_packets;  // likewise; both may be given, then both hold
  Duration delay{0};                       // one way, after the bottleneck
  Duration jitter{0};                      // added to the delay: uniform from 0 to this, both ends included
  double loss = 0;                         // fraction of frames lost at random, 0..1
  double reorder = 0;                      // fraction of frames held back, so that those behind overtake, 0..1
  Duration reorder_hold{0};                // how long they are held back, on top of delay and jitter
  uint64_t seed = 1;                       // same seed and same arrivals: same losses, jitter and reordering
  std::vector<LabPathChange> timetable;
};

// The parameters that a timetable may change, compiled: the path neither divides nor computes in floating point.
struct LabConditions {
  BitsPerSecond rate = kUnlimited;
  uint64_t rate_inverse_q64 = 0;  // floor(2^64 / rate); 0: unlimited
  Duration delay{0};
  Duration jitter{0};
  uint64_t loss_below = 0;  // a random 64-bit number below this is a loss
};

class LabTimetable {
 public:
  static constexpr unsigned kMostChanges = 64;

  // Throws SetupError for what cannot be: a rate out of range, a fraction outside 0..1, a negative time, a change that
  // changes nothing, a repeat of 0, more than kMostChanges.
  LabTimetable(const LabPathParameters& parameters, Time start);

  // What is in force at `t`, the instant of a change included. `t` must not go back between calls.
  const LabConditions& at(Time t) {
    if (has_next_ && !is_before(t, next_)) advance(t);
    return in_force_;
  }

  const LabConditions& in_force() const { return in_force_; }

  // A random 64-bit number is below this with the given probability (0..1).
  static uint64_t threshold(double probability);

 private:
  void advance(Time t);

  LabPathParameters parameters_;
  Time start_;
  LabConditions in_force_;
  bool has_next_ = false;
  Time next_;  // when what is in force ends, if has_next_
};

}  // namespace sojourn
