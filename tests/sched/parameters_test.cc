#include "sched/parameters.h"

#include <gtest/gtest.h>

#include "sched/plan.h"

namespace sojourn {
namespace {

Parameters at(uint64_t bits_per_second) {
  Parameters p;
  p.rate = {bits_per_second};
  return p;
}

TEST(BurstInForce, IsTwoFramesWhenOneMillisecondIsLess) {
  EXPECT_EQ(burst_in_force_bytes(at(1'000'000), 1500), 3028u);
}
// CASES CK-11: about 1 ms at the rate, so that 900 Mbit/s is reached.
TEST(BurstInForce, IsOneMillisecondAtTheRateUpTo64k) {
  EXPECT_EQ(burst_in_force_bytes(at(400'000'000), 1500), 50'000u);
  EXPECT_EQ(burst_in_force_bytes(at(25'000'000'000), 1500), 65'536u);
}
TEST(BurstInForce, IsWhatWasSetEvenZero) {
  Parameters p = at(1'000'000);
  p.burst_bytes = 0;
  EXPECT_EQ(burst_in_force_bytes(p, 1500), 0u);
}
TEST(TargetInForce, IsNeverBelowOneAndAHalfFrames) {
  EXPECT_EQ(target_in_force(at(1'000'000), 1500).ns, 18'168'000);  // 2271 B x 8 / 1 Mbit/s
  EXPECT_EQ(target_in_force(at(40'000'000), 1500).ns, 5'000'000);
  EXPECT_EQ(target_in_force(at(kUnlimited.value), 1500).ns, 5'000'000);
}
TEST(IntervalInForce, IsNeverBelowTwoTargets) {
  EXPECT_EQ(interval_in_force(at(100'000), 1500).ns, 2 * 181'680'000);
  EXPECT_EQ(interval_in_force(at(1'000'000), 1500).ns, 100'000'000);
}
TEST(TransmissionTime, IsExactAtBothEndsOfTheRange) {
  EXPECT_EQ(transmission_time(125, {1'000}).ns, 1'000'000'000);
  EXPECT_EQ(transmission_time(1500, {400'000'000'000}).ns, 30);
  EXPECT_EQ(transmission_time(1'000'000'000'000, {1'000}).ns, 8'000'000'000'000'000'000);
}
// Fail-open: nothing holds a packet up any more, and nothing that is queued has to move.
TEST(Plan, OfADirectionThatIsNotShapedIsUnlimitedWithoutAqm) {
  Parameters p = at(1'000'000);
  p.flows = 256;
  p.limit_packets = 77;
  const Plan shaped = compile(p, 1500, 2048);
  p.shaping = false;
  const Plan plan = compile(p, 1500, 2048);
  EXPECT_TRUE(plan.pacer.is_unlimited());
  EXPECT_FALSE(plan.codel.is_on);
  EXPECT_EQ(plan.flows, shaped.flows);
  EXPECT_EQ(plan.limit_packets, shaped.limit_packets);
  EXPECT_EQ(plan.hash, shaped.hash);
  p.shaping = true;
  EXPECT_EQ(compile(p, 1500, 2048), shaped);
}

}  // namespace
}  // namespace sojourn
