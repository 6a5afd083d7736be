#include "config/direction.h"

#include <algorithm>

#include "config/presets.h"
#include "config/read_group.h"

namespace sojourn {
namespace {

Node node_of(const PresetValue& value, const Where& where) {
  Node node;
  node.name = value.key;
  node.where = where;
  if (const int* integer = std::get_if<int>(&value.value)) {
    node.kind = Node::Kind::kInteger;
    node.integer = *integer;
  } else if (const bool* boolean = std::get_if<bool>(&value.value)) {
    node.kind = Node::Kind::kBoolean;
    node.boolean = *boolean;
  } else {
    node.kind = Node::Kind::kString;
    node.text = std::get<std::string_view>(value.value);
  }
  return node;
}

// Fills in the preset's values. Returns whether it has `key`.
bool apply_preset(const Preset& preset, DirectionConfig& direction, std::string_view key) {
  for (const PresetValue& value : preset.values) {
    const auto found = std::ranges::find(direction_keys(), value.key, &Key<DirectionConfig>::name);
    found->read(node_of(value, direction.where), direction);
  }
  return std::ranges::find(preset.values, key, &PresetValue::key) != preset.values.end();
}

}  // namespace

void read_direction(Document& document, const Node& node, const std::string& name, uint32_t mtu_bytes,
                    DirectionConfig& out) {
  out.where = node.where;
  out.parameters.quantum_bytes = default_quantum_bytes(mtu_bytes);
  const Node* preset_node = child(node, "preset");
  const Preset* preset = preset_node == nullptr ? nullptr : find_preset(preset_node->text);
  const bool has_rate = preset != nullptr && apply_preset(*preset, out, "rate");
  if (!read_keys(document, node, name, direction_keys(), out)) return;
  require_keys(document, node, name, direction_keys(), has_rate ? "rate" : "");
}

}  // namespace sojourn
