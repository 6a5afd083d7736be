#include "config/difference.h"

#include <algorithm>

#include "config/keys.h"

namespace sojourn {
namespace {

using Differences = std::vector<Difference>;

enum class Change : bool { kLive, kRestart };

template <typename Group>
void compare(Differences& out, const std::string& prefix, const std::vector<Key<Group>>& keys, const Group& from,
             const Group& to, Change change) {
  for (const Key<Group>& key : keys) {
    if (!key.text) continue;
    std::string was = key.text(from), is = key.text(to);
    if (was != is)
      out.push_back({prefix + key.name, std::move(was), std::move(is), change == Change::kRestart && !key.is_live});
  }
}

// Elements of both sides by their names, then those that one side lacks.
template <typename Element, typename Name, typename Compare>
void compare_lists(Differences& out, const std::string& list, const std::vector<Element>& from,
                   const std::vector<Element>& to, Name name_of, Compare compare_elements) {
  const auto find = [&](const std::vector<Element>& in, const std::string& name) {
    return std::find_if(in.begin(), in.end(), [&](const Element& e) { return name_of(e) == name; });
  };
  for (const Element& was : from) {
    const std::string label = list + '[' + name_of(was) + ']';
    const auto is = find(to, name_of(was));
    if (is == to.end()) {
      out.push_back({label, "present", "", true});
    } else {
      compare_elements(label + '.', was, *is);
    }
  }
  for (const Element& is : to) {
    if (find(from, name_of(is)) == from.end()) out.push_back({list + '[' + name_of(is) + ']', "", "present", true});
  }
}

void compare_derived(Differences& out, const std::string& prefix, const Parameters& from, const Parameters& to,
                     uint32_t mtu_bytes) {
  const auto add = [&](const char* name, std::string was, std::string is) {
    if (was != is) out.push_back({prefix + name + " in force", std::move(was), std::move(is), false});
  };
  const auto burst = [&](const Parameters& p) {
    return p.rate == kUnlimited ? std::string() : format_size(burst_in_force_bytes(p, mtu_bytes));
  };
  if (!from.burst_bytes || !to.burst_bytes) add("burst", burst(from), burst(to));
  const auto add_time = [&](const char* name, Duration Parameters::*field,
                            Duration (*in_force)(const Parameters&, uint32_t)) {
    const Duration was = in_force(from, mtu_bytes), is = in_force(to, mtu_bytes);
    if (was != from.*field || is != to.*field) add(name, format_time(was), format_time(is));
  };
  add_time("target", &Parameters::target, target_in_force);
  add_time("interval", &Parameters::interval, interval_in_force);
}

// Rules are a list in which places count: said one by one, as far as both have them.
void compare_rules(Differences& out, const std::string& prefix, const WireConfig& from, const WireConfig& to) {
  const size_t both = std::min(from.rules.size(), to.rules.size());
  for (size_t i = 0; i < std::max(from.rules.size(), to.rules.size()); ++i) {
    const std::string name = prefix + "rules[" + std::to_string(i) + ']';
    if (i < both) {
      compare(out, name + '.', rule_keys(), from.rules[i], to.rules[i], Change::kLive);
    } else {
      const bool is_new = i >= from.rules.size();
      out.push_back({name, is_new ? "" : "present", is_new ? "present" : "", false});
    }
  }
}

void compare_wires(Differences& out, const std::string& prefix, const WireConfig& from, const WireConfig& to,
                   uint32_t mtu_bytes) {
  for (const auto& key : wire_keys()) {
    const bool is_live = key.name == "control_plane";
    compare(out, prefix, std::vector{key}, from, to, is_live ? Change::kLive : Change::kRestart);
  }
  compare_rules(out, prefix, from, to);
  const auto compare_direction = [&](const std::string& name, const DirectionConfig& was, const DirectionConfig& is) {
    compare(out, prefix + name, direction_keys(), was, is, Change::kLive);
    compare_derived(out, prefix + name, was.parameters, is.parameters, mtu_bytes);
  };
  compare_direction("egress.", from.egress, to.egress);
  compare_direction("ingress.", from.ingress, to.ingress);
}

void compare_lab(Differences& out, const std::string& prefix, const LabPathConfig& from, const LabPathConfig& to) {
  compare(out, prefix, lab_path_keys(), from, to, Change::kRestart);
  if (from.timetable != to.timetable) out.push_back({prefix + "timetable", "", "another", true});
}

}  // namespace

Differences differences(const Config& from, const Config& to) {
  Differences out;
  compare(out, "", config_keys(), from, to, Change::kRestart);
  compare_lists(
      out, "ports", from.ports, to.ports, [](const PortConfig& p) { return p.name; },
      [&](const std::string& prefix, const PortConfig& was, const PortConfig& is) {
        compare(out, prefix, port_keys(), was, is, Change::kRestart);
      });
  compare_lists(
      out, "wires", from.wires, to.wires, [](const WireConfig& w) { return w.name; },
      [&](const std::string& prefix, const WireConfig& was, const WireConfig& is) {
        compare_wires(out, prefix, was, is, wire_mtu_bytes(to, is));
      });
  compare_lists(
      out, "lab", from.lab, to.lab, [](const LabPathConfig& l) { return l.port; },
      [&](const std::string& prefix, const LabPathConfig& was, const LabPathConfig& is) {
        compare_lab(out, prefix, was, is);
      });
  compare(out, "control.", control_keys(), from.control, to.control, Change::kRestart);
  compare(out, "worker.", worker_keys(), from.worker, to.worker, Change::kRestart);
  return out;
}

}  // namespace sojourn
