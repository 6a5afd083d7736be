// tc-cake(8). Its `overhead` counts beside the IP packet unless `raw` was given; ours beside the Ethernet frame.
#include <algorithm>

#include "config/key.h"
#include "control/import/tc_qdisc.h"
#include "control/import/tc_units.h"

namespace sojourn::imports {
namespace {

constexpr const char* kTins = "all traffic shares one class; what must not wait can go ahead by `rules`";
constexpr const char* kHosts = "fairness between hosts; flows are kept apart by their 5-tuple only";
constexpr const char* kCells = "cells are not counted";

void set_rtt(Reading& reading, const Word& word, Duration rtt) {
  // As tc derives it: a twentieth.
  set_time(reading, "interval", word.line, rtt, limits::kIntervalNs);
  set_time(reading, "target", word.line, {rtt.ns / 20}, limits::kTargetNs);
}

Option rtt_preset(const std::string& word, const char* rtt) {
  return translated(word, [rtt](Reading& r, const Word& w) { set_rtt(r, w, *parse_time(rtt).value); });
}

// A framing with its own overhead; `cells` is what it implies and sojourn does not count, "" for none.
Option framing(const std::string& word, int overhead_bytes, uint32_t mpu_bytes, const std::string& cells) {
  return translated(word, [=](Reading& r, const Word& w) {
    r.overhead_bytes += overhead_bytes;
    r.counts_ip = !r.is_raw || r.has_no_ethernet;
    if (mpu_bytes != 0) set_size(r, "mpu", w.line, mpu_bytes, {0, limits::kMpuBytes.most});
    if (!cells.empty())
      r.findings.lost(w.line, "cake: " + quote(word) + ": " + cells + ' ' + kCells + "; its overhead of " +
                                  std::to_string(overhead_bytes) + " bytes is");
  });
}

void read_number_between(Reading& r, const Word& value, const std::string& name, int64_t least, int64_t most,
                         int64_t& out) {
  const bool is_negative = value.text.starts_with('-');
  const auto number = whole_number(r, name, {value.text.substr(is_negative ? 1 : 0), value.line});
  if (!number) return;
  const int64_t signed_number = is_negative ? -static_cast<int64_t>(*number) : static_cast<int64_t>(*number);
  if (*number > 100'000 || signed_number < least || signed_number > most)
    return r.findings.refuse(value.line, "cake " + name + ": " + value.text + " is out of range; cake takes " +
                                             std::to_string(least) + " to " + std::to_string(most));
  out = signed_number;
}

void read_overhead(Reading& r, const Word& value) {
  read_number_between(r, value, "overhead", -64, 256, r.overhead_bytes);
  r.counts_ip = !r.is_raw || r.has_no_ethernet;
}

void read_mpu(Reading& r, const Word& value) {
  int64_t bytes = 0;
  read_number_between(r, value, "mpu", 0, 256, bytes);
  set_size(r, "mpu", value.line, static_cast<uint64_t>(bytes), {0, limits::kMpuBytes.most});
}

// From here on overheads count beside the frame.
void read_raw(Reading& r, const Word&) {
  r.overhead_bytes = 0;
  r.counts_ip = r.has_no_ethernet;
  r.is_raw = true;
}

void read_bandwidth(Reading& r, const Word& value) {
  if (const auto rate = value_of(r, "bandwidth", value, parse_tc_rate(value.text))) r.rate = *rate;
}

// A bound on memory is what cake has, and no bound on packets: ours is set where memory is used up first.
void read_memlimit(Reading& r, const Word& value) {
  const auto bytes = value_of(r, "memlimit", value, parse_tc_size(value.text));
  if (!bytes) return;
  set_size(r, "memory", value.line, *bytes, limits::kMemoryBytes);
  constexpr uint64_t kLeastBufferBytes = 2048;  // dataplane/buffer_size.h never has less
  const uint64_t packets = std::clamp<uint64_t>(*bytes / kLeastBufferBytes, 1024, limits::kLimitPackets.most);
  r.shape.set("limit", std::to_string(packets), "cake has none; `memory` is reached before");
}

void add_adsl(Options& out) {
  const std::string atm = "ATM";
  for (const auto& [word, overhead] : {std::pair{"conservative", 48},
                                       {"pppoa-vcmux", 10},
                                       {"pppoa-llc", 14},
                                       {"pppoe-vcmux", 32},
                                       {"pppoe-llcsnap", 40},
                                       {"bridged-vcmux", 24},
                                       {"bridged-llcsnap", 32},
                                       {"ipoa-vcmux", 8},
                                       {"ipoa-llcsnap", 16}})
    out.push_back(framing(word, overhead, 0, atm));
  out.push_back(framing("pppoe-ptm", 30, 0, "PTM"));
  out.push_back(framing("bridged-ptm", 22, 0, "PTM"));
  out.push_back(lost("atm", "ATM cells are not counted; take 10 % off the rate, or raise `overhead`"));
  out.push_back(lost("ptm", "PTM's 64b/65b coding is not counted; write 64/65 of the rate"));
  out.push_back(same("noatm"));
}

void add_lengths(Options& out) {
  out.push_back(translated("raw", read_raw));
  out.push_back(valued("overhead", read_overhead));
  out.push_back(valued("mpu", read_mpu));
  out.push_back(framing("ethernet", 38, 84, ""));
  out.push_back(framing("docsis", 18, 64, ""));
  out.push_back(framing("ether-vlan", 4, 0, ""));
  out.push_back(same("via-ethernet"));
  add_adsl(out);
}

void add_rtts(Options& out) {
  out.push_back(valued("rtt", [](Reading& r, const Word& w) {
    if (const auto rtt = value_of(r, "rtt", w, parse_tc_time(w.text))) set_rtt(r, w, *rtt);
  }));
  for (const auto& [word, rtt] : {std::pair{"datacentre", "100us"},
                                  {"lan", "1ms"},
                                  {"metro", "10ms"},
                                  {"regional", "30ms"},
                                  {"internet", "100ms"},
                                  {"oceanic", "300ms"},
                                  {"satellite", "1s"}})
    out.push_back(rtt_preset(word, rtt));
  out.push_back(translated("interplanetary", [](Reading& r, const Word& w) {
    r.findings.note(w.line, "cake: \"interplanetary\" all but disables AQM; aqm = \"none\" is written");
    r.shape.set("aqm", quote("none"));
  }));
}

void add_flow_modes(Options& out) {
  out.push_back(translated("flows", [](Reading& r, const Word&) { r.shape.set("isolation", quote("flows")); }));
  out.push_back(translated("flowblind", [](Reading& r, const Word&) { r.shape.set("isolation", quote("none")); }));
  for (const char* word : {"srchost", "dsthost", "hosts", "dual-srchost", "dual-dsthost", "triple-isolate"})
    out.push_back(lost(word, kHosts));
  out.push_back(lost("nat", "addresses are taken as they are on the wire"));
  out.push_back(same("nonat"));
}

void add_tins(Options& out) {
  out.push_back(same("besteffort"));
  for (const char* word : {"diffserv3", "diffserv4", "diffserv8", "diffserv", "precedence"})
    out.push_back(lost(word, kTins));
  out.push_back(lost_valued("fwmark", "there are no tins to choose, and no firewall's marks on a wire"));
  out.push_back(lost("wash", "DSCP is never changed"));
  out.push_back(same("nowash"));
}

Options all_options() {
  Options out{valued("bandwidth", read_bandwidth),
              translated("unlimited", [](Reading& r, const Word&) { r.rate = kUnlimited; }),
              lost("autorate-ingress", "the rate does not follow the traffic"),
              valued("memlimit", read_memlimit),
              noted("ecn", "is no word of cake's (tc refuses it); it always marks, and so does ecn = true"),
              same("split-gso"),
              lost("no-split-gso", "frames come as they are on the wire"),
              lost("ack-filter", "no ACK is ever dropped for being one"),
              lost("ack-filter-aggressive", "no ACK is ever dropped for being one"),
              same("no-ack-filter"),
              same("egress"),
              translated("ingress", [](Reading& r, const Word& w) {
                r.shape.is_ingress = true;
                r.findings.lost(w.line, "cake: \"ingress\": packets that are dropped are not charged to the rate here");
              })};
  add_rtts(out);
  add_tins(out);
  add_flow_modes(out);
  add_lengths(out);
  return out;
}

}  // namespace

const Options& cake_options() {
  static const Options kOptions = all_options();
  return kOptions;
}

void finish_cake(Reading& r) {
  const auto has_none_of = [&](std::initializer_list<const char*> words) {
    return std::ranges::none_of(words, [&](const char* word) { return r.words.contains(word); });
  };
  if (has_none_of({"besteffort", "diffserv3", "diffserv4", "diffserv8", "diffserv", "precedence"}))
    r.findings.lost(r.line, std::string("cake: \"diffserv3\", its default: ") + kTins);
  if (has_none_of(
          {"flows", "flowblind", "srchost", "dsthost", "hosts", "dual-srchost", "dual-dsthost", "triple-isolate"}))
    r.findings.lost(r.line, std::string("cake: \"triple-isolate\", its default: ") + kHosts);
  r.shape.set("ecn", "true", "cake always marks");
  // As cake derives it from the rate in bytes per second.
  const uint64_t bytes_per_s = !r.rate || *r.rate == kUnlimited ? UINT64_MAX : r.rate->value / 8;
  r.shape.set("quantum", quote(format_size(std::clamp<uint64_t>(bytes_per_s >> 12, 300, 1514))), "as cake derives it");
}

}  // namespace sojourn::imports
