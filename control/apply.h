// `sojourn apply` and `sojourn set`: change what is in force in a running sojournd, acknowledged by its workers.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace sojourn {

// Adds both subcommands; `exit_code` is set when one has run.
void add_apply(CLI::App& app, int& exit_code);

// sojournd's answer for people; `is_refused` gets the reasons.
std::string change_text(const nlohmann::json& answer);

}  // namespace sojourn
