// The quantities of the scheduler, each with its unit in its type.
#pragma once

#include <compare>
#include <cstdint>

namespace sojourn {

__extension__ using Uint128 = unsigned __int128;

// A length of time in nanoseconds. Signed, so that a difference of two instants may be negative.
struct Duration {
  int64_t ns = 0;
  constexpr auto operator<=>(const Duration&) const = default;
};

// An instant in nanoseconds of a monotonic clock. The counter may start anywhere and may wrap: instants are only ever
// compared through their signed difference.
struct Time {
  uint64_t ns = 0;
  constexpr bool operator==(const Time&) const = default;
};

constexpr Duration operator-(Time later, Time earlier) {
  return {static_cast<int64_t>(later.ns - earlier.ns)};
}
constexpr Time operator+(Time t, Duration d) {
  return {t.ns + static_cast<uint64_t>(d.ns)};
}
constexpr Time operator-(Time t, Duration d) {
  return {t.ns - static_cast<uint64_t>(d.ns)};
}
constexpr bool is_before(Time a, Time b) {
  return (a - b).ns < 0;
}

// Bits of wire bytes per second. kUnlimited means that no shaper is in force.
struct BitsPerSecond {
  uint64_t value = 0;
  constexpr auto operator<=>(const BitsPerSecond&) const = default;
};
inline constexpr BitsPerSecond kUnlimited{UINT64_MAX};

// A frame's length as it is charged: without FCS, plus overhead, at least mpu.
struct WireBytes {
  uint32_t value = 0;
  constexpr auto operator<=>(const WireBytes&) const = default;
};

}  // namespace sojourn
