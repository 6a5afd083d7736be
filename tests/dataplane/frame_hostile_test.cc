// Frames that are cut, random or broken. Every frame stands in a buffer of its exact size, so that under
// AddressSanitizer one byte read outside is a failure.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "dataplane/frame.h"
#include "tests/dataplane/frame_builder.h"

namespace sojourn {
namespace {

using build::Bytes;
using build::operator+;

// A copy that ends where the frame ends.
class ExactBuffer {
 public:
  explicit ExactBuffer(std::span<const uint8_t> bytes)
      : size_(bytes.size()), bytes_(std::make_unique<uint8_t[]>(bytes.size())) {
    std::copy(bytes.begin(), bytes.end(), bytes_.get());
  }
  std::span<uint8_t> get() { return {bytes_.get(), size_}; }

 private:
  size_t size_;
  std::unique_ptr<uint8_t[]> bytes_;
};

bool is_at_most_the_mark(std::span<const uint8_t> before, std::span<const uint8_t> after, size_t at,
                         IpVersion version) {
  for (size_t i = 0; i < before.size(); ++i) {
    unsigned may_change = 0;
    if (i == at + 1) may_change = version == IpVersion::k4 ? 0x03 : 0x30;
    if (version == IpVersion::k4 && (i == at + 10 || i == at + 11)) may_change = 0xff;
    if (((before[i] ^ after[i]) & ~may_change & 0xff) != 0) return false;
  }
  return true;
}

// What holds for any bytes whatever.
void expect_invariants(std::span<const uint8_t> bytes) {
  ExactBuffer buffer(bytes);
  const Frame inner = parse(buffer.get(), HashDepth::kInner);
  const Frame outer = parse(buffer.get(), HashDepth::kOuter);
  ASSERT_EQ(inner.malformed, outer.malformed);
  ASSERT_EQ(inner.outer, outer.outer);
  ASSERT_EQ(inner.ecn_offset, outer.ecn_offset);
  ASSERT_EQ(inner.outer == IpVersion::kNone, inner.key.kind() == KeyKind::kMac);
  ASSERT_EQ(inner.outer == IpVersion::kNone, inner.ip_headers == 0);
  ASSERT_LE(inner.ip_headers, kMostIpHeaders);
  ASSERT_FALSE(inner.malformed && inner.outer != IpVersion::kNone);
  if (inner.is_fragment) {
    ASSERT_EQ(inner.key.spi(), 0u);
  }

  const EcnMark mark = mark_ce(buffer.get());
  ASSERT_EQ(mark == EcnMark::kNotIp, inner.outer == IpVersion::kNone);
  const unsigned ecn = inner.outer_traffic_class & 3;
  ASSERT_EQ(mark == EcnMark::kMarked, ecn == 1 || ecn == 2);
  if (mark == EcnMark::kMarked) {
    ASSERT_TRUE(is_at_most_the_mark(bytes, buffer.get(), inner.ecn_offset, inner.outer));
  } else {
    ASSERT_TRUE(std::ranges::equal(bytes, buffer.get()));
  }

  ExactBuffer bare(bytes);
  parse_ip(bare.get(), HashDepth::kInner);
  mark_ce_ip(bare.get());
}

TEST(HostileFrame, CutAtEveryLengthIsMalformedAndNeverMarked) {  // LQ-11
  for (const auto& s : build::samples(2)) {
    for (size_t length = 0; length < s.bytes.size(); ++length) {
      SCOPED_TRACE(s.name + " cut to " + std::to_string(length));
      const auto cut = std::span(s.bytes).first(length);
      ASSERT_NO_FATAL_FAILURE(expect_invariants(cut));
      ExactBuffer buffer(cut);
      ASSERT_EQ(parse(buffer.get(), HashDepth::kInner).outer, IpVersion::kNone);
      if (length < 14) {
        ASSERT_TRUE(parse(buffer.get(), HashDepth::kInner).malformed);
      }
      ASSERT_EQ(mark_ce(buffer.get()), EcnMark::kNotIp);
    }
  }
}

// The same cuts one layer in: the outer header tells the shortened length, so only what it carries is cut.
TEST(HostileFrame, CutTunnelFallsBackToAnOuterHeader) {
  for (const auto& s : build::samples(2)) {
    if (s.ecn_offset != 14 || s.flow == s.outer_flow) continue;
    const bool is_v4 = s.bytes[14] >> 4 == 4;
    const size_t header = is_v4 ? 20 : 40;
    for (size_t payload = 8; payload + 14 + header < s.bytes.size(); ++payload) {
      SCOPED_TRACE(s.name + " with payload " + std::to_string(payload));
      Bytes cut(s.bytes.begin(), s.bytes.begin() + static_cast<ptrdiff_t>(14 + header + payload));
      const size_t length = is_v4 ? header + payload : payload;
      cut[is_v4 ? 16 : 18] = static_cast<uint8_t>(length >> 8);
      cut[is_v4 ? 17 : 19] = static_cast<uint8_t>(length);
      ASSERT_NO_FATAL_FAILURE(expect_invariants(cut));
      const Frame f = parse(cut, HashDepth::kInner);
      ASSERT_FALSE(f.malformed);
      ASSERT_NE(format(f.key), s.flow);
      ASSERT_GE(f.ip_headers, 1);
    }
  }
}

TEST(HostileFrame, RuntsOfEveryIhlAndLengthAreReadWithinTheirBounds) {  // LQ-11 (a)
  for (unsigned ihl = 0; ihl < 16; ++ihl) {
    for (size_t length = 1; length <= 64; ++length) {
      for (unsigned fragment : {0u, 1u, 0x2000u}) {
        Bytes frame = build::ethernet(build::kIp4, build::ipv4(6, build::tcp(1, 2, build::zeros(40)),
                                                               {.traffic_class = 2, .fragment = fragment}));
        frame.resize(length);
        const size_t left = length > 14 ? length - 14 : 0;
        if (length > 14) frame[14] = static_cast<uint8_t>(0x40 | ihl);
        if (length > 17) frame[16] = 0, frame[17] = static_cast<uint8_t>(left);
        SCOPED_TRACE("IHL " + std::to_string(ihl) + ", " + std::to_string(length) + " bytes");
        ASSERT_NO_FATAL_FAILURE(expect_invariants(frame));
        ExactBuffer buffer(frame);
        const Frame f = parse(buffer.get(), HashDepth::kInner);
        const bool is_valid = left >= 20 && ihl >= 5 && ihl * 4 <= left;
        ASSERT_EQ(f.malformed, !is_valid);
        const bool has_ports = is_valid && fragment == 0 && left >= ihl * 4 + 4;
        if (!has_ports && is_valid) {
          ASSERT_EQ(f.key.spi(), 0u);
        }
        if (has_ports && ihl == 5) {
          ASSERT_EQ(f.key.source_port(), 1);
        }
      }
    }
  }
}

TEST(HostileFrame, RandomMutationsKeepEveryInvariant) {
  const auto seeds = build::samples(2);
  std::mt19937_64 random(20260101);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  for (int i = 0; i < 1'000'000; ++i) {
    Bytes frame = seeds[below(seeds.size())].bytes;
    for (size_t changes = 1 + below(4); changes > 0; --changes)
      frame[below(frame.size())] = static_cast<uint8_t>(random());
    if (below(4) == 0) frame.resize(below(frame.size() + 1));
    ASSERT_NO_FATAL_FAILURE(expect_invariants(frame)) << "mutation " << i;
  }
}

TEST(HostileFrame, NestingEndsAtItsBound) {
  using namespace build;
  const auto pseudowires = [](int levels) {
    Bytes b = ethernet(kIp4, ipv4(6, tcp(1, 2)));
    for (int i = 0; i < levels; ++i) b = ethernet(0x8847, mpls(1, zeros(4) + b));
    return parse(b, HashDepth::kInner).outer;
  };
  EXPECT_EQ(pseudowires(2), IpVersion::k4);
  EXPECT_EQ(pseudowires(kMostLinkLayers), IpVersion::kNone);
  EXPECT_EQ(pseudowires(100), IpVersion::kNone);
  Bytes tunnels = tcp(1, 2);
  for (int i = 0; i < 200; ++i) tunnels = ipv4(i == 0 ? 6 : 4, tunnels);
  EXPECT_EQ(parse(ethernet(kIp4, tunnels), HashDepth::kInner).ip_headers, kMostIpHeaders);
}

}  // namespace
}  // namespace sojourn
