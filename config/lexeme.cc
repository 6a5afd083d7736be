#include "config/lexeme.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace sojourn {
namespace {

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '*';
}
bool is_name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '*' || c == '-' || c == '_';
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Lexeme> run() {
    while (at_ < text_.size()) step();
    return std::move(found_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '#' || starts_with("//")) return skip_comment(1, "\n");
    if (starts_with("/*")) return skip_comment(2, "*/");
    if (c == '"') return skip_string();
    if (c == '@') return include();
    if (is_name_start(c)) return skip_name();
    if (std::isdigit(static_cast<unsigned char>(c))) return integer();
    advance(1);
  }

  bool starts_with(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }

  void advance(size_t count) {
    const auto from = text_.begin() + static_cast<std::ptrdiff_t>(at_);
    line_ += static_cast<int>(std::count(from, from + static_cast<std::ptrdiff_t>(count), '\n'));
    at_ += count;
  }

  // Past the first `end` after the two characters, or the one, that opened a comment.
  void skip_comment(size_t opening, std::string_view end) {
    const size_t found = text_.find(end, at_ + opening);
    advance(found == std::string_view::npos ? text_.size() - at_ : found + end.size() - at_);
  }

  void skip_string() {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    advance(std::min(end + 1, text_.size()) - at_);
  }

  void skip_name() {
    size_t end = at_;
    while (end < text_.size() && is_name_part(text_[end])) ++end;
    advance(end - at_);
  }

  void refuse(Lexeme::Kind kind, size_t end, std::string message) {
    found_.push_back({kind, std::move(message), line_, at_, end});
  }

  // `@include "name"` alone on its line.
  void include() {
    const size_t begin = at_ == 0 ? 0 : text_.rfind('\n', at_ - 1) + 1;
    const size_t newline = std::min(text_.find('\n', at_), text_.size());
    std::string_view before = text_.substr(begin, at_ - begin), line = text_.substr(at_, newline - at_);
    const size_t open = line.find('"'), close = open == line.npos ? open : line.find('"', open + 1);
    const bool alone = before.find_first_not_of(" \t") == before.npos;
    if (!alone || !line.starts_with("@include") || close == line.npos || close == open + 1 ||
        line.substr(8, open - 8).find_first_not_of(" \t") != line.npos || !is_end(line.substr(close + 1))) {
      refuse(Lexeme::Kind::kMistake, at_, "write @include \"FILE\" on a line of its own");
      return advance(newline - at_);
    }
    const size_t end = std::min(newline + 1, text_.size());
    found_.push_back({Lexeme::Kind::kInclude, std::string(line.substr(open + 1, close - open - 1)), line_, begin, end});
    advance(end - at_);
  }

  static bool is_end(std::string_view rest) {
    const size_t first = rest.find_first_not_of(" \t\r");
    return first == rest.npos || rest[first] == '#' || rest.substr(first).starts_with("//");
  }

  // libconfig keeps the low 32 bits of a whole number (64 with an L) and says nothing: flows = 4294968320 would be
  // 1024.
  void integer() {
    const bool hex = starts_with("0x") || starts_with("0X");
    const std::string_view digits = hex ? "0123456789abcdefABCDEF" : "0123456789";
    const size_t first = at_ + (hex ? 2 : 0);
    const size_t end = std::min(text_.find_first_not_of(digits, first), text_.size());
    const char next = end < text_.size() ? text_[end] : ' ';
    const bool is_float = !hex && (next == '.' || next == 'e' || next == 'E');
    const uint64_t most = next == 'L' ? INT64_MAX : INT32_MAX;
    uint64_t value = 0;
    const unsigned base = hex ? 16 : 10;
    for (size_t i = first; i < end && value <= most && !is_float; ++i) {
      const auto digit = static_cast<unsigned>(std::isdigit(static_cast<unsigned char>(text_[i]))
                                                   ? text_[i] - '0'
                                                   : std::tolower(static_cast<unsigned char>(text_[i])) - 'a' + 10);
      value = value > (UINT64_MAX - digit) / base ? UINT64_MAX : value * base + digit;
    }
    if (value > most)
      refuse(Lexeme::Kind::kTooLarge, std::min(text_.find_first_not_of('L', end), text_.size()),
             "number " + std::string(text_.substr(at_, std::min<size_t>(end - at_, 40))) +
                 " is too large: nearest is " + std::to_string(most));
    advance(end - at_);
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  std::vector<Lexeme> found_;
};

}  // namespace

std::vector<Lexeme> significant_lexemes(std::string_view text) {
  return Scanner(text).run();
}

}  // namespace sojourn
