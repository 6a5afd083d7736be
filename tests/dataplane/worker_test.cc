// A worker on a core of its own between two ports, asked through its mailbox while frames run.
#include "dataplane/worker.h"

#include <rte_launch.h>

#include <chrono>
#include <thread>

#include "dataplane/table_memory.h"
#include "tests/dataplane/direction_bench.h"
#include "tests/dataplane/environment.h"

namespace sojourn::test {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::chrono::seconds kLongEnough{60};  // only a worker that hangs takes so long

int run_worker(void* worker) {
  static_cast<Worker*>(worker)->run();
  return 0;
}

class WorkerBench {
 public:
  explicit WorkerBench(const BenchOptions& o = {})
      : buffers(o.buffers, 1514, 0), inside("inside", buffers, o.sends), outside("outside", buffers, o.sends) {
    const Plan plan = compile(o.parameters, 1500, Buffers::bytes_each(1514));
    const std::vector<DirectionOptions> directions{
        {inside.id(), outside.id(), plan, {1, 2}, {}, o.lab, o.lab_packets},
        {outside.id(), inside.id(), plan, {1, 2}, {}, {}, 0},
    };
    snapshot.directions.resize(2);
    snapshot.labs.resize(o.lab ? 1 : 0);
    worker = std::make_unique<Worker>(directions, TscClock::calibrate(), &memory);
    EXPECT_EQ(rte_eal_remote_launch(run_worker, worker.get(), Eal::worker_lcore(0)), 0);
  }
  ~WorkerBench() {
    if (is_running) stop();
    worker->copy_to(snapshot);
    check();
    worker.reset();
    inside.take_all();
    outside.take_all();
    EXPECT_EQ(buffers.in_use(), 0u);
    EXPECT_EQ(memory.bytes(), 0u);
  }

  // Sends a request and waits until the worker has answered it.
  bool ask(Request::Kind kind) {
    EXPECT_TRUE(worker->mailbox().requests.push({kind, ++asked, &snapshot}));
    Acknowledgement a;
    for (const auto end = SteadyClock::now() + kLongEnough; SteadyClock::now() < end; std::this_thread::yield()) {
      if (!worker->mailbox().acknowledgements.pop(a)) continue;
      EXPECT_EQ(a.number, asked);
      check();
      return true;
    }
    return false;
  }
  void stop() {
    EXPECT_TRUE(ask(Request::Kind::kStop));
    wait_until_returned();
  }
  void wait_until_returned() {
    rte_eal_wait_lcore(Eal::worker_lcore(0));
    is_running = false;
    worker->copy_to(snapshot);
  }
  bool wait_until_received(uint64_t packets) {
    do {
      if (!ask(Request::Kind::kSnapshot)) return false;
    } while (snapshot.directions[0].counters.received.packets < packets);
    return true;
  }
  void check() const {
    for (const DirectionSnapshot& d : snapshot.directions) expect_conserved(d);
    for (const LabSnapshot& l : snapshot.labs) expect_conserved(l);
  }

