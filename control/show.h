// `sojourn show`: what a running sojournd says of itself, in tc's manner or as JSON.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace sojourn {

// Adds the subcommand `show stats|config`; `exit_code` is set when it has run.
void add_show(CLI::App& app, int& exit_code);

// The statistics as text for people; `stats` is what the control socket gives.
std::string stats_text(const nlohmann::json& stats);

}  // namespace sojourn
