// Whole configuration files.
#pragma once

#include <string>

namespace sojourn {

// Not more than kMostConfigBytes of it. Throws std::runtime_error with one sentence.
std::string read_file(const std::string& path);

// Puts `text` in the place of the file at once, with its owner and mode, following a link; whoever reads has the old or
// the new one. Throws std::runtime_error with one sentence; then the file is as it was.
void replace_file(const std::string& path, const std::string& text);

}  // namespace sojourn
