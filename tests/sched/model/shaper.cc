#include "tests/sched/model/shaper.h"

namespace sojourn::model {

Shaper::Shaper(const Rules& rules, Instant start) : next_free_((start - rules.burst_time_ns) * kUnits) {}

// next_free = max(next_free, now - burst_time), in whole nanoseconds: within its last one the remainder is kept.
Wide Shaper::lose(const Rules& rules, Instant now) {
  const Instant floor = now - rules.burst_time_ns;
  if (rules.is_unlimited || opens_at() >= floor) return 0;
  const Wide lost = floor - opens_at();
  next_free_ = floor * kUnits;
  return lost;
}

void Shaper::charge(const Rules& rules, Instant now, Wide wire_bytes) {
  if (rules.is_unlimited) return;
  lose(rules, now);
  next_free_ += wire_bytes * rules.byte_time_q32;
}

// Credit and debt keep their bytes, in whole nanoseconds rounded towards none; a part of a nanosecond stays one.
void Shaper::adopt(const Rules& before, const Rules& after, Instant now) {
  if (before.is_unlimited || after.is_unlimited) {
    next_free_ = (now - after.burst_time_ns) * kUnits;
    return;
  }
  if (before.byte_time_q32 == after.byte_time_q32) return;
  const Wide whole = next_free_ / kUnits, part = next_free_ % kUnits;
  Wide debt = whole - now;
  if (debt < -before.burst_time_ns) debt = -before.burst_time_ns;
  next_free_ = (now + debt * after.byte_time_q32 / before.byte_time_q32) * kUnits + part;
}

}  // namespace sojourn::model
