// The reference of keys, made from the tables that read them.
#pragma once

#include <string>
#include <vector>

#include "config/manual_section.h"

namespace sojourn {

// A section for each kind of group.
std::vector<ManualSection> manual_sections();

// What a preset stands for, in words.
struct PresetRow {
  std::string name, meaning;
  std::vector<std::string> values;  // as a file would say them
};
std::vector<PresetRow> preset_rows();

// Markdown: a table of key, unit, default, range and meaning for each kind of group, and one of the presets.
std::string manual_markdown();

}  // namespace sojourn
