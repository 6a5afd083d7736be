// What losses and route changes on the path do to CUBIC and BBR: a 1 Gbit/s Ethernet path of 4 ms, fetches of 100 MB
// one after the other; clean, with 1.5 % random loss, and with a route that changes between 4 and 22 ms every 30 s.
#pragma once

#include <optional>
#include <vector>

#include "control/sim/outcome.h"

namespace sojourn::sim {

// "cubic.clean", "bbr.route-shifts".
std::vector<Scenario> senders_scenarios(std::optional<Duration> measured, uint64_t seed);

nlohmann::ordered_json senders_json(const std::vector<Outcome>& outcomes);
std::string senders_text(const std::vector<Outcome>& outcomes);

}  // namespace sojourn::sim
