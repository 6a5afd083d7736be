#include "config/nearest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace sojourn {
namespace {

bool is_same(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

std::string joined(std::span<const std::string> words) {
  constexpr size_t kMostListed = 24;
  std::string out;
  for (size_t i = 0; i < std::min(words.size(), kMostListed); ++i) out += (i == 0 ? "" : ", ") + words[i];
  return words.size() > kMostListed ? out + ", ..." : out;
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) {
  // Longer words are no typing mistake of ours, and the work stays bounded.
  constexpr size_t kMostLength = 64;
  a = a.substr(0, kMostLength);
  b = b.substr(0, kMostLength);
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = d[i - 1][j - 1] + !is_same(a[i - 1], b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, changed});
      if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]))
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string suggestion(std::string_view word, std::span<const std::string> known) {
  if (known.empty()) return {};
  const auto distance = [&](const std::string& candidate) { return edit_distance(word, candidate); };
  const auto best = std::ranges::min_element(known, {}, distance);
  // Half the word changed is still a guess worth making; more is another word.
  if (distance(*best) <= std::max<size_t>(1, std::max(word.size(), best->size()) / 2))
    return "; did you mean \"" + *best + "\"?";
  return "; known: " + joined(known);
}

}  // namespace sojourn
