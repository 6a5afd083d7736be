#include "control/sim/bottleneck.h"

#include <algorithm>
#include <array>

namespace sojourn::sim {
namespace {

// What one packet occupies of `memory`: as in the data plane, a buffer of 2 kB with headroom and header.
constexpr uint32_t kBufferBytes = 2048 + 128 + 128;
constexpr Time kNever{UINT64_MAX};

}  // namespace

Bottleneck::Bottleneck(uint32_t number, const BottleneckScenario& scenario, PacketPool& pool, EventQueue& events,
                       BottleneckOwner& owner, HashKey key)
    : number_(number),
      scenario_(scenario),
      pool_(pool),
      events_(events),
      owner_(owner),
      key_(key),
      rate_(scenario.parameters.rate),
      scheduler_(plan_at(rate_), Time{0}, std::pmr::new_delete_resource()) {
  for (const RateChange& change : scenario.timetable) {
    next_change_.push_back(Time{0} + change.at);
    events_.push(next_change_.back(), EventKind::kChange, number_);
  }
}

Plan Bottleneck::plan_at(BitsPerSecond rate) const {
  Parameters parameters = scenario_.parameters;
  parameters.rate = rate;
  return compile(parameters, scenario_.mtu_bytes, kBufferBytes);
}

void Bottleneck::enqueue(Time now, uint32_t packet) {
  Packet& p = pool_[packet];
  p.queued = now;
  const Arrival arrival{packet, siphash13(std::array<uint64_t, 1>{p.flow | uint64_t{p.stream} << 32}, key_), p.bytes};
  scheduler_.enqueue(now, {&arrival, 1}, packets_);
  statistics_.most_queued = std::max(statistics_.most_queued, static_cast<uint32_t>(queued_packets()));
  if (!is_departure_pending_) schedule_departure(now);
}

void Bottleneck::schedule_departure(Time now) {
  if (queued_packets() == 0) return;
  const Time opens = scheduler_.opens_at();
  departure_ = is_before(opens, now) || rate_ == kUnlimited ? now : opens;
  is_departure_pending_ = true;
  events_.push(departure_, EventKind::kDeparture, number_);
}

void Bottleneck::on_departure(Time now) {
  if (!is_departure_pending_ || now != departure_) return;  // a change of rate has overtaken it
  is_departure_pending_ = false;
  std::array<PacketHandle, 16> out;
  do {
    const size_t count = scheduler_.dequeue(now, out, packets_);
    for (size_t i = 0; i < count; ++i) {
      const auto index = static_cast<uint32_t>(out[i]);
      Packet& p = pool_[index];
      const Duration waited = now - p.queued;
      p.waited.ns += waited.ns;
      if (is_warm_) statistics_.waited.record(waited);
      owner_.on_sent(now + time_on_wire(p.bytes), index);
    }
  } while (scheduler_.is_ready(now));
  schedule_departure(now);
}

// Up to a nanosecond more than the shaper's own account, which keeps fractions.
Duration Bottleneck::time_on_wire(uint32_t bytes) const {
  const Plan& plan = scheduler_.plan();
  return {static_cast<int64_t>((Uint128{plan.pacer.ns_per_byte_q32} * plan.charged(bytes).value) >> 32)};
}

void Bottleneck::on_change(Time now) {
  settle(now);
  for (size_t i = 0; i < scenario_.timetable.size(); ++i) {
    if (next_change_[i] != now) continue;
    const RateChange& change = scenario_.timetable[i];
    rate_ = change.rate;
    scheduler_.adopt(plan_at(rate_), now);
    next_change_[i] = change.every ? now + *change.every : kNever;
    if (change.every) events_.push(next_change_[i], EventKind::kChange, number_);
  }
  is_departure_pending_ = false;
  schedule_departure(now);
}

void Bottleneck::warm(Time now) {
  is_warm_ = true;
  settled_ = now;
  statistics_.counters_warm = scheduler_.counters();
  statistics_.most_queued = static_cast<uint32_t>(queued_packets());
}

void Bottleneck::settle(Time now) {
  statistics_.counters = scheduler_.counters();
  if (!is_warm_) return;
  if (rate_ != kUnlimited)
    statistics_.capacity_bit_ns += Uint128{rate_.value} * static_cast<uint64_t>((now - settled_).ns);
  settled_ = now;
}

EcnMark Bottleneck::Packets::mark_ce(PacketHandle handle) {
  Packet& p = bottleneck.pool_[static_cast<uint32_t>(handle)];
  if (p.ecn == Ecn::kNotEct) return EcnMark::kNotEct;
  if (p.ecn == Ecn::kCe) return EcnMark::kAlreadyCe;
  p.ecn = Ecn::kCe;
  bottleneck.owner_.on_marked(static_cast<uint32_t>(handle));
  return EcnMark::kMarked;
}

}  // namespace sojourn::sim
