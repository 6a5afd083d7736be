// What tests of the scheduler share: packets with an ECN field, and an owner that keeps an account.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <vector>

#include "sched/scheduler.h"
#include "tests/golden/table.h"

namespace sojourn::test {

enum class Ecn : uint8_t { kNotEct, kEct1, kEct0, kCe };

struct Packet {
  uint64_t flow = 0;
  uint32_t bytes = 0;
  Ecn ecn = Ecn::kNotEct;
};

// Owns packets by index; a handle is an index.
struct Owner {
  std::vector<Packet> packets;
  std::vector<PacketHandle> dropped;
  std::map<DropCause, uint64_t> drops;

  PacketHandle add(const Packet& p) {
    packets.push_back(p);
    return packets.size() - 1;
  }
  EcnMark mark_ce(PacketHandle handle) {
    Ecn& ecn = packets[handle].ecn;
    if (ecn == Ecn::kNotEct) return EcnMark::kNotEct;
    if (ecn == Ecn::kCe) return EcnMark::kAlreadyCe;
    ecn = Ecn::kCe;
    return EcnMark::kMarked;
  }
  void drop(PacketHandle handle, DropCause cause) {
    dropped.push_back(handle);
    ++drops[cause];
  }
  void prefetch(PacketHandle) {}
};

// A scheduler with its owner; one call a packet.
struct Bench {
  Owner owner;
  Scheduler scheduler;

  explicit Bench(const Plan& plan, Time start = {0}) : scheduler(plan, start, std::pmr::new_delete_resource()) {}

  PacketHandle enqueue(Time now, const Packet& p) {
    const PacketHandle handle = owner.add(p);
    const Arrival a{handle, p.flow, p.bytes};
    scheduler.enqueue(now, {&a, 1}, owner);
    return handle;
  }
  // The next packet, or -1 if none may leave now.
  int64_t dequeue(Time now) {
    PacketHandle handle = 0;
    do {
      if (scheduler.dequeue(now, {&handle, 1}, owner) == 1) return static_cast<int64_t>(handle);
    } while (scheduler.is_ready(now));
    return -1;
  }
  const Counters& counters() const { return scheduler.counters(); }
};

// Packets in, packets out: the law of SPEC "Conservation".
inline bool is_conserved(const Counters& c) {
  Tally out = c.sent;
  out.packets += c.queued.packets;
  out.bytes += c.queued.bytes;
  for (const Tally& t : c.dropped) {
    out.packets += t.packets;
    out.bytes += t.bytes;
  }
  return out == c.received;
}

}  // namespace sojourn::test
