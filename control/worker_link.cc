#include "control/worker_link.h"

#include <thread>

namespace sojourn {

WorkerLink::WorkerLink(Mailbox& mailbox, size_t directions, size_t labs) : mailbox_(mailbox) {
  snapshot_.directions.resize(directions);
  snapshot_.labs.resize(labs);
}

void WorkerLink::absorb_acknowledgements() {
  Acknowledgement a;
  while (mailbox_.acknowledgements.pop(a)) acknowledged_ = a.number;
}

bool WorkerLink::is_acknowledged(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    absorb_acknowledgements();
    if (acknowledged_ == asked_) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

const WorkerSnapshot* WorkerLink::snapshot(std::chrono::milliseconds patience) {
  absorb_acknowledgements();
  if (asked_ == acknowledged_ && !mailbox_.requests.push({Request::Kind::kSnapshot, ++asked_, &snapshot_})) {
    asked_ = acknowledged_;
    return nullptr;
  }
  return is_acknowledged(patience) ? &snapshot_ : nullptr;
}

bool WorkerLink::stop() {
  return mailbox_.requests.push({Request::Kind::kStop, ++asked_, nullptr});
}

}  // namespace sojourn
