// The way behind the last bottleneck and back to the sender: when, if at all, does an answer come?
#pragma once

#include <algorithm>
#include <optional>

#include "control/sim/random.h"
#include "control/sim/scenario.h"

namespace sojourn::sim {

class Path {
 public:
  Path(const PathScenario& scenario, Duration rtt, Random random) : scenario_(scenario), rtt_(rtt), random_(random) {}

  // Of a packet that has left the last bottleneck at `now`; absent: lost. `share_of_rtt`: 1, or 2 for half of it.
  std::optional<Time> arrival(Time now, int64_t share_of_rtt) {
    if (scenario_.loss.value != 0 && random_.chance(scenario_.loss.value)) return std::nullopt;
    Time at = now + Duration{rtt_at(now).ns / share_of_rtt};
    if (scenario_.jitter.ns != 0)
      at = at + Duration{static_cast<int64_t>(random_.below(static_cast<uint64_t>(scenario_.jitter.ns) + 1))};
    if (scenario_.reorder.value != 0 && random_.chance(scenario_.reorder.value)) return at + scenario_.reorder_delay;
    const uint64_t route = route_at(now);
    const bool may_overtake = scenario_.flip_reorders && route != last_route_;
    if (has_last_ && !may_overtake && is_before(at, last_)) at = last_;
    has_last_ = true;
    last_route_ = route;
    return last_ = at;
  }

  Duration rtt_at(Time now) const {
    if (!scenario_.flip_rtt) return rtt_;
    return route_at(now) % 2 == 0 ? rtt_ : *scenario_.flip_rtt;
  }

 private:
  // How often the route has changed.
  uint64_t route_at(Time now) const { return now.ns / static_cast<uint64_t>(scenario_.flip_every.ns); }

  const PathScenario& scenario_;
  Duration rtt_;
  Random random_;
  Time last_;
  uint64_t last_route_ = 0;
  bool has_last_ = false;
};

}  // namespace sojourn::sim
