// Flow hash -> queue: set-associative, 8 ways, 32-bit tags. Two flows share a queue only when all queues of their set
// hold packets; such a guest stays where it is until its own packets there are gone, so that order holds always.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "sched/flow.h"

namespace sojourn {

class FlowTable {
 public:
  static constexpr uint32_t kMostWays = 8;

  FlowTable(uint32_t flows, std::pmr::memory_resource* memory);

  struct Place {
    uint32_t queue;
    bool is_collision;  // shares the queue with another flow
  };
  // The queue for the next packet of the flow with this hash. The packet must be queued there before the next call.
  Place place(uint64_t hash, std::pmr::vector<Flow>& flows);

  // Where `place` will most likely end: the queue whose tag matches, else the first of the set. Changes nothing.
  uint32_t guess(uint64_t hash) const { return match(hash).queue; }

  // The queue that is this flow's own, were a packet of it to come now; kNone while it has none. Changes nothing.
  uint32_t own_queue(uint64_t hash) const {
    const Match own = match(hash);
    return own.is_found || (set_mask_ | way_mask_) == 0 ? own.queue : kNone;
  }

  void prefetch(uint64_t hash) const { __builtin_prefetch(&tags_[first_queue(hash)]); }

  // A packet has left a queue that is shared (Flow::kHasGuests).
  void shared_queue_popped(uint32_t queue, Flow& flow);

 private:
  // A flow is known by its set and its tag; all that the table decides follows from these two. No flow has kNobody.
  static constexpr uint32_t kNobody = 0;
  static uint32_t tag_of(uint64_t hash) {
    const auto tag = static_cast<uint32_t>(hash ^ (hash >> 32));
    return tag != kNobody ? tag : UINT32_MAX;
  }
  uint32_t first_queue(uint64_t hash) const { return static_cast<uint32_t>(hash) & set_mask_; }
  // Where a flow goes when its set is full.
  uint32_t home_queue(uint64_t hash) const { return first_queue(hash) + ((tag_of(hash) >> 29) & way_mask_); }

  struct Match {
    uint32_t queue;
    bool is_found;
  };
  Match match(uint64_t hash) const;
  uint32_t find_free(uint64_t hash, const std::pmr::vector<Flow>& flows) const;
  bool is_guest_of_home(uint64_t hash) const;
  Place return_to_shared(uint32_t queue, uint64_t hash, std::pmr::vector<Flow>& flows);
  Place join_home(uint64_t hash, std::pmr::vector<Flow>& flows);

  // Places in a shared queue are numbered from the moment it became shared: its packets are `removed + 1` onwards.
  // Someone still has packets there while the number of its last one is above `removed`.
  struct Shared {
    uint64_t removed = 0;     // grows only while the queue is shared
    uint64_t last_owner = 0;  // last packet of the flow whose tag the queue bears
    uint64_t last_crowd = 0;  // last packet of any guest that found no entry of its own
  };
  struct Guest {
    uint64_t last_packet = 0;
    uint32_t tag = 0;
    uint32_t home = 0;
  };
  bool is_present(const Guest& g) const { return g.last_packet > shared_[g.home].removed; }

  uint32_t set_mask_;  // gives the number of a hash's first way
  uint32_t way_mask_;
  std::pmr::vector<uint32_t> tags_;  // by queue
  std::pmr::vector<Shared> shared_;  // by queue; touched only when sets are full
  std::pmr::vector<Guest> guests_;   // as many a set as it has ways
};

}  // namespace sojourn
