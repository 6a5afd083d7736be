#include "control/import/words.h"

#include <algorithm>
#include <cctype>

#include "config/key.h"

namespace sojourn::imports {
namespace {

bool is_assignment(const std::string& word) {
  const size_t equals = word.find('=');
  return equals != std::string::npos && equals != 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<ptrdiff_t>(equals),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

// What runs the command that follows it.
bool is_runner(const std::string& word) {
  return word == "sudo" || word == "doas" || word == "env" || word == "exec" || word == "nice";
}

void cut_path(std::string& word) {
  if (const size_t slash = word.rfind('/'); slash != std::string::npos) word.erase(0, slash + 1);
}

class Reader {
 public:
  Reader(std::string_view text, Findings& findings) : text_(text), findings_(findings) {}

  std::vector<Words> read() {
    while (at_ < text_.size() && !findings_.is_refused()) step();
    end_command();
    return std::move(out_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\\') return escape();
    if (c == '\'' || c == '"') return quoted(c);
    if (c == '#' && !in_word_) return comment();
    if (c == '\n') return newline();
    if (c == ' ' || c == '\t' || c == '\r') return end_word(), void(++at_);
    if (c == ';' || c == '&' || c == '|') return end_command(), void(++at_);
    if (c == '>' || c == '<') return redirection();
    if (c == '$' || c == '`') return refuse_expansion();
    plain(c);
  }

  void plain(char c) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
      return findings_.refuse(line_, "not a text: byte " + std::to_string(static_cast<unsigned char>(c)) +
                                         " at offset " + std::to_string(at_));
    put(c);
    ++at_;
  }

  void put(char c) {
    if (!in_word_) words_.push_back({{}, line_});
    in_word_ = true;
    words_.back().text += c;
  }

  void escape() {
    const size_t next = text_.substr(at_ + 1).starts_with("\r\n") ? 2 : 1;
    if (at_ + next < text_.size() && text_[at_ + next] == '\n') {
      ++line_;
      at_ += next + 1;
      return;
    }
    if (at_ + 1 < text_.size()) put(text_[at_ + 1]);
    at_ += 2;
  }

  void quoted(char quote) {
    const int begin = line_;
    if (!in_word_) words_.push_back({{}, line_});
    in_word_ = true;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (quote == '"' && (text_[at_] == '$' || text_[at_] == '`')) return refuse_expansion();
      line_ += text_[at_] == '\n';
      words_.back().text += text_[at_];
    }
    if (at_ == text_.size()) findings_.refuse(begin, std::string("a quote ") + quote + " that is not closed");
    ++at_;
  }

  void comment() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  void newline() {
    end_command();
    ++line_;
    ++at_;
  }

  void end_word() { in_word_ = false; }

  // "2>/dev/null", "> file": the words of a redirection are no words of the command.
  void redirection() {
    if (in_word_ && (words_.back().text == "1" || words_.back().text == "2")) words_.pop_back();
    end_word();
    at_ = std::min(text_.find_first_not_of("<>& \t", at_), text_.size());
    at_ = std::min(text_.find_first_of(" \t\r\n;|&#", at_), text_.size());
  }

  void refuse_expansion() {
    const size_t end = std::min(text_.find_first_of(" \t\r\n;", at_), text_.size());
    findings_.refuse(line_, quote(std::string(text_.substr(at_, std::min<size_t>(end - at_, 60)))) +
                                " is for a shell to expand; write its value");
  }

  void end_command() {
    end_word();
    Words words = std::move(words_);
    words_.clear();
    const auto first = std::ranges::find_if(
        words, [](const Word& w) { return !is_runner(w.text) && !is_assignment(w.text) && w.text != "-n"; });
    words.erase(words.begin(), first);
    if (words.empty()) return;
    cut_path(words[0].text);
    out_.push_back(std::move(words));
  }

  std::string_view text_;
  Findings& findings_;
  std::vector<Words> out_;
  Words words_;
  bool in_word_ = false;
  size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<Words> commands_of(std::string_view text, Findings& findings) {
  return Reader(text, findings).read();
}

Words words_of(std::string_view text, int line) {
  Words out;
  for (size_t at = 0; (at = text.find_first_not_of(' ', at)) != std::string_view::npos;) {
    const size_t end = std::min(text.find(' ', at), text.size());
    out.push_back({std::string(text.substr(at, end - at)), line});
    at = end;
  }
  return out;
}

int line_at(std::string_view text, size_t offset) {
  return 1 + static_cast<int>(std::ranges::count(text.substr(0, std::min(offset, text.size())), '\n'));
}

std::string joined(const Words& words, size_t from) {
  std::string out;
  for (size_t i = from; i < words.size(); ++i) out += (i == from ? "" : " ") + words[i].text;
  return out;
}

}  // namespace sojourn::imports
