// Vegas: Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", 1995. Keeps between
// alpha and beta packets in the queue, judged once a round trip; answers loss as Reno does.
#pragma once

#include "control/sim/reno.h"

namespace sojourn::sim {

class Vegas : public Reno {
 public:
  static constexpr double kAlpha = 2, kBeta = 4, kGamma = 1;  // packets in the queue

  explicit Vegas(const CongestionOptions& options) : Reno(options) {}
  void on_ack(const Acknowledgement& ack) override;

 private:
  void end_round(const Acknowledgement& ack);

  uint64_t round_ends_ = 0;
  Duration round_least_{INT64_MAX};
  unsigned round_samples_ = 0;
  bool may_double_ = true;  // slow start: every other round, so that the other one measures
};

}  // namespace sojourn::sim
