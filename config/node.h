// A libconfig text as a tree of our own: the only place that knows libconfig.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/source.h"

namespace sojourn {

struct Node {
  enum class Kind { kInteger, kFloat, kString, kBoolean, kGroup, kArray, kList };
  std::string name;  // empty in a list
  Kind kind = Kind::kGroup;
  Where where;
  int64_t integer = 0;
  double number = 0;
  bool boolean = false;
  std::string text;  // of a string, without the blanks at its ends
  std::vector<Node> children;
};

// "the text "40mbit"", "the number 40", "a group { ... }".
std::string describe(const Node& node);

// Absent: `errors` has grown.
std::optional<Node> parse_tree(const Source& source, std::vector<Diagnostic>& errors);

}  // namespace sojourn
