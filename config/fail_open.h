// on_error = "wire": what is still run of a configuration that is wrong.
#pragma once

#include <optional>
#include <string>

#include "config/config.h"

namespace sojourn {

// For a start that must forward rather than refuse: the configuration with every direction that has an error unshaped,
// its fault said in it. Absent where on_error is "refuse", or where an error lies anywhere else: without ports and
// wires there is nothing to forward between.
std::optional<Config> fail_open(const Result& result);

// The same where it is not the text that is wrong but its shaping that cannot be set up: every direction unshaped.
Config unshaped(Config config, const std::string& fault);

}  // namespace sojourn
