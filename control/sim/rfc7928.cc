#include "control/sim/rfc7928.h"

#include <algorithm>

namespace sojourn::sim {
namespace {

constexpr BitsPerSecond kRate{10'000'000};
constexpr Duration kRtt{100'000'000};
constexpr uint32_t kPipePackets = 84;  // 10 Mbit/s x 100 ms in frames of 1500 bytes, rounded up
constexpr Duration kWarmup{20'000'000'000}, kMeasured{120'000'000'000};

FlowScenario tcp(std::string name, CongestionName congestion, uint32_t count = 1) {
  FlowScenario f;
  f.name = std::move(name);
  f.congestion = congestion;
  f.count = count;
  f.path.rtt = kRtt;
  f.start_spread = {count == 1 ? 0 : 1'000'000'000};
  return f;
}

FlowScenario datagrams(std::string name, SourceKind kind, uint64_t rate_bps, uint32_t bytes) {
  FlowScenario f;
  f.name = std::move(name);
  f.source = kind;
  f.rate = {rate_bps};
  f.packet_bytes = bytes;
  f.path.rtt = kRtt;
  return f;
}

// RFC 7928 7: a bulk transfer, the web, a telephone, a game, and video that comes in bursts.
std::vector<FlowScenario> application_mix() {
  FlowScenario web = tcp("web", CongestionName::kCubic, 10);
  web.transfer_bytes = 100'000;
  web.pause = {2'000'000'000};
  FlowScenario video = tcp("video", CongestionName::kCubic, 2);
  video.transfer_bytes = 500'000;  // a chunk of 4 s at 1 Mbit/s
  video.pause = {4'000'000'000};
  FlowScenario telephone = datagrams("telephone", SourceKind::kConstant, 85'600, 214);  // G.711, 20 ms
  telephone.count = 2;
  telephone.start_spread = {20'000'000};
  FlowScenario game = datagrams("game", SourceKind::kSparse, 1, 100);
  game.every = {33'333'333};
  return {tcp("bulk", CongestionName::kCubic, 2),
          web,
          video,
          telephone,
          game,
          datagrams("background", SourceKind::kPoisson, 300'000, 600)};
}

struct Case {
  const char* name;
  std::vector<FlowScenario> flows;
  BitsPerSecond rate = kRate;
  uint32_t limit_packets = kPipePackets;
  std::vector<RateChange> timetable = {};
};

Case rtt_fairness() {
  Case c{"rtt-fairness", {tcp("bulk", CongestionName::kReno, 6)}};
  for (const int64_t ms : {5, 10, 20, 50, 100, 200}) c.flows[0].rtts.push_back({ms * 1'000'000});
  return c;
}

// The buffer is that of the faster rate, as it would be in the box; 100 and 10 Mbit/s by turns of 20 s.
Case varying_capacity() {
  constexpr Duration kPeriod{40'000'000'000};
  const std::vector<RateChange> timetable{{{20'000'000'000}, kPeriod, {10'000'000}},
                                          {{40'000'000'000}, kPeriod, {100'000'000}}};
  return {"varying-capacity", {tcp("bulk", CongestionName::kCubic, 4)}, {100'000'000}, 834, timetable};
}

// Flow counts are RFC 7928 5.2's for 10 Mbit/s, 100 ms and one bandwidth-delay product of buffer.
std::vector<Case> cases() {
  using enum CongestionName;
  return {
      {"tcp-friendly", {tcp("bulk", kReno)}},
      {"aggressive", {tcp("reno", kReno), tcp("cubic", kCubic)}},
      {"unresponsive", {tcp("bulk", kReno), datagrams("flood", SourceKind::kConstant, 8'000'000, 1500)}},
      rtt_fairness(),
      {"mild-congestion", {tcp("bulk", kReno, 6)}},
      {"medium-congestion", {tcp("bulk", kReno, 14)}},
      {"heavy-congestion", {tcp("bulk", kReno, 19)}},
      varying_capacity(),
      {"application-mix", application_mix()},
  };
}

}  // namespace

std::vector<Scenario> rfc7928_scenarios(std::optional<Duration> measured, uint64_t seed) {
  std::vector<Scenario> scenarios;
  for (const Case& c : cases()) {
    for (const Policy& policy : {kDropTail, kCodel, kFqCodel}) {
      Scenario s;
      s.name = std::string(c.name) + '.' + std::string(policy.name);
      s.seed = seed;
      s.warmup = kWarmup;
      s.duration = {kWarmup.ns + measured.value_or(kMeasured).ns};
      s.bottlenecks.push_back(
          {"link", link_parameters(policy, c.rate, c.limit_packets), kDefaultMtuBytes, c.timetable});
      s.flows = c.flows;
      scenarios.push_back(std::move(s));
    }
  }
  return scenarios;
}

}  // namespace sojourn::sim
