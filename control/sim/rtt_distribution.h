// The round trip times of somebody's users: measured ones from a file, or log-normal through two quantiles.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace sojourn::sim {

class RttDistribution {
 public:
  // Log-normal through these; p50 <= p95.
  static RttDistribution through(Duration p50, Duration p95);
  // At least one.
  static RttDistribution of(std::vector<Duration> measured);

  // The value below which `fraction` (0 < fraction < 1) lie.
  Duration quantile(double fraction) const;
  // `count` flows' worth: the middles of as many equal shares, so that nothing is left to chance.
  std::vector<Duration> draw(uint32_t count) const;

 private:
  std::vector<Duration> sorted_;  // empty: log-normal
  double log_median_ = 0, log_deviation_ = 0;
};

// One RTT a line, with its unit; empty lines and those that begin with # are passed over. Every error at once.
struct RttFile {
  std::vector<Duration> rtts;
  std::vector<Diagnostic> errors;
};
RttFile read_rtts(const std::string& path);

// "20ms,80ms": median and 95th percentile, or why not.
struct RttQuantiles {
  Duration p50, p95;
};
Parsed<RttQuantiles> parse_rtt_quantiles(const std::string& text);

}  // namespace sojourn::sim
