// CUBIC: RFC 9438, with its Reno-friendly region and fast convergence; HyStart's delay criterion is optional.
#pragma once

#include "control/sim/congestion.h"

namespace sojourn::sim {

class Cubic : public Congestion {
 public:
  static constexpr double kBeta = 0.7;
  static constexpr double kC = 0.4;  // segments per second cubed

  explicit Cubic(const CongestionOptions& options) : options_(options) {}
  void on_ack(const Acknowledgement& ack) override;
  void on_congestion(Time now, CongestionSignal signal, double in_flight) override;
  void on_timeout(Time now, double in_flight) override;

  // RFC 9438 4.2, figures 1 and 2; times in seconds.
  static double cubic_window(double seconds, double period, double most) {
    const double t = seconds - period;
    return kC * t * t * t + most;
  }
  static double period_of(double most, double at_epoch);

 private:
  bool is_in_slow_start() const { return window_ < threshold_; }
  void begin_epoch(Time now);
  void grow(const Acknowledgement& ack);
  void watch_delay(const Acknowledgement& ack);

  CongestionOptions options_;
  double threshold_ = kNoThreshold;
  double most_ = 0;    // W_max
  double prior_ = 0;   // cwnd_prior
  double period_ = 0;  // K, in seconds
  double reno_ = 0;    // W_est
  bool has_epoch_ = false;
  bool had_timeout_ = false;
  Time epoch_;

  // HyStart: of this round and the one before.
  uint64_t round_ends_ = 0;
  Duration round_least_{INT64_MAX}, last_least_{INT64_MAX};
  unsigned round_samples_ = 0;
};

}  // namespace sojourn::sim
