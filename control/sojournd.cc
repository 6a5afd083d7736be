// sojournd: the data plane's process.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>

#include "config/config.h"
#include "control/daemon.h"
#include "control/log.h"
#include "spdlog/sinks/stdout_sinks.h"

namespace {

constexpr int kExitFailed = 1, kExitUsage = 2;

struct Options {
  std::string config = "/etc/sojourn/sojourn.conf";
  std::string log_level = "info";
  std::string report;
};

void set_up_log(const std::string& level) {
  spdlog::set_default_logger(spdlog::stderr_logger_st("sojournd"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %l: %v");
  spdlog::set_level(spdlog::level::from_str(level));
}

int run(const Options& options) {
  const sojourn::Result result = sojourn::load(options.config);
  for (const auto& w : result.warnings) std::fprintf(stderr, "%s\n", to_string(w, "warning").c_str());
  for (const auto& e : result.errors) std::fprintf(stderr, "%s\n", to_string(e, "error").c_str());
  if (!result.ok()) return kExitFailed;
  sojourn::log::info("sojournd {}, configuration {}", SOJOURN_VERSION, options.config);
  sojourn::Daemon daemon(result.config, options.config, SOJOURN_VERSION);
  const nlohmann::json report = daemon.run();
  if (options.report.empty()) return 0;
  std::ofstream out(options.report);
  out << report.dump(2) << "\n";
  if (out.flush()) return 0;
  sojourn::log::error("report {}: cannot be written", options.report);
  return kExitFailed;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"sojournd: shapes a wire between two DPDK ports with flow queues, CoDel and ECN"};
  app.set_version_flag("--version", "sojournd " SOJOURN_VERSION);
  app.add_option("-c,--config", options.config, "configuration file")->capture_default_str();
  app.add_option("--log-level", options.log_level, "what the log shows")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  app.add_option("--report", options.report, "write the final statistics to this file, as JSON, at the end");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    return code == 0 ? 0 : kExitUsage;
  }
  set_up_log(options.log_level);
  try {
    return run(options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "sojournd: %s\n", e.what());
    return kExitFailed;
  }
}
