// The answer to "which target and interval?".
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "control/sim/batch.h"
#include "control/sim/tune.h"

namespace sojourn::sim {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

TuneQuestion question() {
  TuneQuestion q{RttDistribution::through({20 * kMillisecond}, {80 * kMillisecond}), {20'000'000}};
  q.flows = 4;
  q.measured = Duration{6'000'000'000};
  return q;
}
const std::vector<TuneRow>& rows() {
  static const std::vector<TuneRow> kRows = [] {
    const auto scenarios = tune_scenarios(question());
    return tune_rows(run_batch(scenarios, {}), scenarios);
  }();
  return kRows;
}
bool dominates(const TuneRow& a, const TuneRow& b) {
  return a.utilisation >= b.utilisation && a.waited.p95 <= b.waited.p95 &&
         (a.utilisation > b.utilisation || a.waited.p95 < b.waited.p95);
}

TEST(Tune, MarksExactlyTheRowsThatNoOtherDominates) {
  ASSERT_GT(rows().size(), 30u);
  for (const TuneRow& row : rows()) {
    const bool is_dominated = std::ranges::any_of(rows(), [&](const TuneRow& other) { return dominates(other, row); });
    EXPECT_EQ(row.is_on_front, !is_dominated) << format_time(row.target) << '/' << format_time(row.interval);
  }
}
TEST(Tune, ASmallerTargetTradesUseForDelay) {
  const auto row = [](int64_t target_ms) {
    return *std::ranges::find_if(rows(), [&](const TuneRow& r) {
      return r.target.ns == target_ms * kMillisecond && r.interval.ns == 100 * kMillisecond;
    });
  };
  EXPECT_LT(row(2).waited.p95, row(12).waited.p95);
  EXPECT_LT(row(12).waited.p95, row(40).waited.p95);
  EXPECT_LT(row(2).alone, row(40).alone);
  EXPECT_GT(row(2).together, 0.99);
}
TEST(Tune, RecommendsAnIntervalOfTheWorstRoundTripWithinAPointOfTheBestUse) {
  const TuneRow& best = recommended(question(), rows());
  EXPECT_GE(best.interval.ns, 79 * kMillisecond);
  for (const TuneRow& row : rows()) {
    if (row.interval.ns < 79 * kMillisecond) continue;
    EXPECT_GE(best.utilisation, row.utilisation - kUtilisationToGive);
    if (row.utilisation >= best.utilisation) {
      EXPECT_GE(row.waited.p95, best.waited.p95);
    }
  }
  const std::string text = tune_text(question(), rows());
  EXPECT_NE(
      text.find("target = \"" + format_time(best.target) + "\";\ninterval = \"" + format_time(best.interval) + "\";"),
      std::string::npos);
}
// SPEC "Shaper": what would be raised is not offered.
TEST(Tune, OffersOnlyWhatWouldBeInForce) {
  TuneQuestion q = question();
  q.rate = {1'000'000};
  for (const Scenario& s : tune_scenarios(q)) {
    const Parameters& p = s.bottlenecks[0].parameters;
    EXPECT_EQ(target_in_force(p, kDefaultMtuBytes), p.target);
    EXPECT_EQ(interval_in_force(p, kDefaultMtuBytes), p.interval);
  }
}

TEST(RttDistribution, GoesThroughItsQuantiles) {
  const auto d = RttDistribution::through({20 * kMillisecond}, {80 * kMillisecond});
  EXPECT_NEAR(static_cast<double>(d.quantile(0.5).ns), 20e6, 100);
  EXPECT_NEAR(static_cast<double>(d.quantile(0.95).ns), 80e6, 100);
  EXPECT_LT(d.quantile(0.05).ns, 20 * kMillisecond);
  const auto drawn = d.draw(101);
  EXPECT_NEAR(static_cast<double>(drawn[50].ns), 20e6, 100);
  EXPECT_TRUE(std::ranges::is_sorted(drawn));
}
TEST(RttDistribution, OfMeasurementsInterpolatesBetweenThem) {
  const auto d = RttDistribution::of({{30 * kMillisecond}, {10 * kMillisecond}, {20 * kMillisecond}});
  EXPECT_EQ(d.quantile(0.5).ns, 20 * kMillisecond);
  EXPECT_EQ(d.quantile(0.01).ns, 10 * kMillisecond);
  EXPECT_EQ(d.quantile(0.99).ns, 30 * kMillisecond);
  EXPECT_EQ(d.quantile(2.0 / 3).ns, 25 * kMillisecond);
}
TEST(RttDistribution, FilesNameEveryBadLine) {
  const auto path = std::filesystem::temp_directory_path() / ("sojourn_rtts." + std::to_string(getpid()));
  std::ofstream(path) << "# measured\n12.5ms\n\n7\n90s\n80ms\n";
  const RttFile file = read_rtts(path.string());
  EXPECT_EQ(file.rtts, (std::vector<Duration>{{12'500'000}, {80 * kMillisecond}}));
  ASSERT_EQ(file.errors.size(), 2u);
  EXPECT_EQ(file.errors[0].line, 4);
  EXPECT_EQ(file.errors[1].line, 5);
  EXPECT_NE(file.errors[1].message.find("nearest is \"60s\""), std::string::npos);
  std::filesystem::remove(path);
  EXPECT_EQ(read_rtts(path.string()).errors.size(), 1u);
}
TEST(Batch, GivesTheSameWithOneThreadOrMany) {
  const auto scenarios = tune_scenarios(question());
  const std::vector<Scenario> few(scenarios.begin(), scenarios.begin() + 6);
  BatchOptions alone, together;
  alone.threads = 1;
  together.threads = 4;
  const auto one = run_batch(few, alone), many = run_batch(few, together);
  for (size_t i = 0; i < few.size(); ++i) EXPECT_EQ(json_of(one[i]).dump(), json_of(many[i]).dump());
}

}  // namespace
}  // namespace sojourn::sim
