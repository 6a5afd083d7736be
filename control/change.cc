#include "control/change.h"

#include <fmt/format.h>

#include <algorithm>

namespace sojourn {

namespace {

// As long as nothing else is said about the direction, the reason why it is unshaped stands.
void keep_fault(DirectionConfig& next, const DirectionConfig& running) {
  if (next.parameters == running.parameters) next.fault = running.fault;
}

}  // namespace

Config as_running(Config next, const Config& running) {
  for (PortConfig& port : next.ports) {
    const auto same = std::find_if(running.ports.begin(), running.ports.end(),
                                   [&](const PortConfig& p) { return p.name == port.name && p.device == port.device; });
    if (same != running.ports.end() && !port.mtu_bytes) port.mtu_bytes = same->mtu_bytes;
  }
  for (WireConfig& wire : next.wires) {
    const auto same = std::find_if(running.wires.begin(), running.wires.end(),
                                   [&](const WireConfig& w) { return w.name == wire.name; });
    if (same == running.wires.end()) continue;
    keep_fault(wire.egress, same->egress);
    keep_fault(wire.ingress, same->ingress);
  }
  return next;
}

std::vector<std::string> obstacles(const std::vector<Difference>& differences, const Config& next, const Budget& had,
                                   uint32_t buffer_bytes) {
  std::vector<std::string> reasons;
  for (const Difference& d : differences) {
    if (d.needs_restart) reasons.push_back(to_string(d) + ": cannot change while running; restart sojournd");
  }
  const uint64_t needed = budget_of(next, buffer_bytes).scheduler_packets;
  if (reasons.empty() && needed > had.scheduler_packets) {
    reasons.push_back(fmt::format(
        "limit and memory of all directions ask for {} packet buffers together, {} were taken at start; lower them, or "
        "restart sojournd with this configuration",
        needed, had.scheduler_packets));
  }
  return reasons;
}

nlohmann::json to_json(const std::vector<Difference>& differences) {
  const auto text = [](const std::string& value) { return value.empty() ? nlohmann::json() : nlohmann::json(value); };
  nlohmann::json list = nlohmann::json::array();
  for (const Difference& d : differences)
    list.push_back({{"name", d.name}, {"from", text(d.from)}, {"to", text(d.to)}});
  return list;
}

std::string to_string(const Difference& d) {
  const auto text = [](const std::string& value) { return value.empty() ? std::string("default") : value; };
  return d.name + ": " + text(d.from) + " -> " + text(d.to);
}

}  // namespace sojourn
