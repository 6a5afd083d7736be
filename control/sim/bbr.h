// BBR, version 1: draft-cardwell-iccrg-bbr-congestion-control-00. Models the path by its bottleneck rate (largest in
// ten round trips) and propagation time (least in ten seconds); does not answer to single losses or marks.
#pragma once

#include <array>

#include "control/sim/congestion.h"
#include "control/sim/random.h"

namespace sojourn::sim {

class Bbr : public Congestion {
 public:
  enum class State : uint8_t { kStartup, kDrain, kProbeBandwidth, kProbeRtt };

  explicit Bbr(const CongestionOptions& options) : random_(options.seed, 0xbb) {}
  void on_ack(const Acknowledgement& ack) override;
  void on_congestion(Time now, CongestionSignal signal, double in_flight) override;
  void on_timeout(Time now, double in_flight) override;
  double pacing_rate() const override { return pacing_rate_; }

  State state() const { return state_; }
  double bandwidth() const { return bandwidth_; }  // segments per second
  Duration propagation() const { return propagation_; }

 private:
  static constexpr unsigned kBandwidthRounds = 10;

  void count_round(const Acknowledgement& ack);
  void update_bandwidth(const Acknowledgement& ack);
  void check_full_pipe(const Acknowledgement& ack);
  void check_drain(const Acknowledgement& ack);
  void enter_probe_bandwidth(Time now);
  void advance_cycle(const Acknowledgement& ack);
  void update_propagation(const Acknowledgement& ack);
  void probe_rtt(const Acknowledgement& ack);
  void set_pacing(const Acknowledgement& ack);
  void set_window(const Acknowledgement& ack);
  double flight(double gain) const;

  Random random_;
  State state_ = State::kStartup;
  double pacing_gain_ = kHighGain, window_gain_ = kHighGain;
  double pacing_rate_ = 0;

  uint64_t round_ = 0, round_ends_ = 0;
  bool is_round_start_ = false;
  std::array<double, kBandwidthRounds> round_rates_{};
  double bandwidth_ = 0;

  bool is_pipe_full_ = false;
  double full_bandwidth_ = 0;
  unsigned full_rounds_ = 0;

  unsigned phase_ = 0;
  Time phase_began_;

  Duration propagation_{0};
  Time propagation_seen_;
  bool is_propagation_old_ = false;
  bool has_probe_end_ = false, has_probe_round_ = false;
  Time probe_ends_;

  double prior_window_ = 0;
  bool is_conserving_ = false, was_recovering_ = false;
  uint64_t conserve_until_ = 0;

  static constexpr double kHighGain = 2.885;  // 2 / ln 2: doubles the rate each round trip
};

}  // namespace sojourn::sim
