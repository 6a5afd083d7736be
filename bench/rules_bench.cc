// Nanoseconds of finding a frame's rule: RuleSet against DPDK's ACL library, frames in cache, bursts of 32. ACL has the
// easier task: it starts at the IPv4 header, knows no MAC addresses, tags, IPv6 or fragments.
#include <benchmark/benchmark.h>
#include <rte_acl.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <random>
#include <stdexcept>

#include "dataplane/eal.h"
#include "dataplane/rules.h"
#include "tests/dataplane/frame_builder.h"

namespace sojourn {
namespace {

using build::Bytes;

constexpr size_t kRing = 256, kBurst = 32;

struct __attribute__((packed)) Header {  // from IPv4's protocol on, without options
  uint8_t protocol;
  uint16_t checksum;
  uint32_t source, destination;
  uint16_t source_port, destination_port;
};
constexpr size_t kProtocolAt = 14 + 9;

// The first field is one byte, all others are looked at in groups of four.
constexpr std::array<rte_acl_field_def, 5> kFields{{
    {RTE_ACL_FIELD_TYPE_BITMASK, 1, 0, 0, offsetof(Header, protocol)},
    {RTE_ACL_FIELD_TYPE_MASK, 4, 1, 1, offsetof(Header, source)},
    {RTE_ACL_FIELD_TYPE_MASK, 4, 2, 2, offsetof(Header, destination)},
    {RTE_ACL_FIELD_TYPE_RANGE, 2, 3, 3, offsetof(Header, source_port)},
    {RTE_ACL_FIELD_TYPE_RANGE, 2, 4, 3, offsetof(Header, destination_port)},
}};
RTE_ACL_RULE_DEF(AclRule, kFields.size());

uint32_t host_order(const AddressPrefix& p) {
  return uint32_t{p.address[0]} << 24 | uint32_t{p.address[1]} << 16 | uint32_t{p.address[2]} << 8 | p.address[3];
}

// The rules that ACL can say.
AclRule acl_rule(const Rule& r, int priority) {
  AclRule a{};
  a.data = {1, RTE_ACL_MAX_PRIORITY - priority, static_cast<uint32_t>(priority + 1)};
  a.field[0].value.u8 = r.protocol.value_or(0);
  a.field[0].mask_range.u8 = r.protocol ? 0xff : 0;
  const auto address = [&a](size_t field, const std::optional<AddressPrefix>& p) {
    a.field[field].value.u32 = p ? host_order(*p) : 0;
    a.field[field].mask_range.u32 = p ? p->bits : 0;
  };
  address(1, r.source);
  address(2, r.destination);
  const auto ports = [&a](size_t field, const std::optional<ValueRange<uint16_t>>& p) {
    a.field[field].value.u16 = p ? p->first : 0;
    a.field[field].mask_range.u16 = p ? p->last : UINT16_MAX;
  };
  ports(3, r.source_port);
  ports(4, r.destination_port);
  return a;
}

class Acl {
 public:
  explicit Acl(const std::vector<Rule>& rules) {
    const rte_acl_param parameters{"rules", 0, RTE_ACL_RULE_SZ(kFields.size()), 64};
    context_ = rte_acl_create(&parameters);
    if (context_ == nullptr) throw std::runtime_error("rte_acl_create");
    int priority = 0;
    for (const Rule& r : rules) {
      const AclRule a = acl_rule(r, priority++);
      if (rte_acl_add_rules(context_, reinterpret_cast<const rte_acl_rule*>(&a), 1) != 0)
        throw std::runtime_error("rte_acl_add_rules");
    }
    rte_acl_config config{1, kFields.size(), {}, 0};
    std::copy(kFields.begin(), kFields.end(), config.defs);
    if (rte_acl_build(context_, &config) != 0) throw std::runtime_error("rte_acl_build");
  }
  ~Acl() { rte_acl_free(context_); }
  void match(const uint8_t** headers, uint32_t* results) const {
    rte_acl_classify(context_, headers, results, kBurst, 1);
  }

 private:
  rte_acl_ctx* context_;
};

// What IPv4 has of the default set; or that and prefixes, 64 in all.
std::vector<Rule> rules_of(int64_t prefixes) {
  std::vector<Rule> rules;
  for (const Rule& r : control_plane_rules()) {
    if (!r.destination_mac && !r.ether_type && !r.icmp_type) rules.push_back(r);
  }
  std::mt19937 random(1);
  for (int64_t i = 0; i < prefixes; ++i) {
    Rule& r = rules.emplace_back();
    AddressPrefix p{false, {}, static_cast<uint8_t>(16 + random() % 17)};
    for (size_t b = 0; b < 4; ++b) p.address[b] = static_cast<uint8_t>(random());
    (i % 2 == 0 ? r.source : r.destination) = p;
  }
  return rules;
}

std::vector<Bytes> frames() {
  using namespace build;
  std::vector<Bytes> frames;
  for (unsigned i = 0; i < kRing; ++i) {
    const bool is_bgp = i % 64 == 0;
    frames.push_back(ethernet(kIp4, ipv4(6, tcp(static_cast<uint16_t>(1024 + i), is_bgp ? 179 : 443))));
  }
  return frames;
}

void rule_set(benchmark::State& state, const std::vector<Rule>& rules) {
  const RuleSet set(rules);
  const auto ring = frames();
  std::array<int, kBurst> results{};
  size_t first = 0;
  for (auto _ : state) {
    for (size_t i = 0; i < kBurst; ++i) results[i] = set.match(ring[first + i]);
    first = (first + kBurst) % kRing;
    benchmark::DoNotOptimize(results);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kBurst));
}
void same_rules(benchmark::State& state) {
  rule_set(state, rules_of(state.range(0)));
}
BENCHMARK(same_rules)->Arg(0)->Arg(64 - 9);
void default_rules(benchmark::State& state) {
  rule_set(state, control_plane_rules());
}
BENCHMARK(default_rules);

void acl(benchmark::State& state) {
  const std::vector<Rule> rules = rules_of(state.range(0));
  const Acl set(rules);
  const RuleSet ours(rules);
  const auto ring = frames();
  std::array<const uint8_t*, kRing> headers{};
  for (size_t i = 0; i < kRing; ++i) headers[i] = &ring[i][kProtocolAt];
  std::array<uint32_t, kBurst> results{};
  size_t first = 0;
  for (auto _ : state) {
    set.match(&headers[first], results.data());
    first = (first + kBurst) % kRing;
    benchmark::DoNotOptimize(results);
  }
  for (size_t i = 0; i < kRing; i += kBurst) {
    set.match(&headers[i], results.data());
    for (size_t j = 0; j < kBurst; ++j) {
      if (static_cast<int>(results[j]) != ours.match(ring[i + j]) + 1) return state.SkipWithError("they differ");
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kBurst));
}
BENCHMARK(acl)->Arg(0)->Arg(64 - 9);

}  // namespace
}  // namespace sojourn

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  sojourn::EalOptions options;
  options.memory_bytes = uint64_t{96} << 20;
  options.huge_pages = sojourn::HugePages::kOff;
  options.control_cpus = sojourn::allowed_cpus();
  options.worker_cpus = {options.control_cpus.back()};
  options.file_prefix = "sojourn-rules-bench-" + std::to_string(getpid());
  const sojourn::Eal eal(options);
  benchmark::RunSpecifiedBenchmarks();
}
