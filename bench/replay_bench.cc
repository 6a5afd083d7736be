// Frames a second through `sojourn replay`, capture in the page cache, 64-byte frames (60 without FCS) of 1000 flows:
// a wire that keeps up, and one offered 20 % more than its rate; without and with a capture written.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "control/check.h"
#include "control/replay.h"
#include "tests/control/capture_file.h"
#include "tests/dataplane/udp_frame.h"

namespace sojourn {
namespace {

constexpr size_t kFrames = 2'000'000, kFlows = 1000;
constexpr uint64_t kGapNs = 1000;  // 480 Mbit/s

void write_capture(const std::string& path) {
  std::vector<test::FileFrame> frames(kFlows);
  std::ofstream file(path, std::ios::binary);
  file << test::pcap_text({});
  for (size_t i = 0; i < kFrames; i += kFlows) {
    for (size_t j = 0; j < kFlows; ++j) {
      const auto number = static_cast<uint32_t>(i + j);
      frames[j] = {1'700'000'000'000'000'000 + number * kGapNs,
                   test::bytes({.flow = static_cast<uint16_t>(j), .number = number, .bytes = 60, .ecn = test::kEct0}),
                   0};
    }
    file << test::pcap_text(frames).substr(24);
  }
}

void BM_Replay(benchmark::State& state) {
  const test::Files files;
  ReplayOptions options;
  const std::string rate = state.range(0) == 0 ? "1gbit" : "400mbit";
  options.config = files.write(
      "bench.conf",
      "ports = ( { name = \"lan\"; device = \"net_ring0\"; }, { name = \"wan\"; device = \"net_ring1\"; } );\n"
      "wires = ( { name = \"w\"; inside = \"lan\"; outside = \"wan\"; egress = { rate = \"" +
          rate + "\"; }; } );\n");
  options.in = files.path("in.pcap");
  if (state.range(1) != 0) options.out = files.path("out.pcap");
  write_capture(options.in);
  for (auto _ : state) {
    std::ostringstream out, errors;
    if (run_replay(options, out, errors) != kExitOk) state.SkipWithError(errors.str().c_str());
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kFrames));
  state.SetLabel(std::string(state.range(0) == 0 ? "keeps up" : "1.2 x overload") +
                 (state.range(1) != 0 ? ", --out" : ""));
}
BENCHMARK(BM_Replay)->ArgsProduct({{0, 1}, {0, 1}})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sojourn
