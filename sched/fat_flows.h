// Finds, in constant time, a flow whose backlog is at least half of the largest: flows are kept in lists by the number
// of bits of their backlog, and any flow of the highest list will do.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "sched/flow.h"

namespace sojourn {

class FatFlows {
 public:
  FatFlows(uint32_t flows, std::pmr::memory_resource* memory) : links_(flows, memory) { heads_.fill(kNone); }

  // Tells of a change of one flow's backlog. Most changes leave the number of bits alone and cost one comparison.
  void update(uint32_t flow, uint32_t old_bytes, uint32_t new_bytes) {
    const auto old_level = static_cast<unsigned>(std::bit_width(old_bytes));
    const auto new_level = static_cast<unsigned>(std::bit_width(new_bytes));
    if (old_level == new_level) return;
    if (old_level != 0) remove(flow, old_level);
    if (new_level != 0) insert(flow, new_level);
  }

  // Is a queue of so many bytes in the highest list, hence at least half as long as the longest?
  bool is_fat(uint32_t backlog_bytes) const { return std::bit_width(backlog_bytes) + 1 == std::bit_width(occupied_); }

  // A flow with at least half of the largest backlog; kNone when nothing is queued.
  uint32_t fattest() const {
    return occupied_ == 0 ? kNone : heads_[static_cast<unsigned>(std::bit_width(occupied_)) - 1];
  }

 private:
  static constexpr unsigned kLevels = 33;  // bit_width of a 32-bit backlog: 0..32
  struct Links {
    uint32_t previous = kNone, next = kNone;
  };

  void insert(uint32_t flow, unsigned level) {
    const uint32_t head = heads_[level];
    links_[flow] = {kNone, head};
    if (head != kNone) links_[head].previous = flow;
    heads_[level] = flow;
    occupied_ |= uint64_t{1} << level;
  }

  void remove(uint32_t flow, unsigned level) {
    const Links links = links_[flow];
    if (links.previous != kNone) {
      links_[links.previous].next = links.next;
    } else {
      heads_[level] = links.next;
      if (links.next == kNone) occupied_ &= ~(uint64_t{1} << level);
    }
    if (links.next != kNone) links_[links.next].previous = links.previous;
  }

  std::pmr::vector<Links> links_;
  std::array<uint32_t, kLevels> heads_;
  uint64_t occupied_ = 0;  // bit n: list n has a flow
};

}  // namespace sojourn
