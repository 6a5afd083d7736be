#include "control/worker_link.h"

#include <thread>
#include <utility>

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
  if (!is_acknowledged(patience)) return nullptr;
  return is_sent({Request::Kind::kSnapshot, 0, &snapshot_, nullptr}) && is_acknowledged(patience) ? &snapshot_
                                                                                                  : nullptr;
}

bool WorkerLink::change(WorkerChange change, std::chrono::milliseconds patience) {
  if (!is_acknowledged(patience)) return false;
  change_ = std::move(change);
  if (!is_sent({Request::Kind::kChange, 0, nullptr, &change_}) || !is_acknowledged(patience)) return false;
  change_ = {};  // and with it the schedulers that were succeeded
  return true;
}

bool WorkerLink::is_sent(Request request) {
  request.number = asked_ + 1;
  if (!mailbox_.requests.push(request)) return false;
  ++asked_;
  return true;
}

bool WorkerLink::stop() {
  return is_sent({Request::Kind::kStop, 0, nullptr, nullptr});
}

}  // namespace sojourn
