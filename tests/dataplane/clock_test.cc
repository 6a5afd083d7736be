#include "dataplane/clock.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <ctime>
#include <new>
#include <utility>
#include <vector>

#include "dataplane/table_memory.h"

namespace sojourn {
namespace {

Time raw_now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return {static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec)};
}

TEST(TscClock, NeverGoesBack) {
  const TscClock clock = TscClock::calibrate();
  Time last = clock.now();
  for (int i = 0; i < 1'000'000; ++i) {
    const Time now = clock.now();
    ASSERT_FALSE(is_before(now, last));
    last = now;
  }
}

// Bounds are wide, because this program may lose its CPU between two readings: the kernel's is read on either side.
TEST(TscClock, AgreesWithTheKernelsRawClock) {
  constexpr Duration kSlack{1'000'000};
  const TscClock clock = TscClock::calibrate();
  const Time start = raw_now();
  Time now = start;
  while ((now - start).ns < 200'000'000) {
    const Time before = raw_now();
    now = clock.now();
    const Time after = raw_now();
    ASSERT_GT(now - before, Duration{-kSlack.ns});
    ASSERT_LT(now - after, kSlack);
  }
}

TEST(TscClock, CountsNanoseconds) {
  const TscClock clock = TscClock::calibrate();
  const uint64_t ticks = rte_rdtsc();
  const Time now = clock.now();
  uint64_t later_ticks = ticks;
  while (static_cast<double>(later_ticks - ticks) < clock.ticks_per_second() / 100) later_ticks = rte_rdtsc();
  EXPECT_GE(clock.now() - now, Duration{9'900'000});
}

constexpr size_t kHugePage = size_t{2} << 20;

bool is_zero(const std::byte* start, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    if (start[i] != std::byte{0}) return false;
  }
  return true;
}

TEST(TableMemory, LargeTablesBeginOnAHugePage) {
  TableMemory memory;
  for (const size_t bytes : {kHugePage - 1, kHugePage, kHugePage + 1, 5 * kHugePage}) {
    auto* table = static_cast<std::byte*>(memory.allocate(bytes, 64));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(table) % kHugePage, 0u) << bytes;
    EXPECT_GE(memory.bytes(), bytes);
    EXPECT_EQ(memory.bytes() % kHugePage, 0u) << bytes;
    EXPECT_TRUE(is_zero(table, bytes));
    table[bytes - 1] = std::byte{1};
    memory.deallocate(table, bytes, 64);
    EXPECT_EQ(memory.bytes(), 0u);
  }
}

// Whatever lies between them.
TEST(TableMemory, LargeTablesBeginOnAHugePageAmongSmallOnes) {
  constexpr size_t kOddBytes = kHugePage - 1;  // 2 MB once it is whole pages
  TableMemory memory;
  std::vector<std::pair<void*, size_t>> tables;
  for (int i = 0; i < 4; ++i) {
    for (const size_t bytes : {size_t{4096}, 3 * kHugePage, size_t{12'288}, kOddBytes}) {
      tables.emplace_back(memory.allocate(bytes, 64), bytes);
      if (bytes < kOddBytes) continue;
      EXPECT_EQ(reinterpret_cast<uintptr_t>(tables.back().first) % kHugePage, 0u);
    }
  }
  for (const auto& [table, bytes] : tables) memory.deallocate(table, bytes, 64);
  EXPECT_EQ(memory.bytes(), 0u);
}

TEST(TableMemory, SmallTablesTakeWholePages) {
  TableMemory memory;
  void* one = memory.allocate(1, 64);
  void* two = memory.allocate(4097, 64);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(one) % 4096, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(two) % 4096, 0u);
  EXPECT_EQ(memory.bytes(), 3u * 4096);
  memory.deallocate(one, 1, 64);
  EXPECT_EQ(memory.bytes(), 2u * 4096);
  memory.deallocate(two, 4097, 64);
  EXPECT_EQ(memory.bytes(), 0u);
}

TEST(TableMemory, SaysWhenThereIsNone) {
  TableMemory memory;
  EXPECT_THROW((void)memory.allocate(size_t{1} << 47, 64), std::bad_alloc);
  EXPECT_THROW((void)memory.allocate(SIZE_MAX, 64), std::bad_alloc);
  EXPECT_EQ(memory.bytes(), 0u);
}

}  // namespace
}  // namespace sojourn
