// Quantities as people write them: a number and a unit, in tc's words. The unit is never implied (CASES DS-12).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sched/units.h"

namespace sojourn {

// A share of packets, 0 to 1'000'000'000. "1.5%" is 15'000'000.
struct PartsPerBillion {
  uint32_t value = 0;
  constexpr auto operator<=>(const PartsPerBillion&) const = default;
};
inline constexpr PartsPerBillion kWhole{1'000'000'000};

// A value, or in words why there is none. `beyond` is -1 or 1 when the text is a quantity below or above all that T
// holds.
template <typename T>
struct Parsed {
  std::optional<T> value;
  std::string reason;
  int beyond = 0;
};

// All take decimal fractions and evaluate them exactly: what is not a whole number of the base unit is refused, with
// the nearest that is. Units in any case, as in tc; blanks around the text and between number and unit are allowed.

// bit kbit mbit gbit tbit (x 1000), kibit .. tibit (x 1024), bps kbps .. tibps (bytes per second, as in tc), or
// "unlimited". Base unit: bit per second.
Parsed<BitsPerSecond> parse_rate(std::string_view text);
// s sec secs, ms msec msecs, us usec usecs, ns nsec nsecs. Base unit: nanosecond.
Parsed<Duration> parse_time(std::string_view text);
// b, k kb kib, m mb mib, g gb gib (x 1024, as in tc). Base unit: byte.
Parsed<uint64_t> parse_size(std::string_view text);
// The same with a sign.
Parsed<int64_t> parse_signed_size(std::string_view text);
// "p", "pkt", "pkts", "packet", "packets".
Parsed<uint32_t> parse_packets(std::string_view text);
// "%", 0% to 100%. Base unit: one part per billion.
Parsed<PartsPerBillion> parse_fraction(std::string_view text);

// The largest unit in which the value is exact with at most three decimals (sizes: with none); parses to the same
// value.
std::string format_rate(BitsPerSecond rate);
std::string format_time(Duration time);
std::string format_size(uint64_t bytes);
std::string format_signed_size(int64_t bytes);
std::string format_packets(uint32_t packets);
std::string format_fraction(PartsPerBillion fraction);

// `text` without the blanks at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace sojourn
