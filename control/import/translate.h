// Configurations of other shapers as sojourn's.
#pragma once

#include <string>
#include <string_view>

#include "control/import/findings.h"
#include "control/import/wire.h"

namespace sojourn::imports {

inline constexpr size_t kMostImportBytes = size_t{16} << 20;

// A configuration that config's parse() accepts, or "" when the findings refuse the input. `source` is what the
// configuration calls the input.
std::string import_tc(std::string_view text, const std::string& source, const Ends& ends, Findings& findings);

// Lines of dnctl and ipfw, or the config.xml of pfSense or OPNsense.
std::string import_dummynet(std::string_view text, const std::string& source, const Ends& ends, Findings& findings);

}  // namespace sojourn::imports
