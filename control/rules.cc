#include "control/rules.h"

namespace sojourn {
namespace {

template <typename To, typename From>
std::optional<ValueRange<To>> range(const std::optional<NumberRange<From>>& r) {
  return r ? std::optional(ValueRange<To>{r->first, r->last}) : std::nullopt;
}

std::optional<AddressPrefix> prefix(const std::optional<IpPrefix>& p) {
  return p ? std::optional(AddressPrefix{p->is_ipv6, p->address, p->bits}) : std::nullopt;
}

Rule compile(const RuleConfig& c) {
  Rule r;
  r.name = c.name;
  r.action = c.is_bypass ? RuleAction::kBypass : RuleAction::kShape;
  if (c.destination_mac) r.destination_mac = MacPrefix{c.destination_mac->address, c.destination_mac->bits};
  r.ether_type = c.ether_type;
  r.vlan = c.vlan;
  r.source = prefix(c.source);
  r.destination = prefix(c.destination);
  r.protocol = c.protocol;
  r.source_port = range<uint16_t>(c.source_port);
  r.destination_port = range<uint16_t>(c.destination_port);
  r.dscp = c.dscp;
  r.icmp_type = range<uint8_t>(c.icmp_type);
  return r;
}

}  // namespace

std::shared_ptr<const RuleSet> compile_rules(const WireConfig& wire) {
  std::vector<Rule> rules;
  for (const RuleConfig& c : wire.rules) rules.push_back(compile(c));
  if (wire.control_plane) {
    for (Rule& r : control_plane_rules()) rules.push_back(std::move(r));
  }
  return rules.empty() ? nullptr : std::make_shared<const RuleSet>(rules);
}

}  // namespace sojourn
