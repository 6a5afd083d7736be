#include "config/keys.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>

#include "config/device.h"
#include "config/nearest.h"
#include "config/presets.h"

namespace sojourn {
namespace {

// A generic access to one field of a group, const or not.
#define FIELD(path)          \
  [](auto& group) -> auto& { \
    return group.path;       \
  }

constexpr Range<int64_t> kDescriptors{64, 32'768};
constexpr Range<int64_t> kCores{0, 1023};
constexpr Range<int64_t> kLabTimeNs{0, 3'600'000'000'000};
constexpr Range<int64_t> kPeriodNs{1'000'000, 3'600'000'000'000};
constexpr Range<int64_t> kFractions{0, kWhole.value};
constexpr Range<int64_t> kLabBufferBytes{64, int64_t{4} << 30};
constexpr Range<int64_t> kLabBufferPackets{1, 1 << 22};

std::string any_text(const std::string&) {
  return {};
}

std::string check_name(const std::string& name) {
  constexpr size_t kMostLength = 32;
  const bool plain = name.size() <= kMostLength && std::ranges::all_of(name, [](unsigned char c) {
                       return std::isalnum(c) || c == '_' || c == '-' || c == '.';
                     });
  return plain ? "" : "a name is 1 to 32 letters, digits, \"_\", \"-\" or \".\", such as \"wan\"";
}

std::string check_preset(const std::string& name) {
  if (find_preset(name) != nullptr) return {};
  const auto names = preset_names();
  return "unknown preset " + quote(name) + suggestion(name, names);
}

std::string check_socket(const std::string& path) {
  constexpr size_t kMostLength = 107;  // sockaddr_un::sun_path with its NUL
  if (!path.starts_with('/')) return "must be an absolute path";
  return path.size() <= kMostLength ? "" : "is longer than the 107 characters a socket's path may have";
}

std::string check_power_of_two(int64_t value) {
  const auto flows = static_cast<uint64_t>(value);
  if (std::has_single_bit(flows)) return {};
  const uint64_t below = std::bit_floor(flows), above = std::bit_ceil(flows);
  const uint64_t nearest = flows - below < above - flows ? below : above;
  return std::to_string(value) + " is not a power of two; nearest is " + std::to_string(nearest);
}

Key<DirectionConfig> ce_threshold_key() {
  auto key = quantity_key<DirectionConfig>("ce_threshold", kTimeQuantity, base_range(limits::kCeThresholdNs),
                                           FIELD(parameters.ce_threshold),
                                           "packets that waited longer are marked CE, whatever CoDel says");
  key.range += ", or \"off\"";
  key.read = [read = key.read](const Node& node, DirectionConfig& group) {
    if (node.text != "off") return read(node, group);
    group.parameters.ce_threshold.reset();
    return std::string();
  };
  key.text = [text = key.text](const DirectionConfig& group) {
    return group.parameters.ce_threshold ? text(group) : quote("off");
  };
  return key;
}

std::string read_buffer(const Node& node, LabPathConfig& path) {
  const bool in_packets = node.text.find_first_of("pP") != std::string::npos;
  if (!in_packets) {
    auto parsed = read_quantity(node, kSizeQuantity, kLabBufferBytes);
    if (parsed.value) path.buffer = {.bytes = static_cast<uint64_t>(*parsed.value)};
    return parsed.reason;
  }
  auto parsed = parse_packets(node.text);
  if (!parsed.value) return parsed.reason;
  if (*parsed.value < kLabBufferPackets.least) return "\"0p\" is out of range; nearest is \"1p\"";
  if (*parsed.value > kLabBufferPackets.most)
    return quote(node.text) + " is out of range; nearest is " + quote(format_packets(kLabBufferPackets.most));
  path.buffer = {.packets = *parsed.value};
  return {};
}

Key<LabPathConfig> buffer_key() {
  const auto text = [](const LabPathConfig& path) {
    return path.buffer.packets != 0 ? format_packets(path.buffer.packets) : format_size(path.buffer.bytes);
  };
  // Without a bottleneck the default is left unsaid: it would have no effect.
  const auto is_said = [](const LabPathConfig& path) { return path.rate || path.buffer != LabPathConfig{}.buffer; };
  return {.name = "buffer",
          .json_name = "buffer",
          .unit = "size or packets",
          .range = range_text(kSizeQuantity, kLabBufferBytes) + ", or \"1p\" to " +
                   quote(format_packets(kLabBufferPackets.most)),
          .meaning = "what the bottleneck holds, first in, first out",
          .absent = '`' + quote(text({})) + '`',
          .read = read_buffer,
          .text = [=](const LabPathConfig& path) { return is_said(path) ? quote(text(path)) : ""; },
          .scalar = [text](const LabPathConfig& path) { return Scalar(text(path)); }};
}

std::string seed_text(uint64_t seed) {
  char digits[17];
  const auto end = std::to_chars(digits, digits + sizeof digits, seed, 16).ptr;
  return "0x" + std::string(digits, end);
}

// A whole number, or hexadecimal in quotes, since libconfig's numbers end at 2147483647.
std::string read_seed(const Node& node, uint64_t& out) {
  if (node.kind == Node::Kind::kInteger) {
    if (node.integer < 0) return "is negative; nearest is 0";
    out = static_cast<uint64_t>(node.integer);
    return {};
  }
  std::string text, reason = read_text(node, text);
  if (!reason.empty()) return reason;
  uint64_t seed = 0;
  const char *begin = text.data() + 2, *end = text.data() + text.size();
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (!is_hex || text.size() == 2 || std::from_chars(begin, end, seed, 16).ptr != end || text.size() > 18)
    return quote(text) + " is no seed; write a whole number, or up to 16 hexadecimal digits such as \"0x5eed\"";
  out = seed;
  return {};
}

Key<Config> hash_seed_key() {
  return {.name = "hash_seed",
          .json_name = "hash_seed",
          .unit = "integer or hex text",
          .range = "0 to 2147483647, or \"0x0\" to \"0xffffffffffffffff\"",
          .meaning = "secret of the flow hash; set it only to repeat an experiment",
          .absent = "drawn at start",
          .read =
              [](const Node& node, Config& config) {
                uint64_t seed = 0;
                std::string reason = read_seed(node, seed);
                if (reason.empty()) config.hash_seed = seed;
                return reason;
              },
          .text = [](const Config& config) { return config.hash_seed ? quote(seed_text(*config.hash_seed)) : ""; },
          .scalar =
              [](const Config& config) { return config.hash_seed ? Scalar(seed_text(*config.hash_seed)) : Scalar(); }};
}

template <typename Group>
Key<Group> with_json_name(std::string json_name, Key<Group> key) {
  key.json_name = std::move(json_name);
  return key;
}

std::string preset_range() {
  std::string out;
  for (const auto& name : preset_names()) out += (out.empty() ? "" : ", ") + quote(name);
  return out;
}

}  // namespace

const std::vector<Key<Config>>& config_keys() {
  static const std::vector<Key<Config>> kKeys = {
      group_key<Config>("ports", "list of groups", "the ports of the box").required(),
      group_key<Config>("wires", "list of groups", "pairs of ports; what enters one leaves the other").required(),
      group_key<Config>("lab", "list of groups", "paths made worse on purpose, for experiments").otherwise("none"),
      group_key<Config>("control", "group", "how the running box is spoken to").otherwise("its defaults"),
      group_key<Config>("worker", "group", "the thread that moves packets").otherwise("its defaults"),
      hash_seed_key(),
      choice_key<Config>("hugepages", {"auto", "on", "off"}, FIELD(hugepages), "\"auto\": used where there are any"),
      choice_key<Config>("on_error", {"refuse", "wire"}, FIELD(on_error),
                         "at start, when only `egress` or `ingress` is wrong: \"wire\" forwards those unshaped")
          .live(),
  };
  return kKeys;
}

const std::vector<Key<PortConfig>>& port_keys() {
  static const std::vector<Key<PortConfig>> kKeys = {
      text_key<PortConfig>("name", "32 letters, digits, `_`, `-`, `.`", FIELD(name), check_name, "what wires call it")
          .required(),
      text_key<PortConfig>("device", "PCI address or vdev", FIELD(device), check_device, "DPDK's name of the device")
          .required(),
      with_json_name("mtu_bytes",
                     integer_key<PortConfig>("mtu", "bytes", base_range(limits::kMtuBytes), FIELD(mtu_bytes),
                                             "MTU of layer 3, as `ip link` counts it; the device is set to it"))
          .otherwise("left as the device has it; 1500 in what is derived"),
      integer_key<PortConfig>("rx_descriptors", "descriptors", kDescriptors, FIELD(rx_descriptors), "receive ring"),
      integer_key<PortConfig>("tx_descriptors", "descriptors", kDescriptors, FIELD(tx_descriptors),
                              "transmit ring; what waits here is out of the scheduler's sight"),
  };
  return kKeys;
}

const std::vector<Key<WireConfig>>& wire_keys() {
  static const std::vector<Key<WireConfig>> kKeys = {
      text_key<WireConfig>("name", "32 letters, digits, `_`, `-`, `.`", FIELD(name), check_name, "what tools call it")
          .required(),
      text_key<WireConfig>("inside", "name of a port", FIELD(inside), any_text, "the side of the users or servers")
          .required(),
      text_key<WireConfig>("outside", "name of a port", FIELD(outside), any_text, "the side of the bottleneck")
          .required(),
      boolean_key<WireConfig>("link_loss_forwarding", FIELD(link_loss_forwarding),
                              "when one side loses its link, the other is taken down too, and back")
          .live(),
      group_key<WireConfig>("egress", "group", "inside to outside").otherwise("unlimited, all else by default"),
      group_key<WireConfig>("ingress", "group", "outside to inside").otherwise("unlimited, all else by default"),
      boolean_key<WireConfig>("control_plane", FIELD(control_plane),
                              "ARP, neighbour discovery, DHCP, STP, LACP, LLDP, pause, BFD, VRRP, CARP, pfsync, OSPF, "
                              "IS-IS and BGP go ahead of the queues, unless a rule says otherwise"),
      group_key<WireConfig>("rules", "list of groups", "what goes ahead of the queues; the first that matches decides")
          .otherwise("none"),
  };
  return kKeys;
}

const std::vector<Key<DirectionConfig>>& direction_keys() {
  using D = DirectionConfig;
  static const std::vector<Key<D>> kKeys = {
      text_key<D>("preset", preset_range(), FIELD(preset), check_preset, "values for all that is not given here")
          .otherwise("none"),
      boolean_key<D>("shaping", FIELD(parameters.shaping), "false: forwarded unshaped, with no rate and no AQM"),
      quantity_key<D>("rate", kRateQuantity, base_range(limits::kRateBps), FIELD(parameters.rate),
                      "bits of wire bytes per second")
          .required(),
      quantity_key<D>("burst", kSizeQuantity, base_range(limits::kBurstBytes), FIELD(parameters.burst_bytes),
                      "what an idle link earns; \"0b\", or at least one MTU frame")
          .otherwise("the larger of two MTU frames and 1 ms at the rate, at most \"64kb\""),
      quantity_key<D>("overhead", kSignedSizeQuantity, base_range(limits::kOverheadBytes),
                      FIELD(parameters.overhead_bytes), "added to every frame's length (without FCS)"),
      quantity_key<D>("mpu", kSizeQuantity, base_range(limits::kMpuBytes), FIELD(parameters.mpu_bytes),
                      "the least a frame is charged"),
      integer_key<D>("flows", "queues", base_range(limits::kFlows), FIELD(parameters.flows), "queues; a power of two",
                     check_power_of_two),
      quantity_key<D>("quantum", kSizeQuantity, base_range(limits::kQuantumBytes), FIELD(parameters.quantum_bytes),
                      "what a queue may send in one turn; with a larger MTU the default is one MTU frame"),
      with_json_name("limit_packets",
                     integer_key<D>("limit", "packets", base_range(limits::kLimitPackets),
                                    FIELD(parameters.limit_packets), "most packets in all queues together")),
      quantity_key<D>("memory", kSizeQuantity, base_range(limits::kMemoryBytes), FIELD(parameters.memory_bytes),
                      "most buffer memory in all queues together"),
      choice_key<D>("isolation", {"none", "flows"}, FIELD(parameters.isolation), "one queue, or one for every flow"),
      choice_key<D>("hash", {"inner", "outer"}, FIELD(parameters.hash), "which IP header of a tunnel tells the flow"),
      choice_key<D>("aqm", {"none", "codel"}, FIELD(parameters.aqm), "tail drop, or CoDel"),
      quantity_key<D>("target", kTimeQuantity, base_range(limits::kTargetNs), FIELD(parameters.target),
                      "sojourn time that CoDel allows to stand; never below 1.5 MTU frames at the rate"),
      quantity_key<D>("interval", kTimeQuantity, base_range(limits::kIntervalNs), FIELD(parameters.interval),
                      "how long it may stand first; about the longest usual RTT, never below two targets"),
      boolean_key<D>("ecn", FIELD(parameters.ecn), "mark what can be marked instead of dropping it"),
      ce_threshold_key(),
      quantity_key<D>("bypass_limit", kRateQuantity, base_range(limits::kRateBps), FIELD(parameters.bypass_limit),
                      "up to which packets go ahead of the queues; what is more is shaped with the rest")
          .otherwise("5 % of the rate, at least \"1mbit\""),
  };
  return kKeys;
}

const std::vector<Key<RuleConfig>>& rule_keys() {
  using R = RuleConfig;
  static const std::vector<Key<R>> kKeys = {
      text_key<R>("name", "any", FIELD(name), any_text, "for people").otherwise("none"),
      choice_key<R>("action", {"shape", "bypass"}, FIELD(is_bypass), "queue with the rest, or go ahead").required(),
      parsed_key<R>("destination_mac", "MAC address, `/bits`", FIELD(destination_mac), parse_mac_prefix,
                    format_mac_prefix, "where it goes to"),
      parsed_key<R>("ether_type", "name, or 0x0600 to 0xffff", FIELD(ether_type), parse_ether_type, format_ether_type,
                    "behind all VLAN tags"),
      integer_key<R>("vlan", "identifier", {0, 4094}, FIELD(vlan), "of the outermost tag; 0: no tag, or a priority tag")
          .otherwise("anything"),
      parsed_key<R>("source", "IPv4 or IPv6 prefix", FIELD(source), parse_prefix, format_prefix, "address"),
      parsed_key<R>("destination", "IPv4 or IPv6 prefix", FIELD(destination), parse_prefix, format_prefix, "address"),
      parsed_key<R>("protocol", "name, or 0 to 255", FIELD(protocol), parse_protocol, format_protocol,
                    "of IPv4, or of IPv6 behind its extension headers"),
      parsed_key<R>("source_port", "0 to 65535, or a range", FIELD(source_port), parse_ports, format_ports,
                    "of TCP, UDP, SCTP, DCCP, UDP-Lite"),
      parsed_key<R>("destination_port", "0 to 65535, or a range", FIELD(destination_port), parse_ports, format_ports,
                    "likewise"),
      parsed_key<R>("dscp", "name, or 0 to 63", FIELD(dscp), parse_dscp, format_dscp, "of the outermost IP header"),
      parsed_key<R>("icmp_type", "0 to 255, or a range", FIELD(icmp_type), parse_icmp_types, format_icmp_types,
                    "of ICMP or ICMPv6"),
  };
  return kKeys;
}

const std::vector<Key<LabPathConfig>>& lab_path_keys() {
  using L = LabPathConfig;
  static const std::vector<Key<L>> kKeys = {
      text_key<L>("port", "name of a port", FIELD(port), any_text, "the path is on what this port transmits")
          .required(),
      quantity_key<L>("rate", kRateQuantity, base_range(limits::kRateBps), FIELD(rate), "of the bottleneck")
          .otherwise("no bottleneck"),
      buffer_key(),
      quantity_key<L>("delay", kTimeQuantity, kLabTimeNs, FIELD(delay), "one way"),
      quantity_key<L>("jitter", kTimeQuantity, kLabTimeNs, FIELD(jitter), "added to the delay, at random, at most"),
      quantity_key<L>("loss", kFractionQuantity, kFractions, FIELD(loss), "share of packets lost, at random"),
      quantity_key<L>("reorder", kFractionQuantity, kFractions, FIELD(reorder),
                      "share of packets held back, at random"),
      quantity_key<L>("reorder_delay", kTimeQuantity, kLabTimeNs, FIELD(reorder_delay), "how long those are held back"),
      integer_key<L>("seed", "integer", {0, INT32_MAX}, FIELD(seed), "of all that is random on this path"),
      group_key<L>("timetable", "list of groups", "what changes, and when").otherwise("none"),
  };
  return kKeys;
}

const std::vector<Key<LabChange>>& lab_change_keys() {
  using L = LabChange;
  static const std::vector<Key<L>> kKeys = {
      quantity_key<L>("at", kTimeQuantity, kLabTimeNs, FIELD(at), "time after the start").required(),
      quantity_key<L>("every", kTimeQuantity, kPeriodNs, FIELD(every), "and again after each such time")
          .otherwise("once"),
      quantity_key<L>("rate", kRateQuantity, base_range(limits::kRateBps), FIELD(rate), "as above")
          .otherwise("as it is"),
      quantity_key<L>("delay", kTimeQuantity, kLabTimeNs, FIELD(delay), "as above").otherwise("as it is"),
      quantity_key<L>("jitter", kTimeQuantity, kLabTimeNs, FIELD(jitter), "as above").otherwise("as it is"),
      quantity_key<L>("loss", kFractionQuantity, kFractions, FIELD(loss), "as above").otherwise("as it is"),
  };
  return kKeys;
}

const std::vector<Key<ControlConfig>>& control_keys() {
  static const std::vector<Key<ControlConfig>> kKeys = {
      text_key<ControlConfig>("socket", "absolute path", FIELD(socket), check_socket, "where the tools reach the box"),
      text_key<ControlConfig>("read_group", "name of a group", FIELD(read_group), check_name,
                              "its members may read statistics and the configuration in force"),
      text_key<ControlConfig>("change_group", "name of a group", FIELD(change_group), check_name,
                              "its members may also change what is in force, as root may"),
  };
  return kKeys;
}

const std::vector<Key<WorkerConfig>>& worker_keys() {
  static const std::vector<Key<WorkerConfig>> kKeys = {
      integer_key<WorkerConfig>("core", "CPU", kCores, FIELD(core), "the CPU it runs on; give it one of its own")
          .otherwise("chosen at start"),
  };
  return kKeys;
}

}  // namespace sojourn
