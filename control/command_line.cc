#include "control/command_line.h"

#include "control/apply.h"
#include "control/check.h"
#include "control/import.h"
#include "control/keys.h"
#include "control/replay.h"
#include "control/show.h"
#include "control/sim.h"

namespace sojourn {

std::unique_ptr<CLI::App> tool_command_line(int& exit_code) {
  auto app =
      std::make_unique<CLI::App>("sojourn: shapes what passes between two ports and keeps its queue short", "sojourn");
  app->set_version_flag("--version", "sojourn " SOJOURN_VERSION);
  app->require_subcommand(1);
  app->footer(
      "Exit code: 0; 1 the configuration is wrong, or sojournd refuses or gives no answer; 2 wrong usage; 3 imported, "
      "but "
      "not all of it has an equivalent.");
  add_check(*app, exit_code);
  add_import(*app, exit_code);
  add_show(*app, exit_code);
  add_apply(*app, exit_code);
  add_replay(*app, exit_code);
  add_keys(*app);
  add_sim(*app, exit_code);
  return app;
}

}  // namespace sojourn
