// The reference of keys, made from the tables that read them.
#pragma once

#include <string>

namespace sojourn {

// Markdown: a table of key, unit, default, range and meaning for each kind of group, and one of the presets.
std::string manual_markdown();

}  // namespace sojourn
