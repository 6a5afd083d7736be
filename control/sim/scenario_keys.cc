#include "control/sim/scenario_keys.h"

#include <algorithm>
#include <cctype>

#include "config/manual_section.h"

namespace sojourn::sim {
namespace {

// A generic access to one field of a group, const or not.
#define FIELD(path)          \
  [](auto& group) -> auto& { \
    return group.path;       \
  }

constexpr int64_t kSecond = 1'000'000'000;
constexpr Range<int64_t> kDurationNs{1'000'000, 1'000'000 * kSecond};
constexpr Range<int64_t> kInstantNs{0, 1'000'000 * kSecond};
constexpr Range<int64_t> kPeriodNs{1'000'000, 3600 * kSecond};
constexpr Range<int64_t> kDistanceNs{1'000, 3600 * kSecond};
constexpr Range<int64_t> kRttNs{1'000, 60 * kSecond};
constexpr Range<int64_t> kPathNs{0, 60 * kSecond};
constexpr Range<int64_t> kFractions{0, kWhole.value};
constexpr Range<int64_t> kPacketBytes{kHeaderBytes + 10, 16'014};
constexpr Range<int64_t> kTransferBytes{1, int64_t{1} << 40};
constexpr Range<int64_t> kCount{1, 65'536};

const std::vector<std::string> kSources{"tcp", "constant", "poisson", "on-off", "sparse", "spray"};
const std::vector<std::string> kCongestions{"reno", "cubic", "vegas", "bbr"};

std::string check_name(const std::string& name) {
  constexpr size_t kMostLength = 32;
  const bool plain = name.size() <= kMostLength && std::ranges::all_of(name, [](unsigned char c) {
                       return std::isalnum(c) || c == '_' || c == '-' || c == '.';
                     });
  return plain ? "" : "a name is 1 to 32 letters, digits, \"_\", \"-\" or \".\", such as \"bulk\"";
}

// Calls `read` for each element of an array or list; the first reason why not, or "".
template <typename Read>
std::string read_elements(const Node& node, const char* example, Read read) {
  if (node.kind != Node::Kind::kArray && node.kind != Node::Kind::kList)
    return std::string("must be an array such as ") + example + ", is " + describe(node);
  if (node.children.empty()) return "must not be empty";
  for (const Node& element : node.children)
    if (std::string reason = read(element); !reason.empty()) return reason;
  return {};
}

Key<FlowScenario> rtts_key() {
  auto key = group_key<FlowScenario>("rtts", "array of times", "propagation of each of the flows, in turn");
  key.read = [](const Node& node, FlowScenario& flow) {
    return read_elements(node, "[ \"5ms\", \"20ms\" ]", [&](const Node& element) {
      const auto parsed = read_quantity(element, kTimeQuantity, kRttNs);
      if (parsed.value) flow.rtts.push_back({*parsed.value});
      return parsed.reason;
    });
  };
  return std::move(key).otherwise("`rtt`");
}

Key<FlowScenario> through_key() {
  auto key = group_key<FlowScenario>("through", "array of names", "the bottlenecks on its way");
  key.read = [](const Node& node, FlowScenario& flow) {
    return read_elements(node, "[ \"wan\" ]", [&](const Node& element) {
      std::string name, reason = read_text(element, name);
      if (reason.empty()) flow.through.push_back(name);
      return reason;
    });
  };
  return std::move(key).otherwise("all, in order");
}

}  // namespace

const std::string& word_of(SourceKind source) {
  return kSources[static_cast<size_t>(source)];
}

const std::string& word_of(CongestionName congestion) {
  return kCongestions[static_cast<size_t>(congestion)];
}

bool heeds(SourceKind source, std::string_view key) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> keys) {
    return std::ranges::find(keys, key) != keys.end();
  };
  if (is_one_of({"congestion", "hystart", "ecn_backoff", "delayed_ack", "transfer", "pause"}))
    return source == SourceKind::kTcp;
  if (is_one_of({"on", "off"})) return source == SourceKind::kOnOff;
  if (key == "every") return source == SourceKind::kSparse;
  if (key == "rate") return source != SourceKind::kTcp && source != SourceKind::kSparse;
  return true;
}

const std::vector<Key<Scenario>>& scenario_keys() {
  using S = Scenario;
  static const std::vector<Key<S>> kKeys = {
      text_key<S>("name", "32 letters, digits, `_`, `-`, `.`", FIELD(name), check_name, "what reports call it"),
      quantity_key<S>("duration", kTimeQuantity, kDurationNs, FIELD(duration), "virtual time"),
      quantity_key<S>("warmup", kTimeQuantity, kInstantNs, FIELD(warmup), "from the start, not measured"),
      integer_key<S>("seed", "integer", {0, INT32_MAX}, FIELD(seed), "of all that is random"),
      group_key<S>("bottlenecks", "list of groups", "links in series, each with its queue").required(),
      group_key<S>("flows", "list of groups", "who sends").required(),
  };
  return kKeys;
}

const std::vector<Key<BottleneckScenario>>& bottleneck_keys() {
  using B = BottleneckScenario;
  static const std::vector<Key<B>> kKeys = {
      text_key<B>("name", "32 letters, digits, `_`, `-`, `.`", FIELD(name), check_name, "what reports call it")
          .required(),
      integer_key<B>("mtu", "bytes", base_range(limits::kMtuBytes), FIELD(mtu_bytes), "of layer 3"),
      group_key<B>("queue", "group", "the keys of a wire's `egress`").required(),
      group_key<B>("timetable", "list of groups", "when the rate changes").otherwise("never"),
  };
  return kKeys;
}

const std::vector<Key<RateChange>>& rate_change_keys() {
  using C = RateChange;
  static const std::vector<Key<C>> kKeys = {
      quantity_key<C>("at", kTimeQuantity, kInstantNs, FIELD(at), "time after the start").required(),
      quantity_key<C>("every", kTimeQuantity, kPeriodNs, FIELD(every), "and again after each such time")
          .otherwise("once"),
      quantity_key<C>("rate", kRateQuantity, base_range(limits::kRateBps), FIELD(rate), "from then on").required(),
  };
  return kKeys;
}

const std::vector<Key<FlowScenario>>& flow_keys() {
  using F = FlowScenario;
  const auto rate = base_range(limits::kRateBps);
  static const std::vector<Key<F>> kKeys = {
      text_key<F>("name", "32 letters, digits, `_`, `-`, `.`", FIELD(name), check_name, "what reports call it")
          .required(),
      integer_key<F>("count", "flows", kCount, FIELD(count), "how many of these"),
      choice_key<F>("source", kSources, FIELD(source), "what sends"),
      choice_key<F>("congestion", kCongestions, FIELD(congestion), "how TCP does"),
      quantity_key<F>("rtt", kTimeQuantity, kRttNs, FIELD(path.rtt), "propagation there and back, without queues"),
      rtts_key(),
      quantity_key<F>("jitter", kTimeQuantity, kPathNs, FIELD(path.jitter), "added to it, at random, at most"),
      quantity_key<F>("loss", kFractionQuantity, kFractions, FIELD(path.loss), "share of packets lost, at random"),
      quantity_key<F>("reorder", kFractionQuantity, kFractions, FIELD(path.reorder), "share of packets held back"),
      quantity_key<F>("reorder_delay", kTimeQuantity, kPathNs, FIELD(path.reorder_delay), "how long those are"),
      quantity_key<F>("flip_rtt", kTimeQuantity, kRttNs, FIELD(path.flip_rtt), "of the other route")
          .otherwise("there is none"),
      quantity_key<F>("flip_every", kTimeQuantity, kPeriodNs, FIELD(path.flip_every), "the route changes this often"),
      boolean_key<F>("flip_reorders", FIELD(path.flip_reorders),
                     "packets on the shorter route overtake those on the longer"),
      quantity_key<F>("packet", kSizeQuantity, kPacketBytes, FIELD(packet_bytes), "length of its frames"),
      through_key(),
      quantity_key<F>("start", kTimeQuantity, kInstantNs, FIELD(start), "when it begins"),
      quantity_key<F>("start_spread", kTimeQuantity, kInstantNs, FIELD(start_spread), "or at random so much later"),
      quantity_key<F>("stop", kTimeQuantity, kInstantNs, FIELD(stop), "when it sends nothing new any more")
          .otherwise("at the end"),
      boolean_key<F>("ecn", FIELD(ecn), "its packets are ECN-capable"),
      boolean_key<F>("hystart", FIELD(has_hystart), "CUBIC leaves slow start when the delay rises"),
      boolean_key<F>("ecn_backoff", FIELD(has_ecn_backoff), "a mark reduces less than a loss (RFC 8511)"),
      boolean_key<F>("delayed_ack", FIELD(has_delayed_ack), "every second packet is acknowledged, or after 40 ms"),
      quantity_key<F>("transfer", kSizeQuantity, kTransferBytes, FIELD(transfer_bytes), "user data of one transfer")
          .otherwise("without end"),
      quantity_key<F>("pause", kTimeQuantity, kInstantNs, FIELD(pause), "between transfers, exponential, mean"),
      quantity_key<F>("rate", kRateQuantity, rate, FIELD(rate), "while it sends"),
      quantity_key<F>("every", kTimeQuantity, kDistanceNs, FIELD(every), "one packet"),
      quantity_key<F>("on", kTimeQuantity, kPeriodNs, FIELD(on), "how long it sends, exponential, mean"),
      quantity_key<F>("off", kTimeQuantity, kPeriodNs, FIELD(off), "how long not, exponential, mean"),
  };
  return kKeys;
}

std::string scenario_manual() {
  return manual_section("The scenario", scenario_keys()) + manual_section("Each of `bottlenecks`", bottleneck_keys()) +
         manual_section("Each of `timetable`", rate_change_keys()) + manual_section("Each of `flows`", flow_keys());
}

}  // namespace sojourn::sim
