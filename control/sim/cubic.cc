#include "control/sim/cubic.h"

#include <algorithm>

#include "control/sim/exact_math.h"

namespace sojourn::sim {
namespace {

constexpr double kRenoFriendlyGain = 3 * (1 - Cubic::kBeta) / (1 + Cubic::kBeta);  // RFC 9438 4.3

double seconds(Duration d) {
  return static_cast<double>(d.ns) / 1e9;
}

}  // namespace

double Cubic::period_of(double most, double at_epoch) {
  return most > at_epoch ? cube_root((most - at_epoch) / kC) : 0;
}

void Cubic::on_ack(const Acknowledgement& ack) {
  if (options_.has_hystart && is_in_slow_start()) watch_delay(ack);
  if (ack.is_recovering || !ack.is_window_limited) return;
  if (is_in_slow_start()) {
    window_ = std::min(window_ + ack.acked, threshold_);
    return;
  }
  if (!has_epoch_) begin_epoch(ack.now);
  grow(ack);
}

void Cubic::begin_epoch(Time now) {
  has_epoch_ = true;
  epoch_ = now;
  // After a timeout, or a slow start that ended without loss, there is no plateau to return to (RFC 9438 4.8).
  if (had_timeout_ || most_ < window_) most_ = window_;
  had_timeout_ = false;
  period_ = period_of(most_, window_);
  reno_ = window_;
}

void Cubic::grow(const Acknowledgement& ack) {
  const double t = seconds(ack.now - epoch_);
  reno_ += (reno_ < prior_ ? kRenoFriendlyGain : 1.0) * ack.acked / window_;
  if (cubic_window(t, period_, most_) < reno_) {
    window_ = std::max(window_, reno_);
    return;
  }
  const double target = std::clamp(cubic_window(t + seconds(ack.rtt), period_, most_), window_, 1.5 * window_);
  window_ += (target - window_) / window_ * ack.acked;
}

void Cubic::on_congestion(Time, CongestionSignal signal, double) {
  prior_ = window_;
  most_ = window_ < most_ ? window_ * (1 + kBeta) / 2 : window_;                                    // RFC 9438 4.7
  const double kept = signal == CongestionSignal::kEcn && options_.has_ecn_backoff ? 0.85 : kBeta;  // RFC 8511 4
  threshold_ = std::max(window_ * kept, kLeastWindow);
  window_ = threshold_;
  has_epoch_ = false;
}

void Cubic::on_timeout(Time, double in_flight) {
  prior_ = window_;
  threshold_ = std::max(in_flight * kBeta, kLeastWindow);
  window_ = 1;
  has_epoch_ = false;
  had_timeout_ = true;
}

// RFC 9406 4.2, leaving slow start at once: a round whose least RTT is an eighth (4 to 16 ms) above the one before.
void Cubic::watch_delay(const Acknowledgement& ack) {
  constexpr unsigned kSamples = 8;
  if (ack.delivered_then >= round_ends_) {
    round_ends_ = ack.delivered;
    last_least_ = round_least_;
    round_least_ = {INT64_MAX};
    round_samples_ = 0;
  }
  round_least_ = std::min(round_least_, ack.rtt);
  if (++round_samples_ < kSamples || last_least_.ns == INT64_MAX) return;
  const int64_t rise = std::clamp<int64_t>(last_least_.ns / 8, 4'000'000, 16'000'000);
  if (round_least_.ns >= last_least_.ns + rise) threshold_ = window_;
}

}  // namespace sojourn::sim
