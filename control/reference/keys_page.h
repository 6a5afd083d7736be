// The manual page of the configuration file, from the tables of its keys.
#pragma once

#include <string>
#include <vector>

namespace sojourn::reference {

struct Example {
  std::string name, text;
};

std::string keys_page(const std::string& version, const std::vector<Example>& examples);

}  // namespace sojourn::reference
