// `sojourn replay`: the laws of the data plane, in the times of a capture.
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/control/replay_bench.h"

namespace sojourn::test {
namespace {

FileFrame at(uint64_t offset_ns, const UdpFrame& frame = {}) {
  return {kEpoch + offset_ns, bytes(frame), 0};
}

std::vector<FileFrame> burst(size_t count, const UdpFrame& like, uint64_t gap_ns = 0) {
  std::vector<FileFrame> frames;
  for (size_t i = 0; i < count; ++i) {
    UdpFrame f = like;
    f.number = static_cast<uint32_t>(i);
    frames.push_back(at(i * gap_ns, f));
  }
  return frames;
}

TEST(Replay, AnOpenWireGivesTheSameFramesAtTheSameInstants) {
  ReplayBench bench("rate = \"unlimited\";");
  const auto frames = burst(50, {.bytes = 900, .ecn = kEct0}, 777);
  const ReplayResult r = bench.run(frames);
  EXPECT_EQ(r.exit_code, kExitOk) << r.errors;
  ASSERT_EQ(r.out.size(), frames.size());
  for (size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(r.out[i].bytes, frames[i].bytes);
    EXPECT_EQ(r.out[i].time_ns, frames[i].time_ns);
    EXPECT_EQ(r.out[i].length, frames[i].wire());
  }
  expect_conserved(r, frames.size());
}

// 1000 bytes at 8 Mbit/s are 1 ms. Without credit each transmission starts when the one before it has ended.
TEST(Replay, DeparturesAreTheVirtualClocks) {
  ReplayBench bench("rate = \"8mbit\"; burst = \"0b\"; aqm = \"none\";");
  const ReplayResult r = bench.run(burst(10, {.bytes = 1000}));
  ASSERT_EQ(r.out.size(), 10u);
  for (size_t i = 0; i < r.out.size(); ++i) EXPECT_EQ(r.out[i].time_ns, kEpoch + i * kMs) << i;
  EXPECT_EQ(r.report["sojourn_ns"]["max"], 9 * kMs);
  EXPECT_EQ(r.report["throughput_bps"], 8 * 10 * 1000 * 1000 / 9);
}

TEST(Replay, AnIdleLineEarnsItsBurst) {
  ReplayBench bench("rate = \"8mbit\"; burst = \"3028b\"; aqm = \"none\";");
  const ReplayResult r = bench.run(burst(6, {.bytes = 1000}));
  size_t at_once = 0;
  for (const FileFrame& f : r.out) at_once += f.time_ns == kEpoch;
  EXPECT_EQ(at_once, 4u) << "3028 bytes of credit, and one packet on debt";
}

// A frame that comes at the instant of a departure is queued first: here it is of a new flow, so it also leaves first.
TEST(Replay, WhatArrivesAtTheInstantOfADepartureIsQueuedFirst) {
  ReplayBench bench("rate = \"8mbit\"; burst = \"0b\"; quantum = \"1000b\";");
  auto frames = burst(4, {.flow = 1, .bytes = 1000});
  frames.push_back(at(kMs, {.flow = 2, .bytes = 100}));
  frames.push_back(at(2 * kMs + 1, {.flow = 3, .bytes = 100}));
  const ReplayResult r = bench.run(frames);
  std::vector<uint16_t> order;
  for (const FileFrame& f : r.out) order.push_back(flow_of(f.bytes));
  EXPECT_EQ(order, (std::vector<uint16_t>{1, 2, 1, 3, 1, 1}));
  EXPECT_EQ(r.out[1].time_ns, kEpoch + kMs);
}

// Ten Mbit/s into eight: CoDel marks; nothing but the ECN field and the checksum's correction changes.
TEST(Replay, MarksChangeTheEcnFieldAndTheChecksumOnly) {
  ReplayBench bench("rate = \"8mbit\"; burst = \"0b\";");
  const auto frames = burst(3000, {.bytes = 1000, .ecn = kEct0}, 800 * kUs);
  const ReplayResult r = bench.run(frames);
  ASSERT_EQ(r.out.size(), frames.size());
  uint64_t marked = 0;
  for (size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(ip_sum(r.out[i].bytes), 0xffff);
    if (r.out[i].bytes == frames[i].bytes) continue;
    ++marked;
    Bytes restored = r.out[i].bytes;
    EXPECT_EQ(ecn_of(restored), kCe);
    restored[kIpOffset + 1] = kEct0;
    std::copy_n(frames[i].bytes.begin() + kIpOffset + 10, 2, restored.begin() + kIpOffset + 10);
    EXPECT_EQ(restored, frames[i].bytes);
  }
  EXPECT_GT(marked, 10u);
  EXPECT_EQ(r.report["marks"]["ecn"], marked);
  uint64_t traced = 0;
  for (const auto& line : r.trace) traced += line.value("mark", "") == "ce" && line.contains("codel");
  EXPECT_EQ(traced, marked);
}

// The trace says of CoDel's signals what RFC 8289 says: count grows by one, and the next is interval / sqrt(count) on.
TEST(Replay, TheTraceHasTheControlLaw) {
  ReplayBench bench("rate = \"8mbit\"; burst = \"0b\"; ecn = false;");
  const ReplayResult r = bench.run(burst(3000, {.bytes = 1000}, 800 * kUs));
  std::vector<nlohmann::json> drops;
  for (const auto& line : r.trace) {
    if (line["fate"] == "dropped") drops.push_back(line);
  }
  ASSERT_GT(drops.size(), 10u);
  for (size_t i = 0; i < drops.size(); ++i) {
    EXPECT_EQ(drops[i]["cause"], "aqm");
    EXPECT_EQ(drops[i]["list"], "old");
    if (i == 0 || drops[i]["codel"]["count"] == 1) continue;
    const auto due = drops[i - 1]["codel"]["drop_next_ns"].get<uint64_t>();
    EXPECT_EQ(drops[i]["codel"]["count"], drops[i - 1]["codel"]["count"].get<uint64_t>() + 1);
    EXPECT_GE(drops[i]["end_ns"].get<uint64_t>(), due);
    EXPECT_LT(drops[i]["end_ns"].get<uint64_t>(), due + 2 * kMs) << "the first packet to leave after it was due";
    const double step = 100e6 / std::sqrt(drops[i]["codel"]["count"].get<double>());
    EXPECT_NEAR(static_cast<double>(drops[i]["codel"]["drop_next_ns"].get<uint64_t>() - due), step, 1.5);
  }
  expect_conserved(r, 3000);
}

TEST(Replay, OverflowIsNamedAndTheFatFlowPays) {
  ReplayBench bench("rate = \"8mbit\"; limit = 100;");
  auto frames = burst(300, {.flow = 7, .bytes = 1000});
  frames.push_back(at(1, {.flow = 9, .bytes = 100}));
  const ReplayResult r = bench.run(frames);
  EXPECT_GT(r.report["drops"]["over_limit"], 0);
  for (const auto& line : r.trace) {
    EXPECT_TRUE(line["frame"] != 301 || line["fate"] == "sent");
  }
  expect_conserved(r, frames.size());
}

// The data plane counts the memory limit in buffers, not in payload: 64 kB hold 27 of them, whatever the frames.
TEST(Replay, MemoryIsCountedInTheDataPlanesBuffers) {
  ReplayBench bench("rate = \"8mbit\"; memory = \"64kb\"; aqm = \"none\"; burst = \"0b\";");
  const ReplayResult r = bench.run(burst(100, {.bytes = 60}));
  EXPECT_EQ(r.report["sent_packets"], 27);
  EXPECT_EQ(r.report["drops"]["over_memory"], 73);
}

TEST(Replay, TheSameSeedGivesTheSameBytesAndAnotherSpreadsOtherwise) {
  std::vector<FileFrame> frames;
  for (uint16_t i = 0; i < 4000; ++i)
    frames.push_back(at(i * 10 * kUs, {.flow = static_cast<uint16_t>(i % 40), .bytes = 500}));
  const auto run = [&](std::optional<uint64_t> seed) {
    ReplayBench bench("rate = \"100mbit\"; flows = 16;");
    bench.options.seed = seed;
    const ReplayResult r = bench.run(frames);
    return bench.files.read("out.pcap") + bench.files.read("trace.jsonl") + r.text;
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_EQ(run({}), run(1));
  EXPECT_NE(run(5), run(6));
}

TEST(Replay, TakesTheSeedOfTheConfigurationUnlessToldOtherwise) {
  ReplayBench bench("rate = \"1mbit\";", "hash_seed = 77;");
  EXPECT_EQ(bench.run(burst(1, {})).report["hash_seed"], 77);
  bench.options.seed = 78;
  EXPECT_EQ(bench.run().report["hash_seed"], 78);
}

TEST(Replay, BothTraceFormsSayTheSame) {
  ReplayBench bench("rate = \"8mbit\"; burst = \"0b\"; limit = 50;");
  const auto frames = burst(200, {.bytes = 1000, .ecn = kEct0}, 100 * kUs);
  const ReplayResult r = bench.run(frames);
  bench.options.trace = bench.files.path("trace.csv");
  bench.run();
  std::istringstream csv(bench.files.read("trace.csv"));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line,
            "frame,arrival_ns,end_ns,fate,cause,queue,list,sojourn_ns,bytes,mark,codel_count,codel_drop_next_ns,flow");
  for (const auto& j : r.trace) {
    ASSERT_TRUE(std::getline(csv, line));
    const std::string start = j["frame"].dump() + "," + j["arrival_ns"].dump() + "," + j["end_ns"].dump() + "," +
                              j["fate"].get<std::string>() + "," + j.value("cause", "") + "," + j["queue"].dump() + ",";
    EXPECT_EQ(line.substr(0, start.size()), start);
    EXPECT_TRUE(line.ends_with(j["flow"].get<std::string>()));
  }
  EXPECT_FALSE(std::getline(csv, line));
}

TEST(Replay, ReportsFlowsFairnessAndWhatWasInForce) {
  ReplayBench bench("rate = \"8mbit\";");
  std::vector<FileFrame> frames;
  for (uint32_t i = 0; i < 2000; ++i) {
    frames.push_back(at(i * 400 * kUs, {.flow = static_cast<uint16_t>(1 + i % 2), .number = i, .bytes = 1000}));
    if (i % 100 == 0) frames.push_back(at(i * 400 * kUs, {.flow = 9, .number = i, .bytes = 100}));
  }
  const auto report = bench.run(frames).report;
  EXPECT_EQ(report["flows"]["count"], 3);
  EXPECT_EQ(report["flows"]["bulk_count"], 2);
  EXPECT_TRUE(report["flows"]["is_exact"]);
  EXPECT_GT(report["flows"]["jain_index_bulk"], 0.999);
  const auto& sparse = report["flows"]["largest"][2];
  EXPECT_EQ(sparse["flow"], "udp 192.0.2.1:9 > 198.51.100.2:9");
  EXPECT_FALSE(sparse["is_bulk"]);
  EXPECT_LT(sparse["sojourn_ns"]["max"], 2 * kMs);
  EXPECT_EQ(report["configuration"]["wires"][0]["egress"]["rate_bps"], 8'000'000);
}

// A flood of flows takes the places of small ones; the elephant's account stays, and the totals are exact.
TEST(Replay, AFloodOfFlowsDoesNotTouchTheLargestAccount) {
  ReplayBench bench("rate = \"unlimited\";");
  std::vector<FileFrame> frames;
  for (uint32_t i = 0; i < 40'000; ++i) {
    Bytes flood = bytes({.flow = static_cast<uint16_t>(i), .bytes = 100});
    flood[kIpOffset + 15] = static_cast<uint8_t>(i >> 14);  // the source's last byte; the checksum is not looked at
    frames.push_back({kEpoch + i, flood, 0});
    if (i % 4 == 0) frames.push_back(at(i, {.flow = 0xffff, .number = i, .bytes = 1500}));
  }
  bench.options.trace.clear();
  const auto report = bench.run(frames).report;
  EXPECT_FALSE(report["flows"]["is_exact"]);
  EXPECT_EQ(report["flows"]["largest"][0]["sent_packets"], 10'000);
  EXPECT_EQ(report["sent_packets"], 50'000);
}

TEST(Replay, PicksTheWireAndTheDirection) {
  const std::string two =
      "ports = ( { name = \"a\"; device = \"net_ring0\"; }, { name = \"b\"; device = \"net_ring1\"; },\n"
      "  { name = \"c\"; device = \"net_ring2\"; }, { name = \"d\"; device = \"net_ring3\"; } );\n"
      "wires = ( { name = \"one\"; inside = \"a\"; outside = \"b\"; egress = { rate = \"8mbit\"; burst = \"0b\"; }; "
      "},\n"
      "  { name = \"two\"; inside = \"c\"; outside = \"d\"; egress = { rate = \"80mbit\"; burst = \"0b\"; };\n"
      "    ingress = { rate = \"800kbit\"; burst = \"0b\"; }; } );\n";
  ReplayBench bench("rate = \"1mbit\";");
  bench.options.config = bench.files.write("two.conf", two);
  const ReplayResult refused = bench.run(burst(2, {.bytes = 1000}));
  EXPECT_EQ(refused.exit_code, kExitFailed);
  EXPECT_NE(refused.errors.find("--wire: one, two"), std::string::npos) << refused.errors;
  const auto second_departure = [&](const std::string& wire, const std::string& direction) {
    bench.options.wire = wire;
    bench.options.direction = direction;
    return bench.run().out.at(1).time_ns - kEpoch;
  };
  EXPECT_EQ(second_departure("one", "egress"), kMs);
  EXPECT_EQ(second_departure("two", "egress"), kMs / 10);
  EXPECT_EQ(second_departure("two", "ingress"), 10 * kMs);
  bench.options.wire = "three";
  EXPECT_NE(bench.run().errors.find("no wire \"three\"; there is: one, two"), std::string::npos);
}

}  // namespace
}  // namespace sojourn::test
