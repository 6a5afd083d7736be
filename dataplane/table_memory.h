// Memory for the scheduler's tables: anonymous pages, backed by huge pages where the kernel has them (transparent ones
// need no reservation), touched at once so that the packet path never faults.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory_resource>

namespace sojourn {

class TableMemory : public std::pmr::memory_resource {
 public:
  size_t bytes() const { return bytes_; }

 private:
  void* do_allocate(size_t bytes, size_t alignment) override;
  void do_deallocate(void* address, size_t bytes, size_t alignment) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::atomic<size_t> bytes_ = 0;  // in use now
};

}  // namespace sojourn
