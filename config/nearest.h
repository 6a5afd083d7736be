// The nearest of some known words, for a reader who mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sojourn {

// Insertions, deletions, substitutions and swaps of neighbours that make one word the other, ignoring case.
size_t edit_distance(std::string_view a, std::string_view b);

// `; did you mean "rate"?` when one is near enough to be meant, else `; known: a, b, c`; "" when nothing is known.
std::string suggestion(std::string_view word, std::span<const std::string> known);

}  // namespace sojourn
