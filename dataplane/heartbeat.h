// A worker's sign of life: the number of passes it has made. To be seen without the worker's help, for when it hangs.
#pragma once

#include <atomic>
#include <cstdint>

namespace sojourn {

// Written by the worker, once a pass; read by control. Alone on its line: a reader costs the worker one miss a look.
class alignas(64) Heartbeat {
 public:
  void beat(uint64_t passes) { passes_.store(passes, std::memory_order_relaxed); }
  uint64_t passes() const { return passes_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> passes_{0};
};
static_assert(sizeof(Heartbeat) == 64 && std::atomic<uint64_t>::is_always_lock_free);

}  // namespace sojourn
