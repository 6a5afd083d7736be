// `sojourn keys`: the reference of configuration keys, as Markdown.
#pragma once

#include <CLI/CLI.hpp>

namespace sojourn {

void add_keys(CLI::App& app);

}  // namespace sojourn
