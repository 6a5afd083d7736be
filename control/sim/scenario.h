// What is to be simulated: bottlenecks in series and the flows through them. Plain data; made by a scenario file or by
// a built-in scenario.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/quantity.h"
#include "control/sim/congestion.h"
#include "sched/parameters.h"

namespace sojourn::sim {

struct RateChange {
  Duration at;
  std::optional<Duration> every;  // and again after each such time
  BitsPerSecond rate;
};

struct BottleneckScenario {
  std::string name = "link";
  Parameters parameters;
  uint32_t mtu_bytes = kDefaultMtuBytes;
  std::vector<RateChange> timetable;
};

enum class SourceKind : uint8_t {
  kTcp,
  kConstant,  // packets at even distances
  kPoisson,   // packets at exponential distances
  kOnOff,     // constant while on; on and off last exponential times
  kSparse,    // one packet every so often
  kSpray,     // every packet a flow of its own, at exponential distances
};

// The path behind the bottlenecks, there and back. Packets keep their order, also when the delay becomes shorter: then
// they wait for the one before. Only those that are held back are overtaken, and those on a longer route that has been
// left, if `flip_reorders`.
struct PathScenario {
  Duration rtt{40'000'000};  // propagation alone
  Duration jitter;           // added at random, 0 to this much
  PartsPerBillion loss;      // at random
  PartsPerBillion reorder;   // share of packets held back
  Duration reorder_delay{10'000'000};
  std::optional<Duration> flip_rtt;  // the other route
  Duration flip_every{30'000'000'000};
  bool flip_reorders = false;
};

// `count` flows alike.
struct FlowScenario {
  std::string name = "flow";
  uint32_t count = 1;
  SourceKind source = SourceKind::kTcp;
  PathScenario path;
  std::vector<Duration> rtts;        // of each flow; empty: path.rtt
  uint32_t packet_bytes = 1500;      // frames
  std::vector<std::string> through;  // names of bottlenecks in order; empty: all
  Duration start;
  Duration start_spread;         // each starts at random within this time
  std::optional<Duration> stop;  // absent: at the end
  bool ecn = false;
  // Of TCP.
  CongestionName congestion = CongestionName::kCubic;
  bool has_hystart = false;
  bool has_ecn_backoff = false;
  bool has_delayed_ack = false;
  std::optional<uint64_t> transfer_bytes;  // absent: without end
  Duration pause;                          // mean, exponential, between one transfer and the next; 0: none
  // Of the others.
  BitsPerSecond rate{1'000'000};
  Duration every{150'000'000};
  Duration on{1'000'000'000}, off{1'000'000'000};
};

struct Scenario {
  std::string name = "scenario";
  Duration duration{60'000'000'000};
  Duration warmup{5'000'000'000};  // not measured
  uint64_t seed = 1;
  std::vector<BottleneckScenario> bottlenecks;
  std::vector<FlowScenario> flows;
};

// An Ethernet header, an IP header and a TCP header without options: what of a frame is no user's data.
inline constexpr uint32_t kHeaderBytes = 54;
inline constexpr uint32_t kDatagramHeaderBytes = 42;  // the same with UDP

}  // namespace sojourn::sim
