// Reno: RFC 5681 with the recovery of RFC 6582 and RFC 6675, which the sender does.
#pragma once

#include "control/sim/congestion.h"

namespace sojourn::sim {

class Reno : public Congestion {
 public:
  explicit Reno(const CongestionOptions& options) : has_ecn_backoff_(options.has_ecn_backoff) {}
  void on_ack(const Acknowledgement& ack) override;
  void on_congestion(Time now, CongestionSignal signal, double in_flight) override;
  void on_timeout(Time now, double in_flight) override;
  double threshold() const { return threshold_; }

 protected:
  bool is_in_slow_start() const { return window_ < threshold_; }
  double threshold_ = kNoThreshold;

 private:
  bool has_ecn_backoff_;
};

}  // namespace sojourn::sim
