// Other projects' captures against an independent dissector's reading of every packet. The captures are not part of
// this project: SOJOURN_SHARED names the directory that holds pcaps/, by default `shared` beside the project.
#include <gtest/gtest.h>
#include <pcap/pcap.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "dataplane/frame.h"
#include "tests/dataplane/frame_builder.h"

namespace sojourn {
namespace {

using build::Bytes;
using Row = std::map<std::string, std::string>;

std::filesystem::path captures() {
  if (const char* shared = std::getenv("SOJOURN_SHARED")) return std::filesystem::path(shared) / "pcaps";
  const char* root = std::getenv("SOJOURN_SOURCE_ROOT");
  return std::filesystem::path(root == nullptr ? "." : root) / ".." / "shared" / "pcaps";
}

// RFC 4180, without line breaks inside quotes.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (char c : line) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

std::vector<Row> rows_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto names = cells_of(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const auto cells = cells_of(line);
    rows.emplace_back();
    for (size_t i = 0; i < names.size() && i < cells.size(); ++i) rows.back()[names[i]] = cells[i];
  }
  return rows;
}

struct Packet {
  Bytes bytes;
  bool is_bare_ip;
};

std::vector<Packet> packets_of(const std::filesystem::path& path) {
  char error[PCAP_ERRBUF_SIZE];
  pcap_t* file = pcap_open_offline(path.c_str(), error);
  if (file == nullptr) throw std::runtime_error(error);
  const int link_type = pcap_datalink(file);
  const bool is_bare_ip = link_type == DLT_RAW || link_type == DLT_IPV4 || link_type == DLT_IPV6;
  std::vector<Packet> packets;
  pcap_pkthdr* header;
  const u_char* data;
  while (pcap_next_ex(file, &header, &data) == 1) packets.push_back({Bytes(data, data + header->caplen), is_bare_ip});
  pcap_close(file);
  return packets;
}

Frame parse_packet(const Packet& packet, HashDepth depth) {
  return packet.is_bare_ip ? parse_ip(packet.bytes, depth) : parse(packet.bytes, depth);
}

// What a row says of one IP header, in format()'s words; no ports for pieces, by SPEC's rule for fragments.
std::string flow_of_row(const Row& row, const std::string& side, bool is_fragment) {
  FlowKey key;
  const auto& cell = [&](const char* name) -> const std::string& { return row.at(side + name); };
  const Bytes source = build::address(cell("src")), destination = build::address(cell("dst"));
  std::memcpy(key.source.data(), source.data(), source.size());
  std::memcpy(key.destination.data(), destination.data(), destination.size());
  uint32_t ports = 0;
  if (!cell("sport").empty() && !is_fragment) {
    ports = static_cast<uint32_t>(std::stoul(cell("sport")) << 16 | std::stoul(cell("dport")));
  }
  key.upper = FlowKey::pack(cell("v") == "4" ? KeyKind::kIpv4 : KeyKind::kIpv6,
                            static_cast<uint8_t>(std::stoul(cell("proto"))), ports);
  return format(key);
}

unsigned traffic_class_of_row(const Row& row, const std::string& side) {
  const std::string& ecn = row.at(side + "ecn");
  const unsigned bits = ecn == "ECT0" ? 2 : ecn == "ECT1" ? 1 : ecn == "CE" ? 3 : 0;
  return static_cast<unsigned>(std::stoul(row.at(side + "dscp"))) << 2 | bits;
}

// Where the parser answers otherwise than the dissector, and why. An empty flow: no IP header, keyed on MAC and
// EtherType.
struct Deviation {
  const char* file;
  int packet;
  const char* flow;
  bool malformed;
  const char* why;
};
constexpr Deviation kDeviations[] = {
    {"ipv4_bad_totlen.pcap", 1, "", true, "total length beyond the frame: malformed, hence not keyed on IP"},
    {"ipv4_opt_route_overrun.pcap", 1, "", true, "options beyond the frame"},
    {"udp_bad_length.pcap", 1, "", true, "total length beyond the frame"},
    {"ipv6_ext_truncated.pcap", 1, "", true, "payload length beyond the frame"},
    {"etag_8021br.pcap", 1, "", false, "802.1BR is not in the parser's depth: opaque, as MACsec"},
    {"ipv6_ah_zero_len.pcap", 5, "ah 2000:1300::1 > 2000:1300::2 spi 0x00000000", false,
     "keyed on the SPI, which the dissector leaves out"},
    {"mpls_in_vlan.pcap", 2, "", false, "wrong IPv4 checksum behind a label: not proven to be IP, see frame.h"},
    {"mpls_in_vlan.pcap", 3, "", false, "likewise"},
    {"dlt_ipv4_with_v6_payload.pcap", 1, nullptr, false, "a bare packet is read by its version nibble"},
    {"ipv6_39byte_header.pcap", 1, "", true, "the dissector has no flow either; says that it is malformed"},
    {"eth_truncated.pcap", 1, "", true, "likewise"},
};

std::optional<Deviation> deviation_of(const Row& row) {
  for (const Deviation& d : kDeviations) {
    if (row.at("file") == d.file && std::stoi(row.at("pkt")) == d.packet) return d;
  }
  return std::nullopt;
}

void expect_row(const Row& row, const Packet& packet, bool is_fragment) {
  const Frame inner = parse_packet(packet, HashDepth::kInner), outer = parse_packet(packet, HashDepth::kOuter);
  const auto deviation = deviation_of(row);
  if (deviation && deviation->flow == nullptr) return;
  EXPECT_EQ(inner.malformed, deviation ? deviation->malformed : false);
  const bool has_ip = deviation ? *deviation->flow != 0 : !row.at("outer_v").empty();
  ASSERT_EQ(inner.outer != IpVersion::kNone, has_ip);
  if (!has_ip) return;
  const std::string outer_flow = deviation ? deviation->flow : flow_of_row(row, "outer_", is_fragment);
  EXPECT_EQ(format(outer.key), outer_flow);
  EXPECT_EQ(outer.outer_traffic_class, traffic_class_of_row(row, ""));
  EXPECT_EQ(outer.is_fragment, is_fragment);
  if (row.at("inner_v").empty()) {
    EXPECT_EQ(format(inner.key), outer_flow);
  } else {
    EXPECT_EQ(format(inner.key), flow_of_row(row, "inner_", false));
    EXPECT_EQ(inner.key_traffic_class, traffic_class_of_row(row, "inner_"));
  }
}

// Marked, a packet differs in its ECN field and IPv4 checksum alone.
void expect_honest_mark(Packet packet) {
  const Bytes before = packet.bytes;
  const Frame f = parse_packet(packet, HashDepth::kInner);
  const EcnMark mark = packet.is_bare_ip ? mark_ce_ip(packet.bytes) : mark_ce(packet.bytes);
  size_t changed = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i] == packet.bytes[i]) continue;
    ++changed;
    const size_t offset = i - f.ecn_offset;
    EXPECT_TRUE(offset == 1 || (f.outer == IpVersion::k4 && (offset == 10 || offset == 11))) << "byte " << i;
  }
  EXPECT_EQ(changed > 0, mark == EcnMark::kMarked);
}

