#include "control/daemon_options.h"

namespace sojourn {

std::unique_ptr<CLI::App> daemon_command_line(DaemonOptions& options) {
  auto app = std::make_unique<CLI::App>(
      "sojournd: shapes a wire between two DPDK ports with flow queues, CoDel and ECN", "sojournd");
  app->set_version_flag("--version", "sojournd " SOJOURN_VERSION);
  app->add_option("-c,--config", options.config, "configuration file")->type_name("FILE")->capture_default_str();
  app->add_option("--log-level", options.log_level, "what the log shows")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  app->add_option("--report", options.report, "write the final statistics to this file, as JSON, at the end")
      ->type_name("FILE");
  app->add_option("--unshaped", options.unshaped, "shape nothing, whatever the configuration says; REASON is shown")
      ->type_name("REASON");
  app->footer(
      "Signals: SIGTERM and SIGINT end it after what is queued has been sent (1 s at most); SIGHUP reads the "
      "configuration "
      "again.\n"
      "Exit code: 0 ended as asked; 1 refused, with one sentence on standard error; 2 wrong usage.");
  return app;
}

}  // namespace sojourn
