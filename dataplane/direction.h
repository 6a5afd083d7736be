// One direction of a wire on one worker: receive, classify, enqueue, dequeue, transmit.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>

#include "dataplane/lab_path.h"
#include "dataplane/rules.h"
#include "dataplane/snapshot.h"
#include "sched/flow_hash.h"
#include "sched/scheduler.h"

struct rte_mbuf;

namespace sojourn {

inline constexpr uint16_t kBurst = 32;

struct DirectionOptions {
  uint16_t rx_port = 0, tx_port = 0;
  Plan plan;
  HashKey hash_key{};
  std::shared_ptr<const RuleSet> rules{};  // null: everything is shaped
  std::optional<LabPathParameters> lab;    // on the transmit side
  uint32_t lab_packets = 0;                // that the lab path can hold
};

// A change of one direction's plan. The control thread makes it and has it back when it is in force.
struct DirectionChange {
  Plan plan;
  std::shared_ptr<const RuleSet> rules;  // when it is in force: the former ones
  std::unique_ptr<Scheduler> successor;  // where the plan asks for other tables, with that plan; else null
  std::unique_ptr<Scheduler> former;     // when it is in force: the scheduler that was succeeded, empty
};

class Direction {
 public:
  Direction(const DirectionOptions& options, Time start, std::pmr::memory_resource* memory);

  // Takes one burst off the receive ring and queues it. Returns how many frames came.
  uint16_t receive(Time now);
  // Sends what may leave now, at most one burst. Returns how many frames the transmit ring took.
  uint16_t transmit(Time now);

  // Begins to put the change in force: at once, or, with a successor, over the next passes. No other change is under
  // way.
  void adopt(DirectionChange& change, Time now);
  bool is_settled() const { return former_ == nullptr; }
  // Moves some packets to the successor. Once a pass until is_settled(), which it makes true by giving the former
  // scheduler to `change`.
  void settle(DirectionChange& change);

  bool is_empty() const;
  // Frees every packet that is still here; it counts as dropped (tx_full) by the scheduler or the lab path, whoever had
  // it. Not for the packet path.
  void discard();

  bool has_lab() const { return lab_ != nullptr; }
  void copy_to(DirectionSnapshot& snapshot) const;
  void copy_to(LabSnapshot& snapshot) const;

 private:
  // Frames that the scheduler, or the lab path, has let go and the transmit ring has not yet taken.
  struct Waiting {
    std::array<rte_mbuf*, kBurst> frames;
    uint16_t first = 0, count = 0;
  };

  void refill(Time now);
  void refill_through_lab(Time now);
  Tally waiting() const;
  Scheduler& receiver() { return former_ ? *former_ : *scheduler_; }
  void drain(Scheduler& scheduler);

  uint16_t rx_port_, tx_port_;
  HashKey hash_key_;
  std::shared_ptr<const RuleSet> rules_;
  std::unique_ptr<Scheduler> scheduler_;  // sends
  std::unique_ptr<Scheduler> former_;     // receives, while there is one: see Scheduler::succeed
  std::unique_ptr<LabPath> lab_;
  Waiting waiting_;
  Tally discarded_;   // at stop: all that was left of the scheduler's
  Tally never_sent_;  // at stop: let go by the scheduler, or the lab path, and not taken by the transmit ring
  Tally malformed_;
  uint64_t malformed_forwarded_ = 0;
};

}  // namespace sojourn
