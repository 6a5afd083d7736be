#include "control/replay/report.h"

#include <fmt/format.h>

#include "config/quantity.h"

namespace sojourn {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kListedFlows = 20;

template <typename Quantiles>
Json sojourn_json(Quantiles&& quantile, uint64_t packets) {
  return {{"packets", packets},    {"p50", quantile(0.5)},    {"p90", quantile(0.9)},
          {"p99", quantile(0.99)}, {"p999", quantile(0.999)}, {"max", quantile(1.0)}};
}

uint64_t bits_per_second(uint64_t bytes, Duration time) {
  return time.ns <= 0 ? 0 : static_cast<uint64_t>(Uint128{bytes} * 8'000'000'000 / static_cast<uint64_t>(time.ns));
}

Json flow_json(const FlowAccount& account, Duration time) {
  const auto quantile = [&](double fraction) { return account.sojourn_quantile(fraction).ns; };
  return {{"flow", format(account.key)},
          {"is_bulk", account.is_bulk()},
          {"received_packets", account.received.packets},
          {"received_bytes", account.received.bytes},
          {"sent_packets", account.sent.packets},
          {"sent_bytes", account.sent.bytes},
          {"throughput_bps", bits_per_second(account.sent.bytes, time)},
          {"dropped_packets", account.dropped_packets},
          {"marked_packets", account.marked_packets},
          {"sojourn_ns", sojourn_json(quantile, account.sent.packets)}};
}

Json flows_json(const FlowAccounts& flows, Duration time) {
  Json list = Json::array();
  for (const FlowAccount* account : flows.largest(kListedFlows)) list.push_back(flow_json(*account, time));
  const auto jain = flows.jain_index_of_bulk();
  return {{"count", flows.flows() + flows.evicted()},
          {"is_exact", flows.evicted() == 0},
          {"bulk_count", flows.bulk_flows()},
          {"jain_index_bulk", jain ? Json(*jain) : Json()},
          {"largest", list}};
}

Json drops_json(const VirtualDirection& d) {
  const auto packets = [&](DropCause cause) { return d.counters().dropped[static_cast<unsigned>(cause)].packets; };
  return {{"aqm", packets(DropCause::kAqm)},
          {"over_limit", packets(DropCause::kOverLimit)},
          {"over_memory", packets(DropCause::kOverMemory)},
          {"malformed", d.not_sendable().packets}};
}

std::string milliseconds(const Json& quantiles, const char* key) {
  return fmt::format("{:.3f}ms", quantiles.at(key).get<double>() / 1e6);
}

// To four digits.
std::string rate_text(uint64_t bps) {
  uint64_t step = 1;
  while (bps / step >= 10'000) step *= 10;
  return format_rate({(bps + step / 2) / step * step});
}

std::string flow_text(const Json& flow) {
  const Json& s = flow.at("sojourn_ns");
  return fmt::format("  {:>10} {:>9} {:>7} {:>7} {:>11} {:>11}  {}{}\n", flow.at("sent_packets").get<uint64_t>(),
                     rate_text(flow.at("throughput_bps").get<uint64_t>()), flow.at("dropped_packets").get<uint64_t>(),
                     flow.at("marked_packets").get<uint64_t>(), milliseconds(s, "p50"), milliseconds(s, "p99"),
                     flow.at("flow").get<std::string>(), flow.at("is_bulk").get<bool>() ? "" : " (sparse)");
}

}  // namespace

Json to_json(const ReplayFacts& facts, const VirtualDirection& d, const FlowAccounts& flows) {
  const Counters c = d.counters();
  const Duration time = facts.last_departure - facts.first;
  const Histogram& sojourn = d.scheduler().sojourn();
  const auto quantile = [&](double f) { return f == 1.0 ? sojourn.max().ns : sojourn.quantile(f).ns; };
  return {{"wire", facts.wire},
          {"direction", facts.direction},
          {"hash_seed", facts.seed},
          {"capture",
           {{"link_type", facts.link_type},
            {"frames", c.received.packets},
            {"first_arrival_ns", facts.first.ns},
            {"last_arrival_ns", facts.last.ns},
            {"cut_frames", d.cut_frames()},
            {"backward_frames", d.backward_frames()},
            {"wrong_time_frames", facts.wrong_times},
            {"malformed_frames", d.malformed_frames()},
            {"damage", facts.damage.empty() ? Json() : Json(facts.damage)}}},
          {"received_packets", c.received.packets},
          {"received_bytes", c.received.bytes},
          {"sent_packets", c.sent.packets},
          {"sent_bytes", c.sent.bytes},
          {"sent_wire_bytes", c.sent_wire_bytes},
          {"drops", drops_json(d)},
          {"overlimits", c.overflows},
          {"marks", {{"ecn", c.marked_ecn}, {"ce_threshold", c.marked_ce_threshold}, {"already_ce", c.already_ce}}},
          {"new_flow_count", c.new_flows},
          {"collisions", c.collisions},
          {"maxpacket_bytes", c.most_frame_bytes},
          {"offered_bps", bits_per_second(c.received.bytes, facts.last - facts.first)},
          {"throughput_bps", bits_per_second(c.sent.bytes, time)},
          {"sojourn_ns", sojourn_json(quantile, sojourn.count())},
          {"flows", flows_json(flows, time)}};
}

std::string report_text(const Json& r) {
  const auto number = [](const Json& j, const char* key) { return j.at(key).get<uint64_t>(); };
  const Json &capture = r.at("capture"), &drops = r.at("drops"), &marks = r.at("marks"), &s = r.at("sojourn_ns");
  const Json& flows = r.at("flows");
  const auto rate = [&](const char* key) { return rate_text(number(r, key)); };
  std::string text = fmt::format(
      "wire {} {}: {} frames in {:.3f} s, offered {}\n"
      " Sent {} bytes {} pkt, {} (dropped aqm {} over_limit {} over_memory {} malformed {}, overlimits {})\n"
      "  maxpacket {} new_flow_count {} collisions {} ecn_mark {} ce_threshold_mark {} already_ce {}\n"
      "  sojourn p50 {} p90 {} p99 {} p99.9 {} max {}\n",
      r.at("wire").get<std::string>(), r.at("direction").get<std::string>(), number(capture, "frames"),
      static_cast<double>(number(capture, "last_arrival_ns") - number(capture, "first_arrival_ns")) / 1e9,
      rate("offered_bps"), number(r, "sent_bytes"), number(r, "sent_packets"), rate("throughput_bps"),
      number(drops, "aqm"), number(drops, "over_limit"), number(drops, "over_memory"), number(drops, "malformed"),
      number(r, "overlimits"), number(r, "maxpacket_bytes"), number(r, "new_flow_count"), number(r, "collisions"),
      number(marks, "ecn"), number(marks, "ce_threshold"), number(marks, "already_ce"), milliseconds(s, "p50"),
      milliseconds(s, "p90"), milliseconds(s, "p99"), milliseconds(s, "p999"), milliseconds(s, "max"));
  if (number(capture, "wrong_time_frames") != 0) {
    text += fmt::format("  time without a fraction of a second in it: {} frames, taken as of the whole second\n",
                        number(capture, "wrong_time_frames"));
  }
  if (number(capture, "cut_frames") + number(capture, "backward_frames") + number(capture, "malformed_frames") != 0) {
    text += fmt::format("  captured in part {}, earlier than the frame ahead {}, malformed {}\n",
                        number(capture, "cut_frames"), number(capture, "backward_frames"),
                        number(capture, "malformed_frames"));
  }
  const Json& jain = flows.at("jain_index_bulk");
  text += fmt::format("  flows {}{}, bulk {}, Jain index of the bulk flows {}\n", number(flows, "count"),
                      flows.at("is_exact").get<bool>() ? "" : " or fewer (accounts for the largest only)",
                      number(flows, "bulk_count"), jain.is_null() ? "-" : fmt::format("{:.4f}", jain.get<double>()));
  text += fmt::format("  {:>10} {:>9} {:>7} {:>7} {:>11} {:>11}  {}\n", "sent pkt", "rate", "dropped", "marked",
                      "sojourn p50", "p99", "flow");
  for (const Json& flow : flows.at("largest")) text += flow_text(flow);
  return text;
}

}  // namespace sojourn
