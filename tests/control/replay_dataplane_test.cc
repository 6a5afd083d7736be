// A replay is worth what it has in common with the data plane: the same frames, at the same instants, through real
// ports and through a replay, must leave as the same bytes in the same order at the same instants.
#include <random>

#include "control/replay/virtual_direction.h"
#include "tests/dataplane/direction_bench.h"
#include "tests/dataplane/environment.h"

namespace sojourn::test {
namespace {

struct Sent {
  Time time;
  Bytes bytes;
  bool operator==(const Sent&) const = default;
};

struct Recorder : DepartureSink {
  std::vector<Sent> sent;
  void leave(const Departure& d) override {
    if (d.fate == Fate::kSent) sent.push_back({d.time, d.passage.bytes});
  }
};

struct Timed {
  Time time;
  Bytes bytes;
};

// Bursts and pauses, of flows from sparse to bulk, of all sizes and codepoints, one in twenty malformed.
std::vector<Timed> load(uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<Timed> frames;
  Time now = kStart;
  for (size_t i = 0; i < count; ++i) {
    if (random() % 4 != 0) now = now + Duration{static_cast<int64_t>(random() % 900'000)};
    if (random() % 500 == 0) now = now + Duration{static_cast<int64_t>(random() % 300'000'000)};
    UdpFrame f{static_cast<uint16_t>(random() % 3 == 0 ? random() % 40 : random() % 3), static_cast<uint32_t>(i),
               46 + random() % 1460, static_cast<uint8_t>(random() % 4)};
    Bytes b = bytes(f);
    if (random() % 20 == 0) b.resize(b.size() - 3);
    frames.push_back({now, std::move(b)});
  }
  return frames;
}

class Agreement : public testing::TestWithParam<int> {};

TEST_P(Agreement, ReplayAndRealPortsGiveTheSame) {
  Parameters p;
  p.rate = {
      std::array<uint64_t, 4>{1'000'000, 8'000'000, 11'000'000, kUnlimited.value}[static_cast<size_t>(GetParam() % 4)]};
  p.flows = GetParam() % 3 == 0 ? 16 : 1024;
  p.limit_packets = GetParam() % 2 == 0 ? 60 : 10'240;
  p.ecn = GetParam() % 5 != 0;
  if (GetParam() % 3 == 1) p.ce_threshold = Duration{3'000'000};
  DirectionBench bench({.parameters = p});
  Recorder recorder;
  VirtualDirection replay({compile(p, 1500, Buffers::bytes_each(1514)), {1, 2}, LinkType::kEthernet, kStart}, recorder);
  const auto frames = load(static_cast<uint64_t>(GetParam()), 4000);
  for (const Timed& f : frames) replay.arrive({f.time, f.bytes, static_cast<uint32_t>(f.bytes.size())});
  replay.finish();

  // The real direction is looked at when something leaves or comes, and just before: as a worker that is always awake.
  std::vector<Sent> sent;
  const auto transmit = [&](Time now) {
    bench.transmit_all(now);
    for (Bytes& b : bench.out.take_all()) sent.push_back({now, std::move(b)});
  };
  size_t next = 0;
  for (size_t departure = 0; departure <= recorder.sent.size(); ++departure) {
    const bool is_last = departure == recorder.sent.size();
    for (; next < frames.size() && (is_last || !is_before(recorder.sent[departure].time, frames[next].time)); ++next) {
      if (next == 0 || frames[next].time != frames[next - 1].time) transmit(frames[next].time - Duration{1});
      bench.arrive(frames[next].bytes);
      bench.receive_all(frames[next].time);
    }
    if (!is_last) transmit(recorder.sent[departure].time);
  }
  ASSERT_EQ(sent.size(), recorder.sent.size());
  for (size_t i = 0; i < sent.size(); ++i) ASSERT_EQ(sent[i], recorder.sent[i]) << "departure " << i;
  Counters a = bench.snapshot().counters, b = replay.counters();
  a.late_ns = b.late_ns = 0;
  EXPECT_EQ(a, b);
  EXPECT_GT(b.sent.packets, 400u);
}
INSTANTIATE_TEST_SUITE_P(Seeds, Agreement, testing::Range(0, 24));

}  // namespace
}  // namespace sojourn::test

int main(int argc, char** argv) {
  return sojourn::test::run_with_dpdk(argc, argv, "replay");
}
