// A configuration while it is being read: what has been understood, what is wrong, and where everything stands.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "config/config.h"

namespace sojourn {

class Document {
 public:
  Result result;

  void place(const std::string& name, const Where& where) { result.places.emplace(name, where); }
  bool has(const std::string& name) const { return result.places.contains(name); }
  void error(const std::string& name, const std::string& message) { report(result.errors, name, message); }
  void warning(const std::string& name, const std::string& message) { report(result.warnings, name, message); }

 private:
  // A key that is not in the file (a preset's, a default) is reported at the group that has it.
  Where where(std::string name) const {
    for (;;) {
      if (const auto found = result.places.find(name); found != result.places.end()) return found->second;
      const size_t dot = name.rfind('.');
      if (dot == std::string::npos) return result.places.contains("") ? result.places.at("") : Where{};
      name.resize(dot);
    }
  }
  void report(std::vector<Diagnostic>& list, const std::string& name, const std::string& message) {
    const Where at = where(name);
    list.push_back({at.file, at.line, name, message});
  }
};

// What the elements of one list are called in diagnostics: "ports[wan]"; by their place when they have no name or a
// name already taken. Ask for them in order.
class Labels {
 public:
  explicit Labels(std::string list) : list_(std::move(list)) {}
  std::string next(const std::string& name) {
    const bool has_name = !name.empty() && seen_.insert(name).second;
    const std::string place = std::to_string(count_++);
    return list_ + '[' + (has_name ? name : place) + ']';
  }

 private:
  std::string list_;
  std::set<std::string> seen_;
  size_t count_ = 0;
};

}  // namespace sojourn
