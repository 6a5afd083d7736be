// What the field reports and what the RFCs predict, as the simulation has it.
#include <gtest/gtest.h>

#include "control/sim/rfc7928.h"
#include "control/sim/senders.h"
#include "control/sim/standing.h"
#include "tests/golden/table.h"
#include "tests/sim/link.h"

namespace sojourn::sim::test {
namespace {

using sojourn::test::golden;
using sojourn::test::number;
using sojourn::test::Row;

double ms(Duration d) {
  return static_cast<double>(d.ns) / 1e6;
}

Outcome standing(const Policy& policy, CongestionName sender, uint32_t buffer) {
  static std::vector<std::unique_ptr<Scenario>> kept;  // outcomes refer to them
  kept.push_back(std::make_unique<Scenario>(standing_scenario({policy, sender, buffer}, {600 * kSecond}, 1)));
  Network network(*kept.back());
  network.run();
  return outcome_of(network);
}
double used(const Outcome& o) {
  return *o.bottlenecks[0].utilisation * 100;
}

TEST(Standing, AQuarterOfThePipeLeavesTheLinkIdle) {
  const Outcome o = standing(kDropTail, CongestionName::kReno, 10);
  EXPECT_NEAR(used(o), 89, 89 * 0.03);
  EXPECT_LE(o.flows[0].rtt.max.ns, 51 * kMillisecond);
}
TEST(Standing, OnePipeIsTheKnee) {
  const Outcome o = standing(kDropTail, CongestionName::kReno, 40);
  EXPECT_NEAR(used(o), 99.3, 99.3 * 0.03);
  EXPECT_NEAR(ms(o.flows[0].rtt.max), 80, 0.1);
}
// The sawtooth between W/2 and W = 680 packets: mean 0.778 W, p95 0.981 W; the small flow waits with the rest.
TEST(Standing, SixteenPipesStandAndTheSmallFlowWaits) {
  const Outcome o = standing(kDropTail, CongestionName::kReno, 640);
  EXPECT_NEAR(used(o), 100, 0.1);
  EXPECT_NEAR(ms(o.flows[0].rtt.mean), 525, 525 * 0.03);
  EXPECT_NEAR(ms(o.flows[0].rtt.p95), 667, 667 * 0.03);
  EXPECT_NEAR(ms(o.flows[1].rtt.mean), ms(o.flows[0].rtt.mean), 2);
  EXPECT_LT(o.bottlenecks[0].drop_rate, 0.00005);
}
TEST(Standing, VegasKeepsThreePacketsInAnyBuffer) {
  for (const uint32_t buffer : {10u, 640u}) {
    const Outcome o = standing(kDropTail, CongestionName::kVegas, buffer);
    EXPECT_NEAR(ms(o.flows[0].rtt.mean), 43, 43 * 0.03) << buffer;
    EXPECT_NEAR(ms(o.flows[0].waited.mean), 3, 0.1) << buffer;
    EXPECT_NEAR(used(o), 100, 0.1) << buffer;
    EXPECT_EQ(o.bottlenecks[0].drop_rate, 0) << buffer;
  }
}
TEST(Standing, CodelPinsTheRoundTripAtEverySizeAndCostsALoneRenoFlow) {
  for (const uint32_t buffer : {10u, 40u, 640u}) {
    const Outcome o = standing(kCodel, CongestionName::kReno, buffer);
    EXPECT_NEAR(ms(o.flows[0].rtt.mean), 42, 1) << buffer;
    EXPECT_NEAR(used(o), 87, 87 * 0.03) << buffer;
  }
}
TEST(Standing, FairQueueingAloneLetsBulkStandAndTheSmallFlowPass) {
  const Outcome o = standing(kFairQueueing, CongestionName::kReno, 320);
  EXPECT_NEAR(ms(o.flows[0].rtt.max), 360, 1);
  EXPECT_NEAR(ms(o.flows[1].rtt.mean), 40, 1);
  EXPECT_LE(o.flows[1].rtt.max.ns, 41'100'000);
}
TEST(Standing, FqCodelIsBoth) {
  const Outcome o = standing(kFqCodel, CongestionName::kReno, 640);
  EXPECT_NEAR(ms(o.flows[0].rtt.mean), 42, 1);
  EXPECT_LE(o.flows[1].rtt.max.ns, 41'100'000);
}
TEST(Standing, ComparesEveryFigureOfTheField) {
  std::vector<Scenario> scenarios;
  for (const StandingCell& cell : standing_cells()) scenarios.push_back(standing_scenario(cell, {kSecond}, 1));
  std::vector<Outcome> outcomes;
  for (Scenario& s : scenarios) {
    s.warmup = {0};
    s.duration = {3 * kSecond};
    Network network(s);
    network.run();
    outcomes.push_back(outcome_of(network));
  }
  ASSERT_EQ(outcomes.size(), 4u * 2 * 7);
  const auto comparisons = compare_standing(outcomes);
  EXPECT_EQ(comparisons.size(), 14u);
  // Three seconds from the start are no sawtooth: what is far off is not called a match.
  EXPECT_TRUE(std::ranges::any_of(comparisons, [](const auto& c) { return !c.is_close; }));
  for (const StandingComparison& c : comparisons) EXPECT_FALSE(c.mechanism.empty());
}

// Under fair queueing a sparse flow waits for the packet in service, whatever the others do. It is sparse while its
// packets are further apart than a round of the others takes: then it has left the old list when the next one comes.
TEST(DelayBounds, HoldForSparseFlowsBesideBulk) {
  for (const Row& row : golden("delay_bounds.csv")) {
    const uint64_t mbps = std::stoull(row.at("C_Mbps"));
    if (mbps > 10) continue;
    FlowScenario bulk;  // each has always something to send
    bulk.source = SourceKind::kConstant;
    bulk.rate = {mbps * 1'000'000};
    bulk.count = static_cast<uint32_t>(number(row, "bulk_flows"));
    bulk.packet_bytes = 1514;
    const double round_us = std::stod(row.at("old_flow_max_round_us(n quanta+1)"));
    FlowScenario small = small_flow(std::max(milliseconds_of(150), {static_cast<int64_t>(round_us * 1100)}));
    small.start = {2 * kSecond};  // bulk flows are new ones themselves at first
    const Scenario s = one_link(kFairQueueing, mbps * 1'000'000, 1000, {bulk, small}, 40);
    Network network(s);
    network.run();
    const double bound_us = std::stod(row.at("sparse_flow_max_wait_us(one packet in service)"));
    const double waited_us = static_cast<double>(network.flow(bulk.count).waited.max().ns) / 1e3;
    EXPECT_LE(waited_us, bound_us + 1) << mbps << " Mbit/s, " << bulk.count;
    EXPECT_GT(waited_us, bound_us / 2) << mbps << " Mbit/s, " << bulk.count;
  }
}

TEST(Rfc7928, HasTheFlowCountsOfItsCongestionLevels) {
  const Row row = golden("rfc7928_flow_counts.csv")[0];
  ASSERT_EQ(row.at("C_Mbps"), "10");
  ASSERT_EQ(row.at("RTT_ms"), "100");
  for (const Scenario& s : rfc7928_scenarios({}, 1)) {
    for (const auto& [level, column] :
         {std::pair{"mild", "N_mild"}, std::pair{"medium", "N_medium"}, std::pair{"heavy", "N_heavy"}})
      if (s.name.starts_with(std::string(level) + "-")) {
        EXPECT_EQ(s.flows[0].count, number(row, column)) << s.name;
        EXPECT_EQ(s.bottlenecks[0].parameters.limit_packets, 84u);
      }
  }
}
TEST(Rfc7928, RunsEveryScenarioUnderThreePolicies) {
  const auto scenarios = rfc7928_scenarios(Duration{5 * kSecond}, 1);
  EXPECT_EQ(scenarios.size(), 27u);
  for (const Scenario& s : scenarios) {
    Network network(s);
    network.run();
    const Outcome o = outcome_of(network);
    EXPECT_TRUE(o.is_conserved) << s.name;
    EXPECT_GT(o.bottlenecks[0].utilisation.value(), 0.3) << s.name;
    EXPECT_LE(o.bottlenecks[0].utilisation.value(), 1.001) << s.name;
  }
}
// Flow queueing equalises what round trip times of 5 to 200 ms make unequal.
TEST(Rfc7928, FlowQueueingIsFairOverRoundTripTimes) {
  std::map<std::string, double> jain;
  const auto scenarios = rfc7928_scenarios(Duration{60 * kSecond}, 1);
  for (const Scenario& s : scenarios) {
    if (!s.name.starts_with("rtt-fairness")) continue;
    Network network(s);
    network.run();
    jain[s.name] = outcome_of(network).jain.value();
  }
  EXPECT_GT(jain["rtt-fairness.fq_codel"], 0.95);
  EXPECT_LT(jain["rtt-fairness.drop-tail"], 0.7);
}

// The field's 884 and 730 Mbit/s; and 1.5 % loss costs CUBIC nearly all, a route change costs BBR what it then sends by
// the old propagation time.
TEST(Senders, LossAndRouteShiftsDoWhatTheFieldSays) {
  const auto scenarios = senders_scenarios(Duration{60 * kSecond}, 1);
  std::map<std::string, double> mbps;
  for (const Scenario& s : scenarios) {
    Network network(s);
    network.run();
    mbps[s.name] = outcome_of(network).goodput_bps / 1e6;
  }
  EXPECT_NEAR(mbps["cubic.clean"], 934, 934 * 0.03);
  EXPECT_NEAR(mbps["bbr.clean"], 948, 948 * 0.03);
  EXPECT_NEAR(mbps["bbr.loss"], 884, 884 * 0.03);
  EXPECT_NEAR(mbps["bbr.route-shifts"], 730, 730 * 0.03);
  EXPECT_LT(mbps["cubic.loss"], 60);
}

TEST(Jain, AgreesWithTheTable) {
  for (const Row& row : golden("jain.csv")) {
    std::istringstream in(row.at("throughputs"));
    std::vector<double> shares;
    for (double share; in >> share;) shares.push_back(share);
    EXPECT_NEAR(jain_index(shares), std::stod(row.at("jain")), 1e-6) << row.at("throughputs");
  }
}

}  // namespace
}  // namespace sojourn::sim::test
