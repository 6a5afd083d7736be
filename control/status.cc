#include "control/status.h"

namespace sojourn {
namespace {

uint64_t dropped(const DirectionSnapshot& d, DropCause cause) {
  return d.counters.dropped[static_cast<unsigned>(cause)].packets;
}

uint64_t dropped_bytes(const DirectionSnapshot& d) {
  uint64_t bytes = d.malformed.bytes + d.tx_full.bytes;
  for (const Tally& t : d.counters.dropped) bytes += t.bytes;
  return bytes;
}

nlohmann::json quantiles(const Histogram& h) {
  return {{"count", h.count()},         {"p50", h.quantile(0.5).ns},  {"p90", h.quantile(0.9).ns},
          {"p95", h.quantile(0.95).ns}, {"p99", h.quantile(0.99).ns}, {"p999", h.quantile(0.999).ns},
          {"max", h.max().ns}};
}

// What the worker's own plan says, not what a file says.
nlohmann::json in_force(const Plan& p) {
  const bool has_threshold = p.codel.ce_threshold.ns != INT64_MAX;
  return {{"target_ns", p.codel.target.ns},
          {"interval_ns", p.codel.interval.ns},
          {"ecn", p.codel.ecn},
          {"aqm", p.codel.is_on ? "codel" : "none"},
          {"ce_threshold_ns", has_threshold ? nlohmann::json(p.codel.ce_threshold.ns) : nlohmann::json(nullptr)},
          {"flows", p.flows},
          {"quantum_bytes", p.quantum_bytes},
          {"limit_packets", p.limit_packets},
          {"limit_buffers", p.limit_buffers},
          {"overhead_bytes", p.overhead_bytes},
          {"mpu_bytes", p.mpu_bytes},
          {"burst_time_ns", p.pacer.burst_time.ns},
          {"exempt_bytes", p.codel.exempt_bytes}};
}

}  // namespace

bool is_conserved(const DirectionSnapshot& d) {
  uint64_t out = d.counters.sent.packets + d.counters.queued.packets + d.malformed.packets + d.tx_full.packets;
  for (const Tally& t : d.counters.dropped) out += t.packets;
  const uint64_t out_bytes = d.counters.sent.bytes + d.counters.queued.bytes + dropped_bytes(d);
  return out == d.counters.received.packets && out_bytes == d.counters.received.bytes;
}

nlohmann::json to_json(const DirectionSnapshot& d, uint64_t no_mbuf_packets) {
  const Counters& c = d.counters;
  return {{"received_packets", c.received.packets + no_mbuf_packets},
          {"received_bytes", c.received.bytes},
          {"sent_packets", c.sent.packets},
          {"sent_bytes", c.sent.bytes},
          {"sent_wire_bytes", c.sent_wire_bytes},
          {"queued_packets", c.queued.packets},
          {"queued_bytes", c.queued.bytes},
          {"tx_waiting_packets", d.tx_waiting_packets},
          {"drops",
           {{"aqm", dropped(d, DropCause::kAqm)},
            {"over_limit", dropped(d, DropCause::kOverLimit)},
            {"over_memory", dropped(d, DropCause::kOverMemory)},
            {"no_mbuf", no_mbuf_packets},
            {"tx_full", d.tx_full.packets},
            {"malformed", d.malformed.packets}}},
          {"dropped_bytes", dropped_bytes(d)},
          {"marks", {{"ecn", c.marked_ecn}, {"ce_threshold", c.marked_ce_threshold}, {"already_ce", c.already_ce}}},
          {"sojourn_ns", quantiles(d.sojourn)},
          {"flows", {{"new", d.new_flows}, {"old", d.old_flows}}},
          {"new_flow_count", c.new_flows},
          {"collisions", c.collisions},
          {"overlimits", c.overflows},
          {"bypass",
           {{"sent_packets", c.bypassed.packets},
            {"sent_bytes", c.bypassed.bytes},
            {"over_limit_packets", c.bypass_over_limit}}},
          {"late_ns", c.late_ns},
          {"maxpacket_bytes", c.most_frame_bytes},
          {"malformed_forwarded_packets", d.malformed_forwarded_packets},
          {"in_force", in_force(d.plan)}};
}

nlohmann::json to_json(const LabSnapshot& l) {
  return {{"received_packets", l.received_packets},
          {"sent_packets", l.sent_packets},
          {"queued_packets", l.queued_packets},
          {"queued_bytes", l.queued_bytes},
          {"drops",
           {{"overflow", l.dropped_overflow},
            {"loss", l.dropped_loss},
            {"capacity", l.dropped_capacity},
            {"tx_full", l.dropped_tx_full}}}};
}

nlohmann::json to_json(const PortFacts& facts, const PortCounters& counters, bool is_link_up) {
  return {{"driver", facts.driver},
          {"mtu_bytes", facts.mtu_bytes},
          {"numa_node", facts.numa_node},
          {"is_promiscuous", facts.is_promiscuous},
          {"is_link_up", is_link_up},
          {"rx_descriptors", facts.rx_descriptors},
          {"tx_descriptors", facts.tx_descriptors},
          {"rx_offloads", facts.rx_offloads},
          {"tx_offloads", facts.tx_offloads},
          {"received_packets", counters.received},
          {"sent_packets", counters.sent},
          {"missed_packets", counters.missed},
          {"no_mbuf_packets", counters.no_mbuf},
          {"receive_errors", counters.receive_errors},
          {"send_errors", counters.send_errors}};
}

const char* name_of(Side side) {
  return side == Side::kInside ? "inside" : "outside";
}

nlohmann::json to_json(const LinkForwarding& forwarding) {
  const auto held = forwarding.held();
  nlohmann::json cannot = nlohmann::json::array();
  for (const Side side : {Side::kInside, Side::kOutside}) {
    if (!forwarding.can(side)) cannot.push_back(name_of(side));
  }
  return {{"is_on", forwarding.is_on()},
          {"held_down", held ? nlohmann::json(name_of(*held)) : nlohmann::json(nullptr)},
          {"cannot", cannot}};
}

}  // namespace sojourn
