// One flow's queue: its line of 64 bytes, and the chunks that hold what does not fit into it.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "sched/packet.h"

namespace sojourn {

inline constexpr uint32_t kNone = UINT32_MAX;  // no chunk, no flow

enum class FlowList : uint8_t { kIdle, kNew, kOld };

// All that a packet without a CoDel event touches of a flow, in one cache line. The two oldest packets are always
// inline, so that the head, its handle and the next head are known as soon as the line is here.
struct alignas(64) Flow {
  Descriptor oldest[2];
  uint64_t codel_event_ns = 0;
  int32_t deficit = 0;
  uint32_t backlog_bytes = 0;  // frame bytes
  uint32_t packets = 0;
  uint32_t head_chunk = kNone;
  uint32_t tail_chunk = kNone;
  uint8_t head_slot = 0;  // first used slot of head_chunk
  uint8_t tail_slot = 0;  // first unused slot of tail_chunk
  FlowList list = FlowList::kIdle;
  uint8_t flags = 0;  // CodelHot, kHasGuests

  static constexpr uint8_t kHasGuests = 128;  // flows of a full set share this queue (see FlowTable)
};
static_assert(sizeof(Flow) == 64);
static_assert(offsetof(Flow, codel_event_ns) == 32 && offsetof(Flow, flags) == 63);

// Overflow storage of all queues: chunks of four descriptors from a last-in first-out free list.
class ChunkPool {
 public:
  ChunkPool(uint32_t chunks, std::pmr::memory_resource* memory);

  // Chunks that `packets` packets in `flows` queues can need at most. A queue of n >= 3 packets has n - 2 outside its
  // line, in at most ceil((n - 2 + 3) / 4) chunks: half of n at worst (n = 4), and n / 4 + 1 in general.
  static constexpr uint32_t needed(uint32_t packets, uint32_t flows) {
    const uint64_t by_flows = uint64_t{packets} / 4 + flows;
    return static_cast<uint32_t>((by_flows < packets / 2 ? by_flows : packets / 2) + 2);
  }

  void push(Flow& f, const Descriptor& d);
  Descriptor pop(Flow& f);

  uint32_t chunks() const { return static_cast<uint32_t>(chunks_.size()); }
  uint32_t free_chunks() const { return free_count_; }

 private:
  static constexpr uint8_t kSlots = 4;
  struct alignas(64) Chunk {
    Descriptor slot[kSlots];
  };
  uint32_t take();
  void give_back(uint32_t chunk);

  std::pmr::vector<Chunk> chunks_;
  std::pmr::vector<uint32_t> next_;  // of a queue's chunk or of a free one
  uint32_t free_head_ = kNone;
  uint32_t free_count_ = 0;
};

inline uint32_t ChunkPool::take() {
  assert(free_head_ != kNone);
  const uint32_t chunk = free_head_;
  free_head_ = next_[chunk];
  --free_count_;
  return chunk;
}

inline void ChunkPool::give_back(uint32_t chunk) {
  next_[chunk] = free_head_;
  free_head_ = chunk;
  ++free_count_;
}

// Appends. The caller keeps the number of packets within what the pool was made for.
inline void ChunkPool::push(Flow& f, const Descriptor& d) {
  if (f.packets < 2) {
    f.oldest[f.packets] = d;
  } else {
    if (f.packets == 2) {
      f.head_chunk = f.tail_chunk = take();
      f.head_slot = f.tail_slot = 0;
    } else if (f.tail_slot == kSlots) {
      const uint32_t chunk = take();
      next_[f.tail_chunk] = chunk;
      f.tail_chunk = chunk;
      f.tail_slot = 0;
    }
    chunks_[f.tail_chunk].slot[f.tail_slot++] = d;
  }
  ++f.packets;
  f.backlog_bytes += d.frame_bytes();
}

// Removes the oldest packet of a queue that has one.
inline Descriptor ChunkPool::pop(Flow& f) {
  assert(f.packets != 0);
  const Descriptor head = f.oldest[0];
  f.oldest[0] = f.oldest[1];
  if (f.packets > 2) {
    const uint32_t chunk = f.head_chunk;
    f.oldest[1] = chunks_[chunk].slot[f.head_slot++];
    if (f.packets == 3) {
      give_back(chunk);
    } else if (f.head_slot == kSlots) {
      f.head_chunk = next_[chunk];
      f.head_slot = 0;
      give_back(chunk);
    }
  }
  --f.packets;
  f.backlog_bytes -= head.frame_bytes();
  return head;
}

}  // namespace sojourn
