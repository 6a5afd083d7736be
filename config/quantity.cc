#include "config/quantity.h"

#include <algorithm>
#include <cctype>
#include <span>

namespace sojourn {
namespace {

struct Unit {
  std::string_view name;
  uint64_t scale;       // base units in one of it; always whole
  bool printed = true;  // false: read, never written
};

// What a kind of quantity is called and counted in. `units` ascend by scale among the printed ones.
struct Dimension {
  std::string_view kind;        // "rate"
  std::string_view base;        // "bits per second"
  std::span<const Unit> units;  //
  std::string_view examples[3];
  int decimals;  // most that are printed
  uint64_t most;
};

constexpr uint64_t kKibi = 1024, kMebi = kKibi << 10, kGibi = kMebi << 10, kTebi = kGibi << 10;
constexpr uint64_t kKilo = 1'000, kMega = 1'000'000, kGiga = 1'000'000'000, kTera = 1'000'000'000'000;

constexpr Unit kRateUnits[] = {
    {"bit", 1},
    {"kbit", kKilo},
    {"mbit", kMega},
    {"gbit", kGiga},
    {"tbit", kTera},
    {"kibit", kKibi, false},
    {"mibit", kMebi, false},
    {"gibit", kGibi, false},
    {"tibit", kTebi, false},
    {"bps", 8, false},
    {"kbps", 8 * kKilo, false},
    {"mbps", 8 * kMega, false},
    {"gbps", 8 * kGiga, false},
    {"tbps", 8 * kTera, false},
    {"kibps", 8 * kKibi, false},
    {"mibps", 8 * kMebi, false},
    {"gibps", 8 * kGibi, false},
    {"tibps", 8 * kTebi, false},
};
constexpr Unit kTimeUnits[] = {
    {"ns", 1},           {"us", kKilo},           {"ms", kMega},           {"s", kGiga},
    {"nsec", 1, false},  {"usec", kKilo, false},  {"msec", kMega, false},  {"sec", kGiga, false},
    {"nsecs", 1, false}, {"usecs", kKilo, false}, {"msecs", kMega, false}, {"secs", kGiga, false},
};
constexpr Unit kSizeUnits[] = {
    {"b", 1},
    {"kb", kKibi},
    {"mb", kMebi},
    {"gb", kGibi},
    {"k", kKibi, false},
    {"m", kMebi, false},
    {"g", kGibi, false},
    {"kib", kKibi, false},
    {"mib", kMebi, false},
    {"gib", kGibi, false},
};
constexpr Unit kPacketUnits[] = {
    {"p", 1}, {"pkt", 1, false}, {"pkts", 1, false}, {"packet", 1, false}, {"packets", 1, false},
};
constexpr Unit kFractionUnits[] = {{"%", 10'000'000}};

// UINT64_MAX bits per second is the mark of "unlimited", not a rate.
constexpr Dimension kRate{"rate", "bits per second", kRateUnits, {"bit", "kbit", "mbit"}, 3, UINT64_MAX - 1};
constexpr Dimension kTime{"time", "nanoseconds", kTimeUnits, {"us", "ms", "s"}, 3, INT64_MAX};
constexpr Dimension kSize{"size", "bytes", kSizeUnits, {"b", "kb", "mb"}, 0, INT64_MAX};
constexpr Dimension kPackets{"number of packets", "packets", kPacketUnits, {"p", "pkt", "packets"}, 0, UINT32_MAX};
constexpr Dimension kFraction{"fraction", "parts per billion", kFractionUnits, {"%", "%", "%"}, 7, kWhole.value};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

std::string quoted(std::string_view text) {
  return '"' + std::string(text) + '"';
}

// "write "40bit", "40kbit" or "40mbit""
std::string advice(const Dimension& d, std::string_view number) {
  const std::string n(number.empty() ? "40" : number);
  std::string out = "write " + quoted(n + std::string(d.examples[0]));
  if (d.examples[1] == d.examples[0]) return out;
  return out + ", " + quoted(n + std::string(d.examples[1])) + " or " + quoted(n + std::string(d.examples[2]));
}

// Digits with at most one point, kept as a whole number of 10^-decimals.
struct Number {
  Uint128 mantissa = 0;
  int decimals = 0;
  std::string_view digits;
  std::string_view rest;
};

constexpr int kMostDecimals = 18;  // mantissa x scale stays within 128 bits up to here

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Reads the number at the start of `text`; the reason is "" when there is one.
std::string read_number(std::string_view text, Number& out) {
  size_t end = 0;
  bool point = false, any = false;
  for (; end < text.size() && (is_digit(text[end]) || (text[end] == '.' && !point)); ++end) {
    if (text[end] == '.') {
      point = true;
      continue;
    }
    any = true;
    if (out.mantissa > UINT64_MAX) return "has too many digits";
    out.mantissa = out.mantissa * 10 + static_cast<unsigned>(text[end] - '0');
    if (point && ++out.decimals > kMostDecimals) return "has too many digits";
  }
  if (!any) return "does not begin with a number";
  out.digits = text.substr(0, end);
  out.rest = trimmed(text.substr(end));
  return {};
}

std::string unit_list(const Dimension& d) {
  std::string out;
  for (const Unit& u : d.units)
    if (u.printed) out += (out.empty() ? "" : ", ") + std::string(u.name);
  return out;
}

Uint128 power_of_ten(int exponent) {
  Uint128 out = 1;
  while (exponent-- > 0) out *= 10;
  return out;
}

std::string format(const Dimension& d, uint64_t value);

Parsed<uint64_t> refuse(const Dimension& d, std::string_view text, const std::string& why, int beyond = 0) {
  return {std::nullopt, std::string(d.kind) + ' ' + std::string(text.empty() ? "\"\"" : text) + ' ' + why, beyond};
}

Parsed<uint64_t> scaled(const Dimension& d, std::string_view text, const Number& n, uint64_t scale) {
  const Uint128 divisor = power_of_ten(n.decimals);
  // The mantissa is below 2^68 and a scale below 2^44: the product fits.
  const Uint128 product = n.mantissa * scale;
  const Uint128 whole = product / divisor;
  if (whole > d.most) return refuse(d, text, "is too large", 1);
  const auto value = static_cast<uint64_t>(whole);
  if (product % divisor != 0) {
    const bool up = (product % divisor) * 2 >= divisor && value < d.most;
    return refuse(d, text,
                  "is not a whole number of " + std::string(d.base) + "; nearest is " + quoted(format(d, value + up)));
  }
  return {value, {}};
}

Parsed<uint64_t> parse(const Dimension& d, std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('-')) return refuse(d, text, "is negative; " + advice(d, {}), -1);
  Number n;
  if (const std::string reason = read_number(text, n); !reason.empty())
    return refuse(d, text, reason + "; " + advice(d, {}));
  if (n.rest.empty()) return refuse(d, text, "has no unit: " + advice(d, n.digits));
  const std::string name = lower(n.rest);
  for (const Unit& u : d.units)
    if (u.name == name) return scaled(d, text, n, u.scale);
  return refuse(d, text,
                "has an unknown unit " + quoted(n.rest) + " (known: " + unit_list(d) + "): " + advice(d, n.digits));
}

std::string in_unit(uint64_t value, const Unit& unit) {
  std::string out = std::to_string(value / unit.scale);
  uint64_t rest = value % unit.scale;
  if (rest != 0) out += '.';
  // Units with decimals are powers of ten, so this ends.
  for (uint64_t place = unit.scale / 10; rest != 0; place /= 10) {
    out += static_cast<char>('0' + rest / place);
    rest %= place;
  }
  return out + std::string(unit.name);
}

bool is_short_in(uint64_t value, const Unit& unit, int decimals) {
  uint64_t step = unit.scale;
  for (; decimals > 0 && step % 10 == 0; --decimals) step /= 10;
  return value % step == 0;
}

std::string format(const Dimension& d, uint64_t value) {
  const Unit* best = &d.units[0];
  for (const Unit& u : d.units)
    if (u.printed && value >= u.scale && is_short_in(value, u, d.decimals)) best = &u;
  return in_unit(value, *best);
}

template <typename T>
Parsed<T> narrowed(Parsed<uint64_t> parsed) {
  if (!parsed.value) return {std::nullopt, std::move(parsed.reason), parsed.beyond};
  return {T{static_cast<decltype(T{}.value)>(*parsed.value)}, {}};
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Parsed<BitsPerSecond> parse_rate(std::string_view text) {
  if (lower(trimmed(text)) == "unlimited") return {kUnlimited, {}};
  return narrowed<BitsPerSecond>(parse(kRate, text));
}

Parsed<Duration> parse_time(std::string_view text) {
  auto parsed = parse(kTime, text);
  if (!parsed.value) return {std::nullopt, std::move(parsed.reason), parsed.beyond};
  return {Duration{static_cast<int64_t>(*parsed.value)}, {}};
}

Parsed<uint64_t> parse_size(std::string_view text) {
  return parse(kSize, text);
}

Parsed<int64_t> parse_signed_size(std::string_view text) {
  text = trimmed(text);
  const bool negative = text.starts_with('-');
  const bool has_sign = negative || text.starts_with('+');
  auto parsed = parse(kSize, has_sign ? text.substr(1) : text);
  if (!parsed.value) return {std::nullopt, std::move(parsed.reason), negative ? -parsed.beyond : parsed.beyond};
  const auto magnitude = static_cast<int64_t>(*parsed.value);
  return {negative ? -magnitude : magnitude, {}};
}

Parsed<uint32_t> parse_packets(std::string_view text) {
  auto parsed = parse(kPackets, text);
  if (!parsed.value) return {std::nullopt, std::move(parsed.reason), parsed.beyond};
  return {static_cast<uint32_t>(*parsed.value), {}};
}

Parsed<PartsPerBillion> parse_fraction(std::string_view text) {
  return narrowed<PartsPerBillion>(parse(kFraction, text));
}

std::string format_rate(BitsPerSecond rate) {
  return rate == kUnlimited ? "unlimited" : format(kRate, rate.value);
}

std::string format_time(Duration time) {
  return format(kTime, static_cast<uint64_t>(std::max<int64_t>(time.ns, 0)));
}

std::string format_size(uint64_t bytes) {
  return format(kSize, bytes);
}

std::string format_signed_size(int64_t bytes) {
  return bytes < 0 ? '-' + format(kSize, uint64_t{0} - static_cast<uint64_t>(bytes))
                   : format(kSize, static_cast<uint64_t>(bytes));
}

std::string format_packets(uint32_t packets) {
  return format(kPackets, packets);
}

std::string format_fraction(PartsPerBillion fraction) {
  return in_unit(fraction.value, kFractionUnits[0]);
}

}  // namespace sojourn
