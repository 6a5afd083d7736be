// Marking: RFC 3168, RFC 6040 (outermost only), RFC 1624. CASES CK-6, VP-3.
#include <gtest/gtest.h>

#include "tests/dataplane/frame_builder.h"
#include "tests/golden/table.h"

namespace sojourn {
namespace {

using namespace test;

Bytes from_hex(const std::string& hex) {
  Bytes b;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    b.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return b;
}

// The golden headers stand alone: a payload makes them whole.
Bytes with_payload(Bytes header) {
  header.resize(static_cast<size_t>(header[2] << 8 | header[3]));
  return header;
}

void expect_marked(const std::string& before, const std::string& after, bool is_ect) {
  Bytes b = with_payload(from_hex(before));
  const EcnMark result = mark_ce_ip(b);
  b.resize(before.size() / 2);
  EXPECT_EQ(b, from_hex(after)) << before;
  EXPECT_EQ(result == EcnMark::kMarked, is_ect) << before;
}

TEST(MarkCe, ChangesIpv4HeadersAsTheModelDoes) {
  unsigned marked = 0;
  for (const auto& row : golden("ce_mark_ipv4.csv")) {
    const std::string& ecn = row.at("ecn_in");
    const bool is_ect = ecn == "ECT0" || ecn == "ECT1";
    expect_marked(row.at("header_in"), row.at("header_out_after_CE"), is_ect);
    expect_marked(row.at("bad_checksum_in"), row.at("bad_checksum_out_incremental(RFC1624 eqn 3)"), is_ect);
    marked += is_ect;
  }
  EXPECT_GT(marked, 20u);
}

TEST(MarkCe, ChangesIpv6HeadersAsTheModelDoes) {
  for (const auto& row : golden("ce_mark_ipv6_first_word.csv")) {
    Bytes b = from_hex(row.at("word_in"));
    b.resize(40);
    b[6] = 59;
    mark_ce_ip(b);
    b.resize(4);
    EXPECT_EQ(b, from_hex(row.at("word_out_after_CE"))) << row.at("word_in");
  }
}

// CASES CK-6, VP-3: at the right offset behind tags, PPPoE and MPLS, v4 and v6, and nowhere else.
TEST(MarkCe, ChangesOnlyTheOutermostEcnFieldAndItsChecksum) {
  for (const uint8_t ecn : {0, 1, 2, 3}) {
    for (const Sample& s : samples(ecn)) {
      SCOPED_TRACE(s.name + " ecn " + std::to_string(ecn));
      Bytes b = s.bytes;
      const EcnMark result = mark_ce(b);
      if (ecn == 0 || ecn == 3) {
        EXPECT_EQ(result, ecn == 0 ? EcnMark::kNotEct : EcnMark::kAlreadyCe);
        EXPECT_EQ(b, s.bytes);
        continue;
      }
      EXPECT_EQ(result, EcnMark::kMarked);
      Bytes expected = s.bytes;
      const uint32_t ip = s.ip_offset;
      if (s.version == 6) {
        expected[ip + 1] |= 0x30;
      } else {
        expected[ip + 1] |= 3;
        expected[ip + 10] = expected[ip + 11] = 0;
        const uint16_t sum = checksum(&expected[ip], (expected[ip] & 15u) * 4);
        expected[ip + 10] = static_cast<uint8_t>(sum >> 8), expected[ip + 11] = static_cast<uint8_t>(sum);
      }
      EXPECT_EQ(b, expected);
      EXPECT_EQ(parse(b, HashDepth::kInner).traffic_class & 3, 3);
    }
  }
}

TEST(MarkCe, LeavesFramesWithoutIpAlone) {
  Bytes arp = ethernet(0x0806) + Bytes(28, 1);
  const Bytes before = arp;
  EXPECT_EQ(mark_ce(arp), EcnMark::kNotIp);
  EXPECT_EQ(arp, before);
}

}  // namespace
}  // namespace sojourn
