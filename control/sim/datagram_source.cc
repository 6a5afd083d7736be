#include "control/sim/datagram_source.h"

namespace sojourn::sim {

DatagramSource::DatagramSource(uint32_t flow, const FlowScenario& scenario, SourceLink& link, SourceCounts& counts,
                               uint64_t seed)
    : flow_(flow),
      scenario_(scenario),
      link_(link),
      counts_(counts),
      random_(seed, 0xda7a'0000 + flow),
      mean_distance_(scenario.source == SourceKind::kSparse ? scenario.every
                                                            : transmission_time(scenario.packet_bytes, scenario.rate)) {
}

void DatagramSource::on_start(Time now) {
  if (scenario_.source == SourceKind::kOnOff) off_at_ = now + random_.exponential(scenario_.on);
  on_timer(now, EventKind::kApplication);
}

void DatagramSource::on_timer(Time now, EventKind) {
  if (is_stopped_) return;
  if (scenario_.source == SourceKind::kOnOff && !is_before(now, off_at_)) {
    const Time on_at = now + random_.exponential(scenario_.off);
    off_at_ = on_at + random_.exponential(scenario_.on);
    return link_.wake_at(on_at, EventKind::kApplication, flow_);
  }
  const uint32_t index = link_.take_packet(flow_);
  Packet& p = link_.packet(index);
  p.number = sent_++;
  if (scenario_.source == SourceKind::kSpray) p.stream = static_cast<uint32_t>(p.number);
  p.sent = now;
  p.bytes = scenario_.packet_bytes;
  p.ecn = scenario_.ecn ? Ecn::kEct : Ecn::kNotEct;
  link_.send(now, index);
  link_.wake_at(now + distance(), EventKind::kApplication, flow_);
}

void DatagramSource::on_answer(Time, uint32_t first) {
  for (uint32_t i = first; i != kNoPacket; i = link_.packet(i).next)
    counts_.goodput_bytes += scenario_.packet_bytes - kDatagramHeaderBytes;
}

Duration DatagramSource::distance() {
  if (scenario_.source == SourceKind::kSparse) return mean_distance_;
  if (scenario_.source == SourceKind::kPoisson || scenario_.source == SourceKind::kSpray)
    return random_.exponential(mean_distance_);
  const uint64_t rate = scenario_.rate.value;
  const uint64_t bit_ns = uint64_t{scenario_.packet_bytes} * 8 * 1'000'000'000 + remainder_;
  remainder_ = bit_ns % rate;
  return {static_cast<int64_t>(bit_ns / rate)};
}

}  // namespace sojourn::sim
