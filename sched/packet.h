// A packet as the scheduler sees it: an opaque handle, a length and an instant. Nothing here looks into a frame.
#pragma once

#include <concepts>
#include <cstdint>

#include "sched/units.h"

namespace sojourn {

// What the owner of the packet calls it; below 2^48 (a user-space address or an index). The scheduler never follows it.
using PacketHandle = uint64_t;
inline constexpr unsigned kHandleBits = 48;
inline constexpr uint32_t kMostFrameBytes = (1u << (64 - kHandleBits)) - 1;

// A classified packet on its way into the scheduler.
struct Arrival {
  PacketHandle handle = 0;
  uint64_t flow_hash = 0;    // keyed hash of the flow key, all 64 bits random
  uint32_t frame_bytes = 0;  // without FCS, 1 to kMostFrameBytes
};

// A queued packet: 16 bytes, so that no decision before transmit touches the packet itself.
struct Descriptor {
  uint64_t handle_and_length = 0;
  uint64_t arrival_ns = 0;

  static Descriptor of(const Arrival& a, Time now) {
    return {a.handle | (uint64_t{a.frame_bytes} << kHandleBits), now.ns};
  }
  PacketHandle handle() const { return handle_and_length & ((uint64_t{1} << kHandleBits) - 1); }
  uint32_t frame_bytes() const { return static_cast<uint32_t>(handle_and_length >> kHandleBits); }
  Time arrival() const { return {arrival_ns}; }
};
static_assert(sizeof(Descriptor) == 16);

enum class DropCause : uint8_t {
  kAqm,         // CoDel's signal on a packet that cannot be marked
  kOverLimit,   // the packet limit was passed: head of a fat flow
  kOverMemory,  // the memory limit was passed: head of a fat flow
};
inline constexpr unsigned kDropCauses = 3;

// What became of the attempt to set Congestion Experienced (RFC 3168) on a packet's outermost IP header.
enum class EcnMark : uint8_t { kMarked, kAlreadyCe, kNotEct, kNotIp };

// The owner of the packets, as the scheduler needs it. Each call is inlined; none may throw, block or allocate.
template <typename T>
concept PacketOwner = requires(T& owner, PacketHandle handle, DropCause cause) {
  { owner.mark_ce(handle) } -> std::same_as<EcnMark>;  // set CE if the packet is ECN-capable
  {owner.drop(handle, cause)};                         // the packet has left the scheduler and is the owner's again
  {owner.prefetch(handle)};                            // the packet will be delivered soon
};

// An owner that also wants to know which queue each packet is put into: for traces.
template <typename T>
concept QueueObserver = requires(T& owner, PacketHandle handle, uint32_t queue) {
  {owner.queued(handle, queue)};
};

}  // namespace sojourn
