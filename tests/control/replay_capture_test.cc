// What a replay makes of captures: their formats, their faults, and what stands in their frames.
#include <pcap/pcap.h>

#include "tests/control/replay_bench.h"

namespace sojourn::test {
namespace {

std::vector<FileFrame> three() {
  std::vector<FileFrame> frames;
  for (uint32_t i = 0; i < 3; ++i)
    frames.push_back({kEpoch + i * kMs + 1000, bytes({.number = i, .bytes = 61 + i}), 0});
  return frames;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Capture, EveryFormatIsReadToTheNanosecondThatItHas) {
  const auto frames = three();
  for (const std::string& text : {pcap_text(frames), pcap_text(frames, kMicroseconds), pcapng_text(frames)}) {
    ReplayBench bench("rate = \"unlimited\";");
    const ReplayResult r = bench.run(text);
    EXPECT_EQ(r.exit_code, kExitOk) << r.errors;
    ASSERT_EQ(r.out.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(r.out[i].bytes, frames[i].bytes);
      EXPECT_EQ(r.out[i].time_ns, frames[i].time_ns);
    }
  }
}

TEST(Capture, RawIpIsKeyedAndMarkedWithoutAnEthernetHeader) {
  for (const uint32_t link_type : {101u, 228u}) {  // LINKTYPE_RAW, LINKTYPE_IPV4
    std::vector<FileFrame> frames;
    for (uint32_t i = 0; i < 2000; ++i) {
      const Bytes b = bytes({.flow = 5, .number = i, .bytes = 1014, .ecn = kEct1});
      frames.push_back({kEpoch + i * 800 * kUs, Bytes(b.begin() + kIpOffset, b.end()), 0});
    }
    ReplayBench bench("rate = \"8mbit\";");
    const ReplayResult r = bench.run(pcap_text(frames, kNanoseconds, link_type));
    EXPECT_EQ(r.exit_code, kExitOk) << r.errors;
    EXPECT_GT(r.report["marks"]["ecn"], 0);
    EXPECT_EQ(r.report["flows"]["largest"][0]["flow"], "udp 192.0.2.1:5 > 198.51.100.2:9");
    for (const FileFrame& f : r.out) EXPECT_EQ(ip_sum(f.bytes, 0), 0xffff);
    uint32_t link_type_out = 0;
    std::memcpy(&link_type_out, bench.files.read("out.pcap").data() + 20, 4);
    EXPECT_EQ(link_type_out, 101u);
  }
}

// A capture with a short snapshot length has the headers only. What was cut off is not a fault of the frame.
TEST(Capture, CutFramesAreChargedWholeAndKeyedByTheirHeaders) {
  std::vector<FileFrame> frames;
  for (uint32_t i = 0; i < 10; ++i) {
    Bytes b = bytes({.flow = static_cast<uint16_t>(i % 2), .bytes = 1000});
    b.resize(64);
    frames.push_back({kEpoch, b, 1000});
  }
  ReplayBench bench("rate = \"8mbit\"; burst = \"0b\";");
  const ReplayResult r = bench.run(frames);
  ASSERT_EQ(r.out.size(), 10u);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(r.out[i].bytes.size(), 64u);
    EXPECT_EQ(r.out[i].length, 1000u);
    EXPECT_EQ(r.out[i].time_ns, kEpoch + i * kMs) << "1000 bytes each";
  }
  EXPECT_EQ(r.report["flows"]["count"], 2);
  EXPECT_EQ(r.report["capture"]["cut_frames"], 10);
  EXPECT_EQ(r.report["capture"]["malformed_frames"], 0);
}

TEST(Capture, WhatNoPortCanSendIsDroppedAndNamed) {
  ReplayBench bench("rate = \"8mbit\";");
  auto frames = three();
  frames.push_back({kEpoch + 5 * kMs, bytes({.bytes = 100}), 0});
  frames.back().bytes.resize(80'066);
  frames.push_back({kEpoch + 6 * kMs, {}, 0});
  const ReplayResult r = bench.run(frames);
  EXPECT_EQ(r.report["drops"]["malformed"], 2);
  EXPECT_EQ(r.out.size(), 3u);
  expect_conserved(r, 5);
}

TEST(Capture, AFrameOfAnEarlierTimeComesWithTheOneAheadOfIt) {
  ReplayBench bench("rate = \"unlimited\";");
  auto frames = three();
  std::swap(frames[0].time_ns, frames[1].time_ns);
  const ReplayResult r = bench.run(frames);
  EXPECT_EQ(r.report["capture"]["backward_frames"], 1);
  ASSERT_EQ(r.out.size(), 3u);
  EXPECT_EQ(r.out[1].time_ns, frames[0].time_ns);
  EXPECT_EQ(r.out[1].bytes, frames[1].bytes);
}

TEST(Capture, WithoutFramesIsAnEmptyReport) {
  ReplayBench bench("rate = \"8mbit\";");
  const ReplayResult r = bench.run(std::vector<FileFrame>{});
  EXPECT_EQ(r.exit_code, kExitOk);
  EXPECT_EQ(r.report["received_packets"], 0);
  EXPECT_TRUE(r.report["flows"]["jain_index_bulk"].is_null());
  bench.options.as_json = false;
  EXPECT_TRUE(contains(bench.run().text, "0 frames"));
}

// Cut at every byte: what is whole is replayed, the rest is named with its place, and the exit code says so.
TEST(Capture, CutAnywhereGivesWhatWasReadable) {
  const auto frames = three();
  for (const bool is_ng : {false, true}) {
    const std::string whole = is_ng ? pcapng_text(frames) : pcap_text(frames);
    std::vector<size_t> ends;  // of frames
    size_t end = is_ng ? 60 : 24;
    for (const FileFrame& f : frames)
      ends.push_back(end += is_ng ? 32 + (f.bytes.size() + 3) / 4 * 4 : 16 + f.bytes.size());
    ASSERT_EQ(end, whole.size());
    ReplayBench bench("rate = \"unlimited\";");
    bench.options.trace.clear();
    for (size_t cut = is_ng ? 60 : 24; cut <= whole.size(); ++cut) {
      SCOPED_TRACE(std::to_string(is_ng) + " cut at " + std::to_string(cut));
      const auto readable =
          static_cast<size_t>(std::count_if(ends.begin(), ends.end(), [&](size_t e) { return e <= cut; }));
      const size_t start = readable == 0 ? (is_ng ? 60 : 24) : ends[readable - 1];
      const ReplayResult r = bench.run(whole.substr(0, cut));
      ASSERT_EQ(r.out.size(), readable);
      if (cut == start) {
        EXPECT_EQ(r.exit_code, kExitOk) << "between frames";
        continue;
      }
      EXPECT_EQ(r.exit_code, kExitDamaged);
      EXPECT_TRUE(contains(r.errors, "after frame " + std::to_string(readable))) << r.errors;
      // Of pcapng, the section and interface blocks ahead of the first frame are read together with it.
      const size_t named = is_ng && readable == 0 ? 28 : start;
      EXPECT_TRUE(contains(r.errors, "at offset " + std::to_string(start) + ",") ||
                  contains(r.errors, "at offset " + std::to_string(named) + ","))
          << r.errors;
      EXPECT_TRUE(contains(r.errors, r.report["capture"]["damage"]));
    }
  }
}

TEST(Capture, AnAbsurdRecordLengthEndsTheReading) {
  std::string text = pcap_text(three());
  const uint32_t absurd = 0x7fffffff;
  std::memcpy(text.data() + 24 + 16 + 61 + 8, &absurd, 4);  // the second record's captured length
  ReplayBench bench("rate = \"unlimited\";");
  const ReplayResult r = bench.run(text);
  EXPECT_EQ(r.exit_code, kExitDamaged);
  EXPECT_EQ(r.out.size(), 1u);
  EXPECT_TRUE(contains(r.errors, "at offset 101, after frame 1")) << r.errors;
}

TEST(Capture, WhatIsNoCaptureIsRefusedInOneSentence) {
  ReplayBench bench("rate = \"unlimited\";");
  EXPECT_EQ(bench.run(std::string("this is not a capture, but long enough to be one")).exit_code, kExitDamaged);
  EXPECT_EQ(bench.run(std::string()).exit_code, kExitDamaged);
  const ReplayResult link = bench.run(pcap_text({}, kNanoseconds, 105));
  EXPECT_EQ(link.exit_code, kExitFailed);
  EXPECT_TRUE(contains(link.errors, "IEEE802_11") && contains(link.errors, "EN10MB")) << link.errors;
  bench.options.in = bench.files.path("absent.pcap");
  EXPECT_TRUE(contains(bench.run().errors, "absent.pcap: No such file"));
  bench.options.in = bench.files.path(".");
  EXPECT_TRUE(contains(bench.run().errors, "is a directory"));
}

TEST(Capture, NothingIsWrittenOverWhatIsRead) {
  ReplayBench bench("rate = \"unlimited\";");
  const std::string text = pcap_text(three());
  bench.files.write("in.pcap", text);
  for (std::string* output : {&bench.options.out, &bench.options.trace}) {
    for (const std::string& input : {bench.options.in, bench.options.config}) {
      const std::string kept = *output;
      *output = input;
      const ReplayResult r = bench.run();
      EXPECT_EQ(r.exit_code, kExitFailed);
      EXPECT_TRUE(contains(r.errors, "written over")) << r.errors;
      *output = kept;
    }
  }
  EXPECT_EQ(bench.files.read("in.pcap"), text);
}

TEST(Capture, TwoOutputsAreNotOneFileNorStandardOutput) {
  ReplayBench bench("rate = \"unlimited\";");
  bench.files.write("in.pcap", pcap_text(three()));
  const std::string both = bench.files.path("both.csv");
  bench.options.trace = both;
  bench.options.out = bench.files.path("./both.csv");
  EXPECT_TRUE(contains(bench.run().errors, "is both --out and --trace")) << "also before it exists";
  bench.options.out = bench.files.path("link.pcap");
  std::filesystem::create_symlink(both, bench.options.out);
  EXPECT_TRUE(contains(bench.run().errors, "is both --out and --trace"));
  bench.options.out = "-";
  EXPECT_TRUE(contains(bench.run().errors, "no file to write to"));
  EXPECT_FALSE(std::filesystem::exists(both));
}

TEST(Capture, TimesBeyondTheirRangeAreReadOrNamed) {
  std::string text = pcap_text(three());
  const uint32_t late = UINT32_MAX, wrong = 4'000'000'000;
  const size_t second = 24 + 16 + 61, third = second + 16 + 62;
  std::memcpy(text.data() + third, &late, 4);
  std::memcpy(text.data() + second + 4, &wrong, 4);
  ReplayBench bench("rate = \"unlimited\";");
  const ReplayResult r = bench.run(text);
  ASSERT_EQ(r.out.size(), 3u);
  EXPECT_EQ(r.out[2].time_ns / 1'000'000'000, UINT32_MAX) << "2106";
  EXPECT_EQ(r.report["capture"]["wrong_time_frames"], 1);
  EXPECT_EQ(r.report["capture"]["backward_frames"], 1) << "the whole second is before the frame ahead";
}

TEST(Capture, AFullDiskIsAFailure) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  for (const bool is_trace : {false, true}) {
    ReplayBench bench("rate = \"unlimited\";");
    const std::string link = bench.files.path("full.jsonl");
    std::filesystem::create_symlink("/dev/full", link);
    (is_trace ? bench.options.trace : bench.options.out) = link;
    const ReplayResult r = bench.run(three());
    EXPECT_EQ(r.exit_code, kExitFailed);
    EXPECT_TRUE(contains(r.errors, "cannot be written")) << r.errors;
  }
}

TEST(Capture, AWrongConfigurationSaysEveryReason) {
  ReplayBench bench("rate = \"8mbt\"; target = \"5\";");
  const ReplayResult r = bench.run(three());
  EXPECT_EQ(r.exit_code, kExitFailed);
  EXPECT_TRUE(contains(r.errors, "egress.rate") && contains(r.errors, "egress.target")) << r.errors;
  EXPECT_TRUE(r.out.empty());
}

TEST(Capture, ALabPathIsNotPartOfAReplayAndItSaysSo) {
  ReplayBench bench("rate = \"8mbit\";", "lab = ( { port = \"wan\"; delay = \"20ms\"; } );");
  const ReplayResult r = bench.run(three());
  EXPECT_EQ(r.exit_code, kExitOk) << r.errors;
  EXPECT_TRUE(contains(r.errors, "lab path on port wan")) << r.errors;
}

std::filesystem::path captures() {
  if (const char* shared = std::getenv("SOJOURN_SHARED")) return std::filesystem::path(shared) / "pcaps";
  return std::filesystem::path(SOJOURN_SOURCE_DIR) / ".." / "shared" / "pcaps";
}

std::vector<FileFrame> frames_of_any(const std::string& path) {
  char error[PCAP_ERRBUF_SIZE];
  pcap_t* file = pcap_open_offline_with_tstamp_precision(path.c_str(), PCAP_TSTAMP_PRECISION_NANO, error);
  std::vector<FileFrame> frames;
  pcap_pkthdr* header;
  const u_char* data;
  while (file != nullptr && pcap_next_ex(file, &header, &data) == 1) {
    frames.push_back({0, Bytes(data, data + header->caplen), std::max(header->len, header->caplen)});
  }
  if (file != nullptr) pcap_close(file);
  return frames;
}

// Every byte that left is a byte that came, but for the ECN field and checksum of frames that are said to be marked.
void expect_honest(const std::string& path, const ReplayResult& r) {
  const auto in = frames_of_any(path);
  expect_conserved(r, in.size());
  size_t next = 0;
  for (const auto& line : r.trace) {
    if (line["fate"] != "sent") continue;
    const FileFrame& out = r.out.at(next++);
    const FileFrame& was = in.at(line["frame"].get<size_t>() - 1);
    ASSERT_EQ(out.bytes.size(), was.bytes.size());
    EXPECT_EQ(out.length, was.length);
    EXPECT_EQ(out.time_ns, line["end_ns"]);
    size_t changed = 0;
    for (size_t i = 0; i < was.bytes.size(); ++i) changed += out.bytes[i] != was.bytes[i];
    EXPECT_EQ(changed != 0, line.value("mark", "") == "ce") << line;
    EXPECT_LE(changed, 3u);
  }
  EXPECT_EQ(next, r.out.size());
}

// All captures at hand through a line so slow that their frames queue up, are marked and dropped.
TEST(Capture, OtherProjectsCapturesPassChangedOnlyByMarks) {  // LQ-11, DN-10
  if (!std::filesystem::exists(captures())) GTEST_SKIP() << "no captures at " << captures();
  size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(captures())) {
    if (entry.path().extension() != ".pcap") continue;
    SCOPED_TRACE(entry.path().filename());
    ReplayBench bench("rate = \"1mbit\"; burst = \"0b\"; ce_threshold = \"1ms\"; limit = 500;");
    bench.options.in = entry.path();
    const ReplayResult r = bench.run();
    EXPECT_TRUE(r.exit_code == kExitOk || (r.exit_code == kExitFailed && contains(r.errors, "link type"))) << r.errors;
    if (r.exit_code != kExitOk) continue;
    expect_honest(entry.path(), r);
    ++files;
  }
  EXPECT_GE(files, 50u);
}

}  // namespace
}  // namespace sojourn::test
