// CE marking: the golden headers, and over every encapsulation that nothing but the mark changes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "dataplane/frame.h"
#include "tests/dataplane/frame_builder.h"

namespace sojourn {
namespace {

using build::Bytes;
using build::operator+;

std::vector<std::vector<std::string>> rows_of(const std::string& golden) {
  const char* root = std::getenv("SOJOURN_SOURCE_ROOT");
  std::ifstream file(std::string(root == nullptr ? "." : root) + "/tests/golden/" + golden);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line);  // names of the columns
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

Bytes from_hex(const std::string& text) {
  Bytes bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

EcnMark expected_mark(const std::string& ecn) {
  if (ecn == "NotECT") return EcnMark::kNotEct;
  return ecn == "CE" ? EcnMark::kAlreadyCe : EcnMark::kMarked;
}

// The golden rows are bare headers; payload that is not golden makes them frames.
void expect_marked(unsigned ether_type, const Bytes& in, const Bytes& out, size_t payload, EcnMark mark) {
  Bytes frame = build::ethernet(ether_type, in + build::zeros(payload), {0x8100});
  EXPECT_EQ(mark_ce(frame), mark);
  EXPECT_EQ(frame, build::ethernet(ether_type, out + build::zeros(payload), {0x8100}));
  Bytes bare = in + build::zeros(payload);
  EXPECT_EQ(mark_ce_ip(bare), mark);
  EXPECT_EQ(bare, out + build::zeros(payload));
}

TEST(CeMark, GoldenIpv4HeadersChangeExactlyAsComputed) {  // VP-3; the last two columns are wrong checksums
  const auto rows = rows_of("ce_mark_ipv4.csv");
  ASSERT_EQ(rows.size(), 96u);
  for (const auto& row : rows) {
    for (const size_t before : {3, 6}) {
      const Bytes in = from_hex(row.at(before));
      const size_t payload = in[2] * 256u + in[3] - in.size();
      expect_marked(build::kIp4, in, from_hex(row.at(before + 1)), payload, expected_mark(row[1]));
    }
  }
}

TEST(CeMark, GoldenIpv6WordsChangeExactlyAsComputed) {
  const auto rows = rows_of("ce_mark_ipv6_first_word.csv");
  ASSERT_EQ(rows.size(), 48u);
  for (const auto& row : rows) {
    const Bytes rest = build::u16(8) + build::u8(17) + build::zeros(33);
    expect_marked(build::kIp6, from_hex(row.at(3)) + rest, from_hex(row.at(4)) + rest, 8, expected_mark(row[1]));
  }
}

// RFC 1624 4: no intermediate sum may turn a right checksum wrong, whatever its value.
TEST(CeMark, EveryChecksumStaysAsRightOrWrongAsItWas) {
  const auto sum_of = [](const Bytes& frame) { return build::checksum(frame, 14, 20) % 0xffff; };
  for (unsigned ecn : {1u, 2u}) {
    Bytes frame = build::ethernet(build::kIp4, build::ipv4(6, build::tcp(1, 2), {.traffic_class = ecn}));
    for (unsigned checksum = 0; checksum <= 0xffff; ++checksum) {
      frame[24] = static_cast<uint8_t>(checksum >> 8);
      frame[25] = static_cast<uint8_t>(checksum);
      Bytes marked = frame;
      ASSERT_EQ(mark_ce(marked), EcnMark::kMarked);
      ASSERT_EQ(marked[15], 3);
      ASSERT_EQ(sum_of(marked), sum_of(frame)) << checksum;
    }
  }
}

void expect_only_the_mark(const build::Sample& s, const Bytes& marked) {
  const bool is_v4 = s.bytes[s.ecn_offset] >> 4 == 4;
  for (size_t i = 0; i < marked.size(); ++i) {
    unsigned may_change = 0;
    if (i == s.ecn_offset + 1) may_change = is_v4 ? 0x03 : 0x30;
    if (is_v4 && (i == s.ecn_offset + 10 || i == s.ecn_offset + 11)) may_change = 0xff;
    ASSERT_EQ((marked[i] ^ s.bytes[i]) & ~may_change & 0xff, 0u) << s.name << " byte " << i;
  }
  if (is_v4) {
    const size_t header = (marked[s.ecn_offset] & 15u) * 4;
    EXPECT_EQ(build::checksum(marked, s.ecn_offset, header), 0) << s.name;
  }
  EXPECT_EQ(parse(marked, HashDepth::kInner).outer_traffic_class & 3, 3) << s.name;
}

TEST(CeMark, ChangesNothingElseInAnyEncapsulation) {  // CK-6, VP-3
  for (unsigned dscp : {0u, 46u, 63u}) {
    for (unsigned ecn = 0; ecn < 4; ++ecn) {
      for (const auto& s : build::samples(dscp << 2 | ecn)) {
        Bytes marked = s.bytes;
        const EcnMark mark = mark_ce(marked);
        if (s.ecn_offset == 0) {
          EXPECT_EQ(mark, EcnMark::kNotIp) << s.name;
        } else {
          EXPECT_EQ(mark, ecn == 0 ? EcnMark::kNotEct : ecn == 3 ? EcnMark::kAlreadyCe : EcnMark::kMarked) << s.name;
        }
        if (mark != EcnMark::kMarked) {
          EXPECT_EQ(marked, s.bytes) << s.name;
        } else {
          expect_only_the_mark(s, marked);
        }
      }
    }
  }
}

TEST(CeMark, DoesNotMoveTheFlow) {
  for (const auto& s : build::samples(1)) {
    Bytes marked = s.bytes;
    mark_ce(marked);
    for (HashDepth depth : {HashDepth::kInner, HashDepth::kOuter}) {
      EXPECT_EQ(parse(marked, depth).key, parse(s.bytes, depth).key) << s.name;
    }
  }
}

}  // namespace
}  // namespace sojourn
