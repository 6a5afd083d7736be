// Product and model side by side: the same operations, and after each the same outcome or a word on what differs. An
// operation is one 64-bit number, so that any list of numbers is a trial and any part of a failing one is one too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sched/scheduler.h"
#include "tests/sched/model/model.h"
#include "tests/sched/model/outcome.h"

namespace sojourn::model {

class Trial {
 public:
  explicit Trial(const Opening& opening);

  // Does one operation on both. A text when they differ.
  std::optional<std::string> step(uint64_t operation);
  // Empties both and compares every queue.
  std::optional<std::string> finish();

  // True when the rest would compare what SPEC leaves open; the trial is over then.
  bool is_over() const { return model_.is_beyond_exactness(); }
  uint64_t packets() const { return kinds_.size(); }
  // What the operations so far were, for people.
  const std::string& log() const { return log_; }
  void keep_log() { is_logging_ = true; }

 private:
  // Owns the product's packets.
  struct Owner {
    const std::vector<EcnMark>& kinds;
    Events events;
    EcnMark mark_ce(PacketHandle handle) {
      if (kinds[handle] == EcnMark::kMarked) events.push_back({handle, std::nullopt});
      return kinds[handle];
    }
    void drop(PacketHandle handle, DropCause cause) { events.push_back({handle, cause}); }
    void prefetch(PacketHandle) {}
  };

  Time product_now() const { return {static_cast<uint64_t>(now_)}; }
  void enqueue(uint64_t draw);
  std::optional<std::string> dequeue(size_t most);
  void wait(Wide ns);
  void wait_some(uint64_t draw);
  void adopt(uint64_t draw);
  std::optional<std::string> difference() const;
  std::optional<std::string> difference_of_queue(uint32_t index) const;
  std::optional<std::string> difference_of_counters() const;
  void say(const std::string& what);

  Opening opening_;
  Setting setting_;
  std::vector<EcnMark> kinds_;  // by handle: what marking brings
  Instant now_;
  Model model_;
  Events model_events_;
  std::unique_ptr<Scheduler> product_;
  Owner owner_;
  uint32_t touched_queue_ = 0;
  bool is_logging_ = false;
  std::string log_;
};

}  // namespace sojourn::model
