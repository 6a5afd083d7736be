// Many runs at once, one a core; what comes out does not depend on how many.
#pragma once

#include <string>
#include <vector>

#include "control/sim/outcome.h"
#include "control/sim/scenario.h"

namespace sojourn::sim {

struct BatchOptions {
  unsigned threads = 0;           // 0: as many as there are cores
  std::optional<Duration> trace;  // sampled this often
  bool shows_progress = false;    // on stderr, when it takes more than a second
};

// In the order of `scenarios`, which must outlive the outcomes.
std::vector<Outcome> run_batch(const std::vector<Scenario>& scenarios, const BatchOptions& options);

// How much faster than real time the last batch was, all threads together: for stderr, not for a report.
struct BatchSpeed {
  double virtual_seconds = 0, real_seconds = 0;
  uint64_t packets = 0;
};
BatchSpeed last_batch_speed();

}  // namespace sojourn::sim
