// `sojourn check FILE`: is it a configuration, and what would be in force?
#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <string>

namespace sojourn {

struct CheckOptions {
  std::string file;
  bool as_json = false;
};

// Exit codes of the tool.
inline constexpr int kExitOk = 0;
inline constexpr int kExitConfigErrors = 1;
inline constexpr int kExitUsage = 2;

// Adds the subcommand; `exit_code` is set when it has run.
void add_check(CLI::App& app, int& exit_code);

// The effective configuration goes to `out` when there is one, diagnostics to `err`.
int run_check(const CheckOptions& options, std::ostream& out, std::ostream& err);

}  // namespace sojourn
