// Reading one group, or a list of groups, by a table of keys: what configurations and scenarios have in common.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.h"
#include "config/key.h"
#include "config/keys.h"
#include "config/nearest.h"
#include "config/node.h"

namespace sojourn {

inline constexpr size_t kMostElements = 1024;  // of one list

inline const Node* child(const Node& node, std::string_view name) {
  const auto found = std::ranges::find(node.children, name, &Node::name);
  return found == node.children.end() ? nullptr : &*found;
}

inline std::string dotted(const std::string& group, const std::string& key) {
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

}  // namespace sojourn
