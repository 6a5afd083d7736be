// The whole scheduler, slow and plain: SPEC in standard containers and exact integers. Shares with the product only the
// words of its interface (parameters, arrivals, counters, causes) and none of its laws.
#pragma once

#include <functional>
#include <list>
#include <span>
#include <vector>

#include "sched/counters.h"
#include "tests/sched/model/places.h"
#include "tests/sched/model/shaper.h"

namespace sojourn::model {

// What happened to a packet inside.
struct Event {
  PacketHandle handle = 0;
  std::optional<DropCause> drop;  // absent: CE was set
  bool operator==(const Event&) const = default;
};
using Events = std::vector<Event>;

class Model {
 public:
  // `marking` says what an attempt to mark the packet with this handle brings.
  using Marking = std::function<EcnMark(PacketHandle)>;

  Model(const Setting& setting, Instant start, Marking marking);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Both append to `events`, in order.
  void enqueue(Instant now, std::span<const Arrival> arrivals, Events& events);
  std::vector<PacketHandle> dequeue(Instant now, size_t most, Events& events);
  void adopt(const Setting& setting, Instant now);

  bool is_ready(Instant now) const { return counters_.queued.packets != 0 && shaper_.is_open(rules_, now); }
  const Rules& rules() const { return rules_; }
  const Shaper& shaper() const { return shaper_; }
  const Counters& counters() const { return counters_; }
  const Queue* find_queue(uint32_t index) const { return queues_.find(index); }
  size_t new_flows() const { return new_flows_.size(); }
  size_t old_flows() const { return old_flows_.size(); }
  uint64_t recorded_sojourns() const { return recorded_sojourns_; }
  Wide longest_sojourn_ns() const { return longest_sojourn_ns_; }
  // A count has been reached for which SPEC leaves the control law some room; nothing exact can be said any more.
  bool is_beyond_exactness() const { return is_beyond_exactness_; }

 private:
  void enqueue_one(Instant now, const Arrival& arrival, Events& events);
  bool is_tail_dropped(const Arrival& arrival);
  void drop_from_fat_flow(Events& events);
  bool take_turn(Instant now, std::vector<PacketHandle>& out, Events& events);
  Fate judge(Instant now, Queue& queue, Events& events);
  void send(Instant now, Queue& queue, const Packet& packet);

  void push(uint32_t index, const Packet& packet);
  Packet pop(uint32_t index);
  void file_by_backlog(uint32_t index, uint64_t before, uint64_t after);
  void count_drop(const Packet& packet, DropCause cause, Events& events);
  DropCause overflow_cause(uint64_t packets) const;

  Rules rules_;
  Marking marking_;
  Shaper shaper_;
  Queues queues_;
  Places places_;
  std::deque<uint32_t> new_flows_, old_flows_;
  // Queues by the number of bits of their backlog, the one that came to that number last in front.
  std::map<int, std::list<uint32_t>> by_backlog_;
  Counters counters_;
  uint64_t recorded_sojourns_ = 0;
  Wide longest_sojourn_ns_ = 0;
  bool was_backlogged_ = false;
  bool is_beyond_exactness_ = false;
};

}  // namespace sojourn::model
