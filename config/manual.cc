#include "config/manual.h"

#include "config/keys.h"
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
  for (const PresetRow& preset : preset_rows()) {
    std::string values;
    for (const std::string& value : preset.values) values += (values.empty() ? "`" : ", `") + value + '`';
    out += "| `\"" + preset.name + "\"` | " + preset.meaning + " | " + values + " |\n";
  }
  return out;
}

}  // namespace

std::vector<ManualSection> manual_sections() {
  return {section_of("The file", config_keys()),
          section_of("Each of `ports`", port_keys()),
          section_of("Each of `wires`", wire_keys()),
          section_of("`egress` and `ingress`", direction_keys()),
          section_of("Each of `rules`", rule_keys()),
          section_of("Each of `lab`", lab_path_keys()),
          section_of("Each of `timetable`", lab_change_keys()),
          section_of("`control`", control_keys()),
          section_of("`worker`", worker_keys())};
}

std::vector<PresetRow> preset_rows() {
  std::vector<PresetRow> rows;
  for (const Preset& preset : presets()) {
    PresetRow& row = rows.emplace_back(PresetRow{std::string(preset.name), std::string(preset.meaning), {}});
    for (const PresetValue& value : preset.values)
      row.values.push_back(std::string(value.key) + " = " + text_of(value));
  }
  return rows;
}

std::string markdown(const ManualSection& section) {
  std::string out = "### " + section.title + "\n\n| key | unit | default | range | meaning |\n|---|---|---|---|---|\n";
  for (const KeyRow& row : section.rows) {
    out +=
        "| `" + row.name + "` | " + row.unit + " | " + row.fallback + " | " + row.range + " | " + row.meaning + " |\n";
  }
  return out + '\n';
}

std::string manual_markdown() {
  std::string out;
  for (const ManualSection& section : manual_sections()) out += markdown(section);
  return out + preset_section();
}

}  // namespace sojourn
