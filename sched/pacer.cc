#include "sched/pacer.h"

#include <algorithm>

namespace sojourn {

Pacer::Plan Pacer::Plan::compile(BitsPerSecond rate, uint32_t burst_bytes) {
  if (rate == kUnlimited) return {};
  const Uint128 eight_seconds_q32 = Uint128{8'000'000'000} << 32;
  const auto q32 = static_cast<uint64_t>((eight_seconds_q32 + rate.value - 1) / rate.value);  // never above the rate
  return {q32, {static_cast<int64_t>((Uint128{q32} * burst_bytes) >> 32)}};
}

void Pacer::adopt(const Plan& plan, Time now) {
  if (plan_.is_unlimited() || plan.is_unlimited()) {
    next_free_ = now - plan.burst_time;
    fraction_q32_ = 0;
  } else if (plan.ns_per_byte_q32 != plan_.ns_per_byte_q32) {
    const int64_t debt_ns = std::max((next_free_ - now).ns, -plan_.burst_time.ns);
    const bool is_debt = debt_ns > 0;
    const auto magnitude = static_cast<uint64_t>(is_debt ? debt_ns : -debt_ns);
    const auto scaled = static_cast<int64_t>(Uint128{magnitude} * plan.ns_per_byte_q32 / plan_.ns_per_byte_q32);
    next_free_ = is_debt ? now + Duration{scaled} : now - Duration{scaled};
  }
  plan_ = plan;
}

}  // namespace sojourn