void expect_rows(const std::filesystem::path& directory, const char* table, size_t least_rows) {
  if (!std::filesystem::exists(directory / table)) GTEST_SKIP() << "no captures at " << directory;
  const auto rows = rows_of(directory / table);
  ASSERT_GE(rows.size(), least_rows);
  std::map<std::string, std::vector<Packet>> files;
  for (const Row& row : rows) {
    const std::string& name = row.at("file");
    SCOPED_TRACE(name + " packet " + row.at("pkt"));
    if (!files.contains(name)) files[name] = packets_of(directory / name);
    const Packet& packet = files.at(name).at(std::stoul(row.at("pkt")) - 1);
    const auto fragment = row.find("frag");
    const bool is_fragment = fragment != row.end() && !fragment->second.empty() && fragment->second != "atomic";
    expect_row(row, packet, is_fragment);
    expect_honest_mark(packet);
  }
}

TEST(Capture, EveryPacketOfOtherProjectsReadsAsTheDissectorHasIt) {  // LQ-11, CK-6, DN-10
  expect_rows(captures(), "packets.csv", 421);
}

// Of the ladder only the whole frame, the last, is what its total length says: a cut IPv4 header is malformed.
TEST(Capture, SyntheticPacketsReadAsBuilt) {
  const auto directory = captures() / "synthetic";
  if (!std::filesystem::exists(directory / "expected.csv")) GTEST_SKIP() << "no captures at " << directory;
  std::map<std::string, std::vector<Packet>> files;
  size_t compared = 0;
  for (const Row& row : rows_of(directory / "expected.csv")) {
    const std::string& name = row.at("file");
    SCOPED_TRACE(name + " packet " + row.at("pkt"));
    if (!files.contains(name)) files[name] = packets_of(directory / name);
    const Packet& packet = files.at(name).at(std::stoul(row.at("pkt")) - 1);
    expect_honest_mark(packet);
    ++compared;
    if (name.starts_with("truncation_ladder") && row.at("pkt") != "68") {
      EXPECT_TRUE(parse_packet(packet, HashDepth::kInner).malformed);
      EXPECT_EQ(parse_packet(packet, HashDepth::kInner).outer, IpVersion::kNone);
    } else {
      expect_row(row, packet, false);
    }
  }
  EXPECT_GT(compared, 1000u);
}

TEST(Capture, ThousandFlowsAreThousandKeys) {
  const auto path = captures() / "synthetic" / "flows_1000.pcap";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no captures at " << path;
  std::map<uint64_t, std::string> hashes;
  for (const Packet& p : packets_of(path)) {
    const FlowKey key = parse(p.bytes, HashDepth::kInner).key;
    hashes[flow_hash(key, {1, 2})] = format(key);
  }
  EXPECT_EQ(hashes.size(), 1000u);
}

}  // namespace
}  // namespace sojourn
