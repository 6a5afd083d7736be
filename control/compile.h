// From what the operator wrote to what the data plane takes, and one-line descriptions for the log.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "config/config.h"
#include "dataplane/lab_timetable.h"
#include "dataplane/port.h"

namespace sojourn {

LabPathParameters compile(const LabPathConfig& lab);

std::string describe(const PortFacts& facts);
std::string describe(const LabPathConfig& lab);
std::string describe(const Parameters& parameters);
// Of one direction's statistics, with the account that must balance.
std::string describe_totals(const nlohmann::json& direction);

}  // namespace sojourn
