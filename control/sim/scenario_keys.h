// The tables of keys of a scenario file.
#pragma once

#include <vector>

#include "config/key.h"
#include "control/sim/scenario.h"

namespace sojourn::sim {

const std::vector<Key<Scenario>>& scenario_keys();
const std::vector<Key<BottleneckScenario>>& bottleneck_keys();
const std::vector<Key<RateChange>>& rate_change_keys();
const std::vector<Key<FlowScenario>>& flow_keys();

// "tcp", "cubic".
const std::string& word_of(SourceKind source);
const std::string& word_of(CongestionName congestion);

// The keys of flows that only some sources heed.
bool heeds(SourceKind source, std::string_view key);

// The reference of these keys, as Markdown.
std::string scenario_manual();

}  // namespace sojourn::sim
