// One table of keys as a section of the manual, in Markdown.
#pragma once

#include <string>
#include <vector>

#include "config/key.h"

namespace sojourn {

// Defaults are those of a default-constructed group: the structures are where they stand.
template <typename Group>
std::string manual_section(const std::string& title, const std::vector<Key<Group>>& keys) {
  std::string out = "### " + title + "\n\n| key | unit | default | range | meaning |\n|---|---|---|---|---|\n";
  for (const Key<Group>& key : keys) {
    std::string fallback = key.is_required ? "required" : key.absent;
    if (fallback.empty()) {
      const std::string text = key.text ? key.text(Group{}) : "";
      fallback = text.empty() ? "none" : '`' + text + '`';
    }
    out += "| `" + key.name + "` | " + key.unit + " | " + fallback + " | " + key.range + " | " + key.meaning + " |\n";
  }
  return out + '\n';
}

}  // namespace sojourn
