// The shaper: a virtual clock (SPEC "Shaper"). A packet may leave when the clock has been reached; it then moves the
// clock on by its own time at the rate. The remainder below a nanosecond is kept.
#pragma once

#include <cstdint>

#include "sched/units.h"

namespace sojourn {

class Pacer {
 public:
  // A rate, compiled. Time per byte is a fixed-point reciprocal with 32 fractional bits: at 400 Gbit/s its error is
  // below 0.02 ppm.
  struct Plan {
    uint64_t ns_per_byte_q32 = 0;  // 0: unlimited
    Duration burst_time{0};        // credit that an idle link earns at most
    static Plan compile(BitsPerSecond rate, uint32_t burst_bytes);
    bool is_unlimited() const { return ns_per_byte_q32 == 0; }
    bool operator==(const Plan&) const = default;
  };

  // Starts with a full burst of credit.
  Pacer(const Plan& plan, Time start) : plan_(plan), next_free_(start - plan.burst_time) {}

  // May a packet leave now? Changes nothing, however often it is asked.
  bool is_open(Time now) const {
    const int64_t late = (now - next_free_).ns;
    return plan_.is_unlimited() || late > 0 || (late == 0 && fraction_q32_ == 0);
  }

  // The first instant at which is_open holds.
  Time opens_at() const { return {next_free_.ns + (fraction_q32_ != 0)}; }

  // Gives up the credit that is more than the burst, and returns it as time at the rate: what is lost by nothing having
  // left up to now. Less than a nanosecond is kept, else a clock in whole ones would lose the remainder.
  Duration forfeit(Time now) {
    const Time floor = now - plan_.burst_time;
    const Duration lost = floor - opens_at();
    if (plan_.is_unlimited() || lost.ns <= 0) return {0};
    next_free_ = floor;
    fraction_q32_ = 0;
    return lost;
  }

  // Accounts for a packet that leaves now.
  void charge(Time now, WireBytes bytes) {
    if (plan_.is_unlimited()) return;
    forfeit(now);
    const Uint128 cost = Uint128{plan_.ns_per_byte_q32} * bytes.value + fraction_q32_;
    fraction_q32_ = static_cast<uint32_t>(cost);
    next_free_.ns += static_cast<uint64_t>(cost >> 32);
  }

  // Puts another rate in force for the next packet. Credit and debt keep their bytes, not their time, so that a debt
  // made at 1 kbit/s does not hold up a link that now has 1 Gbit/s. Not for the packet path: it divides.
  void adopt(const Plan& plan, Time now);

  const Plan& plan() const { return plan_; }

 private:
  Plan plan_;
  Time next_free_;
  uint32_t fraction_q32_ = 0;
};

}  // namespace sojourn
