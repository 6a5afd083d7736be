// One core: the packet path of every wire that it serves.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "dataplane/clock.h"
#include "dataplane/direction.h"
#include "dataplane/heartbeat.h"
#include "dataplane/mailbox.h"

namespace sojourn {

class Worker {
 public:
  Worker(const std::vector<DirectionOptions>& directions, const TscClock& clock, std::pmr::memory_resource* memory);

  // The packet path. Returns after a kStop request, when every packet has been sent or the drain time is over.
  void run();

  Mailbox& mailbox() { return mailbox_; }
  const Heartbeat& heartbeat() const { return heartbeat_; }

  // By the worker's own thread, or when run has returned. `snapshot` has the right number of directions and labs.
  void copy_to(WorkerSnapshot& snapshot) const;

 private:
  void answer_requests(Time now);
  void settle();
  void drain();

  TscClock clock_;
  std::deque<Direction> directions_;
  bool is_running_ = true;
  uint64_t passes_ = 0, busy_passes_ = 0;
  Mailbox mailbox_;
  Heartbeat heartbeat_;
  Request change_;  // under way while it has a change
};

}  // namespace sojourn
