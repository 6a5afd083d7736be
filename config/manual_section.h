// One table of keys as a section of the manual.
#pragma once

#include <string>
#include <vector>

#include "config/key.h"

namespace sojourn {

// One key, in words. `like this` is what a file says.
struct KeyRow {
  std::string name, unit, fallback, range, meaning;
};

struct ManualSection {
  std::string title;
  std::vector<KeyRow> rows;
};

// Defaults are those of a default-constructed group: the structures are where they stand.
template <typename Group>
ManualSection section_of(const std::string& title, const std::vector<Key<Group>>& keys) {
  ManualSection section{title, {}};
  for (const Key<Group>& key : keys) {
    std::string fallback = key.is_required ? "required" : key.absent;
    if (fallback.empty()) {
      const std::string text = key.text ? key.text(Group{}) : "";
      fallback = text.empty() ? "none" : '`' + text + '`';
    }
    section.rows.push_back({key.name, key.unit, fallback, key.range, key.meaning});
  }
  return section;
}

std::string markdown(const ManualSection& section);

template <typename Group>
std::string manual_section(const std::string& title, const std::vector<Key<Group>>& keys) {
  return markdown(section_of(title, keys));
}

}  // namespace sojourn
