#include "control/import/dummynet_units.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "config/key.h"

namespace sojourn::imports {
namespace {

struct Number {
  uint64_t value = 0;
  std::string_view rest;
};

// ipfw reads digits and leaves the rest: "4.5Mbit/s" would be 4 bit/s, and "010" is octal.
Parsed<Number> read_whole(std::string_view text) {
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string said(text);
  if (end == 0) return {std::nullopt, quote(said) + " does not begin with a number; write for example \"40\""};
  if (end > 18) return {std::nullopt, quote(said) + " has too many digits"};
  if (text[0] == '0' && end > 1) return {std::nullopt, quote(said) + " begins with 0, which ipfw reads as octal"};
  if (end < text.size() && text[end] == '.')
    return {std::nullopt, quote(said) + " is cut at the point by ipfw; write a whole number of a smaller unit"};
  return {Number{std::stoull(std::string(text.substr(0, end))), text.substr(end)}, {}};
}

template <size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 11> kBits = {"",      "b",      "bit", "bits",  "b/s",   "bps",
                                                    "bit/s", "bits/s", "Bit", "Bit/s", "Bits/s"};
constexpr std::array<std::string_view, 10> kBytes = {"B",       "B/s",  "Byte",  "Bytes",  "Byte/s",
                                                     "Bytes/s", "byte", "bytes", "byte/s", "bytes/s"};

uint64_t thousands_of(char c) {
  switch (std::tolower(static_cast<unsigned char>(c))) {
    case 'k':
      return 1'000;
    case 'm':
      return 1'000'000;
    case 'g':
      return 1'000'000'000;
    default:
      return 0;
  }
}

uint64_t kibis_of(char c) {
  const uint64_t thousands = thousands_of(c);
  return thousands == 0 ? 0 : thousands == 1'000 ? 1u << 10 : thousands == 1'000'000 ? 1u << 20 : 1u << 30;
}

}  // namespace

Parsed<BitsPerSecond> parse_dummynet_rate(std::string_view text) {
  auto number = read_whole(text);
  if (!number.value) return {std::nullopt, number.reason};
  std::string_view unit = number.value->rest;
  const uint64_t scale = unit.empty() ? 0 : thousands_of(unit[0]);
  if (scale != 0) unit.remove_prefix(1);
  const bool is_bytes = is_one_of(unit, kBytes);
  if (!is_bytes && !is_one_of(unit, kBits))
    return {std::nullopt, quote(std::string(text)) +
                              " has an unknown unit; known: bit/s, Kbit/s, Mbit/s, Gbit/s, "
                              "Byte/s, KByte/s, MByte/s"};
  if (number.value->value == 0) return {kUnlimited, {}};
  const Uint128 bps = Uint128{number.value->value} * std::max<uint64_t>(scale, 1) * (is_bytes ? 8 : 1);
  if (bps >= UINT64_MAX) return {std::nullopt, quote(std::string(text)) + " is too large"};
  return {BitsPerSecond{static_cast<uint64_t>(bps)}, {}};
}

Parsed<Duration> parse_dummynet_time(std::string_view text) {
  const size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string unit(text.substr(end));
  std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!unit.empty() && unit != "us" && unit != "ms" && unit != "s")
    return {std::nullopt, "time " + std::string(text) + " has an unknown unit; known: us, ms (which needs none), s"};
  return parse_time(std::string(text.substr(0, end)) + (unit.empty() ? "ms" : unit));
}

Parsed<DummynetQueue> parse_dummynet_queue(std::string_view text) {
  auto number = read_whole(text);
  if (!number.value) return {std::nullopt, number.reason};
  std::string_view unit = number.value->rest;
  if (unit.empty()) return {DummynetQueue{.packets = number.value->value}, {}};
  const bool is_kilo = unit[0] == 'K' || unit[0] == 'k';
  if (is_kilo) unit.remove_prefix(1);
  if (!(is_kilo && unit.empty()) && unit != "b" && !is_one_of(unit, kBytes))
    return {std::nullopt, quote(std::string(text)) + " has an unknown unit; known: none (packets), Bytes, KBytes"};
  if (unit == "b" && !is_kilo) return {DummynetQueue{.packets = number.value->value}, {}};
  if (number.value->value > UINT64_MAX / 1024 / 2) return {std::nullopt, quote(std::string(text)) + " is too large"};
  return {DummynetQueue{.bytes = number.value->value * (is_kilo ? 1024 : 1)}, {}};
}

Parsed<uint64_t> parse_dummynet_burst(std::string_view text) {
  auto number = read_whole(text);
  if (!number.value) return {std::nullopt, number.reason};
  std::string_view unit = number.value->rest;
  const uint64_t scale = unit.empty() ? 0 : kibis_of(unit[0]);
  if (scale != 0) unit.remove_prefix(1);
  if (!unit.empty() && unit != "b" && unit != "B" && !is_one_of(unit, kBytes))
    return {std::nullopt, quote(std::string(text)) + " has an unknown unit; known: none (bytes), k, m, g"};
  const Uint128 bytes = Uint128{number.value->value} * std::max<uint64_t>(scale, 1);
  if (bytes >= Uint128{1} << 48) return {std::nullopt, quote(std::string(text)) + " is too large"};
  return {static_cast<uint64_t>(bytes), {}};
}

Parsed<PartsPerBillion> parse_dummynet_share(std::string_view text) {
  // A billionth of a second is the unit of times, and of shares.
  const auto parsed = parse_time(std::string(text) + 's');
  if (!parsed.value)
    return {std::nullopt, quote(std::string(text)) + " is no share; write one from 0 to 1, such as 0.01"};
  if (parsed.value->ns > kWhole.value) return {std::nullopt, quote(std::string(text)) + " is above 1"};
  return {PartsPerBillion{static_cast<uint32_t>(parsed.value->ns)}, {}};
}

}  // namespace sojourn::imports
