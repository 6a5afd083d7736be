// interval / sqrt(count) for CoDel's control law, in integers. A table gives counts below 1024 to 2^-32; larger counts
// start from the table and take one Newton step, which leaves less than 1e-5 (SPEC asks for 1e-3).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "sched/units.h"

namespace sojourn {
namespace detail {

inline constexpr uint32_t kInverseSqrtEntries = 1024;

// round(2^32 / sqrt(n)), by bisection of y^2 n <= 2^64.
constexpr uint64_t inverse_sqrt_q32_exact(uint64_t n) {
  uint64_t low = 0, high = uint64_t{1} << 33;
  while (high - low > 1) {
    const uint64_t middle = (low + high) / 2;
    (Uint128{middle} * middle * n <= (Uint128{1} << 66) ? low : high) = middle;  // twice the result: one bit to round
  }
  return (low + 1) / 2;
}

inline constexpr auto kInverseSqrtQ32 = [] {
  std::array<uint64_t, kInverseSqrtEntries> table{};
  for (uint32_t n = 1; n < kInverseSqrtEntries; ++n) table[n] = inverse_sqrt_q32_exact(n);
  return table;
}();

}  // namespace detail

// 2^32 / sqrt(count), count >= 1.
inline uint64_t inverse_sqrt_q32(uint32_t count) {
  if (count < detail::kInverseSqrtEntries) return detail::kInverseSqrtQ32[count];
  const unsigned halvings = (static_cast<unsigned>(std::bit_width(count)) - 9) / 2;  // leaves 256..1023
  const uint64_t y = detail::kInverseSqrtQ32[count >> (2 * halvings)] >> halvings;
  const auto count_y_y_q32 = static_cast<uint64_t>((Uint128{y} * y * count) >> 32);
  return static_cast<uint64_t>((Uint128{y} * ((uint64_t{3} << 32) - count_y_y_q32)) >> 33);
}

}  // namespace sojourn
