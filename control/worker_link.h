// The control thread's end of one worker's mailbox.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "dataplane/mailbox.h"

namespace sojourn {

class WorkerLink {
 public:
  // `directions`, `labs`: how many the worker has.
  WorkerLink(Mailbox& mailbox, size_t directions, size_t labs);

  // A copy that the worker has made of itself at rest, or nullptr when it does not answer in time. Valid until the next
  // call. While an answer is owed nothing more is asked, so the worker never writes into memory that is being read; an
  // answer that came after the last call is of then, and not handed out.
  const WorkerSnapshot* snapshot(std::chrono::milliseconds patience);

  // Has the worker put the change in force, and waits until it is: in every direction, with all packets where the new
  // plan has them. False when the worker does not answer in time; the change is then still the worker's, and takes
  // effect when it does.
  bool change(WorkerChange change, std::chrono::milliseconds patience);

  // Asks the worker to stop; its run() returns when it has drained.
  bool stop();

 private:
  void absorb_acknowledgements();
  bool is_sent(Request request);
  bool is_acknowledged(std::chrono::milliseconds patience);

  Mailbox& mailbox_;
  WorkerSnapshot snapshot_;
  WorkerChange change_;  // the worker's while it is owed
  uint64_t asked_ = 0, acknowledged_ = 0;
};

}  // namespace sojourn
