// The text of a configuration with its @include files put in place, and where each line of it came from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace sojourn {

// We expand @include ourselves: libconfig 1.5 ends the process when an included file is a directory, names the wrong
// file in some errors, and looks beside the working directory.
struct Source {
  std::string text;
  std::vector<Where> lines;  // of line i + 1 of `text`
  std::vector<Diagnostic> errors;
  bool is_complete = true;  // false: a part could not be had, so that what follows from the text would mislead

  Where where(int line) const;
};

Source read_source(const std::string& path);
Source expand_source(std::string_view text, const std::string& filename);

}  // namespace sojourn
