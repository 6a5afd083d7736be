// Cost of reading, hashing and marking a frame that is in cache.
#include <benchmark/benchmark.h>

#include "dataplane/frame.h"
#include "tests/dataplane/frame_builder.h"

namespace sojourn {
namespace {

test::Bytes frame_named(const std::string& name) {
  for (const auto& s : test::samples(2)) {
    if (s.name == name) return s.bytes;
  }
  return {};
}

void parsing(benchmark::State& state, const char* name) {
  const test::Bytes frame = frame_named(name);
  for (auto _ : state) benchmark::DoNotOptimize(parse(frame, HashDepth::kInner));
}
BENCHMARK_CAPTURE(parsing, ipv4_tcp, "ipv4");
BENCHMARK_CAPTURE(parsing, vlan_ipv6_tcp, "vlan x1 v6");
BENCHMARK_CAPTURE(parsing, vxlan_ipv4_udp, "vxlan");

void hashing(benchmark::State& state, const char* name) {
  const FlowKey key = parse(frame_named(name), HashDepth::kInner).key;
  for (auto _ : state) benchmark::DoNotOptimize(flow_hash(key, {1, 2}));
}
BENCHMARK_CAPTURE(hashing, ipv4, "ipv4");
BENCHMARK_CAPTURE(hashing, ipv6, "ipv6");

void marking(benchmark::State& state) {
  test::Bytes frame = frame_named("ipv4");
  const test::Bytes unmarked = frame;
  for (auto _ : state) {
    benchmark::DoNotOptimize(mark_ce(frame));
    std::copy(unmarked.begin() + 14, unmarked.begin() + 34, frame.begin() + 14);
  }
}
BENCHMARK(marking);

}  // namespace
}  // namespace sojourn
