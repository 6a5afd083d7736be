// From what the operator wrote to what the data plane takes, and one-line descriptions for the log.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "config/config.h"
#include "dataplane/lab_timetable.h"
#include "dataplane/port.h"
#include "sched/flow_hash.h"

namespace sojourn {

LabPathParameters compile(const LabPathConfig& lab);

// A key for tests and reproduction: any seed gives a key, and always the same one.
HashKey hash_key_from_seed(uint64_t seed);

std::string describe(const PortFacts& facts);
std::string describe(const LabPathConfig& lab);
std::string describe(const Parameters& parameters);
// Of one direction's statistics, with the account that must balance.
std::string describe_totals(const nlohmann::json& direction);

}  // namespace sojourn
