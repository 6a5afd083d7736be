#include "config/setting.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "config/effective.h"
#include "config/keys.h"
#include "config/nearest.h"
#include "config/node.h"

namespace sojourn {
namespace {

// A word on a command line as the node that a file would give.
Node node_of(const std::string& text) {
  Node node;
  node.text = std::string(trimmed(text));
  int64_t number = 0;
  const char* end = node.text.data() + node.text.size();
  const auto parsed = std::from_chars(node.text.data(), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end) {
    node.kind = Node::Kind::kInteger;
    node.integer = number;
  } else if (node.text == "true" || node.text == "on" || node.text == "false" || node.text == "off") {
    node.kind = Node::Kind::kBoolean;
    node.boolean = node.text == "true" || node.text == "on";
  } else {
    node.kind = Node::Kind::kString;
  }
  return node;
}

// `off` is a boolean to some keys and a word to others.
std::string read(const Key<DirectionConfig>& key, const std::string& value, DirectionConfig& direction) {
  Node node = node_of(value);
  const std::string reason = key.read(node, direction);
  if (reason.empty() || node.kind != Node::Kind::kBoolean) return reason;
  node.kind = Node::Kind::kString;
  return key.read(node, direction).empty() ? "" : reason;
}

std::string set_default(DirectionConfig& direction, const std::string& key) {
  if (key != "burst") return "only burst has a default that can be set; give a value";
  direction.parameters.burst_bytes.reset();
  return {};
}

std::string set(DirectionConfig& direction, const Setting& setting) {
  const auto key = std::ranges::find(direction_keys(), setting.key, &Key<DirectionConfig>::name);
  if (key == direction_keys().end()) {
    const auto known = names_of(direction_keys());
    return "unknown key" + suggestion(setting.key, known);
  }
  if (setting.key == "preset") return "is many values at once; write it into a file and apply that";
  return setting.value == "default" ? set_default(direction, setting.key) : read(*key, setting.value, direction);
}

WireConfig* wire_of(Config& config, const std::string& name, std::string& error) {
  if (name.empty() && config.wires.size() == 1) return &config.wires.front();
  std::vector<std::string> names;
  for (WireConfig& w : config.wires) {
    if (w.name == name) return &w;
    names.push_back(w.name);
  }
  std::string list;
  for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
  error = name.empty() ? "there are several wires, name one: " + list : "no wire \"" + name + "\"; there is: " + list;
  return nullptr;
}

Result refusal(const std::string& name, const std::string& message) {
  Result result;
  result.errors.push_back({"", 0, name, message});
  return result;
}

void remove_places(std::vector<Diagnostic>& list) {
  for (Diagnostic& d : list) d.file.clear(), d.line = 0;
}

std::string literal(const Config& config, const Setting& setting) {
  std::string error;
  Config copy = config;
  const WireConfig* wire = wire_of(copy, setting.wire, error);
  const DirectionConfig& direction = setting.direction == "egress" ? wire->egress : wire->ingress;
  return std::ranges::find(direction_keys(), setting.key, &Key<DirectionConfig>::name)->text(direction);
}

size_t start_of_line(const std::string& text, int line) {
  size_t at = 0;
  for (int i = 1; i < line && at != std::string::npos; ++i) {
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  return at;
}

// Where `key = value` may stand from `from` on: the value's beginning and end. A hint only; whoever edits there reads
// the outcome back.
std::vector<std::pair<size_t, size_t>> values_of(const std::string& text, size_t from, const std::string& key) {
  std::vector<std::pair<size_t, size_t>> found;
  const size_t stop = text.find('\n', from);
  for (size_t at = text.find(key, from); at < stop && at != std::string::npos; at = text.find(key, at + 1)) {
    size_t begin = text.find_first_not_of(" \t", at + key.size());
    if (begin == std::string::npos || (text[begin] != '=' && text[begin] != ':')) continue;
    begin = text.find_first_not_of(" \t\r\n", begin + 1);
    if (begin == std::string::npos) continue;
    size_t end = text[begin] == '"' ? text.find('"', begin + 1) : text.find_first_of(" \t\r\n;,}", begin);
    if (end == std::string::npos) continue;
    found.emplace_back(begin, text[begin] == '"' ? end + 1 : end);
  }
  return found;
}

}  // namespace

Result with_setting(const Config& config, const Setting& setting) {
  if (setting.direction != "egress" && setting.direction != "ingress")
    return refusal(setting.direction, "is no direction; there are egress, ingress");
  Config next = config;
  std::string error;
  WireConfig* wire = wire_of(next, setting.wire, error);
  if (wire == nullptr) return refusal("", error);
  DirectionConfig& direction = setting.direction == "egress" ? wire->egress : wire->ingress;
  const std::string name = "wires[" + wire->name + "]." + setting.direction + '.' + setting.key;
  if (const std::string reason = set(direction, setting); !reason.empty()) return refusal(name, reason);
  Result result = parse(effective_text(next), "");
  remove_places(result.errors);
  remove_places(result.warnings);
  return result;
}

Edited edited(const std::string& text, const std::string& filename, const Setting& setting) {
  const Result before = parse(text, filename);
  if (!before.ok()) return {"", filename + " is not valid any more: " + to_string(before.errors.front(), "error")};
  const Result wanted = with_setting(before.config, setting);
  if (!wanted.ok()) return {"", to_string(wanted.errors.front(), "error")};
  Setting named = setting;
  if (named.wire.empty()) named.wire = before.config.wires.front().name;
  const std::string group = "wires[" + named.wire + "]." + named.direction;
  const std::string value = literal(wanted.config, named);
  const auto is_it = [&](const std::string& candidate) {
    const Result after = parse(candidate, filename);
    return after.ok() && after.config == wanted.config;
  };
  if (before.config == wanted.config) return {text, ""};
  if (const auto place = before.places.find(group + '.' + named.key);
      place != before.places.end() && place->second.file == filename) {
    for (const auto& [begin, end] : values_of(text, start_of_line(text, place->second.line), named.key)) {
      std::string candidate = text;
      candidate.replace(begin, end - begin, value);
      if (is_it(candidate)) return {candidate, ""};
    }
  } else if (const auto at = before.places.find(group);
             at != before.places.end() && at->second.file == filename && !value.empty()) {
    const size_t line = start_of_line(text, at->second.line);
    for (size_t brace = text.find('{', line); brace != std::string::npos; brace = text.find('{', brace + 1)) {
      std::string candidate = text;
      candidate.insert(brace + 1, ' ' + named.key + " = " + value + ';');
      if (is_it(candidate)) return {candidate, ""};
    }
  }
  return {"", filename + ": found no place to write it; set " + group + '.' + named.key + " = " + value + " by hand"};
}

}  // namespace sojourn
