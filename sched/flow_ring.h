// A first-in first-out list of flows: the new or the old list of RFC 8290. An array and not links, so that the flow
// that comes n turns later is an index away and can be prefetched. A flow is in at most one list, once.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

namespace sojourn {

class FlowRing {
 public:
  // Holds as many flows as there are; `flows` is a power of two.
  FlowRing(uint32_t flows, std::pmr::memory_resource* memory) : ring_(flows, memory), mask_(flows - 1) {}

  bool is_empty() const { return head_ == tail_; }
  uint32_t size() const { return tail_ - head_; }
  uint32_t front() const { return ring_[head_ & mask_]; }
  // The flow `ahead` places behind the front; some flow that was in the ring, if there are fewer.
  uint32_t peek(uint32_t ahead) const { return ring_[(head_ + ahead) & mask_]; }
  void push_back(uint32_t flow) { ring_[tail_++ & mask_] = flow; }
  void pop_front() { ++head_; }

 private:
  std::pmr::vector<uint32_t> ring_;
  uint32_t mask_;
  uint32_t head_ = 0, tail_ = 0;  // free-running
};

}  // namespace sojourn
