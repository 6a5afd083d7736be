#include "control/sim/tcp_sender.h"

#include <algorithm>

namespace sojourn::sim {
namespace {

constexpr Duration kFirstTimeout{1'000'000'000};  // RFC 6298 (2.1)
constexpr Duration kLeastMargin{200'000'000};     // above the smoothed RTT, as deployed; RFC 6298 would wait 1 s in all
constexpr Duration kMostTimeout{60'000'000'000};  // RFC 6298 (2.5)
constexpr unsigned kMostBackoff = 8;

}  // namespace

TcpSender::TcpSender(uint32_t flow, const FlowScenario& scenario, SourceLink& link, SourceCounts& counts, uint64_t seed)
    : flow_(flow),
      scenario_(scenario),
      link_(link),
      counts_(counts),
      random_(seed, 0x7c9'0000 + flow),
      congestion_(make_congestion(scenario.congestion,
                                  {scenario.has_hystart, scenario.has_ecn_backoff, seed * 0x10001 + flow})) {}

void TcpSender::on_start(Time now) {
  paced_until_ = now;
  begin_transfer(now);
}

void TcpSender::begin_transfer(Time now) {
  if (is_stopped_) return;
  transfer_began_ = now;
  if (scenario_.transfer_bytes) {
    const uint64_t payload = scenario_.packet_bytes - kHeaderBytes;
    last_segment_ = next_segment_ + std::max<uint64_t>(1, (*scenario_.transfer_bytes + payload - 1) / payload);
  }
  send_what_may_go(now);
}

// The next transfer goes over the same connection, which keeps its window.
void TcpSender::end_transfer(Time now) {
  ++counts_.transfers;
  counts_.transfer_ns += static_cast<uint64_t>((now - transfer_began_).ns);
  if (is_stopped_) return;
  const Duration pause = scenario_.pause.ns == 0 ? Duration{0} : random_.exponential(scenario_.pause);
  link_.wake_at(now + pause, EventKind::kApplication, flow_);
}

void TcpSender::send_what_may_go(Time now) {
  const auto window = static_cast<uint64_t>(std::max(1.0, congestion_->window()));
  while (in_flight_ < window && has_data()) {
    if (congestion_->pacing_rate() > 0 && is_before(now, paced_until_)) {
      if (!is_pace_pending_) link_.wake_at(paced_until_, EventKind::kPace, flow_);
      is_pace_pending_ = true;
      return;
    }
    transmit(now);
  }
  if (in_flight_ < window) application_limited_until_ = delivered_ + in_flight_;
}

// What was taken for lost and has come late after all need not go again.
bool TcpSender::has_data() {
  while (!lost_.empty() && (!arrived_.contains(lost_.front()) || arrived_[lost_.front()] != 0)) lost_.pop_front();
  return !lost_.empty() || (next_segment_ < last_segment_ && !is_stopped_);
}

// There is data. What was lost goes first.
uint64_t TcpSender::next_to_send() {
  if (lost_.empty()) {
    arrived_.push_back(0);
    return next_segment_++;
  }
  const uint64_t segment = lost_.front();
  lost_.pop_front();
  ++counts_.retransmissions;
  return segment;
}

void TcpSender::transmit(Time now) {
  if (in_flight_ == 0) first_sent_at_ = delivered_at_ = now;
  const uint32_t index = link_.take_packet(flow_);
  Packet& p = link_.packet(index);
  p.segment = next_to_send();
  p.number = sent_.end();
  p.sent = now;
  p.bytes = scenario_.packet_bytes;
  p.ecn = scenario_.ecn ? Ecn::kEct : Ecn::kNotEct;
  p.delivered = delivered_;
  p.delivered_at = delivered_at_;
  p.first_sent_at = first_sent_at_;
  p.is_application_limited = application_limited_until_ > delivered_;
  sent_.push_back({p.segment, false});
  ++in_flight_;
  if (!has_deadline_) arm(now);
  if (const double rate = congestion_->pacing_rate(); rate > 0) {
    const Time from = is_before(paced_until_, now) ? now : paced_until_;
    paced_until_ = from + Duration{static_cast<int64_t>(1e9 / rate)};
  }
  link_.send(now, index);
}

void TcpSender::on_answer(Time now, uint32_t first) {
  Acknowledgement ack;
  ack.now = now;
  ack.in_flight_before = static_cast<double>(in_flight_);
  ack.is_window_limited = static_cast<double>(in_flight_ + 1) >= congestion_->window();
  for (uint32_t i = first; i != kNoPacket; i = link_.packet(i).next) take_in(now, link_.packet(i), ack);
  detect_losses(now, ack);
  if (is_recovering_ && largest_acked_ >= recovery_point_) is_recovering_ = false;
  ack.least_rtt = rtt_least_;
  ack.in_flight = static_cast<double>(in_flight_);
  ack.delivered = delivered_;
  ack.is_recovering = is_recovering_;
  congestion_->on_ack(ack);
  backoff_ = 0;
  has_deadline_ = in_flight_ != 0;
  if (has_deadline_) arm(now);
  send_what_may_go(now);
}

void TcpSender::take_in(Time now, const Packet& p, Acknowledgement& ack) {
  if (sent_.contains(p.number)) {  // else it was taken for lost, and comes late
    sent_[p.number].is_acked = true;
    --in_flight_;
  }
  largest_acked_ = has_acked_ ? std::max(largest_acked_, p.number) : p.number;
  has_acked_ = true;
  ++delivered_;
  delivered_at_ = now;
  ack.acked += 1;
  ack.rtt = now - p.sent;
  ack.delivered_then = p.delivered;
  sample_rtt(ack.rtt);
  sample_rate(p, ack);
  first_sent_at_ = p.sent;
  deliver(p.segment, ack);
  if (p.ecn == Ecn::kCe) signal(now, CongestionSignal::kEcn, p.number);
}

void TcpSender::sample_rate(const Packet& p, Acknowledgement& ack) const {
  const Duration interval = std::max(p.sent - p.first_sent_at, delivered_at_ - p.delivered_at);
  ack.is_rate_application_limited = p.is_application_limited;
  if (interval.ns <= 0 || interval < rtt_least_) return;
  ack.delivery_rate = static_cast<double>(delivered_ - p.delivered) * 1e9 / static_cast<double>(interval.ns);
}

void TcpSender::sample_rtt(Duration rtt) {
  if (rtt_least_.ns == 0) {
    rtt_smooth_ = rtt_least_ = rtt;
    rtt_variation_ = {rtt.ns / 2};
    return;
  }
  rtt_least_ = std::min(rtt_least_, rtt);
  const int64_t error = rtt.ns - rtt_smooth_.ns;
  rtt_variation_.ns += ((error < 0 ? -error : error) - rtt_variation_.ns) / 4;
  rtt_smooth_.ns += error / 8;
}

void TcpSender::deliver(uint64_t segment, Acknowledgement& ack) {
  if (!arrived_.contains(segment) || arrived_[segment] != 0) return;
  arrived_[segment] = 1;
  counts_.goodput_bytes += scenario_.packet_bytes - kHeaderBytes;
  while (arrived_.begin() != arrived_.end() && arrived_[arrived_.begin()] != 0) arrived_.pop_front();
  if (arrived_.begin() == last_segment_) end_transfer(ack.now);
}

void TcpSender::detect_losses(Time now, Acknowledgement& ack) {
  while (sent_.begin() != sent_.end()) {
    const uint64_t number = sent_.begin();
    const Transmission& t = sent_[number];
    if (!t.is_acked && number + kReorderingThreshold > largest_acked_) return;
    sent_.pop_front();
    if (t.is_acked) continue;
    --in_flight_;
    lost_.push_back(t.segment);
    ack.has_lost = true;
    signal(now, CongestionSignal::kLoss, number);
  }
}

// One reduction a round trip: what was sent before the last one does not count again.
void TcpSender::signal(Time now, CongestionSignal what, uint64_t number) {
  if (number < recovery_point_) return;
  recovery_point_ = sent_.end();
  is_recovering_ = true;
  ++counts_.reductions;
  congestion_->on_congestion(now, what, static_cast<double>(in_flight_));
}

Duration TcpSender::timeout() const {
  if (rtt_least_.ns == 0) return {kFirstTimeout.ns << backoff_};
  const int64_t base = rtt_smooth_.ns + std::max(4 * rtt_variation_.ns, kLeastMargin.ns);
  return {std::min(base << backoff_, kMostTimeout.ns)};
}

// One event is under way at a time; it looks at the deadline when it comes, and goes on if that has moved.
void TcpSender::arm(Time now) {
  deadline_ = now + timeout();
  has_deadline_ = true;
  if (is_timer_pending_) return;
  is_timer_pending_ = true;
  link_.wake_at(deadline_, EventKind::kRetransmit, flow_);
}

void TcpSender::on_timer(Time now, EventKind kind) {
  if (kind == EventKind::kApplication) return begin_transfer(now);
  if (kind == EventKind::kPace) {
    is_pace_pending_ = false;
    return send_what_may_go(now);
  }
  is_timer_pending_ = false;
  if (!has_deadline_) return;
  if (!is_before(now, deadline_)) return on_retransmission_timer(now);
  is_timer_pending_ = true;
  link_.wake_at(deadline_, EventKind::kRetransmit, flow_);
}

// All that is in flight is taken for lost (RFC 6675 5.1).
void TcpSender::on_retransmission_timer(Time now) {
  has_deadline_ = false;
  if (in_flight_ == 0) return;
  ++counts_.timeouts;
  congestion_->on_timeout(now, static_cast<double>(in_flight_));
  for (; sent_.begin() != sent_.end(); sent_.pop_front())
    if (!sent_[sent_.begin()].is_acked) lost_.push_back(sent_[sent_.begin()].segment);
  in_flight_ = 0;
  recovery_point_ = sent_.end();
  is_recovering_ = false;
  backoff_ = std::min(backoff_ + 1, kMostBackoff);
  paced_until_ = now;
  send_what_may_go(now);
  if (!has_deadline_) arm(now);
}

}  // namespace sojourn::sim
