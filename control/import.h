// `sojourn import`: the configuration of another shaper as sojourn's.
#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <string>

#include "control/import/wire.h"

namespace sojourn {

struct ImportOptions {
  bool is_dummynet = false;  // else tc
  std::string file = "-";    // standard input
  std::string out;           // "": standard output
  bool may_overwrite = false;
  imports::Ends ends;
};

inline constexpr int kExitPartly = 3;  // a configuration was written, but something has no equivalent

// Adds the subcommand; `exit_code` is set when it has run.
void add_import(CLI::App& app, int& exit_code);

// The configuration goes to `out` or a file, what is to be said to `err`.
int run_import(const ImportOptions& options, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace sojourn
