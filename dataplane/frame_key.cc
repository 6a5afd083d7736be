#include "dataplane/frame_key.h"

#include <arpa/inet.h>

#include <cstdio>
#include <cstring>

namespace sojourn {
namespace {

std::string format_mac(const std::array<uint64_t, 2>& address) {
  uint8_t b[6];
  std::memcpy(b, address.data(), sizeof b);
  char text[18];
  std::snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5]);
  return text;
}

std::string format_ip(KeyKind kind, const std::array<uint64_t, 2>& address) {
  char text[INET6_ADDRSTRLEN];
  inet_ntop(kind == KeyKind::kIpv4 ? AF_INET : AF_INET6, address.data(), text, sizeof text);
  return text;
}

struct Protocol {
  uint8_t number;
  const char* name;
  enum { kNoPorts, kPorts, kSpi } has;
};
constexpr Protocol kProtocols[] = {
    {1, "icmp", Protocol::kNoPorts},  {2, "igmp", Protocol::kNoPorts},    {4, "ipip", Protocol::kNoPorts},
    {6, "tcp", Protocol::kPorts},     {17, "udp", Protocol::kPorts},      {33, "dccp", Protocol::kPorts},
    {41, "ipv6", Protocol::kNoPorts}, {47, "gre", Protocol::kNoPorts},    {50, "esp", Protocol::kSpi},
    {51, "ah", Protocol::kSpi},       {58, "icmp6", Protocol::kNoPorts},  {89, "ospf", Protocol::kNoPorts},
    {132, "sctp", Protocol::kPorts},  {136, "udplite", Protocol::kPorts},
};

std::string endpoint(const FlowKey& flow, const std::array<uint64_t, 2>& address, uint16_t port, bool has_ports) {
  std::string text = format_ip(flow.kind(), address);
  if (!has_ports) return text;
  if (flow.kind() == KeyKind::kIpv6) text = "[" + text + "]";
  return text + ":" + std::to_string(port);
}

}  // namespace

std::string format(const FlowKey& flow) {
  char text[32];
  if (flow.kind() == KeyKind::kMac) {
    std::snprintf(text, sizeof text, "ethertype 0x%04x ", flow.ether_type());
    return text + format_mac(flow.source) + " > " + format_mac(flow.destination);
  }
  std::string name = "protocol " + std::to_string(flow.protocol());
  auto has = Protocol::kNoPorts;
  for (const Protocol& p : kProtocols) {
    if (p.number == flow.protocol()) name = p.name, has = p.has;
  }
  // Port 0 is nobody's: ports that are both 0 were not there to be read.
  const bool has_ports = has == Protocol::kPorts && flow.spi() != 0;
  std::string line = name + " " + endpoint(flow, flow.source, flow.source_port(), has_ports) + " > " +
                     endpoint(flow, flow.destination, flow.destination_port(), has_ports);
  if (has != Protocol::kSpi) return line;
  std::snprintf(text, sizeof text, " spi 0x%08x", flow.spi());
  return line + text;
}

}  // namespace sojourn
