#include "control/sim/network.h"

#include <algorithm>

#include "control/sim/datagram_source.h"
#include "control/sim/tcp_sender.h"

namespace sojourn::sim {
namespace {

constexpr Duration kDelayedAck{40'000'000};

HashKey hash_key(uint64_t seed) {
  Random random(seed, 0x4a5);
  const uint64_t k0 = random.next();
  return {k0, random.next()};
}

}  // namespace

Network::Network(const Scenario& scenario, Trace* trace)
    : scenario_(scenario), trace_(trace), end_(Time{0} + scenario.duration), warm_at_(Time{0} + scenario.warmup) {
  BottleneckOwner& owner = *this;
  for (const BottleneckScenario& b : scenario.bottlenecks)
    bottlenecks_.push_back(std::make_unique<Bottleneck>(static_cast<uint32_t>(bottlenecks_.size()), b, pool_, events_,
                                                        owner, hash_key(scenario.seed)));
  size_t count = 0;
  for (const FlowScenario& f : scenario.flows) count += f.count;
  statistics_.resize(count);  // sources hold on to their counts
  receivers_.resize(count);
  next_rtt_row_.resize(count);
  for (const FlowScenario& f : scenario.flows) add_flows(f);
  events_.push(warm_at_, EventKind::kWarm, 0);
  if (trace_ != nullptr) events_.push(Time{0}, EventKind::kSample, 0);
}

void Network::add_flows(const FlowScenario& f) {
  for (uint32_t i = 0; i < f.count; ++i) {
    const auto index = static_cast<uint32_t>(sources_.size());
    const Duration rtt = f.rtts.empty() ? f.path.rtt : f.rtts[i % f.rtts.size()];
    facts_.push_back({&f, f.count == 1 ? f.name : f.name + '[' + std::to_string(i) + ']', rtt});
    routes_.push_back(route_of(f));
    paths_.emplace_back(f.path, rtt, Random(scenario_.seed, 0x9a7'0000 + index));
    SourceLink& link = *this;
    SourceCounts& counts = statistics_[index].source;
    if (f.source == SourceKind::kTcp)
      sources_.push_back(std::make_unique<TcpSender>(index, f, link, counts, scenario_.seed));
    else
      sources_.push_back(std::make_unique<DatagramSource>(index, f, link, counts, scenario_.seed));
    Random random(scenario_.seed, 0x57a'0000 + index);
    const Duration spread{static_cast<int64_t>(random.below(static_cast<uint64_t>(f.start_spread.ns) + 1))};
    events_.push(Time{0} + f.start + spread, EventKind::kStart, index);
    if (f.stop) events_.push(Time{0} + *f.stop, EventKind::kStop, index);
  }
}

std::vector<uint8_t> Network::route_of(const FlowScenario& f) const {
  std::vector<uint8_t> route;
  for (uint8_t i = 0; i < scenario_.bottlenecks.size(); ++i)
    if (f.through.empty() || std::ranges::find(f.through, scenario_.bottlenecks[i].name) != f.through.end())
      route.push_back(i);
  return route;
}

void Network::run_until(Time until) {
  const Time stop = is_before(until, end_) ? until : end_;
  while (!events_.is_empty() && !is_before(stop, events_.top().time())) {
    const Event event = events_.pop();
    now_ = event.time();
    handle(event);
  }
  now_ = stop;
  for (auto& b : bottlenecks_) b->settle(now_);
}

void Network::handle(const Event& event) {
  const Time now = event.time();
  switch (event.kind) {
    case EventKind::kArrival:
      return bottlenecks_[routes_[pool_[event.subject].flow][pool_[event.subject].hop]]->enqueue(now, event.subject);
    case EventKind::kReceived:
      return on_received(now, event.subject);
    case EventKind::kDelayedAck:
      if (!is_before(now, receivers_[event.subject].deadline)) acknowledge(now, event.subject);
      return;
    case EventKind::kAnswered:
      return on_answered(now, event.subject);
    case EventKind::kStart:
      return sources_[event.subject]->on_start(now);
    case EventKind::kStop:
      return sources_[event.subject]->on_stop(now);
    case EventKind::kRetransmit:
    case EventKind::kPace:
    case EventKind::kApplication:
      return sources_[event.subject]->on_timer(now, event.kind);
    case EventKind::kChange:
      return bottlenecks_[event.subject]->on_change(now);
    case EventKind::kSample:
      return sample(now);
    case EventKind::kWarm:
      return warm(now);
    case EventKind::kDeparture:
      return bottlenecks_[event.subject]->on_departure(now);
  }
}

uint32_t Network::take_packet(uint32_t flow) {
  const uint32_t index = pool_.take();
  pool_[index].flow = flow;
  return index;
}

void Network::send(Time now, uint32_t index) {
  const uint32_t flow = pool_[index].flow;
  ++statistics_[flow].packets.sent;
  if (routes_[flow].empty()) return on_sent(now, index);
  bottlenecks_[routes_[flow][0]]->enqueue(now, index);
}

void Network::on_dropped(uint32_t index, DropCause cause) {
  ++statistics_[pool_[index].flow].packets.dropped[static_cast<unsigned>(cause)];
  pool_.give_back(index);
}

// To the next bottleneck, or to the other end and, if nothing delays the answer there, straight back.
void Network::on_sent(Time time, uint32_t index) {
  Packet& p = pool_[index];
  if (static_cast<size_t>(p.hop) + 1 < routes_[p.flow].size()) {
    ++p.hop;
    return events_.push(time, EventKind::kArrival, index);
  }
  const bool is_delayed = facts_[p.flow].scenario->has_delayed_ack;
  const auto at = paths_[p.flow].arrival(time, is_delayed ? 2 : 1);
  if (at) return events_.push(*at, is_delayed ? EventKind::kReceived : EventKind::kAnswered, index);
  ++statistics_[p.flow].packets.lost;
  pool_.give_back(index);
}

// RFC 5681 4.2: every second packet is acknowledged, or the first after 40 ms; out of order, or marked, at once.
void Network::on_received(Time now, uint32_t index) {
  const uint32_t flow = pool_[index].flow;
  Receiver& receiver = receivers_[flow];
  account(now, pool_[index]);
  ++acknowledged_in_flight_;
  const bool is_first = receiver.held == kNoPacket;
  const bool follows = is_first || pool_[receiver.held].segment + 1 == pool_[index].segment;
  if (is_first) {
    receiver.held = index;
  } else {
    pool_[receiver.held].next = index;
  }
  if (!is_first || !follows || pool_[index].ecn == Ecn::kCe) return acknowledge(now, flow);
  receiver.deadline = now + kDelayedAck;
  events_.push(receiver.deadline, EventKind::kDelayedAck, flow);
}

void Network::acknowledge(Time now, uint32_t flow) {
  const uint32_t first = receivers_[flow].held;
  if (first == kNoPacket) return;
  receivers_[flow].held = kNoPacket;
  const Duration back{paths_[flow].rtt_at(now).ns / 2};
  events_.push(now + back, EventKind::kAnswered, first);
}

void Network::on_answered(Time now, uint32_t first) {
  const uint32_t flow = pool_[first].flow;
  const bool is_accounted = facts_[flow].scenario->has_delayed_ack;
  for (uint32_t i = first; i != kNoPacket; i = pool_[i].next) {
    if (is_accounted)
      --acknowledged_in_flight_;
    else
      account(now, pool_[i]);
    const Duration rtt = now - pool_[i].sent;
    if (is_warm_) statistics_[flow].rtt.record(rtt);
    if (trace_ != nullptr && !is_before(now, next_rtt_row_[flow])) {
      trace_->row(now, "rtt_ms", facts_[flow].name, static_cast<uint64_t>(rtt.ns) / 1000);
      next_rtt_row_[flow] = now + trace_->every();
    }
  }
  sources_[flow]->on_answer(now, first);
  for (uint32_t i = first; i != kNoPacket;) {
    const uint32_t next = pool_[i].next;
    pool_.give_back(i);
    i = next;
  }
}

void Network::account(Time, const Packet& p) {
  ++statistics_[p.flow].packets.delivered;
  if (is_warm_) statistics_[p.flow].waited.record(p.waited);
}

void Network::warm(Time now) {
  is_warm_ = true;
  for (FlowStatistics& f : statistics_) {
    f.packets_warm = f.packets;
    f.source_warm = f.source;
  }
  for (auto& b : bottlenecks_) b->warm(now);
}

void Network::sample(Time now) {
  for (size_t i = 0; i < bottlenecks_.size(); ++i) {
    const std::string& name = scenario_.bottlenecks[i].name;
    trace_->row(now, "queue_packets", name, bottlenecks_[i]->queued_packets() * 1000);
  }
  for (size_t i = 0; i < sources_.size(); ++i)
    if (facts_[i].scenario->source == SourceKind::kTcp)
      trace_->row(now, "window_segments", facts_[i].name, static_cast<uint64_t>(sources_[i]->window() * 1000));
  events_.push(now + trace_->every(), EventKind::kSample, 0);
}

}  // namespace sojourn::sim
