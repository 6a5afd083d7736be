#include "config/config.h"

#include <algorithm>
#include <cctype>

#include "config/consistency.h"
#include "config/document.h"
#include "config/keys.h"
#include "config/nearest.h"
#include "config/node.h"
#include "config/presets.h"
#include "config/source.h"

namespace sojourn {
namespace {

constexpr size_t kMostElements = 1024;  // of one list

const Node* child(const Node& node, std::string_view name) {
  const auto found = std::ranges::find(node.children, name, &Node::name);
  return found == node.children.end() ? nullptr : &*found;
}

std::string dotted(const std::string& group, const std::string& key) {
  return group.empty() ? key : group + '.' + key;
}

// Reads the keys of one group by its table. Groups within it are left to the caller. False: not a group.
template <typename Group>
bool read_keys(Document& document, const Node& node, const std::string& name, const std::vector<Key<Group>>& keys,
               Group& out) {
  document.place(name, node.where);
  if (node.kind != Node::Kind::kGroup) {
    document.error(name, "must be a group { ... }, is " + describe(node));
    return false;
  }
  for (const Node& entry : node.children) {
    const std::string path = dotted(name, entry.name);
    document.place(path, entry.where);
    const auto key = std::ranges::find(keys, entry.name, &Key<Group>::name);
    if (key == keys.end()) {
      const auto known = names_of(keys);
      document.error(path, "unknown key" + suggestion(entry.name, known));
    } else if (key->read) {
      if (const std::string reason = key->read(entry, out); !reason.empty()) document.error(path, reason);
    }
  }
  return true;
}

template <typename Group>
void require_keys(Document& document, const Node& node, const std::string& name, const std::vector<Key<Group>>& keys,
                  const std::string& given = {}) {
  for (const Key<Group>& key : keys)
    if (key.is_required && key.name != given && child(node, key.name) == nullptr)
      document.error(dotted(name, key.name), "is missing");
}

// Calls `read(element, name)` for each group of the list `key`.
template <typename Read>
void read_list(Document& document, const Node& node, const std::string& path, std::string_view naming, Read read) {
  if (node.kind != Node::Kind::kList) {
    const bool is_empty_array = node.kind == Node::Kind::kArray && node.children.empty();
    if (!is_empty_array) document.error(path, "must be a list of groups ( { ... }, { ... } ), is " + describe(node));
    return;
  }
  if (node.children.size() > kMostElements)
    return document.error(
        path, "has " + std::to_string(node.children.size()) + " elements; nearest is " + std::to_string(kMostElements));
  Labels labels(path);
  for (const Node& element : node.children) {
    const Node* label = naming.empty() ? nullptr : child(element, naming);
    read(element, labels.next(label == nullptr ? "" : label->text));
  }
}

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

// `mtu_bytes` decides the default quantum, so ports are read before wires.
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

void read_port(Document& document, const Node& node, const std::string& name) {
  PortConfig port;
  port.where = node.where;
  if (read_keys(document, node, name, port_keys(), port)) require_keys(document, node, name, port_keys());
  document.result.config.ports.push_back(std::move(port));
}

void read_wire(Document& document, const Node& node, const std::string& name) {
  WireConfig wire;
  wire.where = node.where;
  if (read_keys(document, node, name, wire_keys(), wire)) require_keys(document, node, name, wire_keys());
  if (const Node* rules = child(node, "rules"))
    read_list(document, *rules, dotted(name, "rules"), "name", [&](const Node& element, const std::string& label) {
      RuleConfig rule;
      rule.where = element.where;
      if (read_keys(document, element, label, rule_keys(), rule)) require_keys(document, element, label, rule_keys());
      wire.rules.push_back(std::move(rule));
    });
  const uint32_t mtu_bytes = wire_mtu_bytes(document.result.config, wire);
  for (const auto& [key, direction] : {std::pair{"egress", &wire.egress}, std::pair{"ingress", &wire.ingress}}) {
    direction->where = node.where;
    direction->parameters.quantum_bytes = default_quantum_bytes(mtu_bytes);
    if (const Node* group = child(node, key))
      read_direction(document, *group, dotted(name, key), mtu_bytes, *direction);
  }
  document.result.config.wires.push_back(std::move(wire));
}

void read_lab_path(Document& document, const Node& node, const std::string& name) {
  LabPathConfig path;
  path.where = node.where;
  if (read_keys(document, node, name, lab_path_keys(), path)) require_keys(document, node, name, lab_path_keys());
  if (const Node* timetable = child(node, "timetable"))
    read_list(document, *timetable, dotted(name, "timetable"), {}, [&](const Node& element, const std::string& label) {
      LabChange change;
      change.where = element.where;
      if (read_keys(document, element, label, lab_change_keys(), change))
        require_keys(document, element, label, lab_change_keys());
      path.timetable.push_back(change);
    });
  document.result.config.lab.push_back(std::move(path));
}

void read_root(Document& document, const Node& root) {
  Config& config = document.result.config;
  read_keys(document, root, "", config_keys(), config);
  require_keys(document, root, "", config_keys());
  using ReadElement = void (*)(Document&, const Node&, const std::string&);
  struct List {
    const char *key, *naming;
    ReadElement read;
    bool may_be_empty;
  };
  for (const List& list : {List{"ports", "name", read_port, false}, List{"wires", "name", read_wire, false},
                           List{"lab", "port", read_lab_path, true}}) {
    const Node* node = child(root, list.key);
    if (node == nullptr) continue;
    read_list(document, *node, list.key, list.naming,
              [&](const Node& element, const std::string& name) { list.read(document, element, name); });
    if (node->children.empty() && !list.may_be_empty) document.error(list.key, "is empty");
  }
  if (const Node* control = child(root, "control"))
    read_keys(document, *control, "control", control_keys(), config.control);
  if (const Node* worker = child(root, "worker")) read_keys(document, *worker, "worker", worker_keys(), config.worker);
}

Result read(const Source& source, const std::string& filename) {
  Document document;
  document.result.errors = source.errors;
  if (!source.is_complete) return document.result;
  const auto root = parse_tree(source, document.result.errors);
  if (!root) return document.result;
  if (root->children.empty() && document.result.ok()) {
    document.result.errors.push_back({filename, 0, {}, "is empty: there are no ports and no wires in it"});
    return document.result;
  }
  document.place("", {filename, 0});
  read_root(document, *root);
  check_consistency(document);
  // In the order of the file, whatever the order of the checks; stable, so that errors before warnings of a line stay.
  for (auto* list : {&document.result.errors, &document.result.warnings})
    std::ranges::stable_sort(*list, {}, [](const Diagnostic& d) { return std::pair(d.file, d.line); });
  return document.result;
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic, std::string_view severity) {
  std::string out = diagnostic.file + ':';
  if (diagnostic.line > 0) out += std::to_string(diagnostic.line) + ':';
  out += ' ' + std::string(severity) + ": ";
  if (!diagnostic.name.empty()) out += diagnostic.name + ": ";
  out += diagnostic.message;
  // One line on a terminal, whatever was in the file.
  std::ranges::replace_if(
      out, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
  return out;
}

Result load(const std::string& path) {
  return read(read_source(path), path);
}

Result parse(std::string_view text, const std::string& filename) {
  return read(expand_source(text, filename), filename);
}

uint32_t wire_mtu_bytes(const Config& config, const WireConfig& wire) {
  uint32_t most = 0;
  for (const PortConfig& port : config.ports)
    if (port.name == wire.inside || port.name == wire.outside)
      most = std::max(most, port.mtu_bytes.value_or(kDefaultMtuBytes));
  return most == 0 ? kDefaultMtuBytes : most;
}

}  // namespace sojourn
