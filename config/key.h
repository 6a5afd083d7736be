// One key of one kind of group. A table of these is all that reading, suggestions, printing, JSON and the manual go by.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "config/node.h"
#include "config/quantity.h"
#include "sched/parameters.h"

namespace sojourn {

using Scalar = std::variant<std::monostate, bool, int64_t, uint64_t, std::string>;  // monostate: absent, null in JSON

template <typename Group>
struct Key {
  std::string name;
  std::string json_name;    // the name with its unit: "target_ns"
  std::string unit;         // for the manual
  std::string range;        // for the manual
  std::string meaning;      // for the manual
  std::string absent = {};  // for the manual: what holds when it is not given and has no plain default
  bool is_required = false;
  bool is_live = false;  // of a group whose other keys need a restart: this one may change while running
  // The reason why not, "" when taken. None for a group or a list of groups: those are read by whoever knows their
  // table.
  std::function<std::string(const Node&, Group&)> read = {};
  std::function<std::string(const Group&)> text = {};  // as a file would say it; "": absent
  std::function<Scalar(const Group&)> scalar = {};     // as JSON says it

  Key required() && {
    is_required = true;
    return std::move(*this);
  }
  Key live() && {
    is_live = true;
    return std::move(*this);
  }
  Key otherwise(std::string what) && {
    absent = std::move(what);
    return std::move(*this);
  }
};

// A kind of quantity, counted in whole base units. kUnlimited is INT64_MAX here.
struct Quantity {
  std::string_view unit;    // for the manual
  std::string_view suffix;  // of the JSON name
  std::string_view example;
  Parsed<int64_t> (*parse)(std::string_view);
  std::string (*format)(int64_t);
};
extern const Quantity kRateQuantity, kTimeQuantity, kSizeQuantity, kSignedSizeQuantity, kFractionQuantity;

// Fields to base units and back.
inline constexpr int64_t kUnlimitedBase = INT64_MAX;
constexpr int64_t to_base(BitsPerSecond rate) {
  return rate == kUnlimited ? kUnlimitedBase : static_cast<int64_t>(rate.value);
}
constexpr int64_t to_base(Duration time) {
  return time.ns;
}
constexpr int64_t to_base(PartsPerBillion fraction) {
  return fraction.value;
}
constexpr int64_t to_base(std::integral auto value) {
  return static_cast<int64_t>(value);
}
constexpr void from_base(int64_t base, BitsPerSecond& field) {
  field = base == kUnlimitedBase ? kUnlimited : BitsPerSecond{static_cast<uint64_t>(base)};
}
constexpr void from_base(int64_t base, Duration& field) {
  field.ns = base;
}
constexpr void from_base(int64_t base, PartsPerBillion& field) {
  field.value = static_cast<uint32_t>(base);
}
template <std::integral T>
constexpr void from_base(int64_t base, T& field) {
  field = static_cast<T>(base);
}
template <typename T>
constexpr void from_base(int64_t base, std::optional<T>& field) {
  from_base(base, field.emplace());
}
template <typename T>
constexpr std::optional<int64_t> base_of(const std::optional<T>& field) {
  return field ? std::optional(to_base(*field)) : std::nullopt;
}
constexpr std::optional<int64_t> base_of(const auto& field) {
  return to_base(field);
}

// What is taken for a quantity or a whole number: base units, or why not. `extra` is a rule beyond the range.
using Rule = std::string (*)(int64_t);
Parsed<int64_t> read_quantity(const Node& node, const Quantity& quantity, Range<int64_t> range);
Parsed<int64_t> read_integer(const Node& node, Range<int64_t> range, Rule extra);
std::string read_boolean(const Node& node, bool& out);
// The index of the word, or why not.
Parsed<size_t> read_choice(const Node& node, const std::vector<std::string>& words);
std::string read_text(const Node& node, std::string& out);

std::string quote(std::string_view text);  // as libconfig reads it back
std::string range_text(const Quantity& quantity, Range<int64_t> range);
Scalar quantity_scalar(const Quantity& quantity, std::optional<int64_t> base);

template <typename T>
constexpr Range<int64_t> base_range(Range<T> range) {
  return {static_cast<int64_t>(range.least), static_cast<int64_t>(range.most)};
}

// The makers. `field` is a generic lambda from a group, const or not, to a reference of its field.
template <typename Group, typename Field>
Key<Group> quantity_key(std::string name, const Quantity& q, Range<int64_t> range, Field field, std::string meaning) {
  return {.name = name,
          .json_name = name + std::string(q.suffix),
          .unit = std::string(q.unit),
          .range = range_text(q, range),
          .meaning = std::move(meaning),
          .read =
              [=, &q](const Node& node, Group& group) {
                auto parsed = read_quantity(node, q, range);
                if (parsed.value) from_base(*parsed.value, field(group));
                return parsed.reason;
              },
          .text =
              [=, &q](const Group& group) {
                const auto base = base_of(field(group));
                return base ? quote(q.format(*base)) : std::string();
              },
          .scalar = [=, &q](const Group& group) { return quantity_scalar(q, base_of(field(group))); }};
}

template <typename Group, typename Field>
Key<Group> integer_key(std::string name, std::string unit, Range<int64_t> range, Field field, std::string meaning,
                       Rule extra = nullptr) {
  return {.name = name,
          .json_name = name,
          .unit = std::move(unit),
          .range = std::to_string(range.least) + " to " + std::to_string(range.most),
          .meaning = std::move(meaning),
          .read =
              [=](const Node& node, Group& group) {
                auto parsed = read_integer(node, range, extra);
                if (parsed.value) from_base(*parsed.value, field(group));
                return parsed.reason;
              },
          .text =
              [=](const Group& group) {
                const auto base = base_of(field(group));
                return base ? std::to_string(*base) : std::string();
              },
          .scalar = [=](const Group& group) -> Scalar {
            const auto base = base_of(field(group));
            return base ? Scalar(*base) : Scalar();
          }};
}

template <typename Group, typename Field>
Key<Group> boolean_key(std::string name, Field field, std::string meaning) {
  return {.name = name,
          .json_name = name,
          .unit = "boolean",
          .range = "true, false",
          .meaning = std::move(meaning),
          .read = [=](const Node& node, Group& group) { return read_boolean(node, field(group)); },
          .text = [=](const Group& group) { return std::string(field(group) ? "true" : "false"); },
          .scalar = [=](const Group& group) { return Scalar(static_cast<bool>(field(group))); }};
}

// `words` in the order of the enumeration.
template <typename Group, typename Field>
Key<Group> choice_key(std::string name, std::vector<std::string> words, Field field, std::string meaning) {
  std::string range;
  for (const auto& word : words) range += (range.empty() ? "" : ", ") + quote(word);
  return {.name = name,
          .json_name = name,
          .unit = "word",
          .range = range,
          .meaning = std::move(meaning),
          .read =
              [=](const Node& node, Group& group) {
                auto parsed = read_choice(node, words);
                if (parsed.value)
                  field(group) = static_cast<std::remove_reference_t<decltype(field(group))>>(*parsed.value);
                return parsed.reason;
              },
          .text = [=](const Group& group) { return quote(words[static_cast<size_t>(field(group))]); },
          .scalar = [=](const Group& group) { return Scalar(words[static_cast<size_t>(field(group))]); }};
}

// `check` says why a text will not do, or "".
template <typename Group, typename Field>
Key<Group> text_key(std::string name, std::string range, Field field, std::string (*check)(const std::string&),
                    std::string meaning) {
  return {.name = name,
          .json_name = name,
          .unit = "text",
          .range = std::move(range),
          .meaning = std::move(meaning),
          .read =
              [=](const Node& node, Group& group) {
                std::string text;
                std::string reason = read_text(node, text);
                if (reason.empty()) reason = check(text);
                if (reason.empty()) field(group) = std::move(text);
                return reason;
              },
          .text = [=](const Group& group) { return field(group).empty() ? "" : quote(field(group)); },
          .scalar = [=](const Group& group) { return field(group).empty() ? Scalar() : Scalar(field(group)); }};
}

// A value that is a text, or a number where that is one, with a parser of its own. The field is an optional.
template <typename Group, typename T, typename Field>
Key<Group> parsed_key(std::string name, std::string range, Field field, Parsed<T> (*parse)(std::string_view),
                      std::string (*format)(T), std::string meaning) {
  const auto text_of = [=](const Group& group) {
    const auto& value = field(group);
    return value ? format(*value) : std::string();
  };
  return {.name = name,
          .json_name = name,
          .unit = "text",
          .range = std::move(range),
          .meaning = std::move(meaning),
          .absent = "anything",
          .read =
              [=](const Node& node, Group& group) {
                std::string text = std::to_string(node.integer);
                if (node.kind != Node::Kind::kInteger) {
                  if (std::string reason = read_text(node, text); !reason.empty()) return reason;
                }
                auto parsed = parse(text);
                if (parsed.value) field(group) = *parsed.value;
                return parsed.reason;
              },
          .text =
              [=](const Group& group) {
                const std::string text = text_of(group);
                return text.empty() ? text : quote(text);
              },
          .scalar =
              [=](const Group& group) {
                const std::string text = text_of(group);
                return text.empty() ? Scalar() : Scalar(text);
              }};
}

// A group, or a list of them, with a table of its own.
template <typename Group>
Key<Group> group_key(std::string name, std::string unit, std::string meaning) {
  return {.name = name,
          .json_name = name,
          .unit = std::move(unit),
          .range = "",
          .meaning = std::move(meaning),
          .absent = ""};
}

}  // namespace sojourn
