// Parameters as the model reads them: SPEC's words, in exact integers, from the parameters alone and not from a plan.
#pragma once

#include <cstdint>

#include "sched/parameters.h"

namespace sojourn::model {

__extension__ using Wide = __int128;

// An instant in nanoseconds since the clock's zero. Wider than the product's, so that it never wraps.
using Instant = Wide;

// How the model sees what it is told: one direction's parameters and the world that they are compiled for.
struct Setting {
  Parameters parameters;
  uint32_t mtu_bytes = kDefaultMtuBytes;
  uint32_t buffer_bytes = 2048;  // memory that one packet occupies
};

struct Rules {
  bool is_unlimited = true;
  Wide byte_time_q32 = 0;  // nanoseconds a byte, in units of 2^-32; rounded up, so never above the rate
  Wide burst_time_ns = 0;  // rounded down
  bool has_aqm = true;
  bool ecn = true;
  Wide target_ns = 0;
  Wide interval_ns = 0;
  bool has_ce_threshold = false;
  Wide ce_threshold_ns = 0;
  Wide exempt_bytes = 0;
  uint32_t queues = 1;
  Wide quantum_bytes = 0;
  Wide overhead_bytes = 0;
  Wide mpu_bytes = 0;
  uint64_t limit_packets = 1;
  uint64_t limit_buffers = 1;

  explicit Rules(const Setting& setting);

  Wide wire_bytes(uint32_t frame_bytes) const {
    const Wide bytes = Wide{frame_bytes} + overhead_bytes;
    return bytes < mpu_bytes ? mpu_bytes : bytes;
  }
};

}  // namespace sojourn::model
