#include "control/over_rate.h"

#include <algorithm>

namespace sojourn {
namespace {

uint64_t bytes_in(Duration time, const Pacer::Plan& limit) {
  if (time.ns <= 0) return 0;
  return static_cast<uint64_t>((Uint128{static_cast<uint64_t>(time.ns)} << 32) / limit.ns_per_byte_q32) + 1;
}

}  // namespace

void OverRate::begin(const Observation& now) {
  first_.reset();
  if (!now.limit.is_unlimited()) first_ = now;
  allowed_bytes_ = 0;
  burst_bytes_ = now.limit.is_unlimited() ? 0 : bytes_in(now.limit.burst_time, now.limit);
  frame_bytes_ = now.frame_bytes;
}

uint64_t OverRate::allowed_since_last(const Observation& now) const {
  const Duration time = now.at - last_.at;
  return std::max(bytes_in(time, last_.limit), bytes_in(time, now.limit));
}

std::optional<OverRate::Excess> OverRate::observe(const Observation& now) {
  if (!first_ || now.limit.is_unlimited()) {
    begin(now);
    last_ = now;
    return std::nullopt;
  }
  allowed_bytes_ += allowed_since_last(now);
  burst_bytes_ = std::max(burst_bytes_, bytes_in(now.limit.burst_time, now.limit));
  frame_bytes_ = std::max(frame_bytes_, now.frame_bytes);
  last_ = now;
  const Duration window = now.at - first_->at;
  if (window < kWindow) return std::nullopt;
  const uint64_t sent = now.sent_wire_bytes - first_->sent_wire_bytes;
  const auto tolerated = static_cast<uint64_t>(Uint128{allowed_bytes_} * (100 + kTolerancePercent) / 100);
  const uint64_t allowed = tolerated + burst_bytes_ + frame_bytes_;
  begin(now);
  if (sent <= allowed) return std::nullopt;
  ++alarms_;
  return Excess{window, sent, allowed};
}

}  // namespace sojourn
