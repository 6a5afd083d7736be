#include "control/show.h"

#include <gtest/gtest.h>

#include "control/status.h"

namespace sojourn {
namespace {

DirectionSnapshot snapshot() {
  DirectionSnapshot d;
  d.counters.received = {101, 102};
  d.counters.sent = {103, 104};
  d.counters.queued = {105, 106};
  d.counters.dropped = {Tally{107, 1}, Tally{108, 2}, Tally{109, 3}};
  d.counters.marked_ecn = 110;
  d.counters.marked_ce_threshold = 111;
  d.counters.already_ce = 112;
  d.counters.new_flows = 113;
  d.counters.collisions = 114;
  d.counters.overflows = 115;
  d.counters.bypassed = {116, 117};
  d.counters.bypass_over_limit = 118;
  d.counters.late_ns = 119'000;
  d.counters.most_frame_bytes = 120;
  d.malformed = {121, 4};
  d.tx_full = {122, 5};
  d.new_flows = 123;
  d.old_flows = 124;
  for (const int64_t us : {1, 2, 3, 4}) d.sojourn.record({us * 1000});
  d.plan.flows = 125;
  d.plan.quantum_bytes = 126;
  d.plan.limit_packets = 127;
  d.plan.codel.target = {5'000'000};
  d.plan.codel.interval = {100'000'000};
  return d;
}

nlohmann::json direction(bool shaping) {
  nlohmann::json d = to_json(snapshot(), 128);
  d["rate_bps"] = 40'000'000;
  d["shaping"] = shaping;
  d["fault"] = nullptr;
  d["over_rate_alarms"] = 129;
  return d;
}

nlohmann::json statistics() {
  return {{"wires",
           {{{"name", "home"},
             {"inside", "lan"},
             {"outside", "wan"},
             {"link_loss_forwarding", {{"is_on", true}, {"held_down", nullptr}, {"cannot", nlohmann::json::array()}}},
             {"egress", direction(true)},
             {"ingress", direction(false)}}}},
          {"workers", nlohmann::json::array()},
          {"lab", nlohmann::json::array()},
          {"ports", nlohmann::json::array()},
          {"mbufs", {{"in_use", 130}, {"total", 131}, {"queued", 132}}}};
}

// Every figure stands behind its own name.
TEST(Show, EveryFigureStandsBehindItsName) {
  const std::string body =
      "rate 40mbit flows 125 quantum 126 limit 127p target 5ms interval 100ms ecn\n"
      " Received 102 bytes 229 pkt\n"
      " Sent 104 bytes 103 pkt (dropped 695 (aqm 107 malformed 121 no_mbuf 128 over_limit 108 over_memory 109 tx_full "
      "122), overlimits 115)\n"
      " backlog 106b 105p\n"
      "  maxpacket 120 new_flow_count 113 collisions 114 ecn_mark 110 ce_threshold_mark 111 already_ce 112\n"
      "  new_flows_len 123 old_flows_len 124 late 119us over_rate_alarms 129\n"
      "  bypassed 117 bytes 116 pkt, over their limit 118 pkt\n"
      "  sojourn p50 0.002ms p95 0.004ms p99 0.004ms max 0.004ms of 4 pkt\n";
  EXPECT_EQ(stats_text(statistics()),
            "wire home egress: " + body + "UNSHAPED: wire home ingress: shaping is off\nwire home ingress: " + body +
                "wire home: link_loss_forwarding on\n" + "mbufs 130 of 131 in use, 132 queued here\n");
}

}  // namespace
}  // namespace sojourn
