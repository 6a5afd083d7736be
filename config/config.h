// What the operator asked for, complete and valid. Made only by load() and parse(), which otherwise say every reason
// why not. Names no DPDK type: control compiles it into a plan.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/match.h"
#include "config/quantity.h"
#include "sched/parameters.h"

namespace sojourn {

// Where something was written. Not part of what it says: two equal configurations may come from different files.
struct Where {
  std::string file;
  int line = 0;
  constexpr bool operator==(const Where&) const { return true; }
};

struct PortConfig {
  std::string name;
  std::string device;                 // as DPDK names it: "0000:3b:00.0", "net_af_xdp0,iface=eth1"
  std::optional<uint32_t> mtu_bytes;  // of layer 3; absent: left as the device has it
  uint32_t rx_descriptors = 1024;
  uint32_t tx_descriptors = 512;
  Where where;
  bool operator==(const PortConfig&) const = default;
};

// Which frames go ahead of the queues, or do not, by their outermost headers. What is absent matches everything.
struct RuleConfig {
  std::string name;
  bool is_bypass = false;
  std::optional<MacAddressPrefix> destination_mac;
  std::optional<uint16_t> ether_type;
  std::optional<uint16_t> vlan;
  std::optional<IpPrefix> source, destination;
  std::optional<uint8_t> protocol;
  std::optional<NumberRange<uint16_t>> source_port, destination_port;
  std::optional<uint8_t> dscp;
  std::optional<NumberRange<uint8_t>> icmp_type;
  Where where;
  bool operator==(const RuleConfig&) const = default;
};

struct DirectionConfig {
  std::string preset;  // empty: none
  Parameters parameters;
  std::string fault;  // why it runs unshaped although it was meant to be shaped; empty: it does not. See fail_open
  Where where;
  bool operator==(const DirectionConfig&) const = default;
};

struct WireConfig {
  std::string name;
  std::string inside, outside;    // names of ports
  DirectionConfig egress;         // inside -> outside
  DirectionConfig ingress;        // outside -> inside
  std::vector<RuleConfig> rules;  // the first that matches decides; for both directions
  bool control_plane = true;      // after them, the rules for what keeps the network up
  bool link_loss_forwarding = true;
  Where where;
  bool operator==(const WireConfig&) const = default;
};

// How much the bottleneck of a lab path holds: bytes or packets, the other one 0.
struct LabBuffer {
  uint64_t bytes = 0;
  uint32_t packets = 0;
  bool operator==(const LabBuffer&) const = default;
};

// What changes on a lab path `at` this time after the start, and again `every` so often. Absent: stays as it is.
struct LabChange {
  Duration at;
  std::optional<Duration> every;
  std::optional<BitsPerSecond> rate;
  std::optional<Duration> delay;
  std::optional<Duration> jitter;
  std::optional<PartsPerBillion> loss;
  Where where;
  bool operator==(const LabChange&) const = default;
};

// A path made worse on purpose, on the transmit side of one port: bottleneck, then delay.
struct LabPathConfig {
  std::string port;
  std::optional<BitsPerSecond> rate;   // absent: no bottleneck
  LabBuffer buffer{.packets = 1000};   // of the bottleneck; 1000 packets is netem's
  Duration delay;                      // one way
  Duration jitter;                     // added to the delay, 0 to this much
  PartsPerBillion loss;                // at random
  PartsPerBillion reorder;             // share of packets held back by reorder_delay
  Duration reorder_delay{10'000'000};  //
  uint64_t seed = 1;                   // of all that is random here
  std::vector<LabChange> timetable;
  Where where;
  bool operator==(const LabPathConfig&) const = default;
};

struct ControlConfig {
  std::string socket = "/run/sojourn/control.sock";
  std::string read_group = "sojourn-read";  // may ask
  std::string change_group = "sojourn";     // may also change
  bool operator==(const ControlConfig&) const = default;
};

struct WorkerConfig {
  std::optional<uint32_t> core;  // absent: chosen at start
  bool operator==(const WorkerConfig&) const = default;
};

enum class Hugepages : uint8_t { kAuto, kOn, kOff };
enum class OnError : uint8_t { kRefuse, kWire };  // at start

struct Config {
  std::vector<PortConfig> ports;
  std::vector<WireConfig> wires;
  std::vector<LabPathConfig> lab;
  ControlConfig control;
  WorkerConfig worker;
  std::optional<uint64_t> hash_seed;  // absent: drawn at start
  Hugepages hugepages = Hugepages::kAuto;
  OnError on_error = OnError::kRefuse;
  bool operator==(const Config&) const = default;
};

// What is wrong with one line, or deserves a second look.
struct Diagnostic {
  std::string file;     // empty: not from a file, as with `sojourn set`
  int line = 0;         // 0: the file as a whole
  std::string name;     // "wires[home].egress.rate"; empty: none
  std::string message;  // one line
};

// "sojourn.conf:7: error: wires[home].egress.rate: ..."
std::string to_string(const Diagnostic& diagnostic, std::string_view severity);

// `config` is to be used only when `errors` is empty.
struct Result {
  Config config;
  std::vector<Diagnostic> errors, warnings;
  std::map<std::string, Where> places;  // of everything that was read, by its name: "wires[home].egress.rate"
  bool ok() const { return errors.empty(); }
};

// Never throws for what is in the file, and never reads more than kMostConfigBytes of it.
Result load(const std::string& path);
// `filename` is what diagnostics say, and where @include looks beside.
Result parse(std::string_view text, const std::string& filename);

inline constexpr size_t kMostRulesOfWire = 40;
inline constexpr size_t kMostConfigBytes = size_t{4} << 20;

// The MTU that a wire's derived values are computed from: the larger of its two ports', 1500 where a port has none set.
uint32_t wire_mtu_bytes(const Config& config, const WireConfig& wire);

// The quantum where none is set: one MTU frame, so that a turn always sends a frame; never below the scheduler's
// default.
constexpr uint32_t default_quantum_bytes(uint32_t mtu_bytes) {
  const uint32_t frame = mtu_frame_bytes(mtu_bytes), least = Parameters{}.quantum_bytes;
  return frame > least ? frame : least;
}

}  // namespace sojourn
