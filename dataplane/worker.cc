#include "dataplane/worker.h"

namespace sojourn {
namespace {

constexpr Duration kDrainTime{1'000'000'000};

}  // namespace

Worker::Worker(const std::vector<DirectionOptions>& directions, const TscClock& clock,
               std::pmr::memory_resource* memory)
    : clock_(clock) {
  for (const DirectionOptions& d : directions) directions_.emplace_back(d, clock_.now(), memory);
}

void Worker::run() {
  while (is_running_) {
    const Time now = clock_.now();
    unsigned moved = 0;
    for (Direction& d : directions_) moved += d.receive(now);
    for (Direction& d : directions_) moved += d.transmit(now);
    heartbeat_.beat(++passes_);
    busy_passes_ += moved != 0;
    if (change_.change != nullptr) [[unlikely]]
      settle();
    answer_requests(now);
  }
  drain();
}

void Worker::answer_requests(Time now) {
  Request request;
  if (!mailbox_.requests.pop(request)) return;
  if (request.kind == Request::Kind::kChange) {
    for (size_t i = 0; i < directions_.size(); ++i) directions_[i].adopt(request.change->directions[i], now);
    change_ = request;
    return settle();
  }
  if (request.kind == Request::Kind::kStop) is_running_ = false;
  if (request.snapshot != nullptr) copy_to(*request.snapshot);
  mailbox_.acknowledgements.push({request.number});
}

// Acknowledges the change that is under way when it is in force everywhere.
void Worker::settle() {
  bool is_settled = true;
  for (size_t i = 0; i < directions_.size(); ++i) {
    if (!directions_[i].is_settled()) directions_[i].settle(change_.change->directions[i]);
    is_settled &= directions_[i].is_settled();
  }
  if (!is_settled) return;
  mailbox_.acknowledgements.push({change_.number});
  change_ = {};
}

void Worker::copy_to(WorkerSnapshot& snapshot) const {
  snapshot.taken = clock_.now();
  snapshot.passes = passes_;
  snapshot.busy_passes = busy_passes_;
  size_t lab = 0;
  for (size_t i = 0; i < directions_.size(); ++i) {
    directions_[i].copy_to(snapshot.directions[i]);
    if (directions_[i].has_lab()) directions_[i].copy_to(snapshot.labs[lab++]);
  }
}

void Worker::drain() {
  const Time deadline = clock_.now() + kDrainTime;
  const auto is_empty = [this] {
    for (const Direction& d : directions_) {
      if (!d.is_empty()) return false;
    }
    return true;
  };
  for (Time now = clock_.now(); !is_empty() && is_before(now, deadline); now = clock_.now()) {
    if (change_.change != nullptr) settle();
    for (Direction& d : directions_) d.transmit(now);
  }
  for (Direction& d : directions_) d.discard();
}

}  // namespace sojourn
