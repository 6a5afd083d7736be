#include "control/check.h"

#include <iostream>
#include <memory>

#include "config/config.h"
#include "config/effective.h"

namespace sojourn {

void add_check(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* check = app.add_subcommand("check", "Check a configuration and print what would be in force");
  check->add_option("FILE", options->file, "configuration")->required();
  check->add_flag("-j,--json", options->as_json, "print JSON");
  check->callback([options, &exit_code] { exit_code = run_check(*options, std::cout, std::cerr); });
}

int run_check(const CheckOptions& options, std::ostream& out, std::ostream& err) {
  const Result result = load(options.file);
  for (const Diagnostic& d : result.errors) err << to_string(d, "error") << '\n';
  for (const Diagnostic& d : result.warnings) err << to_string(d, "warning") << '\n';
  if (!result.ok()) return kExitFailed;
  out << (options.as_json ? effective_json(result.config) : effective_text(result.config)) << std::flush;
  if (out) return kExitOk;
  err << "cannot write the effective configuration\n";
  return kExitFailed;
}

}  // namespace sojourn
