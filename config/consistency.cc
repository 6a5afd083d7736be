#include "config/consistency.h"

#include <algorithm>
#include <utility>

#include "config/device.h"
#include "config/keys.h"
#include "config/nearest.h"

namespace sojourn {
namespace {

std::string at_line(const Where& where) {
  return "(line " + std::to_string(where.line) + " of " + where.file + ')';
}

const std::string& name_of(const PortConfig& port) {
  return port.name;
}
const std::string& name_of(const WireConfig& wire) {
  return wire.name;
}
const std::string& name_of(const LabPathConfig& path) {
  return path.port;
}

// Every pair of elements with the same `identity` is said at the later one. An empty identity is no identity.
template <typename Element, typename Identity>
void check_unique(Document& document, const std::string& list, const std::vector<Element>& elements,
                  const std::string& key, Identity identity) {
  std::map<std::string, const Element*> seen;
  Labels labels(list);
  for (const Element& element : elements) {
    const std::string label = labels.next(name_of(element)), value = identity(element);
    if (value.empty()) continue;
    const auto [earlier, is_new] = seen.emplace(value, &element);
    if (!is_new)
      document.error(label + '.' + key, quote(value) + " is already used " + at_line(earlier->second->where));
  }
}

std::vector<std::string> port_names(const Config& config) {
  std::vector<std::string> names;
  for (const PortConfig& port : config.ports)
    if (!port.name.empty()) names.push_back(port.name);
  return names;
}

bool check_port(Document& document, const std::string& name, const std::string& port) {
  const auto known = port_names(document.result.config);
  if (port.empty() || std::ranges::find(known, port) != known.end()) return true;
  document.error(name, "there is no port " + quote(port) + suggestion(port, known));
  return false;
}

// A port carries one side of one wire.
void check_wire_ports(Document& document) {
  std::map<std::string, std::string> taken;
  Labels wires("wires"), ports("ports");
  for (const WireConfig& wire : document.result.config.wires) {
    const std::string label = wires.next(wire.name);
    for (const auto& [side, port] : {std::pair{"inside", wire.inside}, std::pair{"outside", wire.outside}}) {
      const std::string name = label + '.' + side;
      if (!check_port(document, name, port) || port.empty()) continue;
      const auto [earlier, is_new] = taken.emplace(port, name);
      if (!is_new) document.error(name, "port " + quote(port) + " is already " + earlier->second);
    }
  }
  for (const PortConfig& port : document.result.config.ports) {
    const std::string label = ports.next(port.name);
    if (!port.name.empty() && !taken.contains(port.name)) document.warning(label, "no wire uses it");
  }
}

// CASES DS-12: a burst below one frame starves the link while looking like a rate.
void check_burst(Document& document, const std::string& direction, const Parameters& p, uint32_t mtu_bytes) {
  const uint32_t frame = mtu_frame_bytes(mtu_bytes);
  if (!p.burst_bytes || *p.burst_bytes == 0 || *p.burst_bytes >= frame) return;
  document.error(direction + ".burst", quote(format_size(*p.burst_bytes)) +
                                           " is less than one MTU frame; nearest are " + quote("0b") + " and " +
                                           quote(format_size(frame)));
}

void check_times(Document& document, const std::string& direction, const Parameters& p, uint32_t mtu_bytes) {
  if (p.aqm == Aqm::kNone) return;
  const Duration target = target_in_force(p, mtu_bytes), interval = interval_in_force(p, mtu_bytes);
  if (target != p.target)
    document.warning(direction + ".target", quote(format_time(p.target)) + " is raised to " +
                                                quote(format_time(target)) + ", the time of 1.5 MTU frames at " +
                                                format_rate(p.rate));
  if (interval != p.interval)
    document.warning(direction + ".interval", quote(format_time(p.interval)) + " is raised to " +
                                                  quote(format_time(interval)) + ", two targets");
}

// A queue that cannot hold a target's worth drops by its limit before CoDel has seen anything.
void check_room(Document& document, const std::string& direction, const Parameters& p, uint32_t mtu_bytes) {
  if (p.aqm == Aqm::kNone || p.rate == kUnlimited) return;
  const Duration target = target_in_force(p, mtu_bytes);
  const auto warn = [&](const char* key, const std::string& value, uint64_t bytes) {
    const Duration time = transmission_time(bytes, p.rate);
    if (time < target)
      document.warning(direction + '.' + key, value + " holds " + format_time(time) + " of full frames at " +
                                                  format_rate(p.rate) + ", less than the target " +
                                                  format_time(target) + ": it overflows before CoDel can signal");
  };
  warn("limit", std::to_string(p.limit_packets), uint64_t{p.limit_packets} * mtu_frame_bytes(mtu_bytes));
  warn("memory", quote(format_size(p.memory_bytes)), p.memory_bytes);
}

void check_ce_threshold(Document& document, const std::string& direction, const Parameters& p) {
  if (p.ce_threshold && !p.ecn) document.warning(direction + ".ce_threshold", "has no effect while ecn = false");
}

void check_rules(Document& document, const std::string& wire, const std::vector<RuleConfig>& rules) {
  constexpr uint8_t kIcmp = 1, kIcmpv6 = 58;
  if (rules.size() > kMostRulesOfWire)
    document.error(wire + ".rules",
                   "are " + std::to_string(rules.size()) + "; nearest is " + std::to_string(kMostRulesOfWire));
  Labels labels(wire + ".rules");
  for (const RuleConfig& r : rules) {
    const std::string name = labels.next(r.name);
    const bool is_icmp = r.protocol == kIcmp || r.protocol == kIcmpv6;
    if (r.icmp_type && !is_icmp) document.error(name + ".icmp_type", "needs protocol = \"icmp\" or \"icmpv6\"");
    if ((r.source_port || r.destination_port) && is_icmp) document.error(name, "matches nothing: ICMP has no ports");
    if (r.source && r.destination && r.source->is_ipv6 != r.destination->is_ipv6)
      document.error(name, "matches nothing: one address is IPv4, the other IPv6");
  }
}

void check_shaping(Document& document, const std::string& direction, const Parameters& p) {
  if (!p.shaping)
    document.warning(direction + ".shaping", "is off: this direction is forwarded unshaped, with no rate and no AQM");
}

void check_wires(Document& document) {
  const Config& config = document.result.config;
  Labels labels("wires");
  for (const WireConfig& wire : config.wires) {
    const std::string name = labels.next(wire.name);
    check_rules(document, name, wire.rules);
    const uint32_t mtu_bytes = wire_mtu_bytes(config, wire);
    for (const auto& [side, direction] : {std::pair{".egress", &wire.egress}, std::pair{".ingress", &wire.ingress}}) {
      check_direction(document, name + side, direction->parameters, mtu_bytes);
      check_shaping(document, name + side, direction->parameters);
    }
    if (wire.egress.parameters.rate == kUnlimited && wire.ingress.parameters.rate == kUnlimited)
      document.warning(name, "shapes nothing: neither direction has a rate");
  }
}

void check_lab(Document& document) {
  Labels labels("lab");
  for (const LabPathConfig& path : document.result.config.lab) {
    const std::string name = labels.next(path.port);
    check_port(document, name + ".port", path.port);
    const bool has_rate = path.rate || std::ranges::any_of(path.timetable, [](const LabChange& change) {
                            return change.rate.has_value();
                          });
    if (!has_rate && document.has(name + ".buffer")) document.warning(name + ".buffer", "has no effect without a rate");
    Labels changes(name + ".timetable");
    for (const LabChange& change : path.timetable) {
      const std::string label = changes.next({});
      if (!change.rate && !change.delay && !change.jitter && !change.loss)
        document.error(label, "changes nothing; give rate, delay, jitter or loss");
    }
  }
}

}  // namespace

void check_direction(Document& document, const std::string& name, const Parameters& parameters, uint32_t mtu_bytes) {
  check_burst(document, name, parameters, mtu_bytes);
  check_times(document, name, parameters, mtu_bytes);
  check_room(document, name, parameters, mtu_bytes);
  check_ce_threshold(document, name, parameters);
}

void check_consistency(Document& document) {
  const Config& config = document.result.config;
  check_unique(document, "ports", config.ports, "name", [](const PortConfig& port) { return port.name; });
  check_unique(document, "ports", config.ports, "device",
               [](const PortConfig& port) { return device_identity(port.device); });
  check_unique(document, "wires", config.wires, "name", [](const WireConfig& wire) { return wire.name; });
  check_unique(document, "lab", config.lab, "port", [](const LabPathConfig& path) { return path.port; });
  check_wire_ports(document);
  check_wires(document);
  check_lab(document);
}

}  // namespace sojourn
