#include "config/fail_open.h"

#include <algorithm>

namespace sojourn {
namespace {

// Nothing of it is kept: what is wrong with one of its values may make the others worthless.
void unshape(DirectionConfig& direction, uint32_t mtu_bytes, const std::string& fault) {
  const Where where = direction.where;
  direction = {};
  direction.where = where;
  direction.parameters.shaping = false;
  direction.parameters.quantum_bytes = default_quantum_bytes(mtu_bytes);
  direction.fault = fault;
}

bool is_within(const std::string& name, const std::string& group) {
  return name == group || name.starts_with(group + '.');
}

// The error's direction, or nullptr.
DirectionConfig* direction_of(Config& config, const Diagnostic& error) {
  for (WireConfig& wire : config.wires) {
    const std::string label = "wires[" + wire.name + ']';
    if (is_within(error.name, label + ".egress")) return &wire.egress;
    if (is_within(error.name, label + ".ingress")) return &wire.ingress;
  }
  return nullptr;
}

}  // namespace

std::optional<Config> fail_open(const Result& result) {
  Config config = result.config;
  if (config.on_error != OnError::kWire) return std::nullopt;
  for (const Diagnostic& error : result.errors) {
    DirectionConfig* direction = direction_of(config, error);
    if (direction == nullptr) return std::nullopt;
    if (direction->fault.empty()) direction->fault = to_string(error, "error");
  }
  for (WireConfig& wire : config.wires) {
    const uint32_t mtu_bytes = wire_mtu_bytes(config, wire);
    for (DirectionConfig* d : {&wire.egress, &wire.ingress})
      if (!d->fault.empty()) unshape(*d, mtu_bytes, std::string(d->fault));
  }
  return config;
}

Config unshaped(Config config, const std::string& fault) {
  for (WireConfig& wire : config.wires) {
    const uint32_t mtu_bytes = wire_mtu_bytes(config, wire);
    for (DirectionConfig* d : {&wire.egress, &wire.ingress}) unshape(*d, mtu_bytes, fault);
  }
  return config;
}

}  // namespace sojourn
