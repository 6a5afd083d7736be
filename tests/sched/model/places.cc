#include "tests/sched/model/places.h"

namespace sojourn::model {

// 0 is nobody's.
Tag Places::tag_of(uint64_t hash) {
  const Tag tag = static_cast<Tag>(hash % (uint64_t{1} << 32)) ^ static_cast<Tag>(hash / (uint64_t{1} << 32));
  return tag == 0 ? UINT32_MAX : tag;
}

uint32_t Places::first_queue(uint64_t hash) const {
  return static_cast<uint32_t>(hash % rules_.queues / ways() * ways());
}

// A flow of a full set goes to the queue that the highest bits of its tag name.
uint32_t Places::home_queue(uint64_t hash) const {
  return first_queue(hash) + (tag_of(hash) >> 29) % ways();
}

std::optional<uint32_t> Places::own_queue(uint64_t hash) {
  if (rules_.queues == 1) return 0;
  const uint32_t first = first_queue(hash);
  for (uint32_t q = first; q < first + ways(); ++q) {
    const Queue* queue = queues_.find(q);
    if (queue != nullptr && queue->owner == tag_of(hash)) return q;
  }
  return std::nullopt;
}

// One without packets, rather one that waits for no turn.
std::optional<uint32_t> Places::free_queue(uint64_t hash) {
  const uint32_t first = first_queue(hash);
  std::optional<uint32_t> waiting;
  for (uint32_t q = first; q < first + ways(); ++q) {
    const Queue& queue = queues_.at(q);
    if (!queue.packets.empty()) continue;
    if (queue.list == List::kIdle) return q;
    if (!waiting) waiting = q;
  }
  return waiting;
}

Place Places::place(uint64_t hash) {
  if (rules_.queues == 1) return {0, Standing::kOwner, false};
  const auto own = own_queue(hash);
  if (own) {
    Queue& queue = queues_.at(*own);
    const bool is_lent_out = !queue.packets.empty() && queue.owner_packets == 0;
    if (!is_lent_out) return {*own, Standing::kOwner, false};
  } else {
    const Queue& home = queues_.at(home_queue(hash));
    if (home.crowd_packets != 0 || home.guest_packets.contains(tag_of(hash))) return as_guest(hash);
  }
  const auto free = free_queue(hash);
  if (!free) return own ? Place{*own, Standing::kOwner, false} : as_guest(hash);
  if (own) queues_.at(*own).owner.reset();
  queues_.at(*free).owner = tag_of(hash);
  return {*free, Standing::kOwner, false};
}

// A set remembers as many guests as it has ways; those beyond are the crowd, and one packet of the crowd makes all
// whose home the queue is stay.
Place Places::as_guest(uint64_t hash) {
  const uint32_t home = home_queue(hash), first = first_queue(hash);
  if (queues_.at(home).guest_packets.contains(tag_of(hash))) return {home, Standing::kGuest, true};
  size_t remembered = 0;
  for (uint32_t q = first; q < first + ways(); ++q) remembered += queues_.at(q).guest_packets.size();
  return {home, remembered < ways() ? Standing::kGuest : Standing::kCrowd, true};
}

}  // namespace sojourn::model
