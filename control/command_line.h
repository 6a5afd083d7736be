// What the tool takes on its command line. The tool runs it; the manual and the completions are written from it.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace sojourn {

// `exit_code` is set when a command has run.
std::unique_ptr<CLI::App> tool_command_line(int& exit_code);

}  // namespace sojourn
