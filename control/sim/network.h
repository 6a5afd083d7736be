// One run: sources, bottlenecks in series, paths, and the loop that moves virtual time from one event to the next.
//
//   source -> bottleneck -> ... -> bottleneck -> path there and back -> source
//
// The source stands at its first bottleneck; all propagation lies behind the last one.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "control/sim/bottleneck.h"
#include "control/sim/path.h"
#include "control/sim/scenario.h"
#include "control/sim/source.h"
#include "control/sim/statistics.h"
#include "control/sim/trace.h"

namespace sojourn::sim {

class Network : private SourceLink, private BottleneckOwner {
 public:
  // `scenario` must outlive it and be sound: see check_scenario. `trace`: or nullptr.
  explicit Network(const Scenario& scenario, Trace* trace = nullptr);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // Up to `until`, or the scenario's end if that comes first.
  void run_until(Time until);
  void run() { run_until(end_); }
  Time now() const { return now_; }

  struct FlowFacts {
    const FlowScenario* scenario;
    std::string name;
    Duration rtt;
  };
  const std::vector<FlowFacts>& flows() const { return facts_; }
  const FlowStatistics& flow(size_t index) const { return statistics_[index]; }
  const Source& source(size_t index) const { return *sources_[index]; }
  const Bottleneck& bottleneck(size_t index) const { return *bottlenecks_[index]; }
  size_t bottlenecks() const { return bottlenecks_.size(); }
  const Scenario& scenario() const { return scenario_; }
  uint64_t packets_in_flight() const { return pool_.in_use() - acknowledged_in_flight_; }
  uint64_t events() const { return events_.pushed(); }
  Duration measured() const { return end_ - warm_at_; }

 private:
  struct Receiver {  // of a flow whose acknowledgements are delayed
    uint32_t held = kNoPacket;
    Time deadline;
  };

  void add_flows(const FlowScenario& scenario);
  std::vector<uint8_t> route_of(const FlowScenario& scenario) const;
  void handle(const Event& event);
  void on_received(Time now, uint32_t packet);
  void acknowledge(Time now, uint32_t flow);
  void on_answered(Time now, uint32_t first);
  void account(Time now, const Packet& packet);
  void warm(Time now);
  void sample(Time now);

  uint32_t take_packet(uint32_t flow) override;
  Packet& packet(uint32_t index) override { return pool_[index]; }
  void send(Time now, uint32_t index) override;
  void wake_at(Time time, EventKind kind, uint32_t flow) override { events_.push(time, kind, flow); }

  void on_dropped(uint32_t packet, DropCause cause) override;
  void on_marked(uint32_t packet) override { ++statistics_[pool_[packet].flow].packets.marked; }
  void on_sent(Time time, uint32_t packet) override;

  const Scenario& scenario_;
  Trace* trace_;
  EventQueue events_;
  PacketPool pool_;
  Time now_, end_, warm_at_;
  bool is_warm_ = false;
  uint64_t acknowledged_in_flight_ = 0;  // delivered packets whose acknowledgement is under way
  std::vector<std::unique_ptr<Bottleneck>> bottlenecks_;
  std::vector<FlowFacts> facts_;
  std::vector<FlowStatistics> statistics_;
  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<Path> paths_;
  std::vector<std::vector<uint8_t>> routes_;
  std::vector<Receiver> receivers_;
  std::vector<Time> next_rtt_row_;
};

}  // namespace sojourn::sim
