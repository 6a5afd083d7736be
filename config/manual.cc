#include "config/manual.h"

#include "config/keys.h"
#include "config/presets.h"

namespace sojourn {
namespace {

std::string default_text(const std::string& text) {
  return text.empty() ? "none" : '`' + text + '`';
}

// Defaults are those of a default-constructed group: the structures are where they stand.
template <typename Group>
std::string section(const std::string& title, const std::vector<Key<Group>>& keys) {
  std::string out = "### " + title + "\n\n| key | unit | default | range | meaning |\n|---|---|---|---|---|\n";
  for (const Key<Group>& key : keys) {
    std::string fallback = key.is_required ? "required" : key.absent;
    if (fallback.empty()) fallback = default_text(key.text ? key.text(Group{}) : "");
    out += "| `" + key.name + "` | " + key.unit + " | " + fallback + " | " + key.range + " | " + key.meaning + " |\n";
  }
  return out + '\n';
}

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
  return section("The file", config_keys()) + section("Each of `ports`", port_keys()) +
         section("Each of `wires`", wire_keys()) + section("`egress` and `ingress`", direction_keys()) +
         section("Each of `rules`", rule_keys()) + section("Each of `lab`", lab_path_keys()) +
         section("Each of `timetable`", lab_change_keys()) + section("`control`", control_keys()) +
         section("`worker`", worker_keys()) + preset_section();
}

}  // namespace sojourn
