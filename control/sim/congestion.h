// What a congestion control is told and what it answers. Windows are counted in segments, fractions kept.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "sched/units.h"

namespace sojourn::sim {

inline constexpr double kInitialWindow = 10;  // RFC 6928
inline constexpr double kLeastWindow = 2;     // RFC 5681 (4): of ssthresh
inline constexpr double kNoThreshold = 1e12;

// What the arrival of an acknowledgement says.
struct Acknowledgement {
  Time now;
  Duration rtt{0};        // of the newest packet acknowledged
  Duration least_rtt{0};  // ever seen
  double acked = 0;       // segments newly delivered
  double in_flight = 0;   // after it
  double in_flight_before = 0;
  uint64_t delivered = 0;       // segments so far
  uint64_t delivered_then = 0;  // when the newest packet acknowledged was sent
  double delivery_rate = 0;     // segments per second; 0: no valid sample
  bool is_rate_application_limited = false;
  bool is_window_limited = false;  // the window was what held the sender back
  bool is_recovering = false;      // until what was sent before the last reduction is accounted for
  bool has_lost = false;           // losses were found by this acknowledgement
};

enum class CongestionSignal : uint8_t { kLoss, kEcn };

class Congestion {
 public:
  virtual ~Congestion() = default;
  virtual void on_ack(const Acknowledgement& ack) = 0;
  // At most once a round trip.
  virtual void on_congestion(Time now, CongestionSignal signal, double in_flight) = 0;
  virtual void on_timeout(Time now, double in_flight) = 0;
  // Segments that may be in flight.
  double window() const { return window_; }
  // Segments per second; 0: not paced.
  virtual double pacing_rate() const { return 0; }

 protected:
  double window_ = kInitialWindow;
};

enum class CongestionName : uint8_t { kReno, kCubic, kVegas, kBbr };

struct CongestionOptions {
  bool has_hystart = false;      // CUBIC: leave slow start when the delay rises (RFC 9406)
  bool has_ecn_backoff = false;  // answer a mark more gently than a loss (RFC 8511)
  uint64_t seed = 1;             // BBR: its first phase
};

std::unique_ptr<Congestion> make_congestion(CongestionName name, const CongestionOptions& options);

}  // namespace sojourn::sim
