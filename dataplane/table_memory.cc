#include "dataplane/table_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace sojourn {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kPage = 4096;

// Small tables take whole pages, large ones whole huge pages.
size_t mapped_bytes(size_t bytes) {
  const size_t unit = bytes >= kHugePage ? kHugePage : kPage;
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

void* TableMemory::do_allocate(size_t bytes, size_t) {
  const size_t length = mapped_bytes(bytes);
  const size_t slack = length >= kHugePage ? kHugePage : 0;  // to align within
  void* mapping = mmap(nullptr, length + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  auto* start = static_cast<std::byte*>(mapping);
  if (slack != 0) {
    const size_t skip = (kHugePage - reinterpret_cast<uintptr_t>(start) % kHugePage) % kHugePage;
    if (skip != 0) munmap(start, skip);
    if (skip != slack) munmap(start + skip + length, slack - skip);
    start += skip;
    madvise(start, length, MADV_HUGEPAGE);  // a wish: without it the tables work, slower
  }
  for (size_t i = 0; i < length; i += kPage) start[i] = std::byte{0};
  bytes_ += length;
  return start;
}

void TableMemory::do_deallocate(void* address, size_t bytes, size_t) {
  munmap(address, mapped_bytes(bytes));
  bytes_ -= mapped_bytes(bytes);
}

}  // namespace sojourn
