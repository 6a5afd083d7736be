#include "control/sim/standing.h"

#include <fmt/format.h>

#include <cmath>

#include "control/sim/scenario_keys.h"

namespace sojourn::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr BitsPerSecond kRate{12'000'000};
constexpr std::array<uint32_t, 7> kBuffers{10, 20, 40, 80, 160, 320, 640};
constexpr double kCloseShare = 0.03, kCloseMs = 1;
constexpr double kNoDrops = 0.005;  // percent: shown with two decimals it is none

double ms(Duration d) {
  return static_cast<double>(d.ns) / 1e6;
}

// What the field says: of which cell, which figure, and why ours may differ.
struct FieldFigure {
  std::string_view policy;
  CongestionName sender;
  uint32_t buffer_packets;  // 0: at every size
  const char *what, *unit;
  double field;
  double (*ours)(const Outcome&);
  const char* mechanism;
};

double utilisation(const Outcome& o) {
  return o.bottlenecks[0].utilisation.value_or(0) * 100;
}
double mean_rtt(const Outcome& o) {
  return ms(o.flows[0].rtt.mean);
}
double p95_rtt(const Outcome& o) {
  return ms(o.flows[0].rtt.p95);
}
double most_rtt(const Outcome& o) {
  return ms(o.flows[0].rtt.max);
}
double small_rtt(const Outcome& o) {
  return ms(o.flows[1].rtt.mean);
}
double small_wait(const Outcome& o) {
  return ms(o.flows[1].rtt.mean) - ms(kStandingRtt);
}
double drops(const Outcome& o) {
  return o.bottlenecks[0].drop_rate * 100;
}
// Without the packet being sent.
double queued(const Outcome& o) {
  return ms(o.flows[0].waited.mean);
}

constexpr const char* kStartUp =
    "the field's run begins with slow start on an empty link; ours is measured after it, and the link never idles";
constexpr const char* kRecovery =
    "after a loss the window waits one round trip before it grows again (RFC 6582): one more round below the pipe";
constexpr const char* kCodelIdle =
    "CoDel signals at about W = 48; half of it is 24 of the 40 packets that fill the pipe, and 16 round trips, and the "
    "one "
    "of recovery, pass until it is full again";
constexpr const char* kSawtooth =
    "a sawtooth between W/2 and W = 640 + 40 spends its time so that the mean is 0.778 W and the p95 0.981 W";
constexpr const char* kRareLoss = "one loss each sawtooth, about 178 s and 90 000 packets";
constexpr const char* kVegasRest =
    "Vegas rests anywhere between alpha = 2 and beta = 4 packets; it leaves slow start with 3 waiting and one being "
    "sent";
constexpr const char* kInService = "it waits for the rest of the bulk packet that is being sent, 0.5 ms on average";
constexpr const char* kPeak = "40 ms and 320 packets of 1 ms: the peak at 8 BDP; the field does not name its buffer";
constexpr const char* kWait =
    "read as the wait beside the 40 ms; the field's own mean of 525 ms is 12.1 x 40 ms above 40 ms";

const std::vector<FieldFigure>& field_figures() {
  constexpr auto kReno = CongestionName::kReno, kVegas = CongestionName::kVegas;
  static const std::vector<FieldFigure> kFigures = {
      {"drop-tail", kReno, 10, "utilisation", "%", 89, utilisation, kRecovery},
      {"drop-tail", kReno, 40, "utilisation", "%", 99.3, utilisation, kStartUp},
      {"drop-tail", kReno, 640, "utilisation", "%", 99.3, utilisation, kStartUp},
      {"drop-tail", kReno, 640, "mean RTT", "ms", 525, mean_rtt, kSawtooth},
      {"drop-tail", kReno, 640, "p95 RTT", "ms", 667, p95_rtt, kSawtooth},
      {"drop-tail", kReno, 640, "dropped", "%", 0, drops, kRareLoss},
      {"drop-tail", kReno, 640, "small flow's wait", "ms", 480, small_wait, kWait},
      {"drop-tail", kVegas, 640, "utilisation", "%", 99.3, utilisation, kStartUp},
      {"drop-tail", kVegas, 640, "mean RTT", "ms", 43, mean_rtt, kVegasRest},
      {"drop-tail", kVegas, 640, "packets queued", "packets", 3, queued, kVegasRest},
      {"codel", kReno, 0, "mean RTT", "ms", 42, mean_rtt, kCodelIdle},
      {"codel", kReno, 0, "utilisation", "%", 87, utilisation, kCodelIdle},
      {"fq", kReno, 320, "largest RTT", "ms", 360, most_rtt, kPeak},
      {"fq", kReno, 0, "small flow's RTT", "ms", 40, small_rtt, kInService},
  };
  return kFigures;
}

