#include "control/import/findings.h"

#include <algorithm>

namespace sojourn::imports {

void Findings::add(Severity severity, int line, std::string text) {
  constexpr size_t kLongest = 400;  // of what may quote a word as long as the input
  if (text.size() > kLongest) text = text.substr(0, kLongest) + " ...";
  all_.push_back({severity, line, std::move(text)});
  has_lost_ = has_lost_ || severity == Severity::kLost;
}

void Findings::refuse(int line, std::string text) {
  constexpr size_t kMostRefused = 100;
  if (++refused_ <= kMostRefused) add(Severity::kRefused, line, std::move(text));
  if (refused_ == kMostRefused + 1) add(Severity::kRefused, 0, "more errors are not shown");
}

std::vector<Finding> Findings::sorted() const {
  std::vector<Finding> out = all_;
  std::ranges::stable_sort(out, {}, &Finding::line);
  return out;
}

std::string to_string(const Finding& finding, const std::string& file) {
  const bool is_lost = finding.severity == Severity::kLost;
  const char* severity = is_lost ? "warning" : finding.severity == Severity::kNote ? "note" : "error";
  return to_string(Diagnostic{file, finding.line, {}, (is_lost ? "no equivalent: " : "") + finding.text}, severity);
}

}  // namespace sojourn::imports
