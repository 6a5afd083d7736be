// The command line tool. It links no DPDK: a configuration can be checked where there is none.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "control/apply.h"
#include "control/check.h"
#include "control/import.h"
#include "control/keys.h"
#include "control/replay.h"
#include "control/show.h"
#include "control/sim.h"

int main(int argc, char** argv) {
  CLI::App app("sojourn: shapes what passes between two ports and keeps its queue short", "sojourn");
  app.set_version_flag("--version", "sojourn " SOJOURN_VERSION);
  app.require_subcommand(1);
  int exit_code = sojourn::kExitOk;
  sojourn::add_check(app, exit_code);
  sojourn::add_import(app, exit_code);
  sojourn::add_show(app, exit_code);
  sojourn::add_apply(app, exit_code);
  sojourn::add_replay(app, exit_code);
  sojourn::add_keys(app);
  sojourn::add_sim(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? sojourn::kExitOk : sojourn::kExitUsage;
  } catch (const std::exception& e) {
    std::cerr << "sojourn: " << e.what() << '\n';
    return sojourn::kExitUsage;
  }
  return exit_code;
}
