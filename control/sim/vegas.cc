#include "control/sim/vegas.h"

#include <algorithm>

namespace sojourn::sim {

void Vegas::on_ack(const Acknowledgement& ack) {
  round_least_ = std::min(round_least_, ack.rtt);
  ++round_samples_;
  if (!ack.is_recovering && ack.is_window_limited && is_in_slow_start() && may_double_)
    window_ = std::min(window_ + ack.acked, threshold_);
  if (ack.delivered_then < round_ends_) return;
  if (!ack.is_recovering && ack.is_window_limited) end_round(ack);
  round_ends_ = ack.delivered;
  round_least_ = {INT64_MAX};
  round_samples_ = 0;
}

void Vegas::end_round(const Acknowledgement& ack) {
  constexpr unsigned kEnough = 2;  // a delayed acknowledgement alone says nothing
  if (round_samples_ <= kEnough) {
    if (!is_in_slow_start()) window_ += 1;
    return;
  }
  const double base = static_cast<double>(ack.least_rtt.ns), rtt = static_cast<double>(round_least_.ns);
  const double queued = window_ * (rtt - base) / rtt;
  if (is_in_slow_start()) {
    may_double_ = !may_double_;
    if (queued <= kGamma) return;
    window_ = std::max(std::min(window_, window_ * base / rtt + 1), kLeastWindow);
    threshold_ = window_;
    return;
  }
  if (queued > kBeta) window_ = std::max(window_ - 1, kLeastWindow);
  if (queued < kAlpha) window_ += 1;
}

}  // namespace sojourn::sim
