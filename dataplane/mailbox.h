// Between the control thread and one worker: two single-producer single-consumer queues, one each way.
#pragma once

#include <boost/lockfree/spsc_queue.hpp>
#include <cstdint>

#include "dataplane/direction.h"
#include "dataplane/snapshot.h"

namespace sojourn {

// A new plan for every direction of a worker, in its order.
struct WorkerChange {
  std::vector<DirectionChange> directions;
};

struct Request {
  enum class Kind : uint8_t {
    kSnapshot,  // fill in `snapshot`
    kChange,    // put `change` in force; acknowledged when it is, in every direction
    kStop,      // receive no more; end when all is sent, or after the drain time
  };
  Kind kind = Kind::kSnapshot;
  uint64_t number = 0;                 // comes back in the acknowledgement
  WorkerSnapshot* snapshot = nullptr;  // the worker's from the request until the acknowledgement
  WorkerChange* change = nullptr;      // likewise
};

struct Acknowledgement {
  uint64_t number = 0;
};

struct Mailbox {
  static constexpr size_t kDepth = 16;
  // Written by control, read by the worker once a pass.
  alignas(64) boost::lockfree::spsc_queue<Request, boost::lockfree::capacity<kDepth>> requests;
  // Written by the worker, read by control.
  alignas(64) boost::lockfree::spsc_queue<Acknowledgement, boost::lockfree::capacity<kDepth>> acknowledgements;
};

}  // namespace sojourn
