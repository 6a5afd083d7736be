// What one direction of a wire is told to do: every default, every limit and every derived value, in one place.
#pragma once

#include <cstdint>
#include <optional>

#include "sched/units.h"

namespace sojourn {

enum class Isolation : uint8_t { kNone, kFlows };   // one queue | a queue per flow
enum class Aqm : uint8_t { kNone, kCodel };         // tail drop | CoDel
enum class HashDepth : uint8_t { kInner, kOuter };  // innermost reachable IP header | outermost

struct Parameters {
  bool shaping = true;  // false: forwarded unshaped, neither rate nor AQM
  BitsPerSecond rate = kUnlimited;
  std::optional<uint32_t> burst_bytes;  // what an idle link earns; absent: derived from rate and mtu
  int32_t overhead_bytes = 0;           // added to every frame's length (without FCS) before it is charged
  uint32_t mpu_bytes = 0;               // the least a frame is charged
  uint32_t flows = 1024;                // queues; a power of two
  uint32_t quantum_bytes = 1514;        // DRR++ credit of one turn
  uint32_t limit_packets = 10240;       // of all queues together
  uint64_t memory_bytes = 32u << 20;    // of buffer memory, not payload, of all queues together
  Isolation isolation = Isolation::kFlows;
  HashDepth hash = HashDepth::kInner;
  Aqm aqm = Aqm::kCodel;
  Duration target{5'000'000};
  Duration interval{100'000'000};
  bool ecn = true;
  std::optional<Duration> ce_threshold;       // absent: off
  std::optional<BitsPerSecond> bypass_limit;  // on what goes ahead of the queues; absent: derived from the rate
  bool operator==(const Parameters&) const = default;
};

// What each parameter may be, ends included.
template <typename T>
struct Range {
  T least, most;
};
namespace limits {
inline constexpr Range<uint64_t> kRateBps{1'000, 400'000'000'000};
inline constexpr Range<uint32_t> kBurstBytes{0, 64u << 20};  // 0, or at least one MTU frame
inline constexpr Range<int32_t> kOverheadBytes{-64, 256};    // tc-stab, CAKE
inline constexpr Range<uint32_t> kMpuBytes{0, 256};
inline constexpr Range<uint32_t> kFlows{1, 1u << 20};
inline constexpr Range<uint32_t> kQuantumBytes{64, 65'535};
inline constexpr Range<uint32_t> kLimitPackets{1, 1u << 22};
inline constexpr Range<uint64_t> kMemoryBytes{64u << 10, uint64_t{64} << 30};
inline constexpr Range<int64_t> kTargetNs{1'000, 10'000'000'000};
inline constexpr Range<int64_t> kIntervalNs{2'000, 100'000'000'000};
inline constexpr Range<int64_t> kCeThresholdNs{1'000, 10'000'000'000};
inline constexpr Range<uint32_t> kMtuBytes{576, 16'000};  // of layer 3, as `ip link` counts it
}  // namespace limits
inline constexpr uint32_t kDefaultMtuBytes = 1500;
inline constexpr uint32_t kEthernetHeaderBytes = 14;
inline constexpr uint32_t kMostDefaultBurstBytes = 64u << 10;

// Length of the largest untagged frame, without FCS.
constexpr uint32_t mtu_frame_bytes(uint32_t mtu_bytes) {
  return mtu_bytes + kEthernetHeaderBytes;
}

// Time that `bytes` wire bytes take at `rate`, rounded up; 0 when unlimited.
Duration transmission_time(uint64_t bytes, BitsPerSecond rate);

// The burst in force: as set, else the larger of two MTU frames and 1 ms at the rate, at most 64 kB.
uint32_t burst_in_force_bytes(const Parameters& p, uint32_t mtu_bytes);

// The CoDel target in force: as set, but never below the time of 1.5 MTU frames at the rate.
Duration target_in_force(const Parameters& p, uint32_t mtu_bytes);

// The CoDel interval in force: as set, but never below two targets in force.
Duration interval_in_force(const Parameters& p, uint32_t mtu_bytes);

// The rate up to which packets go ahead of the queues: as set, but never above the rate; else a twentieth of it, at
// least 1 Mbit/s.
BitsPerSecond bypass_limit_in_force(const Parameters& p);

// What may come of them at once: 10 ms at that rate, at least four MTU frames.
uint32_t bypass_burst_bytes(const Parameters& p, uint32_t mtu_bytes);

}  // namespace sojourn
