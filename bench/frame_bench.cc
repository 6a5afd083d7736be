// Nanoseconds of parsing, hashing and marking one frame whose header is in cache, and of distinct headers in a ring.
#include <benchmark/benchmark.h>

#include "dataplane/frame.h"
#include "tests/dataplane/frame_builder.h"

namespace sojourn {
namespace {

using build::Bytes;

constexpr size_t kRing = 256;  // headers of 256 flows stay in the first-level cache

template <typename Build>
std::vector<Bytes> ring(Build&& frame_of_port) {
  std::vector<Bytes> frames;
  for (unsigned i = 0; i < kRing; ++i) frames.push_back(frame_of_port(1024 + i));
  return frames;
}

std::vector<Bytes> ring_of(int64_t shape) {
  using namespace build;
  const Ip ect{.traffic_class = 2};
  switch (shape) {
    case 0:
      return ring([&](unsigned p) { return ethernet(kIp4, ipv4(6, tcp(p, 443), ect)); });
    case 1:
      return ring([&](unsigned p) { return ethernet(kIp4, ipv4(17, udp(p, 443), ect), {0x8100}); });
    case 2:
      return ring([&](unsigned p) { return ethernet(kIp6, ipv6(6, tcp(p, 443), {"2001:db8::1", "2001:db8::2", 2})); });
    case 3:
      return ring(
          [&](unsigned p) { return ethernet(kIp4, ipv4(17, vxlan(ethernet(kIp4, ipv4(6, tcp(p, 443)))), ect)); });
    default:
      return ring([&](unsigned p) {
        return ethernet(0x8864, pppoe(0x21, ipv4(6, tcp(p, 443), ect)), {0x88a8, 0x8100});
      });
  }
}
constexpr const char* kShapes[] = {"ipv4_tcp", "vlan_ipv4_udp", "ipv6_tcp", "vxlan_ipv4", "qinq_pppoe_ipv4"};

void parse_only(benchmark::State& state) {
  const auto frames = ring_of(state.range(0));
  state.SetLabel(kShapes[state.range(0)]);
  size_t i = 0;
  for (auto _ : state) {
    Frame f = parse(frames[i++ % kRing], HashDepth::kInner);
    benchmark::DoNotOptimize(f);
  }
}
BENCHMARK(parse_only)->DenseRange(0, 4);

void parse_and_hash(benchmark::State& state) {
  const auto frames = ring_of(state.range(0));
  state.SetLabel(kShapes[state.range(0)]);
  size_t i = 0;
  for (auto _ : state) {
    const Frame f = parse(frames[i++ % kRing], HashDepth::kInner);
    benchmark::DoNotOptimize(flow_hash(f.key, {1, 2}));
  }
}
BENCHMARK(parse_and_hash)->DenseRange(0, 4);

void mark(benchmark::State& state) {
  auto frames = ring_of(state.range(0));
  state.SetLabel(kShapes[state.range(0)]);
  const bool is_v6 = state.range(0) == 2;
  const size_t at = parse(frames[0], HashDepth::kOuter).ecn_offset + 1u;
  size_t i = 0;
  for (auto _ : state) {
    Bytes& frame = frames[i++ % kRing];
    frame[at] = is_v6 ? 0x20 : 0x02;  // ECT(0) again; the checksum may drift, which costs the same
    benchmark::DoNotOptimize(mark_ce(frame));
  }
}
BENCHMARK(mark)->DenseRange(0, 4);

}  // namespace
}  // namespace sojourn
