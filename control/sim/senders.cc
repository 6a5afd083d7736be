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
  const char* mechanism;
};
constexpr const char* kPaced = "paced 1 % below the rate it has measured, as deployed";
constexpr const char* kResponse =
    "at 4 ms CUBIC is in its Reno-friendly region: sqrt(1.5 / 0.015) = 10 packets a round trip are 29 Mbit/s; 142 "
    "would "
    "need 0.8 ms or a twenty-fourth of the loss";
constexpr const char* kBuffer =
    "it is the buffer that decides, and the field does not name it: the longer route's pipe is 1500 packets larger, "
    "and what "
    "does not stand in the buffer must be grown after each change (100 packets: 450 Mbit/s, 1000: 707, 3000 or more: "
    "935; "
    "overtaking changes nothing)";
constexpr const char* kOldMinimum =
    "for 10 s after the change to 22 ms the least RTT is still 4 ms: a window of 2 x 4 ms of a 22 ms pipe";
constexpr Case kCases[] = {
    {"clean", CongestionName::kCubic, 934, "slow start, then a full buffer"},
    {"clean", CongestionName::kBbr, 948, kPaced},
    {"loss", CongestionName::kCubic, 142, kResponse},
    {"loss", CongestionName::kBbr, 884, "BBR does not answer single losses; 1.5 % is sent again"},
    {"route-shifts", CongestionName::kCubic, 412, kBuffer},
    {"route-shifts", CongestionName::kBbr, 730, kOldMinimum},
};
constexpr double kClose = 0.03;

double mbps(const Outcome& o) {
  return o.goodput_bps / 1e6;
}

bool is_close(size_t which, const Outcome& o) {
  const double ratio = mbps(o) / kCases[which].field_mbps;
  return ratio >= 1 - kClose && ratio <= 1 + kClose;
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
    run["matches"] = is_close(i, outcomes[i]);
    run["mechanism"] = kCases[i].mechanism;
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
  text += "\nBeside the field's figures (a match is within 3 %):\n\n";
  for (size_t i = 0; i < outcomes.size(); ++i)
    text += fmt::format("{:<8} {:<13} {:<6} {}\n", is_close(i, outcomes[i]) ? "match" : "DIFFERS", kCases[i].path,
                        word_of(kCases[i].congestion), kCases[i].mechanism);
  return text;
}

}  // namespace sojourn::sim
