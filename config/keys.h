// The tables of keys, one for each kind of group.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "config/key.h"

namespace sojourn {

const std::vector<Key<Config>>& config_keys();
const std::vector<Key<PortConfig>>& port_keys();
const std::vector<Key<WireConfig>>& wire_keys();
const std::vector<Key<DirectionConfig>>& direction_keys();
const std::vector<Key<RuleConfig>>& rule_keys();
const std::vector<Key<LabPathConfig>>& lab_path_keys();
const std::vector<Key<LabChange>>& lab_change_keys();
const std::vector<Key<ControlConfig>>& control_keys();
const std::vector<Key<WorkerConfig>>& worker_keys();

template <typename Group>
std::vector<std::string> names_of(const std::vector<Key<Group>>& keys) {
  std::vector<std::string> names;
  for (const auto& key : keys) names.push_back(key.name);
  return names;
}

}  // namespace sojourn
