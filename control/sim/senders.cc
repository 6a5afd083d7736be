#include "control/sim/senders.h"

#include <fmt/format.h>

#include "control/sim/policy.h"
#include "control/sim/scenario_keys.h"

namespace sojourn::sim {
namespace {

constexpr Duration kMeasured{120'000'000'000};  // four routes
constexpr uint32_t kGapBytes = 24;              // of Ethernet: preamble, checksum, gap
constexpr uint32_t kFullFrameBytes = 1514;
constexpr uint32_t kLimitPackets = 10'240;  // 126 ms

struct Case {
  const char* path;
  CongestionName congestion;
  double field_mbps;
};
constexpr Case kCases[] = {
    {"clean", CongestionName::kCubic, 934},        {"clean", CongestionName::kBbr, 948},
    {"loss", CongestionName::kCubic, 142},         {"loss", CongestionName::kBbr, 884},
    {"route-shifts", CongestionName::kCubic, 412}, {"route-shifts", CongestionName::kBbr, 730},
};

double mbps(const Outcome& o) {
  return o.goodput_bps / 1e6;
}

}  // namespace

std::vector<Scenario> senders_scenarios(std::optional<Duration> measured, uint64_t seed) {
  std::vector<Scenario> scenarios;
  for (const Case& c : kCases) {
    Scenario s;
    s.name = word_of(c.congestion) + '.' + c.path;
    s.seed = seed;
    s.warmup = {0};
    s.duration = measured.value_or(kMeasured);
    BottleneckScenario link{"link", link_parameters(kDropTail, {1'000'000'000}, kLimitPackets), kDefaultMtuBytes, {}};
    link.parameters.overhead_bytes = kGapBytes;
    s.bottlenecks.push_back(link);
    FlowScenario fetch;
    fetch.name = "fetch";
    fetch.congestion = c.congestion;
    fetch.packet_bytes = kFullFrameBytes;
    fetch.transfer_bytes = 100'000'000;
    fetch.path.rtt = {4'000'000};
    if (c.path == std::string_view("loss")) fetch.path.loss = {15'000'000};
    if (c.path == std::string_view("route-shifts")) fetch.path.flip_rtt = Duration{22'000'000};
    s.flows.push_back(fetch);
    scenarios.push_back(std::move(s));
  }
  return scenarios;
}

nlohmann::ordered_json senders_json(const std::vector<Outcome>& outcomes) {
  nlohmann::ordered_json j = {{"scenario", "senders"}, {"runs", nlohmann::ordered_json::array()}};
  for (size_t i = 0; i < outcomes.size(); ++i) {
    auto run = json_of(outcomes[i]);
    run["field_mbps"] = kCases[i].field_mbps;
    j["runs"].push_back(std::move(run));
  }
  return j;
}

std::string senders_text(const std::vector<Outcome>& outcomes) {
  std::string text =
      "1 Gbit/s Ethernet, 4 ms, drop-tail of 10240 packets, fetches of 100 MB one after the other\n\n"
      "path          sender  goodput Mbit/s   field  deviation  queueing ms: p95      p99  dropped    lost   RTO\n";
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const Outcome& o = outcomes[i];
    const FlowOutcome& f = o.flows[0];
    text += fmt::format("{:<13} {:<6} {:>15.1f} {:>7.0f} {:>8.1f} % {:>17} {:>8} {:>8} {:>7} {:>5}\n", kCases[i].path,
                        word_of(kCases[i].congestion), mbps(o), kCases[i].field_mbps,
                        (mbps(o) / kCases[i].field_mbps - 1) * 100, milliseconds(o.bottlenecks[0].waited.p95),
                        milliseconds(o.bottlenecks[0].waited.p99), f.packets.dropped_in_all(), f.packets.lost,
                        f.source.timeouts);
  }
  return text;
}

}  // namespace sojourn::sim
