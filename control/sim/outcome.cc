#include "control/sim/outcome.h"

#include <fmt/format.h>

#include "control/sim/scenario_keys.h"

namespace sojourn::sim {
namespace {

using Json = nlohmann::ordered_json;

PacketCounts difference(const PacketCounts& a, const PacketCounts& b) {
  PacketCounts d{a.sent - b.sent, a.delivered - b.delivered, a.lost - b.lost, {}, a.marked - b.marked};
  for (unsigned i = 0; i < kDropCauses; ++i) d.dropped[i] = a.dropped[i] - b.dropped[i];
  return d;
}

SourceCounts difference(const SourceCounts& a, const SourceCounts& b) {
  return {a.goodput_bytes - b.goodput_bytes, a.retransmissions - b.retransmissions,
          a.reductions - b.reductions,       a.timeouts - b.timeouts,
          a.transfers - b.transfers,         a.transfer_ns - b.transfer_ns};
}

FlowOutcome flow_outcome(const Network& network, size_t index) {
  const FlowStatistics& s = network.flow(index);
  const auto& facts = network.flows()[index];
  FlowOutcome o{facts.name, facts.scenario, facts.rtt, 0, {}, {}, figures_of(s.rtt), figures_of(s.waited)};
  o.packets = difference(s.packets, s.packets_warm);
  o.source = difference(s.source, s.source_warm);
  o.goodput_bps = static_cast<double>(o.source.goodput_bytes) * 8e9 / static_cast<double>(network.measured().ns);
  return o;
}

BottleneckOutcome bottleneck_outcome(const Network& network, size_t index) {
  const BottleneckStatistics& s = network.bottleneck(index).statistics();
  BottleneckOutcome o;
  o.name = network.scenario().bottlenecks[index].name;
  const uint64_t bytes = s.counters.sent_wire_bytes - s.counters_warm.sent_wire_bytes;
  if (s.capacity_bit_ns != 0) o.utilisation = static_cast<double>(bytes) * 8e9 / static_cast<double>(s.capacity_bit_ns);
  o.packets.sent = s.counters.received.packets - s.counters_warm.received.packets;
  o.packets.delivered = s.counters.sent.packets - s.counters_warm.sent.packets;
  for (unsigned i = 0; i < kDropCauses; ++i)
    o.packets.dropped[i] = s.counters.dropped[i].packets - s.counters_warm.dropped[i].packets;
  o.packets.marked = s.counters.marked_ecn + s.counters.marked_ce_threshold - s.counters_warm.marked_ecn -
                     s.counters_warm.marked_ce_threshold;
  if (o.packets.sent != 0)
    o.drop_rate = static_cast<double>(o.packets.dropped_in_all()) / static_cast<double>(o.packets.sent);
  o.waited_samples = s.waited;
  o.waited = figures_of(s.waited);
  o.most_queued_packets = s.most_queued;
  return o;
}

bool is_conserved(const Network& network) {
  uint64_t in_flight = 0;
  for (size_t i = 0; i < network.flows().size(); ++i) {
    const PacketCounts& p = network.flow(i).packets;
    const uint64_t gone = p.delivered + p.lost + p.dropped_in_all();
    if (p.sent < gone) return false;
    in_flight += p.sent - gone;
  }
  return in_flight == network.packets_in_flight();
}

Json drops_json(const PacketCounts& packets) {
  return {{"aqm", packets.dropped[static_cast<unsigned>(DropCause::kAqm)]},
          {"over_limit", packets.dropped[static_cast<unsigned>(DropCause::kOverLimit)]},
          {"over_memory", packets.dropped[static_cast<unsigned>(DropCause::kOverMemory)]}};
}

Json flow_json(const FlowOutcome& f) {
  Json j = {{"name", f.name}, {"source", word_of(f.scenario->source)}};
  const bool is_tcp = f.scenario->source == SourceKind::kTcp;
  j["congestion"] = is_tcp ? Json(word_of(f.scenario->congestion)) : Json();
  j["propagation_ns"] = f.propagation.ns;
  j["goodput_bps"] = f.goodput_bps;
  j["sent_packets"] = f.packets.sent;
  j["delivered_packets"] = f.packets.delivered;
  j["drops"] = drops_json(f.packets);
  j["lost_packets"] = f.packets.lost;
  j["marked_packets"] = f.packets.marked;
  if (is_tcp) {
    j["retransmissions"] = f.source.retransmissions;
    j["reductions"] = f.source.reductions;
    j["timeouts"] = f.source.timeouts;
  }
  if (f.scenario->transfer_bytes) {
    j["transfers"] = f.source.transfers;
    j["mean_transfer_ns"] = f.source.transfers == 0 ? 0 : f.source.transfer_ns / f.source.transfers;
  }
  j["rtt_ns"] = json_of(f.rtt);
  j["queueing_ns"] = json_of(f.waited);
  return j;
}

Json bottleneck_json(const BottleneckOutcome& b) {
  return {{"name", b.name},
          {"utilisation", b.utilisation ? Json(*b.utilisation) : Json()},
          {"received_packets", b.packets.sent},
          {"sent_packets", b.packets.delivered},
          {"drops", drops_json(b.packets)},
          {"drop_rate", b.drop_rate},
          {"marked_packets", b.packets.marked},
          {"queueing_ns", json_of(b.waited)},
          {"most_queued_packets", b.most_queued_packets}};
}

std::string source_text(const FlowScenario& f) {
  return f.source == SourceKind::kTcp ? word_of(f.congestion) : word_of(f.source);
}

}  // namespace

DelayFigures figures_of(const DelaySamples& s) {
  return {s.count(), s.mean(), s.percentile(50), s.percentile(95), s.percentile(99), s.max()};
}

Outcome outcome_of(const Network& network) {
  const Scenario& scenario = network.scenario();
  Outcome o;
  o.name = scenario.name;
  o.seed = scenario.seed;
  o.duration = scenario.duration;
  o.warmup = scenario.warmup;
  std::vector<double> shares;
  for (size_t i = 0; i < network.flows().size(); ++i) {
    o.flows.push_back(flow_outcome(network, i));
    const FlowOutcome& f = o.flows.back();
    o.goodput_bps += f.goodput_bps;
    if (f.scenario->source == SourceKind::kTcp && !f.scenario->transfer_bytes) shares.push_back(f.goodput_bps);
  }
  if (shares.size() > 1) o.jain = jain_index(shares);
  for (size_t i = 0; i < network.bottlenecks(); ++i) o.bottlenecks.push_back(bottleneck_outcome(network, i));
  o.is_conserved = is_conserved(network);
  o.events = network.events();
  return o;
}

Json json_of(const DelayFigures& f) {
  return {{"count", f.count}, {"mean", f.mean.ns}, {"p50", f.p50.ns},
          {"p95", f.p95.ns},  {"p99", f.p99.ns},   {"max", f.max.ns}};
}

Json json_of(const Outcome& o) {
  Json j = {{"name", o.name}, {"seed", o.seed}, {"duration_ns", o.duration.ns}, {"warmup_ns", o.warmup.ns}};
  j["bottlenecks"] = Json::array();
  for (const BottleneckOutcome& b : o.bottlenecks) j["bottlenecks"].push_back(bottleneck_json(b));
  j["flows"] = Json::array();
  for (const FlowOutcome& f : o.flows) j["flows"].push_back(flow_json(f));
  j["goodput_bps"] = o.goodput_bps;
  j["jain_index"] = o.jain ? Json(*o.jain) : Json();
  j["conserved"] = o.is_conserved;
  return j;
}

std::string milliseconds(Duration time) {
  const int64_t us = (time.ns + 500) / 1000;
  return fmt::format("{}.{:03}", us / 1000, us % 1000);
}

std::string text_of(const Outcome& o) {
  std::string text = fmt::format(
      "{}: {} measured after {}, seed {}\n\n{:<20} {:>8} {:>9} {:>8} | queueing ms {:>9} {:>9} {:>9} {:>9}\n", o.name,
      format_time({o.duration.ns - o.warmup.ns}), format_time(o.warmup), o.seed, "bottleneck", "used %", "dropped %",
      "marked", "mean", "p95", "p99", "max");
  for (const BottleneckOutcome& b : o.bottlenecks)
    text += fmt::format("{:<20} {:>8} {:>9.4f} {:>8} |             {:>9} {:>9} {:>9} {:>9}\n", b.name,
                        b.utilisation ? fmt::format("{:.2f}", *b.utilisation * 100) : "-", b.drop_rate * 100,
                        b.packets.marked, milliseconds(b.waited.mean), milliseconds(b.waited.p95),
                        milliseconds(b.waited.p99), milliseconds(b.waited.max));
  text += fmt::format("\n{:<20} {:<8} {:>13} {:>7} {:>7} {:>6} | RTT ms {:>9} {:>9} {:>9} {:>9}\n", "flow", "source",
                      "goodput Mbit/s", "dropped", "lost", "RTO", "mean", "p95", "p99", "max");
  for (const FlowOutcome& f : o.flows)
    text += fmt::format("{:<20} {:<8} {:>14.3f} {:>7} {:>7} {:>6} |        {:>9} {:>9} {:>9} {:>9}\n", f.name,
                        source_text(*f.scenario), f.goodput_bps / 1e6, f.packets.dropped_in_all(), f.packets.lost,
                        f.source.timeouts, milliseconds(f.rtt.mean), milliseconds(f.rtt.p95), milliseconds(f.rtt.p99),
                        milliseconds(f.rtt.max));
  text += fmt::format("\ngoodput {:.3f} Mbit/s", o.goodput_bps / 1e6);
  if (o.jain) text += fmt::format(", Jain index {:.4f}", *o.jain);
  return text + (o.is_conserved ? ", every packet accounted for\n" : ", PACKETS UNACCOUNTED FOR\n");
}

}  // namespace sojourn::sim
