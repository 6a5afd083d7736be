#include "tests/dataplane/frame_builder.h"

#include <cstdio>

namespace sojourn::build {
namespace {

constexpr char kTcp4[] = "tcp 192.0.2.1:1000 > 198.51.100.2:2000";
constexpr char kTcp6[] = "tcp [2001:db8::1]:1000 > [2001:db8::2]:2000";
constexpr char kUdp4[] = "udp 192.0.2.1:1000 > 198.51.100.2:2000";
constexpr char kInner4[] = "tcp 10.0.0.1:3000 > 10.0.0.2:4000";
constexpr char kInner6[] = "udp [fd00::1]:3000 > [fd00::2]:4000";
constexpr char kMacs[] = "02:00:00:00:00:0a > 02:00:00:00:00:0b";

const Ip kInside4{.source = "10.0.0.1", .destination = "10.0.0.2"};
const Ip kInside6{.source = "fd00::1", .destination = "fd00::2"};
const Bytes kIn4 = ipv4(6, tcp(3000, 4000), kInside4);
const Bytes kIn6 = ipv6(17, udp(3000, 4000), kInside6);

std::string opaque(const char* ether_type) {
  return std::string("ethertype ") + ether_type + " " + kMacs;
}

void add_link_layers(std::vector<Sample>& all, const Bytes& four, const Bytes& six) {
  all.push_back({"ipv4", ethernet(kIp4, four), kTcp4, "", 14});
  all.push_back({"ipv6", ethernet(kIp6, six), kTcp6, "", 14});
  const std::vector<std::vector<unsigned>> tag_stacks = {
      {0x8100}, {0x88a8, 0x8100}, {0x9100, 0x8100}, {0x9200, 0x8100, 0x8100}, {0x8100, 0x8100, 0x8100, 0x8100}};
  for (const auto& tags : tag_stacks) {
    const std::string name = "tags" + std::to_string(tags.size());
    const size_t at = 14 + 4 * tags.size();
    all.push_back({name + " ipv4", ethernet(kIp4, four, tags), kTcp4, "", at});
    all.push_back({name + " ipv6", ethernet(kIp6, six, tags), kTcp6, "", at});
    all.push_back({name + " pppoe ipv4", ethernet(0x8864, pppoe(0x21, four), tags), kTcp4, "", at + 8});
    all.push_back({name + " pppoe ipv6", ethernet(0x8864, pppoe(0x57, six), tags), kTcp6, "", at + 8});
    all.push_back({name + " mpls2 ipv4", ethernet(0x8847, mpls(2, four), tags), kTcp4, "", at + 8});
  }
  all.push_back({"pppoe ipv4", ethernet(0x8864, pppoe(0x21, four)), kTcp4, "", 22});
  all.push_back({"pppoe ipv6", ethernet(0x8864, pppoe(0x57, six)), kTcp6, "", 22});
  all.push_back({"pppoe mpls ipv4", ethernet(0x8864, pppoe(0x281, mpls(1, four))), kTcp4, "", 26});
  for (unsigned labels : {1u, 3u, 8u}) {
    const std::string name = "mpls" + std::to_string(labels);
    all.push_back({name + " ipv4", ethernet(0x8847, mpls(labels, four)), kTcp4, "", 14 + 4 * labels});
    all.push_back({name + " ipv6", ethernet(0x8848, mpls(labels, six)), kTcp6, "", 14 + 4 * labels});
  }
  all.push_back({"pseudowire", ethernet(0x8847, mpls(1, ethernet(kIp4, four))), kTcp4, "", 32});
  all.push_back({"pseudowire with control word", ethernet(0x8847, mpls(1, u32(5) + ethernet(kIp6, six, {0x8100}))),
                 kTcp6, "", 40});
  all.push_back({"snap ipv4", llc(snap(kIp4, four)), kTcp4, "", 22});
}

void add_network_layers(std::vector<Sample>& all, unsigned ecn) {
  const Ip four{.traffic_class = ecn};
  Ip six = kV6;
  six.traffic_class = ecn;
  for (size_t options : {4, 20, 40}) {
    const Ip ip{.traffic_class = ecn, .option_bytes = options};
    all.push_back({"options", ethernet(kIp4, ipv4(17, udp(1000, 2000), ip)), kUdp4, "", 14});
  }
  for (unsigned fragment : {0x2000u, 0x2010u, 0x0010u}) {
    const Ip ip{.traffic_class = ecn, .fragment = fragment};
    all.push_back({"piece", ethernet(kIp4, ipv4(17, udp(1000, 2000), ip)), "udp 192.0.2.1 > 198.51.100.2", "", 14});
    all.push_back({"piece of a tunnel", ethernet(kIp4, ipv4(4, kIn4, ip)), "ipip 192.0.2.1 > 198.51.100.2", "", 14});
  }
  const auto v6 = [&](const char* name, unsigned next, const Bytes& payload, const char* flow) {
    all.push_back({name, ethernet(kIp6, ipv6(next, payload, six)), flow, "", 14});
  };
  const Bytes t = tcp(1000, 2000);
  v6("hop-by-hop", 0, extension(6, 8, t), kTcp6);
  v6("routing", 43, extension(6, 24, t), kTcp6);
  v6("destination options", 60, extension(6, 16, t), kTcp6);
  v6("four extension headers", 0, extension(60, 8, extension(43, 24, extension(60, 8, extension(6, 8, t)))), kTcp6);
  v6("atomic fragment", 44, fragment(6, 0, t), kTcp6);
  v6("first piece", 44, fragment(17, 1, udp(1000, 2000)), "udp 2001:db8::1 > 2001:db8::2");
  v6("last piece", 44, fragment(17, 64 << 3, udp(1000, 2000)), "udp 2001:db8::1 > 2001:db8::2");
  v6("hop-by-hop, piece", 0, extension(44, 8, fragment(6, 0x11, t)), "tcp 2001:db8::1 > 2001:db8::2");
  v6("no next header", 59, {}, "protocol 59 2001:db8::1 > 2001:db8::2");
  v6("extension cut off", 0, u8(6) + u8(9) + zeros(20), "protocol 0 2001:db8::1 > 2001:db8::2");
  v6("esp", 50, esp(0x1234), "esp 2001:db8::1 > 2001:db8::2 spi 0x00001234");
  v6("ah", 51, ah(0x5678), "ah 2001:db8::1 > 2001:db8::2 spi 0x00005678");
  const auto v4 = [&](const char* name, unsigned protocol, const Bytes& payload, const char* flow) {
    all.push_back({name, ethernet(kIp4, ipv4(protocol, payload, four)), flow, "", 14});
  };
  v4("udp", 17, udp(1000, 2000), kUdp4);
  v4("sctp", 132, sctp(1000, 2000), "sctp 192.0.2.1:1000 > 198.51.100.2:2000");
  v4("dccp", 33, sctp(1000, 2000), "dccp 192.0.2.1:1000 > 198.51.100.2:2000");
  v4("udplite", 136, udp(1000, 2000), "udplite 192.0.2.1:1000 > 198.51.100.2:2000");
  v4("icmp", 1, u32(0x08001234), "icmp 192.0.2.1 > 198.51.100.2");
  v4("esp", 50, esp(0x1234), "esp 192.0.2.1 > 198.51.100.2 spi 0x00001234");
  v4("ah", 51, ah(0x5678), "ah 192.0.2.1 > 198.51.100.2 spi 0x00005678");
  v4("three bytes of tcp", 6, zeros(3), "tcp 192.0.2.1 > 198.51.100.2");
}

void add_tunnels(std::vector<Sample>& all, unsigned ecn) {
  const Ip four{.traffic_class = ecn};
  Ip six = kV6;
  six.traffic_class = ecn;
  const auto outer = [](const char* form, const char* source, const char* destination) {
    char text[128];
    std::snprintf(text, sizeof text, form, source, destination);
    return std::string(text);
  };
  // `form` is how the outer flow is written, with %s for the addresses.
  const auto both = [&](const std::string& name, unsigned protocol, const Bytes& payload, const std::string& flow,
                        const char* form) {
    const bool has_ports = protocol == 17;
    all.push_back({name + " over ipv4", ethernet(kIp4, ipv4(protocol, payload, four)), flow,
                   outer(form, "192.0.2.1", "198.51.100.2"), 14});
    all.push_back(
        {name + " over ipv6", ethernet(kIp6, ipv6(protocol, payload, six)), flow,
         outer(form, has_ports ? "[2001:db8::1]" : "2001:db8::1", has_ports ? "[2001:db8::2]" : "2001:db8::2"), 14});
  };
  both("ipv4", 4, kIn4, kInner4, "ipip %s > %s");
  both("ipv6", 41, kIn6, kInner6, "ipv6 %s > %s");
  for (unsigned flags : {0u, 0x8000u, 0x2000u, 0x1000u, 0xb000u}) {
    both("gre ipv4", 47, gre(flags, kIp4, kIn4), kInner4, "gre %s > %s");
    both("gre ipv6", 47, gre(flags, kIp6, kIn6), kInner6, "gre %s > %s");
  }
  both("nvgre", 47, gre(0x2000, 0x6558, ethernet(kIp4, kIn4)), kInner4, "gre %s > %s");
  both("gre mpls", 47, gre(0, 0x8847, mpls(2, kIn6)), kInner6, "gre %s > %s");
  both("erspan 1", 47, gre(0, 0x88be, ethernet(kIp4, kIn4)), kInner4, "gre %s > %s");
  both("erspan 2", 47, gre(0x1000, 0x88be, zeros(8) + ethernet(kIp4, kIn4)), kInner4, "gre %s > %s");
  both("erspan 3", 47, gre(0x1000, 0x22eb, zeros(12) + ethernet(kIp4, kIn4)), kInner4, "gre %s > %s");
  both("erspan 3 with O", 47, gre(0x1000, 0x22eb, zeros(11) + u8(1) + zeros(8) + ethernet(kIp6, kIn6)), kInner6,
       "gre %s > %s");
  both("vxlan", 17, vxlan(ethernet(kIp4, kIn4, {0x8100})), kInner4, "udp %s:50000 > %s:4789");
  const Bytes extended = Bytes{0x0c, 0, 0, 2, 0, 0, 42, 0} + kIn6;
  both("vxlan of ipv6", 17, udp(50000, 4789, extended), kInner6, "udp %s:50000 > %s:4789");
  both("geneve", 17, geneve(5, 0x6558, ethernet(kIp6, kIn6)), kInner6, "udp %s:50000 > %s:6081");
  both("geneve ipv4", 17, geneve(0, kIp4, kIn4), kInner4, "udp %s:50000 > %s:6081");
  both("gtp-u ipv4", 17, gtp_u(kIn4), kInner4, "udp %s:2152 > %s:2152");
  both("gtp-u extended", 17, gtp_u_extended(kIn6), kInner6, "udp %s:2152 > %s:2152");
  both("three deep", 4, ipv4(41, ipv6(17, vxlan(ethernet(kIp4, kIn4)))), kInner4, "ipip %s > %s");
  const Bytes fifth = ipv4(4, ipv4(4, ipv4(4, ipv4(4, kIn4), kInside4)));
  both("too deep", 4, fifth, "ipip 10.0.0.1 > 10.0.0.2", "ipip %s > %s");
  // What cannot be entered keeps the deepest valid header.
  both("gre routing", 47, gre(0x4000, kIp4, kIn4), "", "gre %s > %s");
  both("pptp", 47, gre(0x2001, 0x880b, kIn4), "", "gre %s > %s");
  both("gre of something", 47, gre(0x2000, 0x8909, zeros(40)), "", "gre %s > %s");
  both("wrong version inside", 4, u8(0x55) + zeros(39), "", "ipip %s > %s");
  both("vxlan of arp", 17, vxlan(ethernet(0x0806, zeros(28))), "", "udp %s:50000 > %s:4789");
  both("not vxlan", 17, udp(50000, 4789, u8(0x48) + zeros(7) + ethernet(kIp4, kIn4)), "", "udp %s:50000 > %s:4789");
  for (Sample& s : all) {
    if (s.flow.empty()) s.flow = s.outer_flow;
  }
}

void add_opaque(std::vector<Sample>& all, const Bytes& four) {
  all.push_back({"arp", ethernet(0x0806, zeros(46)), opaque("0x0806"), "", 0});
  all.push_back({"tagged arp", ethernet(0x0806, zeros(46), {0x88a8, 0x8100}), opaque("0x0806"), "", 0});
  all.push_back({"lldp", ethernet(0x88cc, zeros(46)), opaque("0x88cc"), "", 0});
  all.push_back({"lacp", ethernet(0x8809, zeros(46)), opaque("0x8809"), "", 0});
  all.push_back({"stp", llc(Bytes{0x42, 0x42, 3} + zeros(40)), opaque("0x0000"), "", 0});
  all.push_back({"macsec", ethernet(0x88e5, four), opaque("0x88e5"), "", 0});
  all.push_back({"e-tag", ethernet(0x893f, zeros(6) + u16(kIp4) + four), opaque("0x893f"), "", 0});
  all.push_back({"five tags", ethernet(kIp4, four, {0x8100, 0x8100, 0x8100, 0x8100, 0x8100}), opaque("0x8100"), "", 0});
  all.push_back({"nine labels", ethernet(0x8847, mpls(9, four)), opaque("0x8847"), "", 0});
  all.push_back({"pppoe lcp", ethernet(0x8864, pppoe(0xc021, zeros(40))), opaque("0x8864"), "", 0});
  all.push_back({"pppoe discovery", ethernet(0x8863, zeros(40)), opaque("0x8863"), "", 0});
  Bytes alike = mpls(1, four);
  alike[4 + 10] ^= 1;  // behind a label only the checksum tells IP from a MAC address that begins with 4
  all.push_back({"mpls of something like ipv4", ethernet(0x8847, alike), opaque("0x8847"), "", 0});
}

}  // namespace

std::vector<Sample> samples(unsigned ecn) {
  std::vector<Sample> all;
  Ip six = kV6;
  six.traffic_class = ecn;
  const Bytes four = ipv4(6, tcp(1000, 2000), {.traffic_class = ecn});
  add_link_layers(all, four, ipv6(6, tcp(1000, 2000), six));
  add_network_layers(all, ecn);
  add_tunnels(all, ecn);
  add_opaque(all, four);
  for (Sample& s : all) {
    if (s.outer_flow.empty()) s.outer_flow = s.flow;
  }
  return all;
}

}  // namespace sojourn::build
