// What differs between two configurations, key by key.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace sojourn {

struct Difference {
  std::string name;      // "wires[home].egress.rate"
  std::string from, to;  // as a file would say it; empty: absent, or left to the default
  bool needs_restart = false;
  bool operator==(const Difference&) const = default;
};

// In the order of the tables of keys. What is derived from other keys (burst, target and interval in force) is named
// "... in force" after them. Elements are matched by their names; one that only one side has is a difference by itself.
std::vector<Difference> differences(const Config& from, const Config& to);

}  // namespace sojourn
