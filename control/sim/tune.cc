#include "control/sim/tune.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/key.h"
#include "control/sim/policy.h"
#include "control/sim/scenario_keys.h"

namespace sojourn::sim {
namespace {

constexpr std::array<int64_t, 8> kTargetsMs{1, 2, 3, 5, 8, 12, 20, 40};
constexpr std::array<int64_t, 8> kIntervalsMs{20, 40, 60, 80, 100, 150, 200, 400};
constexpr Duration kMeasured{30'000'000'000};
constexpr Duration kLeastMeasured{5'000'000'000};
constexpr Duration kWarmup{10'000'000'000};
constexpr uint64_t kMostPackets = 4'000'000;  // a run; faster links are watched for less time
constexpr uint32_t kFrameBytes = 1514;

// The pairs that differ in what would be in force at this rate.
std::vector<Parameters> candidates(BitsPerSecond rate) {
  std::vector<Parameters> list;
  for (const int64_t target : kTargetsMs) {
    for (const int64_t interval : kIntervalsMs) {
      Parameters p;
      p.rate = rate;
      p.target = {target * 1'000'000};
      p.interval = {interval * 1'000'000};
      p.target = target_in_force(p, kDefaultMtuBytes);
      if (p.interval.ns < 2 * p.target.ns) continue;
      const auto is_same = [&](const Parameters& q) { return q.target == p.target && q.interval == p.interval; };
      if (std::ranges::none_of(list, is_same)) list.push_back(p);
    }
  }
  return list;
}

Duration measured_time(const TuneQuestion& q) {
  if (q.measured) return *q.measured;
  const uint64_t packets_per_second = q.rate.value / (kFrameBytes * 8);
  const uint64_t seconds = packets_per_second == 0 ? UINT64_MAX : kMostPackets / packets_per_second;
  return {std::clamp(static_cast<int64_t>(std::min<uint64_t>(seconds, 60)) * 1'000'000'000, kLeastMeasured.ns,
                     kMeasured.ns)};
}

bool is_dominated(const TuneRow& row, const std::vector<TuneRow>& rows) {
  return std::ranges::any_of(rows, [&](const TuneRow& other) {
    const bool is_no_worse = other.utilisation >= row.utilisation && other.waited.p95 <= row.waited.p95;
    return is_no_worse && (other.utilisation > row.utilisation || other.waited.p95 < row.waited.p95);
  });
}

std::string config_lines(const TuneRow& row) {
  return "target = " + quote(format_time(row.target)) + ";\ninterval = " + quote(format_time(row.interval)) + ";\n";
}

}  // namespace

std::vector<Scenario> tune_scenarios(const TuneQuestion& q) {
  std::vector<Scenario> scenarios;
  for (Parameters p : candidates(q.rate)) {
    p.burst_bytes = 0;
    p.ecn = q.ecn;
    Scenario s;
    s.name = format_time(p.target) + '/' + format_time(p.interval);
    s.seed = q.seed;
    s.warmup = kWarmup;
    s.duration = {kWarmup.ns + measured_time(q).ns};
    s.bottlenecks.push_back({"link", p, kDefaultMtuBytes, {}});
    FlowScenario bulk;
    bulk.name = "bulk";
    bulk.count = q.flows;
    bulk.congestion = q.sender;
    bulk.packet_bytes = kFrameBytes;
    bulk.ecn = q.ecn;
    bulk.rtts = q.rtts.draw(q.flows);
    bulk.start_spread = {1'000'000'000};
    s.flows.push_back(std::move(bulk));
    scenarios.push_back(std::move(s));
  }
  return scenarios;
}

std::vector<TuneRow> tune_rows(const std::vector<Outcome>& outcomes, const std::vector<Scenario>& scenarios) {
  std::vector<TuneRow> rows;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const BottleneckOutcome& b = outcomes[i].bottlenecks[0];
    const Parameters& p = scenarios[i].bottlenecks[0].parameters;
    TuneRow row{p.target, p.interval, b.utilisation.value_or(0), b.waited, 0, outcomes[i].jain.value_or(1), false};
    if (b.packets.sent != 0)
      row.signalled =
          static_cast<double>(b.packets.dropped_in_all() + b.packets.marked) / static_cast<double>(b.packets.sent);
    rows.push_back(row);
  }
  mark_front(rows);
  return rows;
}

void mark_front(std::vector<TuneRow>& rows) {
  for (TuneRow& row : rows) row.is_on_front = !is_dominated(row, rows);
}

const TuneRow& recommended(const std::vector<TuneRow>& rows) {
  const double best = std::ranges::max(rows, {}, &TuneRow::utilisation).utilisation;
  const TuneRow* choice = nullptr;
  for (const TuneRow& row : rows) {
    if (!row.is_on_front || row.utilisation < best - kUtilisationToGive) continue;
    if (choice == nullptr || row.waited.p95 < choice->waited.p95) choice = &row;
  }
  return *choice;
}

nlohmann::ordered_json tune_json(const TuneQuestion& q, const std::vector<TuneRow>& rows) {
  const auto row_json = [](const TuneRow& r) {
    return nlohmann::ordered_json{{"target_ns", r.target.ns},     {"interval_ns", r.interval.ns},
                                  {"utilisation", r.utilisation}, {"queueing_ns", json_of(r.waited)},
                                  {"signalled", r.signalled},     {"jain_index", r.jain},
                                  {"pareto", r.is_on_front}};
  };
  nlohmann::ordered_json j = {{"scenario", "tune"},
                              {"seed", q.seed},
                              {"rate_bps", q.rate.value},
                              {"flows", q.flows},
                              {"sender", word_of(q.sender)},
                              {"ecn", q.ecn},
                              {"measured_ns", measured_time(q).ns},
                              {"rtt_p50_ns", q.rtts.quantile(0.5).ns},
                              {"rtt_p95_ns", q.rtts.quantile(0.95).ns},
                              {"rows", nlohmann::ordered_json::array()}};
  for (const TuneRow& r : rows) j["rows"].push_back(row_json(r));
  j["recommended"] = row_json(recommended(rows));
  j["recommended"]["config"] = config_lines(recommended(rows));
  return j;
}

std::string tune_text(const TuneQuestion& q, const std::vector<TuneRow>& rows) {
  std::string text = fmt::format(
      "{}, {} {} flows{}, RTT p50 {} ms, p95 {} ms; FQ-CoDel, {} measured a run, seed {}\n\n"
      "  target  interval   used %  queueing ms: mean      p95      p99  signals %    Jain\n",
      format_rate(q.rate), q.flows, word_of(q.sender), q.ecn ? " with ECN" : "", milliseconds(q.rtts.quantile(0.5)),
      milliseconds(q.rtts.quantile(0.95)), format_time(measured_time(q)), q.seed);
  std::vector<TuneRow> front;
  std::ranges::copy_if(rows, std::back_inserter(front), &TuneRow::is_on_front);
  std::ranges::stable_sort(front, {}, [](const TuneRow& r) { return r.waited.p95; });
  const TuneRow& best = recommended(rows);
  for (const TuneRow& r : front)
    text += fmt::format("{:>8}  {:>8}  {:>7.2f}  {:>17} {:>8} {:>8}  {:>9.4f}  {:>6.4f}{}\n", format_time(r.target),
                        format_time(r.interval), r.utilisation * 100, milliseconds(r.waited.mean),
                        milliseconds(r.waited.p95), milliseconds(r.waited.p99), r.signalled * 100, r.jain,
                        r.target == best.target && r.interval == best.interval ? "  <- recommended" : "");
  return text +
         fmt::format(
             "\n{} of {} pairs shown: of each other one, some pair uses more of the link with no more delay, or "
             "has less delay with no less use.\nRecommended: the least p95 delay within {:.0f} point of the best "
             "use. To paste into `egress` or `ingress`:\n\n{}",
             front.size(), rows.size(), kUtilisationToGive * 100, config_lines(best));
}

std::string tune_csv(const std::vector<TuneRow>& rows) {
  std::string text = "target_ms,interval_ms,utilisation,queueing_mean_ms,queueing_p95_ms,queueing_p99_ms,pareto\n";
  for (const TuneRow& r : rows)
    text += fmt::format("{},{},{:.6f},{},{},{},{}\n", milliseconds(r.target), milliseconds(r.interval), r.utilisation,
                        milliseconds(r.waited.mean), milliseconds(r.waited.p95), milliseconds(r.waited.p99),
                        r.is_on_front ? 1 : 0);
  return text;
}

}  // namespace sojourn::sim
