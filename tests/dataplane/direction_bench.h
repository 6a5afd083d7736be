// One direction between two ring ports, in virtual time, with its account checked at every step.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <memory_resource>

#include "dataplane/direction.h"
#include "tests/dataplane/ring_port.h"

namespace sojourn::test {

inline constexpr Time kStart{1'000'000'000};
inline constexpr Duration kMillisecond{1'000'000};

inline Duration operator*(Duration d, int64_t n) {
  return {d.ns * n};
}

// SPEC "Conservation", written out anew: received = sent + queued + dropped over all causes, in packets and in bytes.
inline void expect_conserved(const DirectionSnapshot& d) {
  Tally out;
  const auto add = [&out](const Tally& t) {
    out.packets += t.packets;
    out.bytes += t.bytes;
  };
  for (const Tally& t : {d.counters.sent, d.counters.queued, d.malformed, d.tx_full}) add(t);
  for (const Tally& t : d.counters.dropped) add(t);
  EXPECT_EQ(d.counters.received.packets, out.packets);
  EXPECT_EQ(d.counters.received.bytes, out.bytes);
}
inline void expect_conserved(const LabSnapshot& l) {
  EXPECT_EQ(l.received_packets, l.sent_packets + l.queued_packets + l.dropped_overflow + l.dropped_loss +
                                    l.dropped_capacity + l.dropped_tx_full);
}

struct BenchOptions {
  Parameters parameters{};
  std::vector<Rule> rules{};
  std::optional<LabPathParameters> lab{};
  uint32_t lab_packets = 4096;
  uint32_t buffers = 4095;
  unsigned sends = RingPort::kRoom;  // of the transmit ring
};

class DirectionBench {
 public:
  explicit DirectionBench(const BenchOptions& o = {})
      : buffers(o.buffers, 1514, 0), in("in", buffers), out("out", buffers, o.sends) {
    const Plan plan = compile(o.parameters, 1500, Buffers::bytes_each(1514));
    const DirectionOptions options{in.id(), out.id(),     plan, {1, 2}, std::make_shared<const RuleSet>(o.rules),
                                   o.lab,   o.lab_packets};
    direction = std::make_unique<Direction>(options, kStart, std::pmr::new_delete_resource());
  }
  // Whatever a test did: what is not in the test's hands has gone back.
  ~DirectionBench() {
    direction->discard();
    check();
    direction.reset();
    out.take_all();
    EXPECT_EQ(in.arriving(), 0u);
    EXPECT_EQ(buffers.in_use(), 0u);
  }

  void arrive(const Bytes& frame) { in.arrive(mbuf(buffers, frame)); }
  void receive_all(Time now) {
    while (direction->receive(now) != 0) check();
  }
  void transmit_all(Time now) {
    while (direction->transmit(now) != 0) check();
  }
  void pass(Time now) {
    receive_all(now);
    transmit_all(now);
    check();
  }
  // Passes every `step` up to and with `end`, and what came out.
  std::vector<Bytes> run(Time from, Time end, Duration step) {
    std::vector<Bytes> frames;
    for (Time now = from; !is_before(end, now); now = now + step) {
      pass(now);
      for (Bytes& frame : out.take_all()) frames.push_back(std::move(frame));
    }
    return frames;
  }

  DirectionSnapshot snapshot() const {
    DirectionSnapshot s;
    direction->copy_to(s);
    return s;
  }
  LabSnapshot lab() const {
    LabSnapshot s;
    direction->copy_to(s);
    return s;
  }
  void check() const {
    expect_conserved(snapshot());
    if (!direction->has_lab()) return;
    expect_conserved(lab());
    EXPECT_EQ(lab().received_packets, snapshot().counters.sent.packets);
  }
  uint64_t dropped(DropCause cause) const { return snapshot().counters.dropped[static_cast<unsigned>(cause)].packets; }

  Buffers buffers;
  RingPort in, out;
  std::unique_ptr<Direction> direction;
};

}  // namespace sojourn::test
