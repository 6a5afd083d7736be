// What sojournd takes on its command line; its manual and completion are written from it.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

namespace sojourn {

struct DaemonOptions {
  std::string config = "/etc/sojourn/sojourn.conf";
  std::string log_level = "info";
  std::string report;
  std::string unshaped;  // why nothing is to be shaped, whatever the configuration says; empty: it is
};

std::unique_ptr<CLI::App> daemon_command_line(DaemonOptions& options);

}  // namespace sojourn