bool is_close(const FieldFigure& figure, double ours) {
  const double off = std::abs(ours - figure.field);
  if (figure.field == 0) return off < kNoDrops;
  return off <= kCloseShare * figure.field || (figure.unit == std::string_view("ms") && off <= kCloseMs);
}

std::string deviation_text(const StandingComparison& c) {
  if (c.field == 0) return fmt::format("{:+.4f}", c.ours);
  return fmt::format("{:+.1f} %", (c.ours / c.field - 1) * 100);
}

}  // namespace

std::vector<StandingCell> standing_cells() {
  std::vector<StandingCell> cells;
  for (const Policy& policy : {kDropTail, kCodel, kFairQueueing, kFqCodel})
    for (const CongestionName sender : {CongestionName::kReno, CongestionName::kVegas})
      for (const uint32_t buffer : kBuffers) cells.push_back({policy, sender, buffer});
  return cells;
}

Scenario standing_scenario(const StandingCell& cell, Duration measured, uint64_t seed) {
  Scenario s;
  s.name = fmt::format("{}-{}-{}", cell.policy.name, word_of(cell.sender), cell.buffer_packets);
  s.warmup = kStandingWarmup;
  s.duration = {s.warmup.ns + measured.ns};
  s.seed = seed;
  s.bottlenecks.push_back({"link", link_parameters(cell.policy, kRate, cell.buffer_packets), kDefaultMtuBytes, {}});
  FlowScenario bulk;
  bulk.name = "bulk";
  bulk.congestion = cell.sender;
  bulk.path.rtt = kStandingRtt;
  FlowScenario small;
  small.name = "small";
  small.source = SourceKind::kSparse;
  small.packet_bytes = 64;
  small.path.rtt = kStandingRtt;
  small.every = {150'000'000};
  s.flows = {bulk, small};
  return s;
}

std::string buffer_text(uint32_t buffer_packets) {
  if (buffer_packets % kStandingPipePackets == 0) return std::to_string(buffer_packets / kStandingPipePackets);
  return "1/" + std::to_string(kStandingPipePackets / buffer_packets);
}

// A figure that holds at every size is compared where ours is furthest from it.
std::vector<StandingComparison> compare_standing(const std::vector<Outcome>& outcomes) {
  const auto cells = standing_cells();
  std::vector<StandingComparison> comparisons;
  for (const FieldFigure& figure : field_figures()) {
    std::optional<StandingComparison> furthest;
    for (size_t i = 0; i < cells.size(); ++i) {
      const StandingCell& cell = cells[i];
      const bool is_cell = cell.policy.name == figure.policy && cell.sender == figure.sender &&
                           (figure.buffer_packets == 0 || figure.buffer_packets == cell.buffer_packets);
      if (!is_cell) continue;
      const double ours = figure.ours(outcomes[i]);
      if (furthest && std::abs(furthest->ours - figure.field) >= std::abs(ours - figure.field)) continue;
      furthest = {cell, figure.buffer_packets == 0, figure.what,     figure.unit, figure.field,
                  ours, is_close(figure, ours),     figure.mechanism};
    }
    comparisons.push_back(*furthest);
  }
  return comparisons;
}

