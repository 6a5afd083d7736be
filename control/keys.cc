#include "control/keys.h"

#include <iostream>

#include "config/manual.h"

namespace sojourn {

void add_keys(CLI::App& app) {
  app.add_subcommand("keys", "Print every configuration key: unit, default, range, meaning")->callback([] {
    std::cout << manual_markdown() << std::flush;
  });
}

}  // namespace sojourn
