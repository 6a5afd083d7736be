#include "control/import/dummynet_limiter.h"

#include <algorithm>
#include <array>

#include "config/key.h"
#include "config/nearest.h"
#include "control/import/dummynet_units.h"
#include "control/import/options.h"

namespace sojourn::imports {
namespace {

constexpr const char* kPie = "PIE has no equivalent; CoDel takes its place, with a target and an interval of its own";
constexpr const char* kWeights = "there are no weights; flows share alike";
constexpr uint32_t kDefaultSlots = 50;

bool is_one_of(const std::string& word, std::initializer_list<const char*> list) {
  return std::ranges::any_of(list, [&](const char* w) { return word == w; });
}

Option time_option(const std::string& word, Range<int64_t> range) {
  return valued(word, [=](Reading& r, const Word& w) {
    if (const auto time = value_of(r, word, w, parse_dummynet_time(w.text))) set_time(r, word, w.line, *time, range);
  });
}

Options codel_options() {
  return {time_option("target", limits::kTargetNs), time_option("interval", limits::kIntervalNs),
          translated("ecn", [](Reading& r, const Word&) { r.shape.set("ecn", "true"); }),
          translated("noecn", [](Reading& r, const Word&) { r.shape.set("ecn", "false"); })};
}

void add_flow_options(Options& out) {
  out.push_back(valued("quantum", [](Reading& r, const Word& w) {
    if (const auto bytes = whole_number(r, "quantum", w))
      set_size(r, "quantum", w.line, *bytes, {limits::kQuantumBytes.least, limits::kQuantumBytes.most});
  }));
  out.push_back(valued("limit", [](Reading& r, const Word& w) { set_count(r, "limit", w, limits::kLimitPackets); }));
  out.push_back(valued("flows", set_flows));
}

Options pie_options() {
  Options out{translated("ecn", [](Reading& r, const Word&) { r.shape.set("ecn", "true"); }),
              translated("noecn", [](Reading& r, const Word&) { r.shape.set("ecn", "false"); })};
  for (const char* word : {"target", "tupdate", "max_burst", "max_ecnth", "alpha", "beta"})
    out.push_back(lost_valued(word, kPie));
  for (const char* word : {"capdrop", "nocapdrop", "onoff", "dre", "ts", "derand", "noderand"})
    out.push_back(lost(word, kPie));
  return out;
}

// What stands behind the name of an AQM, which takes all that follows.
const Options& aqm_options(const std::string& name) {
  static const Options kCodel = codel_options(), kPieOptions = pie_options();
  static const Options kFqCodel = [] {
    Options out = codel_options();
    add_flow_options(out);
    return out;
  }();
  static const Options kFqPie = [] {
    Options out = pie_options();
    add_flow_options(out);
    return out;
  }();
  return name == "codel" ? kCodel : name == "pie" ? kPieOptions : name == "fq_codel" ? kFqCodel : kFqPie;
}

class Limiter {
 public:
  Limiter(const std::string& name, Findings& findings) : findings_(findings), name_(name) {
    shape_.origin = "dummynet: " + name;
  }

  Shape read(const std::vector<const DummynetObject*>& parts) {
    shape_.line = parts[0]->line;
    queues_ = std::ranges::count(parts, DummynetKind::kQueue, &DummynetObject::kind);
    for (const DummynetObject* part : parts)
      for (const Words& words : part->passes) read_words(words, label_of(*part));
    if (!findings_.is_refused()) finish();
    return std::move(shape_);
  }

 private:
  static std::string label_of(const DummynetObject& object) {
    const char* kind = object.kind == DummynetKind::kPipe    ? "pipe "
                       : object.kind == DummynetKind::kQueue ? "queue "
                                                             : "sched ";
    return object.name.empty() ? kind + std::to_string(object.number) : kind + quote(object.name);
  }

  // Parts off what is no word with at most one value, and reads the rest by the table.
  void read_words(const Words& words, const std::string& label) {
    Words plain;
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i].text;
      if (is_one_of(word, {"mask", "flow_mask", "sched_mask"})) {
        i = read_mask(words, i, label);
      } else if (word == "type") {
        if (i + 1 == words.size()) return findings_.refuse(words[i].line, label + ": \"type\" needs a scheduler");
        const bool takes_all = read_type(words[++i], label);
        if (takes_all) return read_plain(plain, label), read_aqm(words, i, label);
      } else if (is_one_of(word, {"codel", "pie", "fq_codel", "fq_pie"})) {
        return read_plain(plain, label), read_aqm(words, i, label);
      } else {
        plain.push_back(words[i]);
        // A value is never taken for a word: "queue queue".
        const auto known = std::ranges::find(options(), word, &Option::word);
        if (known != options().end() && known->has_value && i + 1 < words.size()) plain.push_back(words[++i]);
      }
    }
    read_plain(plain, label);
  }

  void read_plain(const Words& words, const std::string& label) {
    Reading reading{.findings = findings_, .shape = shape_, .kind = label};
    reading.has_peers = queues_ > 1 && !scheduler_.starts_with("fq_");
    read_options(options(), words, 0, reading);
  }

