// Any bytes at all: no read outside, no change but a mark, and never a mark on what is malformed. CASES LQ-11(a).
// Frames stand in heap blocks of their exact size, so that AddressSanitizer sees a read past the end.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "tests/dataplane/frame_builder.h"

namespace sojourn {
namespace {

using namespace test;

void try_frame(const Bytes& bytes) {
  const std::unique_ptr<uint8_t[]> block(new uint8_t[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), block.get());
  const std::span<uint8_t> frame(block.get(), bytes.size());
  const Frame inner = parse(frame, HashDepth::kInner), outer = parse(frame, HashDepth::kOuter);
  ASSERT_EQ(inner.is_malformed, outer.is_malformed);
  ASSERT_LT(inner.ip_offset, std::max<size_t>(1, bytes.size()));
  (void)parse_ip(frame, HashDepth::kInner);
  const EcnMark result = mark_ce(frame);
  unsigned changed = 0;
  for (size_t i = 0; i < bytes.size(); ++i) changed += block[i] != bytes[i];
  ASSERT_EQ(result == EcnMark::kMarked, changed != 0);
  if (result != EcnMark::kMarked) return;
  ASSERT_FALSE(inner.is_malformed);
  ASSERT_NE(inner.ip_version, 0);
  ASSERT_LE(changed, inner.ip_version == 4 ? 3u : 1u);
  ASSERT_TRUE((inner.traffic_class & 3) == 1 || (inner.traffic_class & 3) == 2);
}

TEST(AnyBytes, EveryLengthOfEveryFrame) {
  for (const Sample& s : samples(2)) {
    for (size_t length = 0; length <= s.bytes.size(); ++length) {
      try_frame(Bytes(s.bytes.begin(), s.bytes.begin() + static_cast<long>(length)));
    }
  }
}

TEST(AnyBytes, EveryHeaderLengthInEveryRunt) {
  for (unsigned ihl = 0; ihl <= 15; ++ihl) {
    for (size_t length = 0; length <= 80; ++length) {
      Bytes b = ethernet(0x0800) + ipv4(6, Bytes(60, 0x33));
      b[14] = static_cast<uint8_t>(0x40 | ihl);
      b.resize(length);
      try_frame(b);
    }
  }
}

TEST(AnyBytes, AMillionMutations) {
  std::mt19937_64 random(2026);
  const std::vector<Sample> all = samples(2);
  for (int i = 0; i < 1'000'000; ++i) {
    Bytes b = all[random() % all.size()].bytes;
    for (uint64_t changes = 1 + random() % 4; changes != 0; --changes) {
      const size_t near_headers = std::min<size_t>(b.size(), 90);
      b[random() % near_headers] = static_cast<uint8_t>(random());
    }
    if (random() % 4 == 0) b.resize(random() % (b.size() + 1));
    try_frame(b);
  }
}

TEST(AnyBytes, RandomOnes) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100'000; ++i) {
    Bytes b(random() % 200);
    for (uint8_t& byte : b) byte = static_cast<uint8_t>(random());
    if (b.size() > 14 && random() % 2) b[12] = 8, b[13] = 0, b[14] = 0x45;
    try_frame(b);
  }
}

}  // namespace
}  // namespace sojourn
