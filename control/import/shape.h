// What one direction of a wire is to be: keys of config/keys.cc with their values as a configuration says them.
#pragma once

#include <map>
#include <string>

namespace sojourn::imports {

struct Setting {
  std::string value;    // as libconfig text
  std::string comment;  // one line, "": none
};

struct Shape {
  std::string origin;  // for people: "tc: cake on eth0"
  int line = 0;
  bool is_ingress = false;                  // as far as it says so itself
  std::map<std::string, Setting> settings;  // of the direction
  std::map<std::string, Setting> lab;       // of a lab path on the port that transmits this direction

  void set(const std::string& key, std::string value, std::string comment = {}) {
    settings[key] = {std::move(value), std::move(comment)};
  }
  bool has(const std::string& key) const { return settings.contains(key); }
};

}  // namespace sojourn::imports
