#include "config/key.h"

#include <algorithm>
#include <charconv>

#include "config/nearest.h"

namespace sojourn {
namespace {

// Far above every limit, so that clamping changes no verdict.
constexpr int64_t kMostBase = INT64_MAX - 1;

template <typename T>
Parsed<int64_t> widened(const Parsed<T>& parsed) {
  if (!parsed.value) return {std::nullopt, parsed.reason, parsed.beyond};
  if constexpr (std::is_same_v<T, BitsPerSecond>) {
    if (*parsed.value == kUnlimited) return {kUnlimitedBase, {}};
    return {static_cast<int64_t>(std::min<uint64_t>(parsed.value->value, kMostBase)), {}};
  } else {
    return {to_base(*parsed.value), {}};
  }
}

std::string shortened(const std::string& text) {
  constexpr size_t kMostLength = 160;
  return text.size() > kMostLength ? text.substr(0, kMostLength) + "..." : text;
}

// "1.5", where std::to_string would say "1.500000".
std::string short_number(double number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return {digits, end};
}

std::string wrong_kind(const Node& node, const std::string& wanted) {
  return "must be " + wanted + ", is " + shortened(describe(node));
}

}  // namespace

const Quantity kRateQuantity{"rate", "_bps", "40mbit", [](std::string_view text) { return widened(parse_rate(text)); },
                             [](int64_t base) {
                               BitsPerSecond rate;
                               from_base(base, rate);
                               return format_rate(rate);
                             }};
const Quantity kTimeQuantity{"time", "_ns", "5ms", [](std::string_view text) { return widened(parse_time(text)); },
                             [](int64_t base) { return format_time({base}); }};
const Quantity kSizeQuantity{"size", "_bytes", "1514b", [](std::string_view text) { return widened(parse_size(text)); },
                             [](int64_t base) { return format_size(static_cast<uint64_t>(base)); }};
const Quantity kSignedSizeQuantity{"size", "_bytes", "18b", parse_signed_size, format_signed_size};
const Quantity kFractionQuantity{"fraction", "_ppb", "1.5%",
                                 [](std::string_view text) { return widened(parse_fraction(text)); },
                                 [](int64_t base) { return format_fraction({static_cast<uint32_t>(base)}); }};

Parsed<int64_t> read_quantity(const Node& node, const Quantity& quantity, Range<int64_t> range) {
  std::string text = node.text;
  // A bare number is the commonest mistake: it gets the quantity's own explanation of the missing unit.
  if (node.kind == Node::Kind::kInteger) text = std::to_string(node.integer);
  if (node.kind == Node::Kind::kFloat)
    text = short_number(node.number);
  else if (node.kind != Node::Kind::kInteger && node.kind != Node::Kind::kString)
    return {std::nullopt, wrong_kind(node, "a text such as " + quote(quantity.example))};
  auto parsed = quantity.parse(text);
  if (!parsed.value) {
    const int64_t end = parsed.beyond < 0 ? range.least : range.most;
    const std::string nearest = parsed.beyond == 0 ? "" : "; nearest is " + quote(quantity.format(end));
    return {std::nullopt, shortened(parsed.reason) + nearest + " (" + range_text(quantity, range) + ")"};
  }
  if (*parsed.value == kUnlimitedBase) return parsed;
  const int64_t nearest = std::clamp(*parsed.value, range.least, range.most);
  if (nearest == *parsed.value) return parsed;
  return {std::nullopt, quote(shortened(text)) + " is out of range; nearest is " + quote(quantity.format(nearest)) +
                            " (" + range_text(quantity, range) + ")"};
}

Parsed<int64_t> read_integer(const Node& node, Range<int64_t> range, Rule extra) {
  if (node.kind != Node::Kind::kInteger)
    return {std::nullopt, wrong_kind(node, "a whole number without quotes or unit")};
  const int64_t nearest = std::clamp(node.integer, range.least, range.most);
  if (nearest != node.integer)
    return {std::nullopt, std::to_string(node.integer) + " is out of range; nearest is " + std::to_string(nearest) +
                              " (" + std::to_string(range.least) + " to " + std::to_string(range.most) + ")"};
  std::string reason = extra == nullptr ? std::string() : extra(node.integer);
  if (!reason.empty()) return {std::nullopt, std::move(reason)};
  return {node.integer, {}};
}

std::string read_boolean(const Node& node, bool& out) {
  if (node.kind != Node::Kind::kBoolean) return wrong_kind(node, "true or false without quotes");
  out = node.boolean;
  return {};
}

Parsed<size_t> read_choice(const Node& node, const std::vector<std::string>& words) {
  std::string text, reason = read_text(node, text);
  if (!reason.empty()) return {std::nullopt, std::move(reason)};
  const auto found = std::ranges::find(words, text);
  if (found != words.end()) return {static_cast<size_t>(found - words.begin()), {}};
  return {std::nullopt, "unknown word " + quote(shortened(text)) + suggestion(text, words)};
}

std::string read_text(const Node& node, std::string& out) {
  if (node.kind != Node::Kind::kString) return wrong_kind(node, "a text in quotes");
  if (node.text.empty()) return "must not be empty";
  out = node.text;
  return {};
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

std::string range_text(const Quantity& quantity, Range<int64_t> range) {
  const std::string ends = quote(quantity.format(range.least)) + " to " + quote(quantity.format(range.most));
  return &quantity == &kRateQuantity ? ends + ", or \"unlimited\"" : ends;
}

Scalar quantity_scalar(const Quantity& quantity, std::optional<int64_t> base) {
  if (!base || (&quantity == &kRateQuantity && *base == kUnlimitedBase)) return {};
  return *base;
}

}  // namespace sojourn
