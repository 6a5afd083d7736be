// The configuration in force, said in full.
#pragma once

#include <string>

#include "config/config.h"

namespace sojourn {

// As libconfig text: every value, given or not, and what is derived from them as comments. parse() of it gives an equal
// Config.
std::string effective_text(const Config& config);

// As JSON. Names carry their unit (rate_bps, target_ns), what is derived is named *_in_force_*; unlimited and absent
// are null.
std::string effective_json(const Config& config);

}  // namespace sojourn
