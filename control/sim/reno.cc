#include "control/sim/reno.h"

#include <algorithm>

namespace sojourn::sim {

void Reno::on_ack(const Acknowledgement& ack) {
  if (ack.is_recovering || !ack.is_window_limited) return;
  double acked = ack.acked;
  if (is_in_slow_start()) {
    const double grown = std::min(window_ + acked, std::max(threshold_, window_));
    acked -= grown - window_;
    window_ = grown;
  }
  window_ += acked / window_;  // RFC 5681 (3): about one segment a round trip
}

void Reno::on_congestion(Time, CongestionSignal signal, double) {
  const double kept = signal == CongestionSignal::kEcn && has_ecn_backoff_ ? 0.8 : 0.5;  // RFC 8511 3
  threshold_ = std::max(window_ * kept, kLeastWindow);
  window_ = threshold_;
}

void Reno::on_timeout(Time, double in_flight) {
  threshold_ = std::max(in_flight / 2, kLeastWindow);
  window_ = 1;
}

}  // namespace sojourn::sim
