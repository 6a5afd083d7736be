// Cost of the scheduler alone: a packet in, a packet out, at a standing backlog. Descriptors only, no packet memory.
// Arguments: flows, standing packets. Read as a ratio between rows of one run; machines are shared and noisy.
#include <benchmark/benchmark.h>

#include <array>
#include <memory_resource>
#include <random>
#include <vector>

#include "dataplane/table_memory.h"
#include "sched/scheduler.h"

namespace sojourn {
namespace {

constexpr size_t kBurst = 32;

struct NoOwner {
  EcnMark mark_ce(PacketHandle) { return EcnMark::kNotEct; }
  void drop(PacketHandle, DropCause) {}
  void prefetch(PacketHandle) {}
};

class Load {
 public:
  Load(uint32_t flows, uint32_t frame_bytes) : hashes_(flows), frame_bytes_(frame_bytes) {
    std::mt19937_64 random(1);
    for (uint64_t& h : hashes_) h = random();
  }
  void next(std::array<Arrival, kBurst>& burst) {
    for (Arrival& a : burst) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      a = {1, hashes_[(state_ >> 33) % hashes_.size()], frame_bytes_};
    }
  }

 private:
  std::vector<uint64_t> hashes_;
  uint32_t frame_bytes_;
  uint64_t state_ = 1;
};

void in_and_out(benchmark::State& state, uint32_t frame_bytes) {
  const auto flows = static_cast<uint32_t>(state.range(0));
  const auto standing = static_cast<uint32_t>(state.range(1));
  Plan plan;
  plan.flows = std::max(1024u, 2 * flows);
  plan.limit_packets = 2 * standing + 1024;
  plan.limit_buffers = plan.limit_packets;
  TableMemory memory;
  Scheduler scheduler(plan, {0}, &memory);
  NoOwner owner;
  Load load(flows, frame_bytes);
  std::array<Arrival, kBurst> in;
  std::array<PacketHandle, kBurst> out;
  Time now{0};
  for (uint32_t i = 0; i < standing; i += kBurst) load.next(in), scheduler.enqueue(now, in, owner);
  for (auto _ : state) {
    now = now + Duration{100};
    load.next(in);
    scheduler.enqueue(now, in, owner);
    for (size_t sent = 0; sent < kBurst;) sent += scheduler.dequeue(now, {out.data(), kBurst - sent}, owner);
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kBurst));
}

void small_frames(benchmark::State& state) {
  in_and_out(state, 64);
}
void full_frames(benchmark::State& state) {
  in_and_out(state, 1514);
}

#define SETS ->Args({1, 64})->Args({1024, 1024})->Args({1024, 8192})->Args({65536, 65536})->Args({65536, 262144})
BENCHMARK(small_frames) SETS;
BENCHMARK(full_frames) SETS;

}  // namespace
}  // namespace sojourn
