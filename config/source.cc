#include "config/source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "config/lexeme.h"

namespace sojourn {
namespace {

constexpr size_t kMostIncludeDepth = 8;
constexpr size_t kMostErrors = 100;
constexpr size_t kMostIncludes = 256;  // in all, so that files that include each other's neighbours cannot explode

// The bytes of a file, or why they cannot be had.
std::string read_file(const std::string& path, std::string& out) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return "no such file";
  if (std::filesystem::is_directory(status)) return "is a directory, not a file";
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::string("cannot be read: ") + std::strerror(errno);
  out.resize(kMostConfigBytes + 1);
  file.read(out.data(), static_cast<std::streamsize>(out.size()));
  if (file.bad()) return std::string("cannot be read: ") + std::strerror(errno);
  out.resize(static_cast<size_t>(file.gcount()));
  if (out.size() > kMostConfigBytes) return "is larger than " + format_size(kMostConfigBytes);
  return {};
}

// Why these bytes are not a text, or "". libconfig would stop at the first NUL and take what precedes it for the whole.
std::string refuse_binary(std::string_view text, int& line) {
  const auto bad = std::find_if(text.begin(), text.end(), [](unsigned char c) {
    return (c < ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f' && c != '\v') || c == 0x7f;
  });
  if (bad == text.end()) return {};
  line = 1 + static_cast<int>(std::count(text.begin(), bad, '\n'));
  return "not a text file: byte " + std::to_string(static_cast<unsigned char>(*bad)) + " at offset " +
         std::to_string(bad - text.begin());
}

class Expansion {
 public:
  explicit Expansion(Source& out) : out_(out) {}

  // `from` is the @include line that asks for the file; for the outermost one, the file itself.
  void load(const std::string& path, const Where& from) {
    std::string text;
    if (const std::string reason = read_file(path, text); !reason.empty())
      return fail(from, open_.empty() ? reason : "included file \"" + path + "\" " + reason);
    expand(std::move(text), path);
  }

  void expand(std::string text, const std::string& filename) {
    int line = 1;
    if (const std::string reason = refuse_binary(text, line); !reason.empty()) return fail({filename, line}, reason);
    open_.push_back(filename);
    size_t done = 0;
    for (const Lexeme& lexeme : significant_lexemes(text)) {
      const Where where{filename, lexeme.line};
      if (lexeme.kind != Lexeme::Kind::kInclude) {
        report(where, lexeme.text);
        out_.is_complete &= lexeme.kind != Lexeme::Kind::kMistake;
        // Still far out of every range, but no longer cut to something plausible.
        if (lexeme.kind == Lexeme::Kind::kTooLarge) replace_number(text, lexeme);
        continue;
      }
      append(std::string_view(text).substr(done, lexeme.begin - done), {filename, line});
      include(lexeme.text, where);
      done = lexeme.end;
      line = lexeme.line + 1;
    }
    append(std::string_view(text).substr(done), {filename, line});
    open_.pop_back();
  }

 private:
  void include(const std::string& name, const Where& where) {
    const auto path = (std::filesystem::path(where.file).parent_path() / name).lexically_normal().string();
    if (std::find(open_.begin(), open_.end(), path) != open_.end())
      return fail(where, "\"" + path + "\" includes itself");
    if (open_.size() > kMostIncludeDepth || ++includes_ > kMostIncludes)
      return fail(where, "too many @include: at most " + std::to_string(kMostIncludes) + ", " +
                             std::to_string(kMostIncludeDepth) + " deep");
    load(path, where);
  }

  static void replace_number(std::string& text, const Lexeme& lexeme) {
    std::string most = std::to_string(INT32_MAX);
    most.resize(lexeme.end - lexeme.begin, ' ');  // never shorter: see Lexeme
    text.replace(lexeme.begin, most.size(), most);
  }

  void append(std::string_view text, Where first) {
    if (text.empty()) return;
    if (out_.text.size() + text.size() > kMostConfigBytes)
      return fail(first, "with what it includes is larger than " + format_size(kMostConfigBytes));
    out_.text += text;
    if (!text.ends_with('\n')) out_.text += '\n';
    const auto added = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + !text.ends_with('\n');
    for (int i = 0; i < added; ++i) out_.lines.push_back({first.file, first.line + i});
  }

  void fail(const Where& where, const std::string& message) {
    report(where, message);
    out_.is_complete = false;
  }

  void report(const Where& where, const std::string& message) {
    if (out_.errors.size() < kMostErrors) out_.errors.push_back({where.file, where.line, {}, message});
  }

  Source& out_;
  std::vector<std::string> open_;  // files being expanded, outermost first
  size_t includes_ = 0;
};

}  // namespace

Where Source::where(int line) const {
  if (lines.empty()) return {};
  const auto last = static_cast<int>(lines.size());
  return lines[static_cast<size_t>(std::clamp(line, 1, last) - 1)];
}

Source read_source(const std::string& path) {
  Source source;
  Expansion(source).load(path, {path, 0});
  return source;
}

Source expand_source(std::string_view text, const std::string& filename) {
  Source source;
  if (text.size() > kMostConfigBytes)
    return {{}, {}, {{filename, 0, {}, "is larger than " + format_size(kMostConfigBytes)}}, false};
  Expansion(source).expand(std::string(text), filename);
  return source;
}

}  // namespace sojourn
