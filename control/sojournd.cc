// sojournd: the data plane's process.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <optional>
#include <vector>

#include "config/config.h"
#include "config/fail_open.h"
#include "control/daemon.h"
#include "control/daemon_options.h"
#include "control/log.h"
#include "control/report_file.h"
#include "spdlog/sinks/stdout_sinks.h"

namespace {

using sojourn::DaemonOptions;

constexpr int kExitFailed = 1, kExitUsage = 2;

void set_up_log(const std::string& level) {
  spdlog::set_default_logger(spdlog::stderr_logger_st("sojournd"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %l: %v");
  spdlog::set_level(spdlog::level::from_str(level));
}

// What is to be run, with every reason said why it is not as it was written; absent: nothing is.
std::optional<sojourn::Config> configured(const DaemonOptions& options) {
  const sojourn::Result result = sojourn::load(options.config);
  for (const auto& w : result.warnings) std::fprintf(stderr, "%s\n", to_string(w, "warning").c_str());
  for (const auto& e : result.errors) std::fprintf(stderr, "%s\n", to_string(e, "error").c_str());
  auto config = result.ok() ? std::optional(result.config) : sojourn::fail_open(result);
  if (config && !options.unshaped.empty()) config = unshaped(*config, options.unshaped);
  return config;
}

// on_error = "wire": what has failed may be the shaping's (its memory, its tables), and DPDK starts once in a process.
// So the same process begins anew without any; if it is not the shaping, that fails too, and says why.
void run_as_wire(const DaemonOptions& options, const std::string& reason) {
  sojourn::log::error("{}", reason);
  sojourn::log::error("on_error = \"wire\": starting again with every direction unshaped");
  std::vector<std::string> words = {"sojournd",        "--config",   options.config, "--log-level",
                                    options.log_level, "--unshaped", reason};
  if (!options.report.empty()) words.insert(words.end(), {"--report", options.report});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv("/proc/self/exe", arguments.data());
}

int run(const DaemonOptions& options) {
  const std::optional<sojourn::Config> config = configured(options);
  if (!config) return kExitFailed;
  sojourn::log::info("sojournd {}, configuration {}", SOJOURN_VERSION, options.config);
  sojourn::ReportFile report(options.report);
  std::optional<sojourn::Daemon> started;
  try {
    started.emplace(*config, options.config, SOJOURN_VERSION);
  } catch (const std::exception& e) {
    if (config->on_error == sojourn::OnError::kWire && options.unshaped.empty()) run_as_wire(options, e.what());
    throw;
  }
  report.write(started->run().dump(2) + '\n');
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  sojourn::DaemonOptions options;
  const auto app = sojourn::daemon_command_line(options);
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = app->exit(e);
    return code == 0 ? 0 : kExitUsage;
  }
  std::signal(SIGPIPE, SIG_IGN);  // a reader of the log that ends does not end the wire
  set_up_log(options.log_level);
  try {
    return run(options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "sojournd: %s\n", e.what());
    return kExitFailed;
  }
}
