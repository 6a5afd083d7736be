#include "dataplane/clock.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace sojourn {
namespace {

struct Instant {
  uint64_t ticks, ns;
};

uint64_t raw_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

// Both clocks at one instant: of several tries the one with the least between its two counter readings.
Instant read_both() {
  Instant best{};
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 32; ++i) {
    const uint64_t before = rte_rdtsc_precise();
    const uint64_t ns = raw_ns();
    const uint64_t after = rte_rdtsc_precise();
    if (after - before < least) {
      least = after - before;
      best = {before + least / 2, ns};
    }
  }
  return best;
}

}  // namespace

TscClock TscClock::calibrate() {
  constexpr long kSpanNs = 50'000'000;
  const Instant first = read_both();
  const timespec span{0, kSpanNs};
  nanosleep(&span, nullptr);
  const Instant last = read_both();
  const Uint128 ns_q32 = Uint128{last.ns - first.ns} << 32;
  return {last.ticks, last.ns, static_cast<uint64_t>(ns_q32 / (last.ticks - first.ticks))};
}

}  // namespace sojourn