  Buffers buffers;
  RingPort inside, outside;
  TableMemory memory;
  std::unique_ptr<Worker> worker;
  WorkerSnapshot snapshot;
  uint64_t asked = 0;
  bool is_running = true;
};

struct Sender {
  RingPort& port;
  uint64_t bytes = 0;
  uint32_t packets = 0;
  void send(const Buffers& buffers) {
    const UdpFrame f{.flow = static_cast<uint16_t>(packets % 5), .number = packets, .bytes = 60 + packets % 1400};
    rte_mbuf* m = mbuf(buffers, test::bytes(f));
    if (m == nullptr) return;  // all are on the way; the next try will have one
    port.arrive(m);
    bytes += f.bytes;
    ++packets;
  }
};

struct Receiver {
  RingPort& port;
  uint32_t packets = 0;
  std::array<int64_t, 5> last{-1, -1, -1, -1, -1};
  void receive() {
    while (const auto frame = port.take()) {
      const uint32_t number = number_of(*frame);
      EXPECT_GT(number, last[flow_of(*frame)]);
      last[flow_of(*frame)] = number;
      EXPECT_EQ(*frame, bytes(UdpFrame{static_cast<uint16_t>(number % 5), number, 60 + number % 1400}));
      ++packets;
    }
  }
};

// CASES CK-4: in both directions at once, each packet comes out once and is charged once, and no answer of the mailbox
// ever shows a packet that is nowhere.
TEST(Worker, MovesFramesBothWaysWhileItAnswers) {
  constexpr uint32_t kFrames = 20'000;
  WorkerBench bench;
  Sender out{bench.inside}, back{bench.outside};
  Receiver from_inside{bench.outside}, from_outside{bench.inside};
  const auto end = SteadyClock::now() + kLongEnough;
  uint64_t last = 0;
  while (from_inside.packets + from_outside.packets < 2 * kFrames && SteadyClock::now() < end) {
    for (int i = 0; i < 64; ++i) {
      if (out.packets < kFrames) out.send(bench.buffers);
      if (back.packets < kFrames) back.send(bench.buffers);
    }
    from_inside.receive();
    from_outside.receive();
    ASSERT_TRUE(bench.ask(Request::Kind::kSnapshot));
    ASSERT_GE(bench.snapshot.directions[0].counters.received.packets, last);
    last = bench.snapshot.directions[0].counters.received.packets;
  }
  bench.stop();
  const Counters& egress = bench.snapshot.directions[0].counters;
  const Counters& ingress = bench.snapshot.directions[1].counters;
  EXPECT_EQ(egress.sent, (Tally{kFrames, out.bytes}));
  EXPECT_EQ(ingress.sent, (Tally{kFrames, back.bytes}));
  EXPECT_EQ(egress.sent_wire_bytes, out.bytes);
  EXPECT_EQ(ingress.sent_wire_bytes, back.bytes);
  EXPECT_GE(bench.snapshot.passes, bench.snapshot.busy_passes);
  EXPECT_GT(bench.snapshot.busy_passes, 0u);
}

// 200 frames of 1000 bytes at 16 Mbit/s are 100 ms, well within the drain time.
TEST(Worker, SendsWhatIsQueuedBeforeItReturns) {
  Parameters p;
  p.rate = {16'000'000};
  p.aqm = Aqm::kNone;
  WorkerBench bench({.parameters = p});
  for (uint32_t i = 0; i < 200; ++i)
    bench.inside.arrive(mbuf(bench.buffers, bytes(UdpFrame{.number = i, .bytes = 1000})));
  ASSERT_TRUE(bench.wait_until_received(200));
  bench.stop();
  EXPECT_EQ(bench.snapshot.directions[0].counters.sent.packets, 200u);
  EXPECT_EQ(bench.snapshot.directions[0].tx_full, Tally{});
  EXPECT_EQ(bench.outside.sent(), 200u);
}

// A sign of life that asks nothing of the worker.
TEST(Worker, ItsHeartbeatGoesOnWithoutARequest) {
  WorkerBench bench;
  const auto end = SteadyClock::now() + kLongEnough;
  for (uint64_t last = bench.worker->heartbeat().passes(), seen = 0; seen < 3;) {
    ASSERT_LT(SteadyClock::now(), end);
    const uint64_t passes = bench.worker->heartbeat().passes();
    ASSERT_GE(passes, last);
    seen += passes != last;
    last = passes;
  }
  bench.stop();
  EXPECT_GE(bench.worker->heartbeat().passes(), bench.snapshot.passes);
}

// The answer to a stop says that nothing more is received, also while what is queued leaves.
TEST(Worker, ReceivesNothingAfterTheStop) {
  Parameters p;
  p.rate = {16'000'000};
  p.aqm = Aqm::kNone;
  WorkerBench bench({.parameters = p});
  for (uint32_t i = 0; i < 200; ++i) {
    bench.inside.arrive(mbuf(bench.buffers, bytes(UdpFrame{.number = i, .bytes = 1000})));
  }
  ASSERT_TRUE(bench.wait_until_received(200));
  ASSERT_TRUE(bench.ask(Request::Kind::kStop));
  bench.inside.arrive(mbuf(bench.buffers, bytes(UdpFrame{})));
  bench.wait_until_returned();
  EXPECT_EQ(bench.snapshot.directions[0].counters.received.packets, 200u);
  EXPECT_EQ(bench.inside.give_back_arriving(), 1u);
}

// CASES DS-4: a transmit ring that takes nothing cannot hold up the stop for longer than the drain time (1 s).
TEST(Worker, GivesUpOnAFullRingWhenTheDrainTimeIsOver) {
  WorkerBench bench({.sends = 4});
  for (uint32_t i = 0; i < 300; ++i) bench.inside.arrive(mbuf(bench.buffers, bytes(UdpFrame{.number = i})));
  ASSERT_TRUE(bench.wait_until_received(300));
  const auto start = SteadyClock::now();
  bench.stop();
  EXPECT_LT(SteadyClock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(bench.snapshot.directions[0].counters.sent.packets, 4u);
  EXPECT_EQ(bench.snapshot.directions[0].tx_full, (Tally{296, 296 * 200}));
  EXPECT_EQ(bench.buffers.in_use(), 4u);
}

// A path of 10 s holds its frames longer than a stop may last.
TEST(Worker, GivesBackWhatALabPathHolds) {
  LabPathParameters lab;
  lab.delay = kMillisecond * 10'000;
  WorkerBench bench({.lab = lab});
  for (uint32_t i = 0; i < 300; ++i) bench.inside.arrive(mbuf(bench.buffers, bytes(UdpFrame{.number = i})));
  ASSERT_TRUE(bench.wait_until_received(300));
  bench.stop();
  EXPECT_EQ(bench.snapshot.labs[0].received_packets, 300u);
  EXPECT_EQ(bench.snapshot.labs[0].sent_packets, 0u);
  EXPECT_EQ(bench.snapshot.labs[0].dropped_tx_full, 300u);
  EXPECT_EQ(bench.buffers.in_use(), 0u);
}

// CASES DS-6.
TEST(Worker, StartsAndStopsAgainAndAgain) {
  for (int i = 0; i < 5; ++i) {
    WorkerBench bench;
    for (uint32_t n = 0; n < 100; ++n) bench.outside.arrive(mbuf(bench.buffers, bytes(UdpFrame{.number = n})));
    bench.stop();
    const unsigned sent = bench.inside.sent();
    EXPECT_EQ(sent + bench.outside.give_back_arriving(), 100u);
  }
}

}  // namespace
}  // namespace sojourn::test

int main(int argc, char** argv) {
  return sojourn::test::run_with_dpdk(argc, argv, "worker");
}
