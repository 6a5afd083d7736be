// CoDel (RFC 8289), one packet at a time. `advance` is asked about the packet at the head of a queue and says what to
// do with it; asking again after a drop continues exactly where RFC 8289's inner loop would, so a caller may bound its
// work per call without changing any outcome.
#pragma once

#include <cstdint>

#include "sched/inverse_sqrt.h"
#include "sched/packet.h"
#include "sched/units.h"

namespace sojourn {

struct CodelPlan {
  bool is_on = true;
  bool ecn = true;
  Duration target{5'000'000};
  Duration interval{100'000'000};
  Duration ce_threshold{INT64_MAX};  // INT64_MAX: off
  uint32_t exempt_bytes = 1514;      // no signal while the queue, less its head, holds no more than this: one MTU frame
  bool operator==(const CodelPlan&) const = default;
};

// Flags of the hot half, which is read for every packet and lives in the flow's line: these and one instant, `event`.
struct CodelHot {
  static constexpr uint8_t kArmed = 1;  // sojourn has been over target since event - interval (RFC: first_above_time)
  static constexpr uint8_t kDropping = 2;    // RFC: dropping_
  static constexpr uint8_t kAfterDrop = 4;   // the packet before the head was dropped while dropping
  static constexpr uint8_t kAfterEntry = 8;  // the packet before the head was dropped to enter dropping
};

// Read and written at an event only.
struct CodelCold {
  uint64_t drop_next_ns = 0;
  uint32_t count = 0;
  uint32_t last_count = 0;
};
static_assert(sizeof(CodelCold) == 16);

enum class CodelVerdict : uint8_t { kDeliver, kDeliverSignalled, kDrop };

// RFC 8289 5.3: t + interval / sqrt(count), to the nearest nanosecond.
inline Time control_law(Time t, Duration interval, uint32_t count) {
  const Uint128 product = Uint128{static_cast<uint64_t>(interval.ns)} * inverse_sqrt_q32(count);
  return t + Duration{static_cast<int64_t>((product + (uint64_t{1} << 31)) >> 32)};
}

// The laws of RFC 8289 5.4 and 5.5 over the two halves of one queue's state. `event_ns` is drop_next while dropping,
// else, when armed, first_above_time: one of the two is all that a packet without a signal needs.
class Codel {
 public:
  Codel(const CodelPlan& plan, uint64_t& event_ns, uint8_t& flags, CodelCold& cold)
      : plan_(plan), event_ns_(event_ns), flags_(flags), cold_(cold) {}

  // Decides on the head packet. `bytes_behind`: the queue's bytes without it. `mark`: called at most once, when a
  // signal is due and ECN is on; true means that the packet carries CE now.
  template <typename Mark>
  CodelVerdict advance(Time now, Duration sojourn, uint32_t bytes_behind, Mark&& mark) {
    const bool ok_to_signal = is_above_long_enough(now, sojourn, bytes_behind);
    if (has(CodelHot::kAfterEntry)) {
      clear(CodelHot::kAfterEntry);
      return CodelVerdict::kDeliver;
    }
    if (has(CodelHot::kDropping)) return advance_dropping(now, ok_to_signal, mark);
    if (!ok_to_signal) return CodelVerdict::kDeliver;
    const bool is_marked = plan_.ecn && mark();
    enter_dropping(now);
    if (is_marked) return CodelVerdict::kDeliverSignalled;
    set(CodelHot::kAfterEntry);
    return CodelVerdict::kDrop;
  }

  // The queue was asked for a packet and had none.
  void found_empty() {
    if (has(CodelHot::kAfterDrop)) clear(CodelHot::kDropping);
    clear(CodelHot::kArmed | CodelHot::kAfterDrop | CodelHot::kAfterEntry);
  }

 private:
  bool has(uint8_t flag) const { return (flags_ & flag) != 0; }
  void set(uint8_t flag) { flags_ = static_cast<uint8_t>(flags_ | flag); }
  void clear(unsigned flag) { flags_ = static_cast<uint8_t>(flags_ & ~flag); }

  // RFC 8289 5.4 dodequeue: ok_to_drop.
  bool is_above_long_enough(Time now, Duration sojourn, uint32_t bytes_behind) {
    if (sojourn < plan_.target || bytes_behind <= plan_.exempt_bytes) {
      clear(CodelHot::kArmed);
      return false;
    }
    if (!has(CodelHot::kArmed)) {
      set(CodelHot::kArmed);
      event_ns_ = (now + plan_.interval).ns;  // if dropping, not ok: the caller leaves that state now
      return false;
    }
    return has(CodelHot::kDropping) || (now - Time{event_ns_}).ns >= 0;
  }

  template <typename Mark>
  CodelVerdict advance_dropping(Time now, bool ok_to_signal, Mark&& mark) {
    const bool follows_drop = has(CodelHot::kAfterDrop);
    clear(CodelHot::kAfterDrop);
    if (!ok_to_signal) {
      clear(CodelHot::kDropping);
      return CodelVerdict::kDeliver;
    }
    if (follows_drop) reschedule();
    if ((now - Time{event_ns_}).ns < 0) return CodelVerdict::kDeliver;
    cold_.count += cold_.count != UINT32_MAX;
    if (plan_.ecn && mark()) {
      reschedule();
      return CodelVerdict::kDeliverSignalled;
    }
    set(CodelHot::kAfterDrop);
    return CodelVerdict::kDrop;
  }

  // Always from the previous drop_next, so that late service does not slow the law.
  void reschedule() {
    event_ns_ = cold_.drop_next_ns = control_law({cold_.drop_next_ns}, plan_.interval, cold_.count).ns;
  }

  // RFC 8289 5.5: re-entry soon after leaving resumes near the rate that had controlled the queue.
  void enter_dropping(Time now) {
    const uint32_t delta = cold_.count - cold_.last_count;
    const bool is_recent = (now - Time{cold_.drop_next_ns}).ns < 16 * plan_.interval.ns;
    cold_.count = delta > 1 && is_recent ? delta : 1;
    cold_.last_count = cold_.count;
    set(CodelHot::kDropping);
    event_ns_ = cold_.drop_next_ns = control_law(now, plan_.interval, cold_.count).ns;
  }

  const CodelPlan& plan_;
  uint64_t& event_ns_;
  uint8_t& flags_;
  CodelCold& cold_;
};

}  // namespace sojourn
