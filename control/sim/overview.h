// Several runs side by side: a line each.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "control/sim/outcome.h"

namespace sojourn::sim {

nlohmann::ordered_json overview_json(const std::string& name, const std::vector<Outcome>& outcomes);
std::string overview_text(const std::vector<Outcome>& outcomes);
std::string overview_csv(const std::vector<Outcome>& outcomes);

}  // namespace sojourn::sim
