// Which queue a flow's packets go to: SPEC "Flow queues", collisions. A queue knows whose its packets are, each of
// them, so that the rules can be read off the packets themselves.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "sched/packet.h"
#include "tests/sched/model/codel.h"

namespace sojourn::model {

using Tag = uint32_t;

// How a packet came to be in its queue.
enum class Standing : uint8_t { kOwner, kGuest, kCrowd };

struct Packet {
  PacketHandle handle = 0;
  uint32_t frame_bytes = 0;
  Instant arrival = 0;
  Tag tag = 0;
  Standing standing = Standing::kOwner;
};

enum class List : uint8_t { kIdle, kNew, kOld };

struct Queue {
  explicit Queue(const Rules& rules) : codel(rules) {}

  std::deque<Packet> packets;
  uint64_t backlog_bytes = 0;
  Wide deficit = 0;
  List list = List::kIdle;
  std::optional<Tag> owner;  // the flow that was given this queue last
  Codel codel;
  // How many of `packets` are of each standing.
  uint64_t owner_packets = 0;
  uint64_t crowd_packets = 0;
  std::map<Tag, uint64_t> guest_packets;
};

// All queues, made when first touched; 65536 flows of which ten send are ten.
class Queues {
 public:
  explicit Queues(const Rules& rules) : rules_(rules) {}
  Queue& at(uint32_t index) { return queues_.try_emplace(index, rules_).first->second; }
  const Queue* find(uint32_t index) const {
    const auto it = queues_.find(index);
    return it == queues_.end() ? nullptr : &it->second;
  }

 private:
  const Rules& rules_;
  std::map<uint32_t, Queue> queues_;
};

struct Place {
  uint32_t queue = 0;
  Standing standing = Standing::kOwner;
  bool is_collision = false;
};

class Places {
 public:
  Places(const Rules& rules, Queues& queues) : rules_(rules), queues_(queues) {}

  static Tag tag_of(uint64_t hash);
  // The queue that bears the flow's tag; with one queue, that.
  std::optional<uint32_t> own_queue(uint64_t hash);
  // Where the flow's next packet goes; gives it the queue if it is a free one.
  Place place(uint64_t hash);

 private:
  uint32_t ways() const { return rules_.queues < 8 ? rules_.queues : 8; }
  uint32_t first_queue(uint64_t hash) const;
  uint32_t home_queue(uint64_t hash) const;
  std::optional<uint32_t> free_queue(uint64_t hash);
  Place as_guest(uint64_t hash);

  const Rules& rules_;
  Queues& queues_;
};

}  // namespace sojourn::model
