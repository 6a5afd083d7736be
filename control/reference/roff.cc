#include "control/reference/roff.h"

#include <algorithm>
#include <cctype>

namespace sojourn::reference {
namespace {

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

}  // namespace

std::string roff(std::string_view text) {
  std::string out;
  bool is_line_start = true;
  for (const char c : text) {
    if (is_line_start && (c == '.' || c == '\'')) out += "\\&";
    is_line_start = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '~') {
      out += "\\(ti";
    } else {
      out += c;
    }
  }
  return out;
}

std::string bold(std::string_view text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + roff(text) + "\\fR";
}

std::string roff_of_markdown(std::string_view text) {
  std::string out;
  for (bool is_quoted = false;; is_quoted = !is_quoted) {
    const size_t end = text.find('`');
    const std::string_view part = text.substr(0, end);
    if (!part.empty()) out += is_quoted ? bold(part) : roff(part);
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::string page_head(const std::string& name, int section, const std::string& version, const std::string& purpose) {
  const std::string manual = section == 1 ? "User Commands" : section == 5 ? "File Formats" : "System Administration";
  return ".TH " + upper(name) + ' ' + std::to_string(section) + " \"\" \"sojourn " + version + "\" \"" + manual +
         "\"\n" + heading("Name") + roff(name) + " \\- " + roff(purpose) + '\n';
}

std::string heading(const std::string& title) {
  return ".SH " + upper(title) + '\n';
}

std::string entry(const std::string& term, const std::string& text) {
  return ".TP\n" + term + '\n' + text + '\n';
}

std::string listing(std::string_view text) {
  return ".PP\n.nf\n" + roff(text) + (text.ends_with('\n') ? "" : "\n") + ".fi\n";
}

}  // namespace sojourn::reference