  void read_aqm(const Words& words, size_t at, const std::string& label) {
    const std::string& aqm = words[at].text;
    if (aqm.starts_with("fq_")) {
      scheduler_ = aqm;
      fq_read_ = true;
    } else {
      aqm_ = aqm;
    }
    // The scheduler's own AQM is in force, not that of its queues.
    Shape unused;
    const bool is_unused = !aqm.starts_with("fq_") && scheduler_.starts_with("fq_");
    if (is_unused) findings_.note(words[at].line, label + ": " + quote(aqm) + " has no effect with " + scheduler_);
    const bool is_pie = aqm == "pie" || aqm == "fq_pie";
    if (is_pie && !is_unused) findings_.lost(words[at].line, label + ": " + quote(aqm) + ": " + kPie);
    Shape& target = is_unused ? unused : shape_;
    if (!is_unused && !target.has("ecn"))
      target.set("ecn", aqm.starts_with("fq_") ? "true" : "false", aqm + "'s default in dummynet");
    Reading reading{.findings = findings_, .shape = target, .kind = label + " " + aqm};
    read_options(aqm_options(aqm), words, at + 1, reading);
  }

  // Whether all that follows are its parameters.
  bool read_type(const Word& type, const std::string& label) {
    static const std::vector<std::string> kTypes = {"fifo", "wf2q+", "rr", "qfq", "prio", "fq_codel", "fq_pie"};
    std::string name = type.text;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (std::ranges::find(kTypes, name) == kTypes.end()) {
      findings_.refuse(type.line,
                       label + ": there is no scheduler " + quote(type.text) + suggestion(type.text, kTypes));
      return false;
    }
    scheduler_ = name;
    scheduler_line_ = type.line;
    return name.starts_with("fq_");
  }

  // Returns where the mask ends.
  size_t read_mask(const Words& words, size_t at, const std::string& label) {
    const size_t begin = at;
    const auto is_field = [](const std::string& w) {
      return is_one_of(w, {"dst-ip", "src-ip", "dst-port", "src-port", "proto", "dst-ip6", "dst-ipv6", "src-ip6",
                           "src-ipv6", "flow-id"});
    };
    bool is_all = false;
    if (at + 1 < words.size() && is_one_of(words[at + 1].text, {"all", "queue"})) {
      is_all = words[++at].text == "all";
    } else {
      while (at + 2 < words.size() && is_field(words[at + 1].text)) at += 2;
    }
    if (at == begin) {
      findings_.refuse(words[begin].line,
                       label +
                           ": \"mask\" needs what it masks; known: all, src-ip, dst-ip, src-ip6, dst-ip6, "
                           "src-port, dst-port, proto, flow-id, each with a value");
      return words.size();
    }
    Words mask(words.begin() + static_cast<ptrdiff_t>(begin), words.begin() + static_cast<ptrdiff_t>(at) + 1);
    const bool is_of_queue = label.starts_with("queue");
    if (is_all && is_of_queue) {
      masks_all_ = true;
      findings_.note(words[begin].line,
                     label + ": \"mask all\": a queue for every flow, which isolation = \"flows\" gives");
    } else {
      findings_.lost(words[begin].line,
                     label + ": " + quote(joined(mask)) +
                         (is_of_queue ? ": a share for every host; flows are kept apart by their 5-tuple only"
                                      : ": a limit for every host; there is one rate a direction"));
    }
    return at;
  }

  const Options& options() {
    static const Options kOptions = make_options();
    return kOptions;
  }
  static Options make_options();
  void finish();
  void finish_scheduler();
  void finish_queue();

  Findings& findings_;
  std::string name_;
  Shape shape_;
  std::string scheduler_, aqm_;
  int scheduler_line_ = 0;
  ptrdiff_t queues_ = 0;
  bool masks_all_ = false, fq_read_ = false;
};

void read_bw(Reading& r, const Word& w) {
  if (!w.text.empty() && std::isalpha(static_cast<unsigned char>(w.text[0])))
    return r.findings.lost(w.line, r.kind + ": \"bw " + w.text + "\": the clock of an interface sets no rate");
  const auto rate = value_of(r, "bw", w, parse_dummynet_rate(w.text));
  if (!rate) return;
  if (*rate == kUnlimited) return r.findings.note(w.line, r.kind + ": \"bw " + w.text + "\" is no limit");
  if (rate->value > UINT32_MAX)
    r.findings.note(w.line,
                    r.kind + ": " + format_rate(*rate) + " is more than dummynet's 32 bits hold; it is exact here");
  set_rate(r, w.line, *rate);
}

// A pipe's own queue; where fq_codel schedules, it is dropped again.
void read_queue_size(Reading& r, const Word& w) {
  const auto queue = value_of(r, "queue", w, parse_dummynet_queue(w.text));
  if (!queue) return;
  const uint64_t packets = queue->bytes == 0 ? queue->packets : (queue->bytes + 1499) / 1500;
  if (packets < limits::kLimitPackets.least || packets > limits::kLimitPackets.most)
    return r.findings.refuse(w.line, r.kind + " queue: " + w.text + " is out of range; nearest is " +
                                         std::to_string(packets == 0 ? 1 : limits::kLimitPackets.most));
  r.shape.set("queue", std::to_string(packets), queue->bytes == 0 ? "" : w.text + " in packets of 1500 bytes");
}

