// The words of a grammar, as tables: every word is translated, has a reason why it has no equivalent, or is an error.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/quantity.h"
#include "control/import/findings.h"
#include "control/import/shape.h"
#include "control/import/words.h"
#include "sched/parameters.h"

namespace sojourn::imports {

// What is known while the words of one thing are read.
struct Reading {
  Findings& findings;
  Shape& shape;
  std::string kind;  // what messages call it: "cake"

  int line = 0;
  std::set<std::string> words = {};  // that were read

  // How a packet is charged.
  int64_t overhead_bytes = 0;
  bool counts_ip = false;        // beside the length of the IP packet, not of the Ethernet frame
  bool has_no_ethernet = false;  // the interface bears IP packets
  bool has_peers = false;        // of dummynet's queues: there are others, and weights decide
  bool is_raw = false;           // cake's

  // Of what sends at a rate, before it is known which of them is in force.
  std::optional<BitsPerSecond> rate = {}, ceil = {};
  std::optional<uint64_t> burst_bytes = {}, ceil_burst_bytes = {}, limit_bytes = {};
  std::optional<Duration> latency = {};
};

enum class Fate { kTranslated, kNoted, kLost };

// Takes the value, or the word itself where there is none.
using Apply = std::function<void(Reading&, const Word&)>;

struct Option {
  std::string word;
  bool has_value = false;
  Fate fate = Fate::kTranslated;
  std::string why = {};  // noted and lost
  Apply apply = {};
};
using Options = std::vector<Option>;

Option translated(std::string word, Apply apply);
Option valued(std::string word, Apply apply);
Option same(std::string word);  // what is so here anyway
Option noted(std::string word, std::string why);
Option noted_valued(std::string word, std::string why);
Option lost(std::string word, std::string why);
Option lost_valued(std::string word, std::string why);

// Reads words[from...]. An unknown word, a missing value and a word given twice are refused.
void read_options(const Options& options, const Words& words, size_t from, Reading& reading);

// The number, when it is a whole one; else refused.
std::optional<uint64_t> whole_number(Reading& reading, const std::string& name, const Word& value);

// Writes a key. What is out of its range is said, and the nearest is written. A time of 0 is one that was never set
// (FIELD: the defaults of a module that is not loaded read 0): said, and the default is left.
void set_count(Reading& reading, const std::string& key, const Word& value, Range<uint32_t> range);
void set_flows(Reading& reading, const Word& value);
void set_size(Reading& reading, const std::string& key, int line, uint64_t bytes, Range<uint64_t> range);
void set_time(Reading& reading, const std::string& key, int line, Duration time, Range<int64_t> range);
void set_rate(Reading& reading, int line, BitsPerSecond rate, const std::string& comment = {});
void set_burst(Reading& reading, int line, uint64_t bytes);
// What a direction is charged, from `overhead_bytes` and `counts_ip`.
void set_overhead(Reading& reading, int line);

// The value of a parse, or refused with what the parse has against it.
template <typename T>
std::optional<T> value_of(Reading& reading, const std::string& name, const Word& word, Parsed<T> parsed) {
  if (!parsed.value) reading.findings.refuse(word.line, reading.kind + ' ' + name + ": " + parsed.reason);
  return parsed.value;
}

}  // namespace sojourn::imports
