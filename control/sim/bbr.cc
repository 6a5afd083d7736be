#include "control/sim/bbr.h"

#include <algorithm>

namespace sojourn::sim {
namespace {

constexpr std::array kCycle{1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
constexpr double kSteadyWindowGain = 2;
constexpr double kProbeRttWindow = 4;
constexpr Duration kPropagationLife{10'000'000'000};
constexpr Duration kProbeRttTime{200'000'000};
constexpr double kQuanta = 3;           // in the window beyond the gain: for aggregation at both ends
constexpr double kPacingMargin = 0.99;  // as deployed: a little below the estimate, so that no queue stands
constexpr Duration kFirstRtt{1'000'000};

}  // namespace

void Bbr::on_ack(const Acknowledgement& ack) {
  count_round(ack);
  update_bandwidth(ack);
  check_full_pipe(ack);
  check_drain(ack);
  if (state_ == State::kProbeBandwidth) advance_cycle(ack);
  update_propagation(ack);
  if (state_ == State::kProbeRtt) probe_rtt(ack);
  set_pacing(ack);
  set_window(ack);
}

double Bbr::flight(double gain) const {
  if (propagation_.ns == 0) return kInitialWindow;
  return gain * bandwidth_ * static_cast<double>(propagation_.ns) / 1e9;
}

void Bbr::count_round(const Acknowledgement& ack) {
  is_round_start_ = ack.delivered_then >= round_ends_;
  if (!is_round_start_) return;
  round_ends_ = ack.delivered;
  ++round_;
  round_rates_[round_ % kBandwidthRounds] = 0;
}

void Bbr::update_bandwidth(const Acknowledgement& ack) {
  if (ack.delivery_rate > 0 && (!ack.is_rate_application_limited || ack.delivery_rate >= bandwidth_)) {
    double& most = round_rates_[round_ % kBandwidthRounds];
    most = std::max(most, ack.delivery_rate);
  }
  const double most = *std::ranges::max_element(round_rates_);
  if (most > 0) bandwidth_ = most;
}

// The pipe is full when three rounds have not brought a quarter more.
void Bbr::check_full_pipe(const Acknowledgement& ack) {
  if (is_pipe_full_ || !is_round_start_ || ack.is_rate_application_limited) return;
  if (bandwidth_ >= full_bandwidth_ * 1.25) {
    full_bandwidth_ = bandwidth_;
    full_rounds_ = 0;
    return;
  }
  is_pipe_full_ = ++full_rounds_ >= 3;
}

void Bbr::check_drain(const Acknowledgement& ack) {
  if (state_ == State::kStartup && is_pipe_full_) {
    state_ = State::kDrain;
    pacing_gain_ = 1 / kHighGain;
    window_gain_ = kHighGain;
  }
  if (state_ == State::kDrain && ack.in_flight <= flight(1)) enter_probe_bandwidth(ack.now);
}

void Bbr::enter_probe_bandwidth(Time now) {
  state_ = State::kProbeBandwidth;
  window_gain_ = kSteadyWindowGain;
  // Any phase but the draining one, so that flows do not probe in step.
  const auto drawn = static_cast<unsigned>(random_.below(kCycle.size() - 1));
  phase_ = drawn == 0 ? 0 : drawn + 1;
  phase_began_ = now;
  pacing_gain_ = kCycle[phase_];
}

void Bbr::advance_cycle(const Acknowledgement& ack) {
  const bool is_full = (ack.now - phase_began_) > propagation_;
  bool is_over = is_full;
  if (pacing_gain_ > 1) is_over = is_full && (ack.has_lost || ack.in_flight_before >= flight(pacing_gain_));
  if (pacing_gain_ < 1) is_over = is_full || ack.in_flight_before <= flight(1);
  if (!is_over) return;
  phase_ = (phase_ + 1) % kCycle.size();
  phase_began_ = ack.now;
  pacing_gain_ = kCycle[phase_];
}

void Bbr::update_propagation(const Acknowledgement& ack) {
  is_propagation_old_ = propagation_.ns != 0 && (ack.now - propagation_seen_) > kPropagationLife;
  if (propagation_.ns == 0 || ack.rtt <= propagation_ || is_propagation_old_) {
    propagation_ = ack.rtt;
    propagation_seen_ = ack.now;
  }
  if (!is_propagation_old_ || state_ == State::kProbeRtt) return;
  state_ = State::kProbeRtt;
  pacing_gain_ = window_gain_ = 1;
  prior_window_ = std::max(prior_window_, window_);
  has_probe_end_ = has_probe_round_ = false;
}

// At least 200 ms and a round trip with four packets in flight.
void Bbr::probe_rtt(const Acknowledgement& ack) {
  if (!has_probe_end_) {
    if (ack.in_flight > kProbeRttWindow) return;
    has_probe_end_ = true;
    probe_ends_ = ack.now + kProbeRttTime;
    round_ends_ = ack.delivered;
    return;
  }
  has_probe_round_ = has_probe_round_ || is_round_start_;
  if (!has_probe_round_ || is_before(ack.now, probe_ends_)) return;
  propagation_seen_ = ack.now;
  window_ = std::max(window_, prior_window_);
  prior_window_ = 0;
  if (is_pipe_full_) return enter_probe_bandwidth(ack.now);
  state_ = State::kStartup;
  pacing_gain_ = window_gain_ = kHighGain;
}

void Bbr::set_pacing(const Acknowledgement& ack) {
  if (bandwidth_ <= 0) {
    const Duration rtt = ack.rtt.ns == 0 ? kFirstRtt : ack.rtt;
    pacing_rate_ = kHighGain * kInitialWindow * 1e9 / static_cast<double>(rtt.ns);
    return;
  }
  const double rate = pacing_gain_ * bandwidth_ * kPacingMargin;
  if (is_pipe_full_ || rate > pacing_rate_) pacing_rate_ = rate;
}

void Bbr::set_window(const Acknowledgement& ack) {
  if (was_recovering_ && !ack.is_recovering) {
    window_ = std::max(window_, prior_window_);
    prior_window_ = 0;
    was_recovering_ = false;
  }
  if (ack.delivered_then >= conserve_until_) is_conserving_ = false;
  const double target = flight(window_gain_) + kQuanta;
  if (is_conserving_) {
    window_ = std::max(window_, ack.in_flight + ack.acked);
  } else if (is_pipe_full_) {
    window_ = std::min(window_ + ack.acked, target);
  } else if (window_ < target || static_cast<double>(ack.delivered) < kInitialWindow) {
    window_ += ack.acked;
  }
  window_ = std::max(window_, kProbeRttWindow);
  if (state_ == State::kProbeRtt) window_ = std::min(window_, kProbeRttWindow);
}

// One round trip of packet conservation after a loss; the window is restored when all is repaired.
void Bbr::on_congestion(Time, CongestionSignal signal, double in_flight) {
  if (signal != CongestionSignal::kLoss) return;
  if (state_ != State::kProbeRtt) prior_window_ = std::max(prior_window_, window_);
  window_ = std::max(in_flight + 1, kProbeRttWindow);
  is_conserving_ = was_recovering_ = true;
  conserve_until_ = round_ends_;
}

void Bbr::on_timeout(Time, double) {
  prior_window_ = std::max(prior_window_, window_);
  window_ = 1;
  was_recovering_ = true;
}

}  // namespace sojourn::sim
