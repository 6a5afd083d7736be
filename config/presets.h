// Named sets of values, and nothing else. A key given beside the preset overrides it.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sojourn {

struct PresetValue {
  std::string_view key;  // of a direction
  std::variant<int, bool, std::string_view> value;
};

struct Preset {
  std::string_view name;
  std::string_view meaning;
  std::vector<PresetValue> values;
};

const std::vector<Preset>& presets();
const Preset* find_preset(std::string_view name);
std::vector<std::string> preset_names();

}  // namespace sojourn
