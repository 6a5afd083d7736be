// A TCP sender with selective acknowledgements: window, loss detection, retransmission timer, pacing. Every
// transmission bears a number of its own, so that an acknowledgement is never ambiguous (as in QUIC; with SACK and
// timestamps TCP knows the same). Acknowledgements are not lost.
//
// Loss: a transmission is lost when one sent three or more later has been acknowledged (RFC 6675's DupThresh in the
// order of transmission, so that a lost retransmission is found too), or by the timer (RFC 6298).
#pragma once

#include <deque>
#include <memory>

#include "control/sim/congestion.h"
#include "control/sim/random.h"
#include "control/sim/scenario.h"
#include "control/sim/source.h"
#include "control/sim/transmissions.h"

namespace sojourn::sim {

class TcpSender : public Source {
 public:
  TcpSender(uint32_t flow, const FlowScenario& scenario, SourceLink& link, SourceCounts& counts, uint64_t seed);
  void on_start(Time now) override;
  void on_answer(Time now, uint32_t first) override;
  void on_timer(Time now, EventKind kind) override;
  void on_stop(Time) override { is_stopped_ = true; }
  double window() const override { return congestion_->window(); }

  const Congestion& congestion() const { return *congestion_; }
  uint64_t in_flight() const { return in_flight_; }

 private:
  static constexpr uint64_t kReorderingThreshold = 3;

  void begin_transfer(Time now);
  void end_transfer(Time now);
  bool has_data();
  void send_what_may_go(Time now);
  void transmit(Time now);
  uint64_t next_to_send();
  void take_in(Time now, const Packet& packet, Acknowledgement& ack);
  void sample_rate(const Packet& packet, Acknowledgement& ack) const;
  void sample_rtt(Duration rtt);
  void deliver(uint64_t segment, Acknowledgement& ack);
  void detect_losses(Time now, Acknowledgement& ack);
  void signal(Time now, CongestionSignal what, uint64_t number);
  void on_retransmission_timer(Time now);
  void arm(Time now);
  Duration timeout() const;

  uint32_t flow_;
  const FlowScenario& scenario_;
  SourceLink& link_;
  SourceCounts& counts_;
  Random random_;
  std::unique_ptr<Congestion> congestion_;
  bool is_stopped_ = false;

  NumberedRing<Transmission> sent_;  // from the oldest not judged
  NumberedRing<uint8_t> arrived_;    // 1 when it has; segments, from the oldest not delivered
  std::deque<uint64_t> lost_;        // segments to send again
  uint64_t next_segment_ = 0;
  uint64_t last_segment_ = UINT64_MAX;  // end of the present transfer
  uint64_t in_flight_ = 0;
  uint64_t largest_acked_ = 0;
  bool has_acked_ = false;
  uint64_t recovery_point_ = 0;  // a loss of this number or later is news
  bool is_recovering_ = false;
  Time transfer_began_;

  Duration rtt_smooth_{0}, rtt_variation_{0}, rtt_least_{0};
  unsigned backoff_ = 0;
  Time deadline_;
  bool has_deadline_ = false, is_timer_pending_ = false;

  Time paced_until_;
  bool is_pace_pending_ = false;

  uint64_t delivered_ = 0;  // segments, each transmission that arrived
  Time delivered_at_, first_sent_at_;
  uint64_t application_limited_until_ = 0;
};

}  // namespace sojourn::sim
