// A change of the running configuration: what differs, and what stands in its way.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/difference.h"
#include "control/budget.h"

namespace sojourn {

// The new configuration as it would run here: what it leaves to the device is as the device has it.
Config as_running(Config next, const Config& running);

// Why the change cannot be made while running, each reason in one sentence with what to do; empty: it can.
// `buffer_bytes`: of one packet buffer. `had`: what was taken at start.
std::vector<std::string> obstacles(const std::vector<Difference>& differences, const Config& next, const Budget& had,
                                   uint32_t buffer_bytes);

// [{"name": ..., "from": ..., "to": ...}]; null: absent.
nlohmann::json to_json(const std::vector<Difference>& differences);
std::string to_string(const Difference& difference);  // "wires[home].egress.rate: "40mbit" -> "38mbit""

}  // namespace sojourn
