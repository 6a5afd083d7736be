// Senders, paths and bottlenecks together.
#include <gtest/gtest.h>

#include <sstream>

#include "control/sim/bbr.h"
#include "control/sim/outcome.h"
#include "tests/sim/link.h"

namespace sojourn::sim::test {
namespace {

const Congestion& congestion(const Network& network, size_t flow) {
  return dynamic_cast<const TcpSender&>(network.source(flow)).congestion();
}

// A flow of everything, over two bottlenecks, with all that a path can do.
Scenario everything() {
  Scenario s = one_link(kFqCodel, 20'000'000, 200, {}, 20);
  s.bottlenecks.push_back({"second", link_parameters(kDropTail, {15'000'000}, 50), kDefaultMtuBytes, {}});
  s.bottlenecks[0].timetable.push_back({{5 * kSecond}, Duration{4 * kSecond}, {10'000'000}});
  for (const auto name :
       {CongestionName::kReno, CongestionName::kCubic, CongestionName::kVegas, CongestionName::kBbr}) {
    FlowScenario f = tcp_flow(name);
    f.count = 2;
    f.start_spread = milliseconds_of(500);
    f.path.loss = {2'000'000};
    f.path.jitter = milliseconds_of(2);
    f.path.reorder = {1'000'000};
    f.path.flip_rtt = milliseconds_of(22);
    f.path.flip_every = {3 * kSecond};
    f.ecn = name == CongestionName::kCubic;
    f.has_delayed_ack = name == CongestionName::kReno;
    s.flows.push_back(f);
  }
  for (const auto kind : {SourceKind::kConstant, SourceKind::kPoisson, SourceKind::kOnOff, SourceKind::kSparse}) {
    FlowScenario f;
    f.source = kind;
    f.packet_bytes = 300;
    s.flows.push_back(f);
  }
  FlowScenario web = tcp_flow(CongestionName::kCubic);
  web.transfer_bytes = 50'000;
  web.pause = milliseconds_of(300);
  web.through = {"second"};
  web.stop = Duration{15 * kSecond};
  s.flows.push_back(web);
  return s;
}

TEST(Network, AccountsForEveryPacketAtEveryInstant) {
  const Scenario s = everything();
  Network network(s);
  for (int64_t ms = 1; ms <= 20'000; ms += 7) {
    network.run_until(at_ms(ms));
    ASSERT_TRUE(is_conserved(network)) << ms << " ms";
  }
  network.run();
  EXPECT_TRUE(outcome_of(network).is_conserved);
  uint64_t lost = 0, dropped = 0, marked = 0;
  for (size_t i = 0; i < network.flows().size(); ++i) {
    EXPECT_GT(network.flow(i).packets.delivered, 20u) << network.flows()[i].name;
    lost += network.flow(i).packets.lost;
    dropped += network.flow(i).packets.dropped_in_all();
    marked += network.flow(i).packets.marked;
  }
  EXPECT_GT(lost, 10u);
  EXPECT_GT(dropped, 10u);
  EXPECT_GT(marked, 0u);
}

std::string bytes_of(const Scenario& s) {
  std::ostringstream rows;
  Trace trace(rows, "run", milliseconds_of(10));
  Network network(s, &trace);
  network.run();
  return json_of(outcome_of(network)).dump() + rows.str();
}
TEST(Network, GivesTheSameBytesForTheSameSeedAndOthersForAnother) {
  Scenario s = everything();
  const std::string first = bytes_of(s);
  EXPECT_GT(first.size(), 100'000u);
  EXPECT_EQ(first, bytes_of(s));
  s.seed = 2;
  EXPECT_NE(first, bytes_of(s));
}
TEST(Network, DoesNotCareHowOftenItIsStopped) {
  const Scenario s = everything();
  Network whole(s), pieces(s);
  whole.run();
  for (int64_t ms = 0; ms < 20'000; ms += 13) pieces.run_until(at_ms(ms));
  pieces.run();
  EXPECT_EQ(json_of(outcome_of(whole)).dump(), json_of(outcome_of(pieces)).dump());
}

TEST(Random, HasAStreamOfItsOwnForEachSeedAndPurpose) {
  EXPECT_EQ(Random(1, 5).next(), Random(1, 5).next());
  EXPECT_NE(Random(1, 5).next(), Random(2, 5).next());
  EXPECT_NE(Random(1, 5).next(), Random(1, 6).next());
}

TEST(Tcp, HasTheRoundTripTimeOfPathAndPacket) {
  FlowScenario f = tcp_flow(CongestionName::kReno);
  f.transfer_bytes = 1;
  const Scenario s = one_link(kDropTail, 12'000'000, 100, {f}, 1);
  Network network(s);
  network.run_until(at_ms(60));
  EXPECT_EQ(network.flow(0).rtt.count(), 1u);
  EXPECT_EQ(network.flow(0).rtt.max().ns, 41 * kMillisecond);
}
// One reduction a round trip, however many packets of a window are lost.
TEST(Tcp, HalvesOnceForAWindowOfLosses) {
  FlowScenario f = tcp_flow(CongestionName::kReno);
  f.path.loss = {300'000'000};
  Scenario s = one_link(kDropTail, 100'000'000, 1000, {f}, 1);
  Network network(s);
  network.run_until(at_ms(79));  // the first window of 10 has been answered, the second has not
  EXPECT_GE(network.flow(0).packets.lost, 2u);
  EXPECT_LE(network.flow(0).source.reductions, 1u);
  Network longer(s);
  longer.run();
  EXPECT_LE(longer.flow(0).source.reductions, 1'000u / 40 + 1);
  EXPECT_GT(longer.flow(0).source.retransmissions, longer.flow(0).source.reductions);
}
TEST(Tcp, DeliversEveryByteOfATransferOnceThroughLossAndReordering) {
  FlowScenario f = tcp_flow(CongestionName::kCubic);
  f.transfer_bytes = 5'000'000;
  f.path.loss = {10'000'000};
  f.path.reorder = {100'000'000};
  f.path.reorder_delay = milliseconds_of(30);
  f.pause = {3600 * kSecond};
  const Scenario s = one_link(kDropTail, 20'000'000, 20, {f}, 120);
  Network network(s);
  network.run();
  const uint64_t payload = f.packet_bytes - kHeaderBytes;
  EXPECT_EQ(network.flow(0).source.transfers, 1u);
  EXPECT_EQ(network.flow(0).source.goodput_bytes, (5'000'000 + payload - 1) / payload * payload);
  EXPECT_EQ(network.packets_in_flight(), 0u);
}
// With everything lost only the timer is left: each wait is twice the one before (RFC 6298 5.5).
TEST(Tcp, WaitsTwiceAsLongForEachTimeout) {
  FlowScenario f = tcp_flow(CongestionName::kReno);
  f.path.loss = kWhole;
  const Scenario s = one_link(kDropTail, 12'000'000, 100, {f}, 40);
  Network network(s);
  std::vector<int64_t> timeouts;
  for (int64_t ms = 0; ms < 32'000; ++ms) {
    network.run_until(at_ms(ms));
    if (network.flow(0).source.timeouts > timeouts.size()) timeouts.push_back(ms);
  }
  EXPECT_EQ(timeouts, (std::vector<int64_t>{1000, 3000, 7000, 15'000, 31'000}));
  EXPECT_DOUBLE_EQ(congestion(network, 0).window(), 1);
}
TEST(Tcp, IsMarkedInsteadOfDroppedAndReducesAllTheSame) {
  FlowScenario f = tcp_flow(CongestionName::kReno);
  f.ecn = true;
  const Scenario s = one_link(kFqCodel, 12'000'000, 1000, {f}, 60);
  Network network(s);
  network.run();
  const FlowStatistics& flow = network.flow(0);
  EXPECT_EQ(flow.packets.dropped_in_all(), 0u);
  EXPECT_EQ(flow.source.retransmissions, 0u);
  EXPECT_GT(flow.packets.marked, 20u);
  EXPECT_GT(flow.source.reductions, 20u);
  EXPECT_LE(flow.source.reductions, flow.packets.marked);
}
TEST(Tcp, AcknowledgementsMayBeDelayed) {
  FlowScenario f = tcp_flow(CongestionName::kReno);
  f.has_delayed_ack = true;
  f.transfer_bytes = 1;
  f.pause = {3600 * kSecond};
  const Scenario s = one_link(kDropTail, 12'000'000, 100, {f}, 1);
  Network network(s);
  network.run();
  EXPECT_EQ(network.flow(0).rtt.max().ns, (41 + 40) * kMillisecond);  // the only packet waits for a second one
}

// It sees the propagation time again whenever its queue is empty, so that it need not probe for it.
TEST(Bbr, FillsThePipeAndDrainsItsQueue) {
  const Scenario s = one_link(kDropTail, 12'000'000, 1000, {tcp_flow(CongestionName::kBbr)}, 30);
  Network network(s);
  const auto state = [&] { return dynamic_cast<const Bbr&>(congestion(network, 0)).state(); };
  std::vector<Bbr::State> states;
  uint64_t most_queued = 0, queued_after_drain = 0;
  for (int64_t ms = 0; ms < 30'000; ++ms) {
    network.run_until(at_ms(ms));
    if (states.empty() || states.back() != state()) states.push_back(state());
    const uint64_t queued = network.bottleneck(0).queued_packets();
    if (states.size() == 1) most_queued = std::max(most_queued, queued);
    if (states.size() == 3 && queued_after_drain == 0) queued_after_drain = queued + 1;
  }
  using enum Bbr::State;
  EXPECT_EQ(states, (std::vector<Bbr::State>{kStartup, kDrain, kProbeBandwidth}));
  EXPECT_GT(most_queued, 20u);
  EXPECT_LE(queued_after_drain, 6u);
  const auto& bbr = dynamic_cast<const Bbr&>(congestion(network, 0));
  EXPECT_NEAR(bbr.bandwidth(), 1000, 20);  // packets of 1500 bytes at 12 Mbit/s
  EXPECT_NEAR(static_cast<double>(bbr.propagation().ns), 41e6, 0.2e6);
  EXPECT_GT(outcome_of(network).bottlenecks[0].utilisation.value(), 0.93);
}
// Beside others the queue never empties: every 10 s four packets in flight for 200 ms, and then as before.
TEST(Bbr, ProbesForThePropagationTimeBesideOthers) {
  FlowScenario f = tcp_flow(CongestionName::kBbr);
  f.count = 3;
  f.start_spread = {kSecond};
  const Scenario s = one_link(kDropTail, 12'000'000, 1000, {f}, 40);
  Network network(s);
  int64_t probed_ms = 0;
  bool was_probing = false;
  double window_before = 0, window_after = 0;
  for (int64_t ms = 0; ms < 40'000; ++ms) {
    network.run_until(at_ms(ms));
    const auto& bbr = dynamic_cast<const Bbr&>(congestion(network, 0));
    const bool is_probing = bbr.state() == Bbr::State::kProbeRtt;
    probed_ms += is_probing;
    if (is_probing) {
      EXPECT_LE(bbr.window(), 4);
    } else if (was_probing && window_after == 0) {
      window_after = bbr.window();
    } else if (probed_ms == 0) {
      window_before = bbr.window();
    }
    was_probing = is_probing;
  }
  EXPECT_GE(probed_ms, 200);
  EXPECT_LE(probed_ms, 3 * 500);
  EXPECT_NEAR(window_after, window_before, 0.2 * window_before);
}
TEST(Bbr, KeepsItsRateThroughRandomLossThatStopsCubic) {
  const auto goodput = [](CongestionName name) {
    FlowScenario f = tcp_flow(name);
    f.path.loss = {15'000'000};
    const Scenario s = one_link(kDropTail, 50'000'000, 1000, {f}, 30);
    Network network(s);
    network.run();
    return network.flow(0).source.goodput_bytes;
  };
  EXPECT_GT(goodput(CongestionName::kBbr), 8 * goodput(CongestionName::kCubic));
}

TEST(Sources, SendAtTheirRates) {
  FlowScenario constant;
  constant.source = SourceKind::kConstant;
  constant.packet_bytes = 700;
  constant.rate = {1'000'000};
  FlowScenario poisson = constant, on_off = constant;
  poisson.source = SourceKind::kPoisson;
  on_off.source = SourceKind::kOnOff;
  on_off.on = milliseconds_of(100);
  on_off.off = milliseconds_of(300);
  const Scenario s = one_link(kDropTail, 100'000'000, 1000, {constant, poisson, on_off, small_flow()}, 300);
  Network network(s);
  network.run();
  const auto rate = [&](size_t i) { return static_cast<double>(network.flow(i).packets.sent) * 700 * 8 / 300; };
  EXPECT_NEAR(rate(0), 1e6, 30);
  EXPECT_NEAR(rate(1), 1e6, 2e4);
  EXPECT_NEAR(rate(2), 2.5e5, 2e4);
  EXPECT_EQ(network.flow(3).packets.sent, 2001u);
}

TEST(Path, KeepsTheOrderOfPacketsWhenTheRouteBecomesShorter) {
  PathScenario scenario;
  scenario.rtt = milliseconds_of(22);
  scenario.flip_rtt = milliseconds_of(4);
  scenario.flip_every = {kSecond};
  Path path(scenario, scenario.rtt, Random(1));
  const Time before = *path.arrival(at_ms(999), 1), after = *path.arrival(at_ms(1000), 1);
  EXPECT_EQ(before, at_ms(1021));
  EXPECT_EQ(after, at_ms(1021));
  EXPECT_EQ(*path.arrival(at_ms(1500), 1), at_ms(1504));
}
TEST(Path, LetsTheShorterRouteOvertakeWhenAsked) {
  PathScenario scenario;
  scenario.rtt = milliseconds_of(22);
  scenario.flip_rtt = milliseconds_of(4);
  scenario.flip_every = {kSecond};
  scenario.flip_reorders = true;
  Path path(scenario, scenario.rtt, Random(1));
  EXPECT_EQ(*path.arrival(at_ms(999), 1), at_ms(1021));
  EXPECT_EQ(*path.arrival(at_ms(1000), 1), at_ms(1004));
  EXPECT_EQ(*path.arrival(at_ms(1001), 1), at_ms(1005));
}
TEST(Path, LosesAndHoldsBackTheShareAskedFor) {
  PathScenario scenario;
  scenario.loss = {15'000'000};
  scenario.reorder = {50'000'000};
  Path path(scenario, scenario.rtt, Random(1));
  int lost = 0, held = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto at = path.arrival(at_ms(i), 1);
    lost += !at;
    held += at && *at == at_ms(i) + scenario.rtt + scenario.reorder_delay;
  }
  EXPECT_NEAR(lost, 1500, 150);
  EXPECT_NEAR(held, 98'500 * 0.05, 300);
}

TEST(Bottleneck, ChangesItsRateWithoutLosingAPacket) {
  Scenario s = one_link(kDropTail, 100'000'000, 5000, {tcp_flow(CongestionName::kCubic)}, 40);
  s.bottlenecks[0].timetable = {{{10 * kSecond}, Duration{20 * kSecond}, {10'000'000}},
                                {{20 * kSecond}, Duration{20 * kSecond}, {100'000'000}}};
  Network network(s);
  const auto sent_in = [&](int64_t from_ms, int64_t to_ms) {
    network.run_until(at_ms(from_ms));
    const uint64_t before = network.bottleneck(0).scheduler().counters().sent_wire_bytes;
    network.run_until(at_ms(to_ms));
    return static_cast<double>(network.bottleneck(0).scheduler().counters().sent_wire_bytes - before) * 8;
  };
  EXPECT_NEAR(sent_in(11'000, 19'000), 8e7, 2e4);
  EXPECT_NEAR(sent_in(21'000, 29'000), 8e8, 1e7);
  EXPECT_NEAR(sent_in(31'000, 39'000), 8e7, 2e4);
  EXPECT_TRUE(is_conserved(network));
}
TEST(Bottleneck, NeverPassesMoreThanItsRateAndNeverIdlesWhileItHasPackets) {
  const Scenario s = one_link(kFqCodel, 10'000'000, 1000, {tcp_flow(CongestionName::kCubic), small_flow()}, 20);
  Network network(s);
  network.run_until(at_ms(2'000));
  for (int64_t ms = 2'010; ms < 20'000; ms += 10) {
    const uint64_t before = network.bottleneck(0).scheduler().counters().sent_wire_bytes;
    const bool had_packets = network.bottleneck(0).queued_packets() > 9;
    network.run_until(at_ms(ms));
    const uint64_t sent = network.bottleneck(0).scheduler().counters().sent_wire_bytes - before;
    ASSERT_LE(sent, 12'500u + 1514) << ms;
    if (had_packets) {
      ASSERT_GE(sent, 12'500u - 1514) << ms;
    }
  }
}

// CASES DS-2: a million seconds of virtual time at the slowest rates, three million frames at the fastest: within 10
// ppm.
TEST(Bottleneck, HoldsItsRateOverAMillionSeconds) {
  for (const auto& [rate_bps, seconds] : {std::pair<uint64_t, int64_t>{10'000, 1'000'000}, {64'000, 400'000}}) {
    FlowScenario flood;
    flood.source = SourceKind::kConstant;
    flood.rate = {rate_bps + rate_bps / 50};
    Scenario s = one_link(kDropTail, rate_bps, 10, {flood}, seconds);
    s.warmup = {10 * kSecond};
    Network network(s);
    network.run();
    const auto& counters = network.bottleneck(0).statistics();
    const double bits =
        static_cast<double>(counters.counters.sent_wire_bytes - counters.counters_warm.sent_wire_bytes) * 8;
    const double wanted = static_cast<double>(rate_bps) * static_cast<double>(seconds - 10);
    EXPECT_NEAR(bits / wanted, 1, 1e-5 + 1500 * 8 / wanted) << rate_bps;
  }
}
TEST(Bottleneck, HoldsFourHundredGigabits) {
  FlowScenario flood;
  flood.source = SourceKind::kConstant;
  flood.rate = {408'000'000'000};
  flood.path.rtt = {1000};
  Scenario s = one_link(kDropTail, 400'000'000'000, 100, {flood}, 1);
  s.duration = milliseconds_of(60);
  s.warmup = milliseconds_of(1);
  Network network(s);
  network.run();
  EXPECT_NEAR(outcome_of(network).bottlenecks[0].utilisation.value(), 1, 1e-5);
}
// CASES LQ-11 (b), a hundredth of it in time and rate: a spray of flows of one packet each leaves the others' delay
// alone.
TEST(Bottleneck, KeepsSparseDelayBelowTwoTargetsUnderASprayOfFlows) {
  FlowScenario spray;
  spray.source = SourceKind::kSpray;
  spray.rate = {51'200'000};  // 100'000 packets a second
  spray.packet_bytes = 64;
  spray.path.rtt = milliseconds_of(4);
  const Scenario s = one_link(kFqCodel, 100'000'000, 10'240,
                              {spray, small_flow(milliseconds_of(20)), tcp_flow(CongestionName::kCubic)}, 6);
  Network network(s);
  network.run();
  EXPECT_GT(network.flow(0).packets.sent, 590'000u);
  EXPECT_LE(network.flow(1).waited.max().ns, 10 * kMillisecond);
  EXPECT_EQ(network.flow(1).packets.dropped_in_all(), 0u);
  EXPECT_GT(network.flow(2).goodput_bytes() * 8 / 6, 35'000'000u);
}

}  // namespace
}  // namespace sojourn::sim::test
