// The few lexemes of a libconfig text that must be seen before libconfig sees them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sojourn {

struct Lexeme {
  // kInclude: an @include line; `text` is the file's name and [begin, end) the whole line with its newline.
  // kMistake: an @ that is no such line. kTooLarge: a number, at [begin, end), that libconfig would cut short. `text`
  // says what is wrong.
  enum class Kind { kInclude, kMistake, kTooLarge } kind;
  std::string text;
  int line;  // the first is 1
  size_t begin = 0, end = 0;
};

// In order of appearance. Comments and strings hold none.
std::vector<Lexeme> significant_lexemes(std::string_view text);

}  // namespace sojourn
