// The standing queue: what a buffer does to one bulk flow and to the small flow beside it, and how that compares with
// what the field reports. A 12 Mbit/s link, 40 ms, frames of 1500 bytes (1 ms each, 40 in the pipe), one 64-byte packet
// every 150 ms.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "control/sim/outcome.h"
#include "control/sim/policy.h"

namespace sojourn::sim {

inline constexpr uint32_t kStandingPipePackets = 40;  // bandwidth x delay
inline constexpr Duration kStandingRtt{40'000'000};
inline constexpr Duration kStandingWarmup{200'000'000'000};     // beyond one sawtooth of the deepest buffer
inline constexpr Duration kStandingMeasured{1800'000'000'000};  // about ten of them

struct StandingCell {
  Policy policy;
  CongestionName sender;
  uint32_t buffer_packets = 0;
};

// All of the table, in its order.
std::vector<StandingCell> standing_cells();
Scenario standing_scenario(const StandingCell& cell, Duration measured, uint64_t seed);

// "1/4", "16": of the bandwidth-delay product.
std::string buffer_text(uint32_t buffer_packets);

// One figure of the field beside ours.
struct StandingComparison {
  StandingCell cell;
  bool is_at_every_size = false;  // then `cell` is the one where ours is furthest off
  std::string what, unit;
  double field = 0, ours = 0;
  bool is_close = false;  // within 3 % or 1 ms
  std::string mechanism;
};

// `outcomes` in the order of standing_cells().
std::vector<StandingComparison> compare_standing(const std::vector<Outcome>& outcomes);

nlohmann::ordered_json standing_json(const std::vector<Outcome>& outcomes);
std::string standing_text(const std::vector<Outcome>& outcomes);
std::string standing_csv(const std::vector<Outcome>& outcomes);

}  // namespace sojourn::sim
