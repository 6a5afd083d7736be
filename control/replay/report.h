// What a replay comes to: the same account as `sojourn show stats`, with the flows.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "control/replay/flow_accounts.h"
#include "control/replay/virtual_direction.h"

namespace sojourn {

struct ReplayFacts {
  std::string wire, direction;
  std::string link_type;
  uint64_t seed = 0;
  Time first, last;  // arrivals
  uint64_t wrong_times = 0;
  Time last_departure;
  std::string damage;  // of the capture; empty: none
};

// Names are stable; each carries its unit.
nlohmann::ordered_json to_json(const ReplayFacts& facts, const VirtualDirection& direction, const FlowAccounts& flows);

// For people, in tc's manner. `report`: as to_json() gives it.
std::string report_text(const nlohmann::ordered_json& report);

}  // namespace sojourn
