// The parser against other projects' captures, used where they are and never copied: ../shared/pcaps beside the
// project, or $SOJOURN_SHARED/pcaps. The tables there come from an independent dissector. CASES LQ-11, DN-10.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <pcap/pcap.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "dataplane/frame.h"
#include "tests/golden/table.h"

namespace sojourn {
namespace {

using test::Row;

std::filesystem::path directory() {
  const char* given = std::getenv("SOJOURN_SHARED");
  return std::filesystem::path(given != nullptr ? given : SOJOURN_SHARED_DEFAULT) / "pcaps";
}

// What the table says and SPEC decides otherwise; each with its reason.
const std::map<std::string, std::string> kDeviations{
    {"dlt_ipv4_with_v6_payload.pcap", "a frame without Ethernet is read by its version nibble; the table allows it"},
    {"etag_8021br.pcap", "802.1BR is no tag that SPEC names: MAC pair and EtherType"},
    {"ipv4_bad_totlen.pcap", "total length beyond the frame: malformed, MAC pair and EtherType, never marked"},
    {"ipv4_opt_route_overrun.pcap", "the options leave the frame: malformed"},
    {"ipv6_ext_truncated.pcap", "payload length beyond the frame: malformed"},
    {"udp_bad_length.pcap", "total length beyond the frame: malformed"},
    {"truncation_ladder_vlan_ipv4_tcp.pcap", "cut short, so the total length is beyond the frame: malformed"},
};

struct Captured {
  int link_type;
  std::vector<std::vector<uint8_t>> frames;
};

Captured read(const std::filesystem::path& file) {
  char error[PCAP_ERRBUF_SIZE];
  pcap_t* capture = pcap_open_offline(file.c_str(), error);
  if (capture == nullptr) throw std::runtime_error(error);
  Captured c{pcap_datalink(capture), {}};
  pcap_pkthdr* header;
  const u_char* data;
  while (pcap_next_ex(capture, &header, &data) == 1) c.frames.emplace_back(data, data + header->caplen);
  pcap_close(capture);
  return c;
}

std::string address(const FlowKey& key, const uint8_t* bytes) {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(key.kind == FlowKind::kIpv4 ? AF_INET : AF_INET6, bytes, text, sizeof text);
  return text;
}

unsigned ecn_of(const std::string& name) {
  return name == "CE" ? 3u : name == "ECT0" ? 2u : name == "ECT1" ? 1u : 0u;
}

// One header of the table ("outer" or "inner") against a key; empty when they agree.
std::string difference(const Row& row, const std::string& which, const FlowKey& key, bool is_fragment) {
  const auto expect = [&](const std::string& column, const std::string& got) {
    const std::string& want = row.at(which + "_" + column);
    return want == got ? std::string() : which + " " + column + " " + want + " <> " + got + "; ";
  };
  if (key.kind == FlowKind::kMac) return which + ": no IP found; ";
  std::string text = expect("src", address(key, key.source)) + expect("dst", address(key, key.destination)) +
                     expect("proto", std::to_string(key.protocol));
  const bool has_ports =
      key.protocol == 6 || key.protocol == 17 || key.protocol == 132 || key.protocol == 33 || key.protocol == 136;
  if (has_ports && !is_fragment && !row.at(which + "_sport").empty()) {
    text += expect("sport", std::to_string(key.ports >> 16)) + expect("dport", std::to_string(key.ports & 0xffff));
  }
  return text;
}

void compare(const std::filesystem::path& base, const std::string& table) {
  std::map<std::string, Captured> captures;
  unsigned packets = 0, deviating = 0;
  for (const Row& row : test::table((base / table).string())) {
    const std::string& file = row.at("file");
    if (!captures.contains(file)) captures[file] = read(base / file);
    const Captured& c = captures.at(file);
    const std::string name = file + ":" + row.at("pkt");
    const auto& bytes = c.frames.at(static_cast<size_t>(std::stoul(row.at("pkt"))) - 1);
    const auto parsed = [&](HashDepth depth) {
      return c.link_type == DLT_EN10MB ? parse(bytes, depth) : parse_ip(bytes, depth);
    };
    const Frame outer = parsed(HashDepth::kOuter), inner = parsed(HashDepth::kInner);
    ++packets;
    std::string text;
    if (!row.at("outer_v").empty()) {
      text = difference(row, "outer", outer.key, outer.is_fragment);
      if (outer.ip_version != 0 &&
          row.at("dscp") + "/" + std::to_string(ecn_of(row.at("ecn"))) !=
              std::to_string(outer.traffic_class >> 2) + "/" + std::to_string(outer.traffic_class & 3)) {
        text += "DSCP or ECN; ";
      }
      if (!row.at("inner_v").empty()) text += difference(row, "inner", inner.key, inner.is_fragment);
    } else if (outer.key.kind != FlowKind::kMac) {
      text = "IP found where the table has none: " + to_string(outer.key);
    }
    const bool is_known = kDeviations.contains(name) || kDeviations.contains(file);
    deviating += !text.empty();
    EXPECT_TRUE(text.empty() || is_known) << name << " " << text;
  }
  std::printf("%u packets of %zu captures, %u of them decided otherwise by SPEC\n", packets, captures.size(),
              deviating);
  EXPECT_GT(packets, 100u);
}

TEST(Captures, AreReadAsTheIndependentDissectorReadsThem) {
  if (!std::filesystem::exists(directory())) GTEST_SKIP() << "no captures at " << directory();
  compare(directory(), "packets.csv");
}

TEST(Captures, BuiltOnesAreReadAsExpected) {
  if (!std::filesystem::exists(directory())) GTEST_SKIP() << "no captures at " << directory();
  compare(directory() / "synthetic", "expected.csv");
}

}  // namespace
}  // namespace sojourn
