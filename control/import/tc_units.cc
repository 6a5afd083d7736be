#include "control/import/tc_units.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace sojourn::imports {
namespace {

bool is_bare(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; });
}

std::string with_unit(std::string_view text, std::string_view unit) {
  return std::string(text) + (is_bare(text) ? std::string(unit) : std::string());
}

uint64_t shown(uint64_t us) {
  return (us * 1000 >> 10 << 10) / 1000;
}

}  // namespace

Parsed<BitsPerSecond> parse_tc_rate(std::string_view text) {
  if (text.ends_with('%'))
    return {std::nullopt, std::string(text) + " of a device's speed, which is not known here; write a rate"};
  if (text == "unlimited") return {std::nullopt, "rate unlimited has no number; write \"40mbit\""};
  auto parsed = parse_rate(with_unit(text, "bit"));
  if (parsed.value && parsed.value->value == 0) return {std::nullopt, "rate 0 lets nothing pass; write \"40mbit\""};
  return parsed;
}

Parsed<Duration> parse_tc_time(std::string_view text) {
  return parse_time(with_unit(text, "us"));
}

Parsed<uint64_t> parse_tc_size(std::string_view text) {
  std::string size = with_unit(text, "b");
  std::ranges::transform(size, size.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!size.ends_with("bit") || size.size() < 5) return parse_size(size);
  size.resize(size.size() - 3);  // "64mbit" -> "64m", in bits
  auto parsed = parse_size(size);
  if (!parsed.value) return parsed;
  if (*parsed.value % 8 != 0) return {std::nullopt, "size " + std::string(text) + " is not a whole number of bytes"};
  return {*parsed.value / 8, {}};
}

Parsed<uint64_t> parse_tc_size_and_cell(std::string_view text) {
  return parse_tc_size(text.substr(0, text.find('/')));
}

Duration codel_time_behind(uint64_t shown_us) {
  uint64_t best = shown_us;
  const auto zeros = [](uint64_t v) {
    int n = 0;
    for (; v != 0 && v % 10 == 0; v /= 10) ++n;
    return n;
  };
  for (uint64_t us = shown_us; us <= shown_us + 2; ++us)
    if (shown(us) == shown_us && zeros(us) > zeros(best)) best = us;
  return {static_cast<int64_t>(best) * 1000};
}

}  // namespace sojourn::imports
