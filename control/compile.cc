#include "control/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sojourn {
namespace {

double fraction(PartsPerBillion p) {
  return static_cast<double>(p.value) / 1e9;
}

std::string names(const std::vector<std::string>& list) {
  return list.empty() ? "none" : fmt::format("{}", fmt::join(list, " "));
}

}  // namespace

LabPathParameters compile(const LabPathConfig& lab) {
  LabPathParameters p;
  p.rate = lab.rate.value_or(kUnlimited);
  if (lab.buffer.bytes != 0) p.buffer_bytes = lab.buffer.bytes;
  if (lab.buffer.packets != 0) p.buffer_packets = lab.buffer.packets;
  p.delay = lab.delay;
  p.jitter = lab.jitter;
  p.loss = fraction(lab.loss);
  p.reorder = fraction(lab.reorder);
  p.reorder_hold = lab.reorder_delay;
  p.seed = lab.seed;
  for (const LabChange& c : lab.timetable) {
    LabPathChange change{c.at, c.every, c.rate, c.delay, c.jitter, {}};
    if (c.loss) change.loss = fraction(*c.loss);
    p.timetable.push_back(change);
  }
  return p;
}

std::string describe(const PortFacts& f) {
  return fmt::format("driver {}, MTU {}, {}promiscuous, rings rx {} tx {}, offloads on: rx {}, tx {}", f.driver,
                     f.mtu_bytes, f.is_promiscuous ? "" : "not ", f.rx_descriptors, f.tx_descriptors,
                     names(f.rx_offloads), names(f.tx_offloads));
}

std::string describe(const LabPathConfig& l) {
  std::string text = l.rate ? "rate " + format_rate(*l.rate) : "no bottleneck";
  if (l.rate) {
    text += ", buffer " + (l.buffer.bytes != 0 ? format_size(l.buffer.bytes) : format_packets(l.buffer.packets));
  }
  text += ", delay " + format_time(l.delay);
  if (l.jitter.ns != 0) text += ", jitter " + format_time(l.jitter);
  if (l.loss.value != 0) text += ", loss " + format_fraction(l.loss);
  if (l.reorder.value != 0) text += ", reorder " + format_fraction(l.reorder);
  if (!l.timetable.empty()) text += fmt::format(", {} timed changes", l.timetable.size());
  return text;
}

std::string describe(const Parameters& p) {
  return (p.rate == kUnlimited ? std::string("unlimited") : format_rate(p.rate)) +
         (p.isolation == Isolation::kNone ? ", one queue" : fmt::format(", {} flows", p.flows)) +
         (p.aqm == Aqm::kNone ? ", tail drop" : ", codel " + format_time(p.target) + "/" + format_time(p.interval)) +
         (p.ecn ? ", ecn" : "");
}

std::string describe_totals(const nlohmann::json& d) {
  uint64_t dropped = 0;
  for (const auto& [cause, packets] : d["drops"].items()) dropped += packets.get<uint64_t>();
  return fmt::format("received {} = sent {} + queued {} + dropped {} packets ({}), marked {}",
                     d["received_packets"].get<uint64_t>(), d["sent_packets"].get<uint64_t>(),
                     d["queued_packets"].get<uint64_t>(), dropped,
                     d["conserved"].get<bool>() ? "exact" : "DOES NOT BALANCE", d["marks"]["ecn"].get<uint64_t>());
}

}  // namespace sojourn
