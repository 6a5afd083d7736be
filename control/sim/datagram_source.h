// Sources that do not listen: constant rate, Poisson, on and off, sparse. What they send is echoed, so that it has a
// round trip time.
#pragma once

#include "control/sim/random.h"
#include "control/sim/scenario.h"
#include "control/sim/source.h"

namespace sojourn::sim {

class DatagramSource : public Source {
 public:
  DatagramSource(uint32_t flow, const FlowScenario& scenario, SourceLink& link, SourceCounts& counts, uint64_t seed);
  void on_start(Time now) override;
  void on_answer(Time now, uint32_t first) override;
  void on_timer(Time now, EventKind kind) override;
  void on_stop(Time) override { is_stopped_ = true; }

 private:
  Duration distance();

  uint32_t flow_;
  const FlowScenario& scenario_;
  SourceLink& link_;
  SourceCounts& counts_;
  Random random_;
  Duration mean_distance_;
  uint64_t remainder_ = 0;  // of a constant distance, in parts of `rate` of a nanosecond
  uint64_t sent_ = 0;
  Time off_at_;
  bool is_stopped_ = false;
};

}  // namespace sojourn::sim
