#include "config/config.h"

#include <algorithm>
#include <cctype>

#include "config/consistency.h"
#include "config/direction.h"
#include "config/keys.h"
#include "config/read_group.h"
#include "config/source.h"

namespace sojourn {
namespace {

void read_port(Document& document, const Node& node, const std::string& name) {
  PortConfig port;
  port.where = node.where;
  if (read_keys(document, node, name, port_keys(), port)) require_keys(document, node, name, port_keys());
  document.result.config.ports.push_back(std::move(port));
}

// `mtu_bytes` decides the default quantum, so ports are read before wires.
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
  std::string out;
  if (!diagnostic.file.empty()) {
    out = diagnostic.file + ':';
    if (diagnostic.line > 0) out += std::to_string(diagnostic.line) + ':';
    out += ' ';
  }
  out += std::string(severity) + ": ";
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
