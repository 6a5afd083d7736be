// The running state as JSON: what `sojourn show` asks for. Names are stable; each carries its unit.
#pragma once

#include <nlohmann/json.hpp>

#include "config/config.h"
#include "control/link_forwarding.h"
#include "dataplane/buffers.h"
#include "dataplane/port.h"
#include "dataplane/snapshot.h"

namespace sojourn {

nlohmann::json to_json(const DirectionSnapshot& d, uint64_t no_mbuf_packets);
nlohmann::json to_json(const LabSnapshot& l);
nlohmann::json to_json(const PortFacts& facts, const PortCounters& counters, bool is_link_up);
nlohmann::json to_json(const LinkForwarding& forwarding);
const char* name_of(Side side);  // "inside", "outside"

// Of one direction, every packet accounted for: received = sent + queued + dropped over all causes.
bool is_conserved(const DirectionSnapshot& d);

}  // namespace sojourn
