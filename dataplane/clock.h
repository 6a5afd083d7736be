// The worker's clock: the time-stamp counter in nanoseconds, measured against the kernel's raw monotonic clock.
#pragma once

#include <rte_cycles.h>

#include <cstdint>

#include "sched/units.h"

namespace sojourn {

class TscClock {
 public:
  // Takes about 50 ms. rte_get_tsc_hz() is not used: it may be rounded to 10 MHz, which is 0.2 % of a shaped rate.
  static TscClock calibrate();

  Time now() const {
    return {static_cast<uint64_t>((Uint128{rte_rdtsc() - base_ticks_} * ns_per_tick_q32_) >> 32) + base_ns_};
  }
  double ticks_per_second() const { return 1e9 * 4294967296.0 / static_cast<double>(ns_per_tick_q32_); }

 private:
  TscClock(uint64_t base_ticks, uint64_t base_ns, uint64_t ns_per_tick_q32)
      : base_ticks_(base_ticks), base_ns_(base_ns), ns_per_tick_q32_(ns_per_tick_q32) {}
  uint64_t base_ticks_;
  uint64_t base_ns_;
  uint64_t ns_per_tick_q32_;
};

}  // namespace sojourn
