#include "tests/sched/model/rules.h"

namespace sojourn::model {
namespace {

constexpr Wide kBitTimesASecond = Wide{8} * 1'000'000'000;  // nanoseconds a byte takes at 1 bit/s
constexpr Wide kOneQ32 = Wide{1} << 32;

Wide divide_up(Wide a, Wide b) {
  return (a + b - 1) / b;
}

Wide larger(Wide a, Wide b) {
  return a < b ? b : a;
}

// SPEC "Shaper": the larger of 2 MTU and 1 ms at the rate, at most 64 kB.
Wide burst_bytes(const Parameters& p, Wide frame_bytes) {
  if (p.burst_bytes) return Wide{*p.burst_bytes};
  const Wide least = larger(2 * frame_bytes, Wide{p.rate.value} / 8 / 1000);
  return least < 65'536 ? least : 65'536;
}

}  // namespace

Rules::Rules(const Setting& setting) {
  const Parameters& p = setting.parameters;
  const Wide rate = p.rate.value;
  const Wide frame_bytes = Wide{setting.mtu_bytes} + 14;
  is_unlimited = p.rate == kUnlimited;
  Wide one_and_a_half_frames_ns = 0;
  if (!is_unlimited) {
    byte_time_q32 = divide_up(kBitTimesASecond * kOneQ32, rate);
    burst_time_ns = byte_time_q32 * burst_bytes(p, frame_bytes) / kOneQ32;
    one_and_a_half_frames_ns = divide_up(divide_up(3 * frame_bytes, 2) * kBitTimesASecond, rate);
  }
  has_aqm = p.aqm == Aqm::kCodel;
  ecn = p.ecn;
  target_ns = larger(p.target.ns, one_and_a_half_frames_ns);
  interval_ns = larger(p.interval.ns, 2 * target_ns);
  has_ce_threshold = p.ce_threshold.has_value();
  if (has_ce_threshold) ce_threshold_ns = p.ce_threshold->ns;
  exempt_bytes = frame_bytes;
  queues = p.isolation == Isolation::kNone ? 1 : p.flows;
  quantum_bytes = p.quantum_bytes;
  overhead_bytes = p.overhead_bytes;
  mpu_bytes = p.mpu_bytes;
  limit_packets = p.limit_packets;
  limit_buffers = p.memory_bytes / setting.buffer_bytes;
  if (limit_buffers == 0) limit_buffers = 1;
}

}  // namespace sojourn::model
