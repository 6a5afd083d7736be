// A scenario file, in libconfig's syntax like the configuration, with the same quantities and the same diagnostics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "control/sim/scenario.h"

namespace sojourn::sim {

// `scenario` is to be used only when `errors` is empty.
struct ScenarioResult {
  Scenario scenario;
  std::vector<Diagnostic> errors, warnings;
  bool ok() const { return errors.empty(); }
};

// Never throws for what is in the file.
ScenarioResult load_scenario(const std::string& path);
// `filename` is what diagnostics say, and where @include looks beside.
ScenarioResult parse_scenario(std::string_view text, const std::string& filename);

}  // namespace sojourn::sim