Json standing_json(const std::vector<Outcome>& outcomes) {
  const auto cells = standing_cells();
  Json j = {{"scenario", "standing"}, {"seed", outcomes[0].seed}, {"cells", Json::array()}, {"field", Json::array()}};
  for (size_t i = 0; i < cells.size(); ++i) {
    const Outcome& o = outcomes[i];
    j["cells"].push_back({{"policy", cells[i].policy.name},
                          {"sender", word_of(cells[i].sender)},
                          {"buffer_bdp", static_cast<double>(cells[i].buffer_packets) / kStandingPipePackets},
                          {"buffer_packets", cells[i].buffer_packets},
                          {"utilisation", *o.bottlenecks[0].utilisation},
                          {"drop_rate", o.bottlenecks[0].drop_rate},
                          {"bulk_rtt_ns", json_of(o.flows[0].rtt)},
                          {"small_rtt_ns", json_of(o.flows[1].rtt)},
                          {"queueing_ns", json_of(o.bottlenecks[0].waited)},
                          {"conserved", o.is_conserved}});
  }
  for (const StandingComparison& c : compare_standing(outcomes))
    j["field"].push_back({{"policy", c.cell.policy.name},
                          {"sender", word_of(c.cell.sender)},
                          {"buffer_packets", c.cell.buffer_packets},
                          {"at_every_size", c.is_at_every_size},
                          {"what", c.what},
                          {"unit", c.unit},
                          {"field", c.field},
                          {"ours", c.ours},
                          {"matches", c.is_close},
                          {"mechanism", c.mechanism}});
  return j;
}

std::string standing_text(const std::vector<Outcome>& outcomes) {
  const auto cells = standing_cells();
  std::string text = fmt::format("12 Mbit/s, 40 ms, 40 packets in the pipe; {} measured after {}, seed {}\n\n",
                                 format_time({outcomes[0].duration.ns - outcomes[0].warmup.ns}),
                                 format_time(outcomes[0].warmup), outcomes[0].seed);
  text += "policy     sender  buffer BDP  used %  RTT ms: mean      p95      max  small: mean      p95  dropped %\n";
  for (size_t i = 0; i < cells.size(); ++i) {
    const Outcome& o = outcomes[i];
    text += fmt::format("{:<10} {:<7} {:>10}  {:>6.2f} {:>13} {:>8} {:>8} {:>12} {:>8}  {:>9.4f}\n",
                        cells[i].policy.name, word_of(cells[i].sender), buffer_text(cells[i].buffer_packets),
                        utilisation(o), milliseconds(o.flows[0].rtt.mean), milliseconds(o.flows[0].rtt.p95),
                        milliseconds(o.flows[0].rtt.max), milliseconds(o.flows[1].rtt.mean),
                        milliseconds(o.flows[1].rtt.p95), drops(o));
  }
  text += "\nBeside the field's figures (a match is within 3 % or 1 ms):\n\n";
  unsigned matches = 0;
  const auto comparisons = compare_standing(outcomes);
  for (const StandingComparison& c : comparisons) {
    matches += c.is_close;
    text += fmt::format("{:<8} {:<9} {:<5} {:>4} BDP  {:<17} {:>7.2f} {:<7} field {:>6.1f}  {:>8}  {}\n",
                        c.is_close ? "match" : "DIFFERS", c.cell.policy.name, word_of(c.cell.sender),
                        c.is_at_every_size ? "all" : buffer_text(c.cell.buffer_packets), c.what, c.ours, c.unit,
                        c.field, deviation_text(c), c.mechanism);
  }
  return text + fmt::format("\n{} of {} figures match\n", matches, comparisons.size());
}

std::string standing_csv(const std::vector<Outcome>& outcomes) {
  const auto cells = standing_cells();
  std::string text = "policy,sender,buffer_packets,utilisation,rtt_mean_ms,rtt_p95_ms,small_rtt_mean_ms,drop_rate\n";
  for (size_t i = 0; i < cells.size(); ++i) {
    const Outcome& o = outcomes[i];
    text += fmt::format("{},{},{},{:.6f},{},{},{},{:.8f}\n", cells[i].policy.name, word_of(cells[i].sender),
                        cells[i].buffer_packets, utilisation(o) / 100, milliseconds(o.flows[0].rtt.mean),
                        milliseconds(o.flows[0].rtt.p95), milliseconds(o.flows[1].rtt.mean), drops(o) / 100);
  }
  return text;
}

}  // namespace sojourn::sim
