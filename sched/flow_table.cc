#include "sched/flow_table.h"

#include <algorithm>

namespace sojourn {

FlowTable::FlowTable(uint32_t flows, std::pmr::memory_resource* memory)
    : set_mask_((flows - 1) & ~(std::min(flows, kMostWays) - 1)),
      way_mask_(std::min(flows, kMostWays) - 1),
      tags_(flows, kNobody, memory),
      shared_(flows, memory),
      guests_(flows, memory) {}

FlowTable::Match FlowTable::match(uint64_t hash) const {
  const uint32_t first = first_queue(hash);
  const uint32_t tag = tag_of(hash);
  for (uint32_t queue = first; queue <= first + way_mask_; ++queue) {
    if (tags_[queue] == tag) return {queue, true};
  }
  return {first, false};
}

// In this order: its own queue; its home, while it has packets there as a guest; a free queue; its home.
FlowTable::Place FlowTable::place(uint64_t hash, std::pmr::vector<Flow>& flows) {
  if ((set_mask_ | way_mask_) == 0) return {0, false};
  const Match own = match(hash);
  if (own.is_found) {
    if ((flows[own.queue].flags & Flow::kHasGuests) == 0) [[likely]]
      return {own.queue, false};
    return return_to_shared(own.queue, hash, flows);
  }
  if (is_guest_of_home(hash)) return join_home(hash, flows);
  const uint32_t free = find_free(hash, flows);
  if (free == kNone) return join_home(hash, flows);
  tags_[free] = tag_of(hash);
  return {free, false};
}

// A queue without packets in the hash's set: the first that is on no list, else the first that still waits there for a
// turn (its next flow inherits the wait).
uint32_t FlowTable::find_free(uint64_t hash, const std::pmr::vector<Flow>& flows) const {
  const uint32_t first = first_queue(hash);
  uint32_t waiting = kNone;
  for (uint32_t queue = first; queue <= first + way_mask_; ++queue) {
    if (flows[queue].packets != 0) continue;
    if (flows[queue].list == FlowList::kIdle) return queue;
    if (waiting == kNone) waiting = queue;
  }
  return waiting;
}

bool FlowTable::is_guest_of_home(uint64_t hash) const {
  const uint32_t home = home_queue(hash);
  if (shared_[home].last_crowd > shared_[home].removed) return true;
  const uint32_t first = first_queue(hash);
  const auto is_it = [&](const Guest& g) { return g.tag == tag_of(hash) && g.home == home && is_present(g); };
  return std::any_of(guests_.begin() + first, guests_.begin() + first + way_mask_ + 1, is_it);
}

// The owner of a shared queue has another packet. With none of its own left there, it need not share.
FlowTable::Place FlowTable::return_to_shared(uint32_t queue, uint64_t hash, std::pmr::vector<Flow>& flows) {
  Shared& shared = shared_[queue];
  if (shared.last_owner <= shared.removed) {
    const uint32_t free = find_free(hash, flows);
    if (free != kNone) {
      tags_[queue] = kNobody;
      tags_[free] = tag_of(hash);
      return {free, false};
    }
  }
  shared.last_owner = shared.removed + flows[queue].packets + 1;
  return {queue, false};
}

FlowTable::Place FlowTable::join_home(uint64_t hash, std::pmr::vector<Flow>& flows) {
  const uint32_t home = home_queue(hash);
  Flow& flow = flows[home];
  Shared& shared = shared_[home];
  if ((flow.flags & Flow::kHasGuests) == 0) shared.last_owner = shared.removed + flow.packets;
  flow.flags |= Flow::kHasGuests;
  const uint64_t this_packet = shared.removed + flow.packets + 1;
  const uint32_t first = first_queue(hash);
  Guest* entry = nullptr;
  for (Guest* g = &guests_[first]; g <= &guests_[first] + way_mask_; ++g) {
    if (!is_present(*g)) {
      if (entry == nullptr) entry = g;
    } else if (g->tag == tag_of(hash) && g->home == home) {
      entry = g;
      break;
    }
  }
  if (entry != nullptr) {
    *entry = {this_packet, tag_of(hash), home};
  } else {
    shared.last_crowd = this_packet;
  }
  return {home, true};
}

void FlowTable::shared_queue_popped(uint32_t queue, Flow& flow) {
  ++shared_[queue].removed;
  if (flow.packets == 0) flow.flags &= static_cast<uint8_t>(~Flow::kHasGuests);
}

}  // namespace sojourn
