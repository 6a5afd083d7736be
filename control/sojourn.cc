// The command line tool. It links no DPDK: a configuration can be checked where there is none.
#include <exception>
#include <iostream>

#include "control/check.h"
#include "control/command_line.h"

int main(int argc, char** argv) {
  int exit_code = sojourn::kExitOk;
  const auto app = sojourn::tool_command_line(exit_code);
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app->exit(e) == 0 ? sojourn::kExitOk : sojourn::kExitUsage;
  } catch (const std::exception& e) {
    std::cerr << "sojourn: " << e.what() << '\n';
    return sojourn::kExitUsage;
  }
  return exit_code;
}
