// `sojourn sim`: what would this setting do to my link? Virtual time, the data plane's own scheduler.
#pragma once

#include <CLI/CLI.hpp>

namespace sojourn {

// Adds the subcommand; `exit_code` is set when it has run.
void add_sim(CLI::App& app, int& exit_code);

}  // namespace sojourn