void read_delay(Reading& r, const Word& w) {
  const auto delay = value_of(r, "delay", w, parse_dummynet_time(w.text));
  if (!delay || delay->ns == 0) return;
  if (delay->ns > 3'600'000'000'000)
    return r.findings.refuse(w.line, r.kind + " delay: " + w.text + " is more than an hour");
  r.shape.lab["delay"] = {quote(format_time(*delay)), {}};
  r.findings.note(w.line, r.kind + ": \"delay " + w.text + "\" is written as a path of `lab`, behind the port");
}

void read_plr(Reading& r, const Word& w) {
  const auto share = value_of(r, "plr", w, parse_dummynet_share(w.text));
  if (!share || share->value == 0) return;
  r.shape.lab["loss"] = {quote(format_fraction(*share)), {}};
  r.findings.note(w.line, r.kind + ": \"plr " + w.text + "\" is written as a path of `lab`, behind the port");
}

void read_burst(Reading& r, const Word& w) {
  const auto bytes = value_of(r, "burst", w, parse_dummynet_burst(w.text));
  if (bytes) set_burst(r, w.line, *bytes);
}

void read_red(Reading& r, const Word& w) {
  r.findings.lost(w.line,
                  r.kind + ": RED with " + quote(w.text) + ": CoDel takes its place, with its own target and interval");
  r.shape.set("aqm", quote("codel"), "in the place of RED");
}

Options Limiter::make_options() {
  Options out{valued("bw", read_bw),
              valued("bandwidth", read_bw),
              valued("queue", read_queue_size),
              valued("delay", read_delay),
              valued("plr", read_plr),
              valued("burst", read_burst),
              valued("red", read_red),
              valued("gred", read_red),
              translated("ecn", [](Reading& r, const Word&) { r.shape.set("ecn", "true"); }),
              translated("droptail", {}),
              noted("noerror", "a sender is never told of a drop here"),
              noted_valued("buckets", "`flows` is what there is to set"),
              lost_valued("profile", "there are no delay profiles"),
              lost_valued("lmax", kWeights),
              lost_valued("maxlen", kWeights)};
  for (const char* word : {"pipe", "sched", "link", "flowset"}) out.push_back(valued(word, {}));
  for (const char* word : {"pri", "priority"})
    out.push_back(lost_valued(word, "there are no priorities; what must not wait can go ahead by `rules`"));
  out.push_back(valued("weight", [](Reading& r, const Word& w) {
    if (!whole_number(r, "weight", w)) return;
    const std::string text = r.kind + ": \"weight " + w.text + "\": ";
    r.has_peers ? r.findings.lost(w.line, text + kWeights)
                : r.findings.note(w.line, text + "has no effect where there is nothing beside it");
  }));
  return out;
}

void Limiter::finish_scheduler() {
  if (scheduler_.starts_with("fq_")) {
    if (!shape_.has("ecn")) shape_.set("ecn", "true", scheduler_ + "'s default in dummynet");
    shape_.set("isolation", quote("flows"));
    shape_.set("aqm", quote("codel"), scheduler_ == "fq_pie" ? "in the place of PIE" : "");
    return;
  }
  if (!scheduler_.empty() && scheduler_ != "fifo" && scheduler_ != "wf2q+")
    findings_.lost(scheduler_line_, name_ + ": scheduler " + quote(scheduler_) + ": flows share alike, by DRR++");
  shape_.set("isolation", quote(masks_all_ ? "flows" : "none"), masks_all_ ? "" : "one queue, as it was");
  if (shape_.has("aqm")) return;
  shape_.set("aqm", quote(aqm_.empty() ? "none" : "codel"),
             aqm_.empty()    ? "drop-tail, as it was; fq_codel's own is \"codel\" with isolation = \"flows\""
             : aqm_ == "pie" ? "in the place of PIE"
                             : "");
}

void Limiter::finish_queue() {
  const auto queue = shape_.settings.find("queue");
  if (scheduler_.starts_with("fq_")) {
    if (queue != shape_.settings.end())
      findings_.note(shape_.line, name_ + ": its queue size has no effect with " + scheduler_ + ", which has `limit`");
  } else if (queue != shape_.settings.end()) {
    shape_.settings["limit"] = queue->second;
  } else {
    shape_.set("limit", std::to_string(kDefaultSlots), "dummynet's default");
  }
  shape_.settings.erase("queue");
}

void Limiter::finish() {
  finish_scheduler();
  finish_queue();
  shape_.set("overhead", quote(format_signed_size(-int64_t{kEthernetHeaderBytes})),
             "dummynet counts IP packets, without their Ethernet header");
}

}  // namespace

Shape shape_of(const std::vector<const DummynetObject*>& parts, const std::string& name, Findings& findings) {
  return Limiter(name, findings).read(parts);
}

}  // namespace sojourn::imports
