#include "control/sim/tune.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/key.h"
#include "control/sim/policy.h"
#include "control/sim/scenario_keys.h"

namespace sojourn::sim {
namespace {

constexpr std::array<int64_t, 8> kTargetsMs{1, 2, 3, 5, 8, 12, 20, 40};
constexpr std::array<int64_t, 7> kIntervalsInQuartersOfRtt{1, 2, 3, 4, 6, 8, 16};  // of the 95th percentile
constexpr Duration kMeasured{30'000'000'000};
constexpr Duration kLeastMeasured{5'000'000'000};
constexpr uint64_t kMostPackets = 2'000'000;  // a run; faster links are watched for less time
constexpr uint32_t kFrameBytes = 1514;
constexpr double kWorstRtt = 0.95;
constexpr uint32_t kLoneFlows = 5;
constexpr size_t kRunsOfPair = 1 + kLoneFlows;

constexpr int64_t kMillisecond = 1'000'000;

// Whole milliseconds, and the default.
std::vector<Duration> intervals(const TuneQuestion& q) {
  std::vector<Duration> list{Parameters{}.interval};
  for (const int64_t quarters : kIntervalsInQuartersOfRtt) {
    const int64_t ns = q.rtts.quantile(kWorstRtt).ns * quarters / 4;
    list.push_back({std::max<int64_t>(1, (ns + kMillisecond / 2) / kMillisecond) * kMillisecond});
  }
  std::ranges::sort(list);
  return list;
}

// The pairs that differ in what would be in force at this rate.
std::vector<Parameters> candidates(const TuneQuestion& q) {
  std::vector<Parameters> list;
  for (const int64_t target : kTargetsMs) {
    for (const Duration interval : intervals(q)) {
      Parameters p;
      p.rate = q.rate;
      p.target = {target * kMillisecond};
      p.interval = interval;
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

Scenario scenario_of(const TuneQuestion& q, const Parameters& p, const std::string& load, std::vector<Duration> rtts) {
  Scenario s;
  s.name = format_time(p.target) + '/' + format_time(p.interval) + '/' + load;
  s.seed = q.seed;
  s.warmup = {measured_time(q).ns / 3};
  s.duration = {s.warmup.ns + measured_time(q).ns};
  s.bottlenecks.push_back({"link", p, kDefaultMtuBytes, {}});
  FlowScenario bulk;
  bulk.name = "bulk";
  bulk.count = static_cast<uint32_t>(rtts.size());
  bulk.congestion = q.sender;
  bulk.packet_bytes = kFrameBytes;
  bulk.ecn = q.ecn;
  bulk.rtts = std::move(rtts);
  bulk.start_spread = {bulk.count > 1 ? s.warmup.ns / 10 : 0};
  s.flows.push_back(std::move(bulk));
  return s;
}

std::string config_lines(const TuneRow& row) {
  return "target = " + quote(format_time(row.target)) + ";\ninterval = " + quote(format_time(row.interval)) + ";\n";
}

}  // namespace

std::vector<Scenario> tune_scenarios(const TuneQuestion& q) {
  std::vector<Scenario> scenarios;
  for (Parameters p : candidates(q)) {
    p.burst_bytes = 0;
    p.ecn = q.ecn;
    scenarios.push_back(scenario_of(q, p, "together", q.rtts.draw(q.flows)));
    for (const Duration rtt : q.rtts.draw(kLoneFlows))
      scenarios.push_back(scenario_of(q, p, "alone-" + format_time(rtt), {rtt}));
  }
  return scenarios;
}

std::string nothing_to_tune(const TuneQuestion& q) {
  Parameters p;
  p.rate = q.rate;
  p.target = {1};
  const std::string least = format_time(target_in_force(p, kDefaultMtuBytes));
  return fmt::format(
      "at {} a target below {}, 1.5 MTU times, cannot be in force, and for these round trip times none above "
      "it is worth a look: leave target and interval to their defaults",
      format_rate(q.rate), least);
}

std::vector<TuneRow> tune_rows(const std::vector<Outcome>& outcomes, const std::vector<Scenario>& scenarios) {
  std::vector<TuneRow> rows;
  for (size_t first = 0; first < outcomes.size(); first += kRunsOfPair) {
    const Parameters& p = scenarios[first].bottlenecks[0].parameters;
    TuneRow row;
    row.target = p.target;
    row.interval = p.interval;
    row.jain = outcomes[first].jain.value_or(1);
    row.together = outcomes[first].bottlenecks[0].utilisation.value_or(0);
    DelaySamples waited;
    uint64_t received = 0, signalled = 0;
    for (size_t i = first; i < first + kRunsOfPair; ++i) {
      const BottleneckOutcome& b = outcomes[i].bottlenecks[0];
      if (i != first) row.alone += b.utilisation.value_or(0) / kLoneFlows;
      waited.add(b.waited_samples);
      received += b.packets.sent;
      signalled += b.packets.dropped_in_all() + b.packets.marked;
    }
    row.utilisation = (row.alone + row.together) / 2;
    row.waited = figures_of(waited);
    if (received != 0) row.signalled = static_cast<double>(signalled) / static_cast<double>(received);
    rows.push_back(row);
  }
  mark_front(rows);
  return rows;
}

void mark_front(std::vector<TuneRow>& rows) {
  for (TuneRow& row : rows) row.is_on_front = !is_dominated(row, rows);
}

const TuneRow& recommended(const TuneQuestion& q, const std::vector<TuneRow>& rows) {
  const Duration least_interval{q.rtts.quantile(kWorstRtt).ns - kMillisecond};  // rounded to whole ones
  const auto is_eligible = [&](const TuneRow& row) { return row.interval >= least_interval; };
  double best = 0;
  for (const TuneRow& row : rows)
    if (is_eligible(row)) best = std::max(best, row.utilisation);
  const TuneRow* choice = &rows.back();
  for (const TuneRow& row : rows) {
    if (!is_eligible(row) || row.utilisation < best - kUtilisationToGive) continue;
    if (!is_eligible(*choice) || choice->utilisation < best - kUtilisationToGive || row.waited.p95 < choice->waited.p95)
      choice = &row;
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
  j["recommended"] = row_json(recommended(q, rows));
  j["recommended"]["config"] = config_lines(recommended(q, rows));
  return j;
}

std::string tune_text(const TuneQuestion& q, const std::vector<TuneRow>& rows) {
  std::string text = fmt::format(
      "{}, {} {} flows{} at once or one alone, RTT p50 {} ms, p95 {} ms; FQ-CoDel, {} measured a run, seed {}\n\n"
      "  target  interval   used %  (alone  together)  queueing ms: mean      p95      p99  signals %    Jain\n",
      format_rate(q.rate), q.flows, word_of(q.sender), q.ecn ? " with ECN" : "", milliseconds(q.rtts.quantile(0.5)),
      milliseconds(q.rtts.quantile(0.95)), format_time(measured_time(q)), q.seed);
  std::vector<TuneRow> front;
  const TuneRow& best = recommended(q, rows);
  for (const TuneRow& r : rows)
    if (r.is_on_front || &r == &best) front.push_back(r);
  std::ranges::stable_sort(front, {}, [](const TuneRow& r) { return r.waited.p95; });
  for (const TuneRow& r : front)
    text += fmt::format("{:>8}  {:>8}  {:>7.2f}  {:>6.2f}  {:>9.2f}  {:>17} {:>8} {:>8}  {:>9.4f}  {:>6.4f}{}\n",
                        format_time(r.target), format_time(r.interval), r.utilisation * 100, r.alone * 100,
                        r.together * 100, milliseconds(r.waited.mean), milliseconds(r.waited.p95),
                        milliseconds(r.waited.p99), r.signalled * 100, r.jain,
                        r.target == best.target && r.interval == best.interval ? "  <- recommended" : "");
  return text +
         fmt::format(
             "\n{} of {} pairs shown: of each other one, some pair uses more of the link with no more delay, or "
             "has less delay with no less use.\nRecommended: the least p95 delay within {:.0f} point of the best "
             "use, with an interval of at least the p95 RTT: a shorter one signals again before the answer\nto "
             "the first signal can have come, which bulk flows bear and short ones pay for (RFC 8289 4.3). To "
             "paste into `egress` or `ingress`:\n\n{}",
             front.size(), rows.size(), kUtilisationToGive * 100, config_lines(best));
}

std::string tune_csv(const std::vector<TuneRow>& rows) {
  std::string text =
      "target_ms,interval_ms,utilisation,alone,together,queueing_mean_ms,queueing_p95_ms,queueing_p99_ms,pareto\n";
  for (const TuneRow& r : rows)
    text += fmt::format("{},{},{:.6f},{:.6f},{:.6f},{},{},{},{}\n", milliseconds(r.target), milliseconds(r.interval),
                        r.utilisation, r.alone, r.together, milliseconds(r.waited.mean), milliseconds(r.waited.p95),
                        milliseconds(r.waited.p99), r.is_on_front ? 1 : 0);
  return text;
}

}  // namespace sojourn::sim
