#include "sched/parameters.h"

#include <algorithm>

namespace sojourn {

Duration transmission_time(uint64_t bytes, BitsPerSecond rate) {
  if (rate == kUnlimited) return {0};
  const auto bit_ns = Uint128{bytes} * 8 * 1'000'000'000;
  return {static_cast<int64_t>((bit_ns + rate.value - 1) / rate.value)};
}

uint32_t burst_in_force_bytes(const Parameters& p, uint32_t mtu_bytes) {
  if (p.burst_bytes) return *p.burst_bytes;
  const uint64_t one_millisecond = p.rate == kUnlimited ? kMostDefaultBurstBytes : p.rate.value / 8'000;
  const uint64_t two_frames = uint64_t{2} * mtu_frame_bytes(mtu_bytes);
  return static_cast<uint32_t>(std::min<uint64_t>(kMostDefaultBurstBytes, std::max(two_frames, one_millisecond)));
}

Duration target_in_force(const Parameters& p, uint32_t mtu_bytes) {
  const uint64_t three_frames = uint64_t{3} * mtu_frame_bytes(mtu_bytes);
  return std::max(p.target, transmission_time((three_frames + 1) / 2, p.rate));
}

Duration interval_in_force(const Parameters& p, uint32_t mtu_bytes) {
  return std::max(p.interval, Duration{2 * target_in_force(p, mtu_bytes).ns});
}

BitsPerSecond bypass_limit_in_force(const Parameters& p) {
  constexpr BitsPerSecond kLeast{1'000'000};
  if (p.bypass_limit) return std::min(*p.bypass_limit, p.rate);
  return p.rate == kUnlimited ? kUnlimited : std::min(p.rate, std::max(kLeast, BitsPerSecond{p.rate.value / 20}));
}

uint32_t bypass_burst_bytes(const Parameters& p, uint32_t mtu_bytes) {
  const BitsPerSecond limit = bypass_limit_in_force(p);
  const uint64_t ten_milliseconds = limit == kUnlimited ? 0 : limit.value / 800;
  return static_cast<uint32_t>(std::max<uint64_t>(uint64_t{4} * mtu_frame_bytes(mtu_bytes), ten_milliseconds));
}

}  // namespace sojourn
