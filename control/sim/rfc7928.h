// The scenarios of RFC 7928 (guidelines for the characterisation of AQM schemes) in short, each under drop-tail, CoDel
// and FQ-CoDel: 10 Mbit/s, 100 ms and a buffer of one bandwidth-delay product unless the scenario says otherwise.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "control/sim/outcome.h"
#include "control/sim/policy.h"

namespace sojourn::sim {

// `name` is "medium-congestion.fq_codel".
std::vector<Scenario> rfc7928_scenarios(std::optional<Duration> measured, uint64_t seed);

}  // namespace sojourn::sim
