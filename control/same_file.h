// Whether two paths are one file, before anything is written to either.
#pragma once

#include <string>

namespace sojourn {

// Through links, also to what does not exist yet. "-" is standard input.
bool is_same_file(const std::string& a, const std::string& b);

}  // namespace sojourn
