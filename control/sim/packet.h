// A packet under way, and the pool of them. A packet's index is what the scheduler knows it by.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/packet.h"
#include "sched/units.h"

namespace sojourn::sim {

inline constexpr uint32_t kNoPacket = UINT32_MAX;

enum class Ecn : uint8_t { kNotEct, kEct, kCe };

struct Packet {
  uint64_t number = 0;   // of this transmission, from 0 in each flow; no two bear the same
  uint64_t segment = 0;  // which part of the flow's data it carries
  Time sent;
  Time queued;  // when it came to its present bottleneck
  // The sender's state as it was sent, for its delivery rate (draft-cheng-iccrg-delivery-rate-estimation).
  uint64_t delivered = 0;
  Time delivered_at;
  Time first_sent_at;
  Duration waited;  // in bottlenecks so far
  uint32_t flow = 0;
  uint32_t stream = 0;  // told apart from others of the same flow by the hash
  uint32_t bytes = 0;
  uint32_t next = kNoPacket;  // acknowledged together with it
  uint8_t hop = 0;
  Ecn ecn = Ecn::kNotEct;
  bool is_application_limited = false;
};

class PacketPool {
 public:
  uint32_t take() {
    ++in_use_;
    if (free_.empty()) {
      packets_.emplace_back();
      return static_cast<uint32_t>(packets_.size() - 1);
    }
    const uint32_t index = free_.back();
    free_.pop_back();
    packets_[index] = {};
    return index;
  }
  void give_back(uint32_t index) {
    --in_use_;
    free_.push_back(index);
  }
  // Valid until the next take().
  Packet& operator[](uint32_t index) { return packets_[index]; }
  uint64_t in_use() const { return in_use_; }

 private:
  std::vector<Packet> packets_;
  std::vector<uint32_t> free_;
  uint64_t in_use_ = 0;
};

}  // namespace sojourn::sim
