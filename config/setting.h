// One value of a configuration, set by its name and a text, as `sojourn set` does.
#pragma once

#include <string>
#include <string_view>

#include "config/config.h"

namespace sojourn {

// What is to be set: wires[wire].direction.key = value. `wire` may be empty where there is one wire. `value` as tc
// would have it: 38mbit, 5ms, on, 2048; "default" where a key has a default that is derived.
struct Setting {
  std::string wire, direction, key, value;
};

// The configuration with the setting, as valid as one from a file; errors and warnings name the key, and no file.
Result with_setting(const Config& config, const Setting& setting);

// The text of a configuration file with the setting written into it and nothing else changed, or in `error` one
// sentence why not.
struct Edited {
  std::string text;
  std::string error;
};
Edited edited(const std::string& text, const std::string& filename, const Setting& setting);

}  // namespace sojourn
