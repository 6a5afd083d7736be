// What tests of the simulation share: one link, flows through it, and the network run to some instant.
#pragma once

#include <algorithm>

#include "control/sim/network.h"
#include "control/sim/policy.h"
#include "control/sim/tcp_sender.h"

namespace sojourn::sim::test {

inline constexpr int64_t kMillisecond = 1'000'000;
inline constexpr int64_t kSecond = 1'000'000'000;

inline Duration milliseconds_of(int64_t n) {
  return {n * kMillisecond};
}
inline Time at_ms(int64_t n) {
  return Time{0} + milliseconds_of(n);
}

inline FlowScenario tcp_flow(CongestionName congestion, Duration rtt = milliseconds_of(40)) {
  FlowScenario f;
  f.name = "bulk";
  f.congestion = congestion;
  f.path.rtt = rtt;
  return f;
}

inline FlowScenario small_flow(Duration every = milliseconds_of(150)) {
  FlowScenario f;
  f.name = "small";
  f.source = SourceKind::kSparse;
  f.packet_bytes = 64;
  f.every = every;
  return f;
}

inline Scenario one_link(const Policy& policy, uint64_t rate_bps, uint32_t limit_packets,
                         std::vector<FlowScenario> flows, int64_t seconds) {
  Scenario s;
  s.warmup = {0};
  s.duration = {seconds * kSecond};
  s.bottlenecks.push_back({"link", link_parameters(policy, {rate_bps}, limit_packets), kDefaultMtuBytes, {}});
  s.flows = std::move(flows);
  return s;
}

// sent = delivered + dropped + lost + in flight: of each flow, of all, and as the scheduler's own counters have it.
inline bool is_conserved(const Network& network) {
  uint64_t in_flight = 0;
  for (size_t i = 0; i < network.flows().size(); ++i) {
    const PacketCounts& p = network.flow(i).packets;
    const uint64_t gone = p.delivered + p.lost + p.dropped_in_all();
    if (p.sent < gone) return false;
    in_flight += p.sent - gone;
  }
  for (size_t i = 0; i < network.bottlenecks(); ++i) {
    const Counters& c = network.bottleneck(i).scheduler().counters();
    uint64_t out = c.sent.packets + c.queued.packets;
    for (const Tally& t : c.dropped) out += t.packets;
    if (out != c.received.packets) return false;
  }
  return in_flight == network.packets_in_flight();
}

}  // namespace sojourn::sim::test
