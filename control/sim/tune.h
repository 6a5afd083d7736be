// Which target and interval? Every sensible pair for these round trip times at this rate, run and compared: with all
// flows at once, which keep the link busy whatever the setting, and with one flow alone, which does not, at each of
// five round trip times of the distribution.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "control/sim/outcome.h"
#include "control/sim/rtt_distribution.h"

namespace sojourn::sim {

struct TuneQuestion {
  RttDistribution rtts;
  BitsPerSecond rate;
  uint32_t flows = 16;  // at once
  CongestionName sender = CongestionName::kCubic;
  bool ecn = false;
  std::optional<Duration> measured{};
  uint64_t seed = 1;
};

struct TuneRow {
  Duration target, interval;
  double utilisation = 0;  // mean of `alone` and `together`
  double alone = 0;        // mean over the flows that have the link to themselves
  double together = 0;
  DelayFigures waited;       // over all packets of all runs
  double signalled = 0;      // share of packets dropped or marked
  double jain = 1;           // of the run with all flows
  bool is_on_front = false;  // no other row uses more of the link with no more delay, or the other way round
};

// What a row of the front may give up of the best utilisation for less delay.
inline constexpr double kUtilisationToGive = 0.01;

// Empty where every target of the sweep would be raised to the least that the rate allows.
std::vector<Scenario> tune_scenarios(const TuneQuestion& question);
// Why they are empty, in one sentence.
std::string nothing_to_tune(const TuneQuestion& question);
// `outcomes` of tune_scenarios, in their order.
std::vector<TuneRow> tune_rows(const std::vector<Outcome>& outcomes, const std::vector<Scenario>& scenarios);
void mark_front(std::vector<TuneRow>& rows);
// The least p95 delay among rows within kUtilisationToGive of the best utilisation, both among those whose interval is
// at least the 95th percentile of the round trip times (RFC 8289 4.3). `rows` is not empty.
const TuneRow& recommended(const TuneQuestion& question, const std::vector<TuneRow>& rows);

nlohmann::ordered_json tune_json(const TuneQuestion& question, const std::vector<TuneRow>& rows);
std::string tune_text(const TuneQuestion& question, const std::vector<TuneRow>& rows);
std::string tune_csv(const std::vector<TuneRow>& rows);

}  // namespace sojourn::sim
