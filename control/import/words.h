// Shell text as commands of words, as far as people write tc and ipfw commands into scripts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "control/import/findings.h"

namespace sojourn::imports {

struct Word {
  std::string text;
  int line = 0;
};
using Words = std::vector<Word>;

// The commands of a script: comments are left out, a backslash at the end of a line continues it, quotes hold a word
// together, ";", "&&", "||" and "|" part commands, redirections go, and so do `sudo`, `env` and assignments in front.
// A path in front of the first word is cut. Refuses what a shell would have to expand, and bytes that are no text.
std::vector<Words> commands_of(std::string_view text, Findings& findings);

// The words of one line without any of a shell's meaning.
Words words_of(std::string_view text, int line);

// Line of the byte at `offset`; the first is 1.
int line_at(std::string_view text, size_t offset);

// For a message: the words with blanks between.
std::string joined(const Words& words, size_t from = 0);

}  // namespace sojourn::imports
