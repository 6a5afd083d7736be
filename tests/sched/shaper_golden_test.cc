// What the shaper charges, how long it takes, and what follows for delay, against the tables in tests/golden.
#include <gtest/gtest.h>

#include "tests/sched/fixture.h"

namespace sojourn {
namespace {

using test::Bench;
using test::Ecn;
using test::golden;
using test::number;

double real(const test::Row& row, const std::string& column) {
  return std::stod(row.at(column));
}

// CAKE's keywords without cells are an overhead and an mpu; whatever the length is of, it is charged alike.
TEST(Charge, IsCakesForEveryKeywordWithoutCells) {
  unsigned rows = 0;
  for (const auto& row : golden("cake_overhead.csv")) {
    if (row.at("mode") != "none") continue;
    Parameters p;
    p.overhead_bytes = static_cast<int32_t>(number(row, "overhead"));
    p.mpu_bytes = static_cast<uint32_t>(number(row, "mpu"));
    const Plan plan = compile(p, 1500, 2048);
    EXPECT_EQ(plan.charged(static_cast<uint32_t>(number(row, "ip_len"))).value, number(row, "accounted_len"))
        << row.at("keyword") << ' ' << row.at("ip_len");
    ++rows;
  }
  EXPECT_EQ(rows, 52u);
}

// CAKE too keeps the target above 1.5 MTU times; its interval follows another rule than SPEC's.
TEST(TargetInForce, IsCakesForOneClass) {
  unsigned rows = 0;
  for (const auto& row : golden("cake_tin_params_rtt100ms.csv")) {
    if (row.at("mode") != "besteffort") continue;
    Parameters p;
    if (number(row, "rate_bps") != 0) p.rate = {static_cast<uint64_t>(number(row, "rate_bps"))};
    EXPECT_EQ(target_in_force(p, 1500).ns, number(row, "target_ns")) << row.at("rate_bps");
    ++rows;
  }
  EXPECT_EQ(rows, 13u);
}

// With what Ethernet adds to a frame without FCS (FCS 4, preamble 8, gap 12), a shaper at the link's rate passes the
// link's frame rate.
TEST(FrameRate, AtALinksRateIsTheLinks) {
  for (const auto& row : golden("ethernet_max_frame_rate.csv")) {
    Parameters p;
    p.rate = {static_cast<uint64_t>(number(row, "link_Gbps")) * 1'000'000'000};
    p.burst_bytes = 0;
    p.overhead_bytes = 24;
    const Plan plan = compile(p, 1500, 2048);
    Pacer pacer(plan.pacer, {0});
    constexpr int kFrames = 100'000;
    for (int i = 0; i < kFrames; ++i) {
      pacer.charge(pacer.opens_at(), plan.charged(static_cast<uint32_t>(number(row, "frame_B_incl_FCS")) - 4));
    }
    const double ns_per_frame = static_cast<double>(pacer.opens_at().ns) / kFrames;
    const double table_ns = real(row, "ns_per_frame");  // three decimals
    EXPECT_NEAR(ns_per_frame, table_ns, 1e-6 * table_ns + 5e-4) << row.at("frame_B_incl_FCS");
  }
}

// One link of the table: n bulk flows of MTU frames.
struct Bulk : Bench {
  explicit Bulk(const Plan& plan, uint64_t flows) : Bench(plan) {
    for (int i = 0; i < 40; ++i) {
      for (uint64_t flow = 1; flow <= flows; ++flow) enqueue({0}, {flow * 8, 1514, Ecn::kNotEct});
    }
    for (uint64_t i = 0; i < 2 * flows; ++i) dequeue(scheduler.opens_at());  // all are old now
  }
  uint64_t flow_of(int64_t handle) const { return owner.packets[static_cast<size_t>(handle)].flow; }
};

Plan link_at(const test::Row& row) {
  Plan plan;
  plan.codel.is_on = false;
  plan.limit_packets = plan.limit_buffers = 10'000;
  plan.pacer = Pacer::Plan::compile({static_cast<uint64_t>(number(row, "C_Mbps")) * 1'000'000}, 0);
  return plan;
}

// A sparse packet waits for the one in service at most; a bulk flow comes round after one quantum of each and one more.
TEST(DelayBounds, OfSparseAndOldFlowsAreTheTables) {
  for (const auto& row : golden("delay_bounds.csv")) {
    SCOPED_TRACE(row.at("C_Mbps") + " Mbit/s, " + row.at("bulk_flows") + " flows");
    const auto flows = static_cast<uint64_t>(number(row, "bulk_flows"));
    Bulk link(link_at(row), flows);
    const double rounding_ns = 2;
    std::map<uint64_t, uint64_t> served_at;
    for (uint64_t i = 0; i < 20 * flows; ++i) {
      const Time busy_from = link.scheduler.opens_at();
      const int64_t handle = link.dequeue(busy_from);
      ASSERT_GE(handle, 0);
      const uint64_t flow = link.flow_of(handle);
      if (served_at.contains(flow)) {
        EXPECT_LE(static_cast<double>(busy_from.ns - served_at[flow]),
                  real(row, "old_flow_max_round_us(n quanta+1)") * 1'000 + 500 + rounding_ns);
      }
      served_at[flow] = busy_from.ns;
      if (i % 7 != 0) continue;
      const PacketHandle sparse = link.enqueue(busy_from, {100'000 + i * 8, 100, Ecn::kNotEct});
      const Time turn = link.scheduler.opens_at();
      ASSERT_EQ(link.dequeue(turn), static_cast<int64_t>(sparse));
      EXPECT_LE(static_cast<double>((turn - busy_from).ns),
                real(row, "sparse_flow_max_wait_us(one packet in service)") * 1'000 + 500 + rounding_ns);
    }
  }
}

// The same link with one queue and tail drop: the last of 1000 packets has left when the table says so.
TEST(DelayBounds, OfAFullFifoAreTheTables) {
  for (const auto& row : golden("delay_bounds.csv")) {
    Plan plan = link_at(row);
    plan.flows = 1;
    plan.limit_packets = 1'000;
    Bench bench(plan);
    for (uint64_t i = 0; i < 1'100; ++i) bench.enqueue({0}, {i, 1514, Ecn::kNotEct});
    EXPECT_EQ(bench.owner.dropped.size(), 100u);
    for (int i = 0; i < 1'000; ++i) ASSERT_EQ(bench.dequeue(bench.scheduler.opens_at()), i);
    const double exact_ns = real(row, "pfifo1000_full_ms") * 1e6;
    EXPECT_NEAR(static_cast<double>(bench.scheduler.opens_at().ns), exact_ns, 500 + 1e-6 * exact_ns);
  }
}

}  // namespace
}  // namespace sojourn
