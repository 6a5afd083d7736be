#include "control/import/tc_qdisc.h"

#include <map>

#include "config/key.h"
#include "control/import/tc_units.h"

namespace sojourn::imports {
namespace {

constexpr const char* kPie = "PIE has no equivalent; CoDel takes its place, with a target and an interval of its own";
constexpr const char* kTable = "no table of rates is needed: lengths are exact here";

Option time_option(const std::string& word, const std::string& key, Range<int64_t> range) {
  return valued(word, [=](Reading& r, const Word& w) {
    if (const auto time = value_of(r, word, w, parse_tc_time(w.text))) set_time(r, key, w.line, *time, range);
  });
}

Option count_option(const std::string& word, const std::string& key, Range<uint32_t> range) {
  return valued(word, [=](Reading& r, const Word& w) { set_count(r, key, w, range); });
}

Option switch_option(const std::string& word, const std::string& key, const std::string& value) {
  return translated(word, [=](Reading& r, const Word&) { r.shape.set(key, value); });
}

Option size_key_option(const std::string& word, const std::string& key, Range<uint64_t> range) {
  return valued(word, [=](Reading& r, const Word& w) {
    if (const auto bytes = value_of(r, word, w, parse_tc_size(w.text))) set_size(r, key, w.line, *bytes, range);
  });
}

void read_ce_threshold(Reading& r, const Word& w) {
  const auto time = value_of(r, "ce_threshold", w, parse_tc_time(w.text));
  if (time) set_time(r, "ce_threshold", w.line, *time, limits::kCeThresholdNs);
}

void read_drop_batch(Reading& r, const Word& w) {
  if (whole_number(r, "drop_batch", w))
    r.findings.note(w.line, "fq_codel: \"drop_batch " + w.text +
                                "\": a full queue always drops until half of the longest flow is gone here");
}

Options codel_options() {
  return {count_option("limit", "limit", limits::kLimitPackets),
          time_option("target", "target", limits::kTargetNs),
          time_option("interval", "interval", limits::kIntervalNs),
          switch_option("ecn", "ecn", "true"),
          switch_option("noecn", "ecn", "false"),
          valued("ce_threshold", read_ce_threshold),
          lost_valued("ce_threshold_selector", "ce_threshold holds for all packets")};
}

Range<uint64_t> wide(Range<uint32_t> range) {
  return {range.least, range.most};
}

Options fq_codel_options() {
  Options out = codel_options();
  out.push_back(valued("flows", set_flows));
  out.push_back(size_key_option("quantum", "quantum", wide(limits::kQuantumBytes)));
  out.push_back(size_key_option("memory_limit", "memory", limits::kMemoryBytes));
  out.push_back(valued("drop_batch", read_drop_batch));
  return out;
}

Options pie_options() {
  Options out{count_option("limit", "limit", limits::kLimitPackets), switch_option("ecn", "ecn", "true"),
              switch_option("noecn", "ecn", "false")};
  for (const char* word : {"target", "tupdate", "alpha", "beta", "ecn_prob"}) out.push_back(lost_valued(word, kPie));
  for (const char* word : {"bytemode", "dq_rate_estimator"}) out.push_back(lost(word, kPie));
  for (const char* word : {"nobytemode", "no_dq_rate_estimator"}) out.push_back(same(word));
  return out;
}

Options fq_pie_options() {
  Options out = pie_options();
  out.push_back(valued("flows", set_flows));
  out.push_back(size_key_option("quantum", "quantum", wide(limits::kQuantumBytes)));
  out.push_back(size_key_option("memory_limit", "memory", limits::kMemoryBytes));
  return out;
}

Option cell_option(const std::string& word, std::optional<uint64_t> Reading::*field) {
  return valued(word, [=](Reading& r, const Word& w) {
    if (const auto bytes = value_of(r, word, w, parse_tc_size_and_cell(w.text))) r.*field = *bytes;
  });
}

Options tbf_options() {
  Options out{tc_rate_option("rate", &Reading::rate), tc_size_option("limit", &Reading::limit_bytes), tc_mpu_option(),
              tc_overhead_option(), tc_linklayer_option()};
  out.push_back(valued("latency", [](Reading& r, const Word& w) {
    if (const auto time = value_of(r, "latency", w, parse_tc_time(w.text))) r.latency = *time;
  }));
  for (const char* word : {"burst", "buffer", "maxburst"}) out.push_back(cell_option(word, &Reading::burst_bytes));
  for (const char* word : {"peakrate", "mtu", "minburst"})
    out.push_back(lost_valued(word, "there is one rate and one burst"));
  return out;
}

Options fifo_options(const std::string& kind) {
  if (kind == "bfifo") return {tc_size_option("limit", &Reading::limit_bytes)};
  return {count_option("limit", "limit", limits::kLimitPackets)};
}

Options htb_options() {
  return {valued("default", {}),  // every frame passes the shaper of its direction
          noted_valued("r2q", "there are no quanta of classes"),
          noted_valued("direct_qlen", "nothing passes beside the shaper"), noted_valued("debug", "is for debugging"),
          lost("offload", "no hardware shapes for it")};
}

// A queue that is bounded in bytes, as one bounded in packets.
void finish_limit_bytes(Reading& r) {
  if (r.kind == "tbf" && r.latency && r.rate && r.burst_bytes) {
    const auto ns = static_cast<uint64_t>(r.latency->ns);
    r.limit_bytes = static_cast<uint64_t>(Uint128{r.rate->value} * ns / 8'000'000'000u) + *r.burst_bytes;
  }
  if (!r.limit_bytes) return;
  const uint64_t frame = mtu_frame_bytes(kDefaultMtuBytes), packets = (*r.limit_bytes + frame - 1) / frame;
  r.findings.note(r.line, r.kind + ": a queue of " + format_size(*r.limit_bytes) + " holds " + std::to_string(packets) +
                              " full frames, which is written");
  const uint64_t most = limits::kLimitPackets.most;
  r.shape.set("limit", std::to_string(std::clamp<uint64_t>(packets, 1, most)),
              format_size(*r.limit_bytes) + " in full frames");
}

void finish_tbf(Reading& r) {
  if (!r.rate) return r.findings.refuse(r.line, "tbf has no rate; write \"rate 40mbit\"");
  if (!r.burst_bytes) return r.findings.refuse(r.line, "tbf has no burst; write \"burst 32kb\"");
  set_burst(r, r.line, *r.burst_bytes);
}

}  // namespace

Option tc_rate_option(const std::string& word, std::optional<BitsPerSecond> Reading::*field) {
  return valued(word, [=](Reading& r, const Word& w) {
    if (const auto rate = value_of(r, word, w, parse_tc_rate(w.text))) r.*field = *rate;
  });
}

Option tc_size_option(const std::string& word, std::optional<uint64_t> Reading::*field) {
  return valued(word, [=](Reading& r, const Word& w) {
    if (const auto bytes = value_of(r, word, w, parse_tc_size(w.text))) r.*field = *bytes;
  });
}

Option tc_mpu_option() {
  return size_key_option("mpu", "mpu", wide(limits::kMpuBytes));
}

Option tc_overhead_option() {
  return valued("overhead", [](Reading& r, const Word& w) {
    const bool is_negative = w.text.starts_with('-');
    const auto bytes = value_of(r, "overhead", w, parse_tc_size(std::string_view(w.text).substr(is_negative ? 1 : 0)));
    if (bytes && *bytes > 65'535) return r.findings.refuse(w.line, r.kind + " overhead: " + w.text + " is too large");
    if (bytes) r.overhead_bytes = static_cast<int64_t>(*bytes) * (is_negative ? -1 : 1);
  });
}

Option tc_linklayer_option() {
  return valued("linklayer", [](Reading& r, const Word& w) {
    if (w.text == "atm" || w.text == "adsl")
      return r.findings.lost(w.line, r.kind + ": \"linklayer " + w.text +
                                         "\": ATM cells are not counted; take 10 % off the rate, or raise `overhead`");
    if (w.text != "ethernet")
      r.findings.refuse(w.line, r.kind + " linklayer: unknown word " + quote(w.text) + "; known: ethernet, atm, adsl");
  });
}

const Options* tc_qdisc_options(std::string_view kind) {
  static const std::map<std::string, Options, std::less<>> kKinds = {
      {"cake", cake_options()},
      {"fq_codel", fq_codel_options()},
      {"codel", codel_options()},
      {"pie", pie_options()},
      {"fq_pie", fq_pie_options()},
      {"tbf", tbf_options()},
      {"htb", htb_options()},
      {"pfifo", fifo_options("pfifo")},
      {"bfifo", fifo_options("bfifo")},
      {"mq", {}},
      {"noqueue", {}},
      {"ingress", {}},
      {"clsact", {}},
  };
  const auto found = kKinds.find(kind);
  return found == kKinds.end() ? nullptr : &found->second;
}

const Options& htb_class_options() {
  static const Options kOptions = [] {
    Options out{tc_rate_option("rate", &Reading::rate),
                tc_rate_option("ceil", &Reading::ceil),
                tc_mpu_option(),
                tc_overhead_option(),
                tc_linklayer_option(),
                noted_valued("prio", "there are no classes to choose from"),
                noted_valued("quantum", "there are no classes to choose from; `quantum` here is of flows"),
                noted_valued("mtu", kTable)};
    for (const char* word : {"burst", "buffer", "maxburst"}) out.push_back(cell_option(word, &Reading::burst_bytes));
    for (const char* word : {"cburst", "cbuffer", "cmaxburst"})
      out.push_back(cell_option(word, &Reading::ceil_burst_bytes));
    return out;
  }();
  return kOptions;
}

const Options& stab_options() {
  static const Options kOptions = {tc_mpu_option(), tc_overhead_option(), tc_linklayer_option(),
                                   noted_valued("mtu", kTable), noted_valued("tsize", kTable)};
  return kOptions;
}

void set_tc_defaults(Reading& r) {
  const auto set = [&](const char* key, const char* value) { r.shape.set(key, value, r.kind + "'s default"); };
  const bool is_fifo = r.kind == "pfifo" || r.kind == "bfifo" || r.kind == "tbf";
  if (r.kind == "codel" || r.kind == "pie") {
    r.shape.set("isolation", quote("none"), "one queue, as " + r.kind + " has");
    set("limit", "1000");
  }
  if (r.kind == "codel" || r.kind == "pie" || r.kind == "fq_pie") set("ecn", "false");
  if (r.kind == "pie" || r.kind == "fq_pie") r.findings.lost(r.line, r.kind + ": " + kPie);
  if (!is_fifo) return;
  r.shape.set("isolation", quote("none"), "one queue, as " + r.kind + " has");
  r.shape.set("aqm", quote("none"), "no AQM, as in " + r.kind);
  if (r.kind == "pfifo") set("limit", "1000");
}

void finish_tc_qdisc(Reading& r) {
  if (r.findings.is_refused()) return;
  const auto ecn = r.shape.settings.find("ecn");
  if (r.shape.has("ce_threshold") && ecn != r.shape.settings.end() && ecn->second.value == "false")
    r.findings.lost(r.line, r.kind + ": ce_threshold has no effect without ecn here");
  if (r.kind == "cake") finish_cake(r);
  if (r.kind == "tbf") finish_tbf(r);
  if (r.kind == "tbf" || r.kind == "bfifo") finish_limit_bytes(r);
  if (r.kind == "cake" || r.kind == "tbf") {
    if (r.rate && *r.rate != kUnlimited) set_rate(r, r.line, *r.rate);
    set_overhead(r, r.line);
  }
}

}  // namespace sojourn::imports
