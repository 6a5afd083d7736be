// SPEC "Shaper": a virtual clock, in units of 2^-32 ns that never wrap.
#pragma once

#include "tests/sched/model/rules.h"

namespace sojourn::model {

class Shaper {
 public:
  Shaper(const Rules& rules, Instant start);

  bool is_open(const Rules& rules, Instant now) const { return rules.is_unlimited || now * kUnits >= next_free_; }
  // The first whole nanosecond at which a limited shaper is open.
  Instant opens_at() const { return (next_free_ + kUnits - 1) / kUnits; }

  // Link time that is lost by nothing having left up to now; it is lost once.
  Wide lose(const Rules& rules, Instant now);
  void charge(const Rules& rules, Instant now, Wide wire_bytes);
  void adopt(const Rules& before, const Rules& after, Instant now);

 private:
  static constexpr Wide kUnits = Wide{1} << 32;
  Wide next_free_;
};

}  // namespace sojourn::model
