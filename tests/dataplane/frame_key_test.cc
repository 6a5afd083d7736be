#include "dataplane/frame_key.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

namespace sojourn {
namespace {

constexpr HashKey kKey{1, 2};

FlowKey ipv4(uint32_t source, uint32_t destination, uint32_t ports, uint8_t protocol = 6) {
  return {{source, 0}, {destination, 0}, FlowKey::pack(KeyKind::kIpv4, protocol, ports)};
}

TEST(FlowKey, IsWrittenForPeople) {
  EXPECT_EQ(format(ipv4(0x010200c0, 0x026433c6, 1000u << 16 | 2000)), "tcp 192.0.2.1:1000 > 198.51.100.2:2000");
  EXPECT_EQ(format(ipv4(0x010200c0, 0x026433c6, 0xdeadbeef, 50)), "esp 192.0.2.1 > 198.51.100.2 spi 0xdeadbeef");
  EXPECT_EQ(format(ipv4(0x010200c0, 0x026433c6, 0, 17)), "udp 192.0.2.1 > 198.51.100.2");
  EXPECT_EQ(format(ipv4(0x010200c0, 0x026433c6, 0, 112)), "protocol 112 192.0.2.1 > 198.51.100.2");
  EXPECT_EQ(format(FlowKey{}), "ethertype 0x0000 00:00:00:00:00:00 > 00:00:00:00:00:00");
}

TEST(FlowKey, HashChangesWithTheSecret) {
  const FlowKey flow = ipv4(1, 2, 3);
  std::set<uint64_t> hashes;
  for (uint64_t i = 0; i < 1000; ++i) hashes.insert(flow_hash(flow, {i, 0}));
  for (uint64_t i = 1; i < 1000; ++i) hashes.insert(flow_hash(flow, {0, i}));
  EXPECT_EQ(hashes.size(), 1999u);
}

TEST(FlowKey, EveryBitOfAKeyIsHashed) {
  for (KeyKind kind : {KeyKind::kMac, KeyKind::kIpv4, KeyKind::kIpv6}) {
    const unsigned address_bits = kind == KeyKind::kIpv6 ? 128 : kind == KeyKind::kIpv4 ? 32 : 48;
    FlowKey flow;
    flow.upper = FlowKey::pack(kind, 0, 0);
    std::set<uint64_t> hashes{flow_hash(flow, kKey)};
    for (unsigned bit = 0; bit < address_bits; ++bit) {
      FlowKey other = flow;
      other.source[bit / 64] ^= uint64_t{1} << (bit % 64);
      hashes.insert(flow_hash(other, kKey));
      other = flow;
      other.destination[bit / 64] ^= uint64_t{1} << (bit % 64);
      hashes.insert(flow_hash(other, kKey));
    }
    for (unsigned bit = 0; bit < 56; ++bit) {
      FlowKey other = flow;
      other.upper ^= uint64_t{1} << bit;
      hashes.insert(flow_hash(other, kKey));
    }
    EXPECT_EQ(hashes.size(), 1 + 2 * address_bits + 56);
  }
}

TEST(FlowKey, KindsDoNotCollide) {
  std::set<uint64_t> hashes;
  for (KeyKind kind : {KeyKind::kMac, KeyKind::kIpv4, KeyKind::kIpv6}) {
    FlowKey flow;
    flow.upper = FlowKey::pack(kind, 0, 0);
    hashes.insert(flow_hash(flow, kKey));
  }
  EXPECT_EQ(hashes.size(), 3u);
}

// Ports and addresses that count up are what clients send; they must spread like chance over sets and over tags.
TEST(FlowKey, SequentialFlowsSpreadEvenlyOverSets) {
  constexpr uint32_t kFlows = 100'000, kSets = 1024;
  for (int shift : {0, 32}) {
    std::vector<uint32_t> counts(kSets);
    std::set<uint64_t> hashes;
    for (uint32_t i = 0; i < kFlows; ++i) {
      const uint64_t hash = flow_hash(ipv4(0x0a000000 + (i >> 12 << 24), 1, (1024 + (i & 4095)) << 16 | 443), kKey);
      ++counts[hash >> shift & (kSets - 1)];
      hashes.insert(hash);
    }
    double chi_square = 0;
    const double expected = static_cast<double>(kFlows) / kSets;
    for (uint32_t n : counts) chi_square += (n - expected) * (n - expected) / expected;
    // 1023 degrees of freedom: mean 1023, standard deviation 45; six of them.
    EXPECT_NEAR(chi_square, 1023, 271);
    EXPECT_EQ(hashes.size(), kFlows);
  }
}

}  // namespace
}  // namespace sojourn
