#include "control/import/options.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "config/key.h"
#include "config/nearest.h"

namespace sojourn::imports {
namespace {

std::vector<std::string> words_of(const Options& options) {
  std::vector<std::string> out;
  for (const Option& option : options) out.push_back(option.word);
  return out;
}

// `value`, or the nearest that sojourn takes, which is said.
template <typename T>
T within(Reading& reading, int line, const std::string& key, T value, Range<T> range,
         const std::function<std::string(T)>& format) {
  const T nearest = std::clamp(value, range.least, range.most);
  if (nearest != value)
    reading.findings.lost(line, reading.kind + ": " + key + ' ' + format(value) + " is out of range; nearest is " +
                                    format(nearest) + ", which is written");
  return nearest;
}

void say(Reading& reading, const Option& option, const Word& word, const Word& value) {
  const std::string text =
      reading.kind + ": " + quote(option.has_value ? word.text + ' ' + value.text : word.text) + ": " + option.why;
  option.fate == Fate::kLost ? reading.findings.lost(word.line, text) : reading.findings.note(word.line, text);
}

}  // namespace

Option translated(std::string word, Apply apply) {
  return {std::move(word), false, Fate::kTranslated, {}, std::move(apply)};
}
Option valued(std::string word, Apply apply) {
  return {std::move(word), true, Fate::kTranslated, {}, std::move(apply)};
}
Option same(std::string word) {
  return {std::move(word)};
}
Option noted(std::string word, std::string why) {
  return {std::move(word), false, Fate::kNoted, std::move(why)};
}
Option noted_valued(std::string word, std::string why) {
  return {std::move(word), true, Fate::kNoted, std::move(why)};
}
Option lost(std::string word, std::string why) {
  return {std::move(word), false, Fate::kLost, std::move(why)};
}
Option lost_valued(std::string word, std::string why) {
  return {std::move(word), true, Fate::kLost, std::move(why)};
}

void read_options(const Options& options, const Words& words, size_t from, Reading& reading) {
  std::set<std::string> seen;
  for (size_t i = from; i < words.size(); ++i) {
    const Word& word = words[i];
    const auto found = std::ranges::find(options, word.text, &Option::word);
    if (found == options.end()) {
      reading.findings.refuse(
          word.line, reading.kind + " has no word " + quote(word.text) + suggestion(word.text, words_of(options)));
      // Its value, if it has one, is no second mistake.
      const bool has_next = i + 1 < words.size();
      if (has_next && std::ranges::find(options, words[i + 1].text, &Option::word) == options.end()) ++i;
      continue;
    }
    if (found->has_value && i + 1 == words.size())
      return reading.findings.refuse(word.line, reading.kind + ": " + quote(word.text) + " needs a value");
    reading.words.insert(word.text);
    if (!seen.insert(word.text).second && word.text != "ether-vlan")
      reading.findings.refuse(word.line, reading.kind + ": " + quote(word.text) + " is given twice");
    const Word& value = found->has_value ? words[++i] : word;
    if (found->fate != Fate::kTranslated) say(reading, *found, word, value);
    if (found->apply) found->apply(reading, value);
  }
}

std::optional<uint64_t> whole_number(Reading& reading, const std::string& name, const Word& value) {
  uint64_t number = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, number);
  if (error == std::errc() && stop == end && !value.text.empty()) return number;
  const std::string digits(static_cast<const char*>(value.text.data()), stop);
  reading.findings.refuse(value.line, reading.kind + ' ' + name + ": " + quote(value.text) +
                                          " is no whole number; write one such as " +
                                          (error == std::errc() && !digits.empty() ? digits : "1024"));
  return std::nullopt;
}

void set_count(Reading& reading, const std::string& key, const Word& value, Range<uint32_t> range) {
  const auto number = whole_number(reading, key, value);
  if (!number) return;
  const uint64_t nearest = within<uint64_t>(reading, value.line, key, *number, {range.least, range.most},
                                            [](uint64_t v) { return std::to_string(v); });
  reading.shape.set(key, std::to_string(nearest));
}

void set_flows(Reading& reading, const Word& value) {
  const auto number = whole_number(reading, "flows", value);
  if (!number) return;
  const auto flows = static_cast<uint32_t>(within<uint64_t>(reading, value.line, "flows", *number,
                                                            {limits::kFlows.least, limits::kFlows.most},
                                                            [](uint64_t v) { return std::to_string(v); }));
  const uint32_t above = std::bit_ceil(flows);
  if (above != flows)
    reading.findings.note(value.line, reading.kind + ": flows " + value.text + " is no power of two; " +
                                          std::to_string(above) + " is written");
  reading.shape.set("flows", std::to_string(above), above == flows ? "" : value.text + ", up to a power of two");
}

void set_size(Reading& reading, const std::string& key, int line, uint64_t bytes, Range<uint64_t> range) {
  reading.shape.set(key, quote(format_size(within<uint64_t>(reading, line, key, bytes, range, format_size))));
}

void set_time(Reading& reading, const std::string& key, int line, Duration time, Range<int64_t> range) {
  const Parameters defaults;
  if (time.ns == 0 && (key == "target" || key == "interval")) {
    const std::string usual = format_time(key == "target" ? defaults.target : defaults.interval);
    reading.findings.lost(
        line, reading.kind + ": " + key + " 0 is a value that was never set; " + usual + ", the default, is written");
    return reading.shape.set(key, quote(usual), "was 0, which is none");
  }
  const int64_t ns = within<int64_t>(reading, line, key, time.ns, range, [](int64_t v) { return format_time({v}); });
  reading.shape.set(key, quote(format_time({ns})));
}

void set_rate(Reading& reading, int line, BitsPerSecond rate, const std::string& comment) {
  const uint64_t bps = within<uint64_t>(reading, line, "rate", rate.value, limits::kRateBps,
                                        [](uint64_t v) { return format_rate({v}); });
  reading.shape.set("rate", quote(format_rate({bps})), comment);
}

void set_burst(Reading& reading, int line, uint64_t bytes) {
  const uint64_t frame = mtu_frame_bytes(kDefaultMtuBytes);
  if (bytes != 0 && bytes < frame) {
    reading.findings.lost(line, reading.kind + ": a burst of " + format_size(bytes) +
                                    " is less than one frame; nearest is " + format_size(frame) + ", which is written");
    bytes = frame;
  }
  set_size(reading, "burst", line, bytes, {limits::kBurstBytes.least, limits::kBurstBytes.most});
}

void set_overhead(Reading& reading, int line) {
  const int64_t wanted = reading.overhead_bytes - (reading.counts_ip ? kEthernetHeaderBytes : 0);
  const int64_t bytes =
      within<int64_t>(reading, line, "overhead", wanted, {limits::kOverheadBytes.least, limits::kOverheadBytes.most},
                      format_signed_size);
  if (bytes == 0 && reading.overhead_bytes == 0) return;
  reading.shape.set("overhead", quote(format_signed_size(bytes)),
                    reading.counts_ip ? std::to_string(reading.overhead_bytes) +
                                            " beside the IP packet; frames here bear 14 bytes of Ethernet header more"
                                      : "");
}

}  // namespace sojourn::imports
