#include "config/manual.h"

#include "config/keys.h"
#include "config/manual_section.h"
#include "config/presets.h"

namespace sojourn {
namespace {

std::string text_of(const PresetValue& value) {
  if (const int* integer = std::get_if<int>(&value.value)) return std::to_string(*integer);
  if (const bool* boolean = std::get_if<bool>(&value.value)) return *boolean ? "true" : "false";
  return quote(std::get<std::string_view>(value.value));
}

std::string preset_section() {
  std::string out = "### Presets\n\n| preset | for | values |\n|---|---|---|\n";
  for (const Preset& preset : presets()) {
    std::string values;
    for (const PresetValue& value : preset.values)
      values += (values.empty() ? "" : ", ") + std::string("`") + std::string(value.key) + " = " + text_of(value) + '`';
    out += "| `\"" + std::string(preset.name) + "\"` | " + std::string(preset.meaning) + " | " + values + " |\n";
  }
  return out;
}

}  // namespace

std::string manual_markdown() {
  return manual_section("The file", config_keys()) + manual_section("Each of `ports`", port_keys()) +
         manual_section("Each of `wires`", wire_keys()) + manual_section("`egress` and `ingress`", direction_keys()) +
         manual_section("Each of `rules`", rule_keys()) + manual_section("Each of `lab`", lab_path_keys()) +
         manual_section("Each of `timetable`", lab_change_keys()) + manual_section("`control`", control_keys()) +
         manual_section("`worker`", worker_keys()) + preset_section();
}

}  // namespace sojourn
