// What a run came to, in figures: the measured part only, after the warm-up.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "control/sim/network.h"

namespace sojourn::sim {

struct DelayFigures {
  uint64_t count = 0;
  Duration mean, p50, p95, p99, max;
};
DelayFigures figures_of(const DelaySamples& samples);

struct FlowOutcome {
  std::string name;
  const FlowScenario* scenario = nullptr;
  Duration propagation;
  double goodput_bps = 0;
  PacketCounts packets;
  SourceCounts source;
  DelayFigures rtt, waited;
};

struct BottleneckOutcome {
  std::string name;
  std::optional<double> utilisation;  // absent: no rate
  PacketCounts packets;               // `sent` is what came in, `delivered` what went out
  double drop_rate = 0;               // of what came in
  DelaySamples waited_samples;
  DelayFigures waited;
  uint32_t most_queued_packets = 0;
};

struct Outcome {
  std::string name;
  uint64_t seed = 0;
  Duration duration, warmup;
  std::vector<FlowOutcome> flows;
  std::vector<BottleneckOutcome> bottlenecks;
  double goodput_bps = 0;      // of all flows
  std::optional<double> jain;  // over TCP flows without end; absent: there are fewer than two
  bool is_conserved = false;   // sent = delivered + dropped + lost + in flight, of each flow and of all
  uint64_t events = 0;
  std::string trace;
};

// `network` has run to its end. The outcome refers to its scenario.
Outcome outcome_of(const Network& network);

nlohmann::ordered_json json_of(const DelayFigures& figures);
nlohmann::ordered_json json_of(const Outcome& outcome);
// Tables for a reader.
std::string text_of(const Outcome& outcome);

// "41.237": milliseconds with three decimals, from whole microseconds.
std::string milliseconds(Duration time);

}  // namespace sojourn::sim
