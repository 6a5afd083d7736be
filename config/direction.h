// The keys of one direction: `egress` and `ingress` of a wire, `queue` of a simulated bottleneck.
#pragma once

#include <string>

#include "config/document.h"
#include "config/node.h"

namespace sojourn {

// `mtu_bytes` decides the default quantum.
void read_direction(Document& document, const Node& node, const std::string& name, uint32_t mtu_bytes,
                    DirectionConfig& out);

}  // namespace sojourn
