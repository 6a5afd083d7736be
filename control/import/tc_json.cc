// Options of `tc -j` become the words of a command, so that there is one grammar.
#include <map>
#include <nlohmann/json.hpp>

#include "config/key.h"
#include "config/nearest.h"
#include "control/import/tc_object.h"
#include "control/import/tc_qdisc.h"
#include "control/import/tc_units.h"

namespace sojourn::imports {
namespace {

using Json = nlohmann::json;

// How the value of a key is said as words.
enum class As {
  kNumber,     // "limit 1000"
  kBytes,      // "memlimit 1000b"
  kRate,       // "rate 1000bps"
  kMicros,     // "rtt 1000us"
  kCodelTime,  // the same, as CoDel in Linux shows it
  kText,       // "linklayer ethernet"
  kWord,       // the value is the word
  kFlag,       // the key is the word, when true
  kOnOff,      // the key, or "no" with the key
  kCounter     // no setting
};
struct JsonKey {
  As as;
  std::string word;
  std::string off = {};  // kOnOff
};
using JsonKeys = std::map<std::string, JsonKey, std::less<>>;

const JsonKeys& codel_keys() {
  static const JsonKeys kKeys = {
      {"limit", {As::kNumber, "limit"}},
      {"flows", {As::kNumber, "flows"}},
      {"quantum", {As::kBytes, "quantum"}},
      {"target", {As::kCodelTime, "target"}},
      {"interval", {As::kCodelTime, "interval"}},
      {"ce_threshold", {As::kCodelTime, "ce_threshold"}},
      {"ce_threshold_selector", {As::kText, "ce_threshold_selector"}},
      {"ce_threshold_mask", {As::kCounter, ""}},
      {"memory_limit", {As::kBytes, "memory_limit"}},
      {"drop_batch", {As::kNumber, "drop_batch"}},
      {"ecn", {As::kOnOff, "ecn", "noecn"}},
      {"tupdate", {As::kMicros, "tupdate"}},
      {"alpha", {As::kNumber, "alpha"}},
      {"beta", {As::kNumber, "beta"}},
      {"ecn_prob", {As::kNumber, "ecn_prob"}},
      {"bytemode", {As::kFlag, "bytemode"}},
      {"dq_rate_estimator", {As::kFlag, "dq_rate_estimator"}},
  };
  return kKeys;
}

const JsonKeys& cake_keys() {
  static const JsonKeys kKeys = {
      {"bandwidth", {As::kRate, "bandwidth"}},
      {"autorate", {As::kWord, ""}},
      {"diffserv", {As::kWord, ""}},
      {"flowmode", {As::kWord, ""}},
      {"nat", {As::kOnOff, "nat", "nonat"}},
      {"wash", {As::kOnOff, "wash", "nowash"}},
      {"ingress", {As::kFlag, "ingress"}},
      {"ack-filter", {As::kWord, ""}},
      {"split_gso", {As::kOnOff, "split-gso", "no-split-gso"}},
      {"rtt", {As::kMicros, "rtt"}},
      {"atm", {As::kWord, ""}},
      {"overhead", {As::kNumber, "overhead"}},
      {"mpu", {As::kNumber, "mpu"}},
      {"memlimit", {As::kBytes, "memlimit"}},
      {"fwmark", {As::kText, "fwmark"}},
      {"raw", {As::kFlag, "raw"}},
  };
  return kKeys;
}

const JsonKeys& rate_keys() {
  static const JsonKeys kKeys = {
      {"rate", {As::kRate, "rate"}},
      {"ceil", {As::kRate, "ceil"}},
      {"burst", {As::kBytes, "burst"}},
      {"cburst", {As::kBytes, "cburst"}},
      {"peakrate", {As::kRate, "peakrate"}},
      {"minburst", {As::kBytes, "minburst"}},
      {"mtu", {As::kBytes, "mtu"}},
      {"mpu", {As::kBytes, "mpu"}},
      {"mpu_rate", {As::kBytes, "mpu"}},
      {"mpu_ceil", {As::kCounter, ""}},
      {"lat", {As::kMicros, "latency"}},
      {"limit", {As::kBytes, "limit"}},
      {"overhead", {As::kNumber, "overhead"}},
      {"linklayer", {As::kText, "linklayer"}},
      {"prio", {As::kNumber, "prio"}},
      {"quantum", {As::kNumber, "quantum"}},
      {"burst_cell", {As::kCounter, ""}},
      {"cburst_cell", {As::kCounter, ""}},
      {"level", {As::kCounter, ""}},
      {"r2q", {As::kNumber, "r2q"}},
      {"default", {As::kText, "default"}},
      {"direct_qlen", {As::kNumber, "direct_qlen"}},
      {"direct_packets_stat", {As::kCounter, ""}},
      {"ver", {As::kCounter, ""}},
      {"offload", {As::kFlag, "offload"}},
      {"tsize", {As::kNumber, "tsize"}},
  };
  return kKeys;
}

const JsonKeys& keys_of(const std::string& kind) {
  if (kind == "cake" || kind == "cake_mq") return cake_keys();
  return kind == "tbf" || kind == "htb" ? rate_keys() : codel_keys();
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// cake says "disabled" and "enabled" of its ACK filter.
std::string word_of(const std::string& key, const std::string& value) {
  if (key != "ack-filter") return value;
  return value == "disabled" ? "no-ack-filter" : value == "enabled" ? "ack-filter" : "ack-filter-" + value;
}

class Object {
 public:
  Object(const Json& json, int line, TcObjects& out, Findings& findings)
      : json_(json), line_(line), out_(out), findings_(findings) {}

  void read() {
    object_.line = line_;
    object_.is_class = json_.contains("class");
    object_.kind = member(object_.is_class ? "class" : "kind");
    if (object_.kind.empty())
      return findings_.refuse(line_, "an object without \"kind\": this is no `tc -j qdisc show`");
    object_.device = member("dev");
    object_.handle = member("handle");
    if (object_.handle == "0:") object_.handle.clear();  // what has none
    object_.parent = json_.contains("root") ? "root" : member("parent");
    if (object_.parent.starts_with("ffff:")) object_.parent = "ingress";
    // Classes have their options beside their counters.
    if (object_.is_class) return read_options(json_, true);
    if (const auto stab = json_.find("stab"); stab != json_.end() && stab->is_object())
      for (const auto& [key, value] : stab->items()) add(rate_keys(), key, value, object_.stab);
    const auto options = json_.find("options");
    read_options(options != json_.end() && options->is_object() ? *options : Json::object(), false);
  }

 private:
  std::string member(const char* key) const {
    const auto found = json_.find(key);
    return found != json_.end() && found->is_string() ? found->get<std::string>() : std::string();
  }

  void read_options(const Json& options, bool is_mixed) {
    Words words;
    const bool is_known = tc_qdisc_options(object_.kind) != nullptr;
    const JsonKeys& keys = object_.is_class ? rate_keys() : keys_of(object_.kind);
    // Before cake's overhead, whose meaning it changes.
    if (options.contains("raw")) add(keys, "raw", options["raw"], words);
    for (const auto& [key, value] : options.items()) {
      if (key == "raw" || (is_mixed && !keys.contains(key))) continue;
      if (is_known) add(keys, key, value, words);
      if (!is_known) words.push_back({key + ' ' + text_of(value), line_});
    }
    // tc prints "ecn" where it is on, and nothing where it is not.
    if (is_known && !is_mixed && &keys == &codel_keys() && marks() && !options.contains("ecn"))
      words.push_back({"noecn", line_});
    object_.passes.push_back(std::move(words));
    out_.put(std::move(object_), false, findings_);
  }

  bool marks() const {
    return object_.kind == "fq_codel" || object_.kind == "codel" || object_.kind == "pie" || object_.kind == "fq_pie";
  }

  void add(const JsonKeys& keys, const std::string& key, const Json& value, Words& words) {
    const auto found = keys.find(key);
    if (found == keys.end()) return refuse_key(keys, key);
    const JsonKey& k = found->second;
    const auto put = [&](const std::string& word) { words.push_back({word, line_}); };
    const bool is_unset = value.is_null() || (key == "fwmark" && value == 0);
    if (k.as == As::kCounter || is_unset) return;
    if (k.as == As::kWord) return put(word_of(key, text_of(value)));
    if (k.as == As::kFlag) return value == true ? put(k.word) : void();
    if (k.as == As::kOnOff) return put(value == true ? k.word : k.off);
    if (k.as == As::kRate && value == "unlimited") return put("unlimited");
    put(k.word);
    put(said(k.as, value));
  }

  static std::string said(As as, const Json& value) {
    if (!value.is_number_unsigned()) return text_of(value);
    const auto number = value.get<uint64_t>();
    if (as == As::kCodelTime) return format_time(codel_time_behind(std::min<uint64_t>(number, UINT32_MAX)));
    const char* unit = as == As::kBytes ? "b" : as == As::kRate ? "bps" : as == As::kMicros ? "us" : "";
    return std::to_string(number) + unit;
  }

  void refuse_key(const JsonKeys& keys, const std::string& key) {
    std::vector<std::string> known;
    for (const auto& [name, as] : keys) known.push_back(name);
    findings_.refuse(line_, object_.kind + " has no option " + quote(key) + suggestion(key, known));
  }

  const Json& json_;
  const int line_;
  TcObjects& out_;
  Findings& findings_;
  TcObject object_;
};

// Where the values of a text begin and end, and the lines of the objects in each.
struct Value {
  size_t begin = 0, end = 0;
  std::vector<int> lines;
};

class Scan {
 public:
  Scan(std::string_view text, Findings& findings) : text_(text), findings_(findings) {}

  std::vector<Value> values() {
    for (; at_ < text_.size() && !findings_.is_refused(); ++at_) step(text_[at_]);
    if (depth_ != 0) findings_.refuse(line_, "JSON that ends too early: is it all of what `tc -j qdisc show` printed?");
    return std::move(out_);
  }

 private:
  void step(char c) {
    line_ += c == '\n';
    if (in_string_) {
      if (c == '\\') ++at_;
      in_string_ = c != '"';
      return;
    }
    if (c == '"') in_string_ = true;
    if (c == '[' || c == '{') open(c);
    if (c == ']' || c == '}') close();
  }

  void open(char c) {
    constexpr int kDeepest = 16;
    if (depth_ == 0) out_.push_back({at_, at_, {}});
    if (c == '{' && depth_ == 1) out_.back().lines.push_back(line_);
    if (++depth_ > kDeepest) findings_.refuse(line_, "JSON deeper than any that tc prints");
  }

  void close() {
    if (depth_ == 0) return findings_.refuse(line_, "JSON that closes what it has not opened");
    if (--depth_ == 0) out_.back().end = at_ + 1;
  }

  std::string_view text_;
  Findings& findings_;
  std::vector<Value> out_;
  size_t at_ = 0;
  int line_ = 1, depth_ = 0;
  bool in_string_ = false;
};

}  // namespace

void read_tc_json(std::string_view text, TcObjects& out, Findings& findings) {
  size_t expected = 0;
  for (const Value& value : Scan(text, findings).values()) {
    if (findings.is_refused()) return;
    const Json json = Json::parse(text.substr(value.begin, value.end - value.begin), nullptr, false);
    const int line = line_at(text, value.begin);
    if (!trimmed(text.substr(expected, value.begin - expected)).empty())
      return findings.refuse(line, "text between JSON arrays");
    expected = value.end;
    if (!json.is_array()) return findings.refuse(line, "no JSON array, such as `tc -j qdisc show` prints");
    for (size_t i = 0; i < json.size(); ++i) {
      const int at = i < value.lines.size() ? value.lines[i] : line;
      if (!json[i].is_object())
        return findings.refuse(at, "an element that is no object, which `tc -j` does not print");
      if (!json[i].empty()) Object(json[i], at, out, findings).read();
    }
  }
  if (!findings.is_refused() && !trimmed(text.substr(expected)).empty())
    findings.refuse(line_at(text, expected), "text behind the JSON array");
}

}  // namespace sojourn::imports
