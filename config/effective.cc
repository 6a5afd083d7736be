#include "config/effective.h"

#include <map>
#include <nlohmann/json.hpp>

#include "config/keys.h"

namespace sojourn {
namespace {

using Json = nlohmann::ordered_json;

// Of keys: said in place of one that is absent, and beside one that is present. An absent value is only ever said in a
// comment, or it would be a value when read back.
struct Comments {
  std::map<std::string, std::string> absent, beside;
};

// Writes groups and lists with their indentation.
class Writer {
 public:
  template <typename Group>
  void keys(const std::vector<Key<Group>>& keys, const Group& group, const Comments& comments = {}) {
    for (const Key<Group>& key : keys) {
      if (!key.text) continue;
      const std::string text = key.text(group);
      const auto& from = text.empty() ? comments.absent : comments.beside;
      const auto found = from.find(key.name);
      const std::string comment = found == from.end() ? "" : found->second;
      if (!text.empty()) line(key.name + " = " + text + ';' + (comment.empty() ? "" : "  # " + comment));
      if (text.empty() && !comment.empty()) line("# " + key.name + ' ' + comment);
    }
  }
  void open(const std::string& head) {
    line(head);
    indent_ += "  ";
  }
  void close(const std::string& tail) {
    indent_.resize(indent_.size() - 2);
    line(tail);
  }
  void line(const std::string& text) { out_ += indent_ + text + '\n'; }

  // `name = ( { ... }, { ... } );`
  template <typename Element, typename Write>
  void list(const std::string& name, const std::vector<Element>& elements, Write write) {
    open(name + " = (");
    for (const Element& element : elements) {
      open("{");
      write(element);
      close(&element == &elements.back() ? "}" : "},");
    }
    close(");");
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_, indent_;
};

std::string in_force(const std::string& value, const std::string& why) {
  return "in force: " + value + " (" + why + ')';
}

Comments derived(const Parameters& p, uint32_t mtu_bytes) {
  const Duration target = target_in_force(p, mtu_bytes), interval = interval_in_force(p, mtu_bytes);
  Comments comments;
  comments.absent["burst"] = p.rate == kUnlimited
                                 ? "has no effect: unlimited"
                                 : in_force(format_size(burst_in_force_bytes(p, mtu_bytes)),
                                            "the larger of two MTU frames and 1 ms at " + format_rate(p.rate) +
                                                ", at most " + format_size(kMostDefaultBurstBytes));
  const BitsPerSecond bypass = bypass_limit_in_force(p);
  comments.absent["bypass_limit"] = bypass == kUnlimited
                                        ? "has no effect: unlimited"
                                        : in_force(format_rate(bypass), "5 % of the rate, at least 1mbit");
  if (target != p.target)
    comments.beside["target"] = in_force(format_time(target), "1.5 MTU at " + format_rate(p.rate));
  if (interval != p.interval) comments.beside["interval"] = in_force(format_time(interval), "two targets");
  if (p.quantum_bytes == mtu_frame_bytes(mtu_bytes)) comments.beside["quantum"] = "one MTU frame";
  return comments;
}

void write_wire(Writer& out, const Config& config, const WireConfig& wire) {
  out.keys(wire_keys(), wire);
  const uint32_t mtu_bytes = wire_mtu_bytes(config, wire);
  for (const auto& [name, direction] : {std::pair{"egress", &wire.egress}, std::pair{"ingress", &wire.ingress}}) {
    out.open(std::string(name) + " = {");
    out.keys(direction_keys(), *direction, derived(direction->parameters, mtu_bytes));
    out.close("};");
  }
  out.list("rules", wire.rules, [&](const RuleConfig& rule) { out.keys(rule_keys(), rule); });
}

template <typename Group>
Json to_json(const std::vector<Key<Group>>& keys, const Group& group) {
  Json out = Json::object();
  for (const Key<Group>& key : keys) {
    if (!key.scalar) continue;
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
            out[key.json_name] = nullptr;
          else
            out[key.json_name] = value;
        },
        key.scalar(group));
  }
  return out;
}

Json to_json(const DirectionConfig& direction, uint32_t mtu_bytes) {
  const Parameters& p = direction.parameters;
  Json out = to_json(direction_keys(), direction);
  out["burst_in_force_bytes"] = burst_in_force_bytes(p, mtu_bytes);
  const BitsPerSecond bypass = bypass_limit_in_force(p);
  out["bypass_limit_in_force_bps"] = bypass == kUnlimited ? Json() : Json(bypass.value);
  out["target_in_force_ns"] = target_in_force(p, mtu_bytes).ns;
  out["interval_in_force_ns"] = interval_in_force(p, mtu_bytes).ns;
  return out;
}

}  // namespace

std::string effective_text(const Config& config) {
  Writer out;
  const Comments port_comments{
      .absent = {{"mtu", "is left as the device has it; derived values take " + std::to_string(kDefaultMtuBytes)}},
      .beside = {}};
  out.keys(config_keys(), config, {.absent = {{"hash_seed", "is drawn at start"}}, .beside = {}});
  out.list("ports", config.ports, [&](const PortConfig& port) { out.keys(port_keys(), port, port_comments); });
  out.list("wires", config.wires, [&](const WireConfig& wire) { write_wire(out, config, wire); });
  out.list("lab", config.lab, [&](const LabPathConfig& path) {
    out.keys(lab_path_keys(), path, {.absent = {{"rate", "is absent: no bottleneck"}}, .beside = {}});
    out.list("timetable", path.timetable, [&](const LabChange& change) { out.keys(lab_change_keys(), change); });
  });
  out.open("control = {");
  out.keys(control_keys(), config.control);
  out.close("};");
  out.open("worker = {");
  out.keys(worker_keys(), config.worker, {.absent = {{"core", "is chosen at start"}}, .beside = {}});
  out.close("};");
  return out.take();
}

std::string effective_json(const Config& config) {
  Json out = to_json(config_keys(), config);
  for (const char* list : {"ports", "wires", "lab"}) out[list] = Json::array();
  for (const PortConfig& port : config.ports) out["ports"].push_back(to_json(port_keys(), port));
  for (const WireConfig& wire : config.wires) {
    const uint32_t mtu_bytes = wire_mtu_bytes(config, wire);
    Json json = to_json(wire_keys(), wire);
    json["egress"] = to_json(wire.egress, mtu_bytes);
    json["ingress"] = to_json(wire.ingress, mtu_bytes);
    json["rules"] = Json::array();
    for (const RuleConfig& rule : wire.rules) json["rules"].push_back(to_json(rule_keys(), rule));
    out["wires"].push_back(std::move(json));
  }
  for (const LabPathConfig& path : config.lab) {
    Json json = to_json(lab_path_keys(), path);
    json["timetable"] = Json::array();
    for (const LabChange& change : path.timetable) json["timetable"].push_back(to_json(lab_change_keys(), change));
    out["lab"].push_back(std::move(json));
  }
  out["control"] = to_json(control_keys(), config.control);
  out["worker"] = to_json(worker_keys(), config.worker);
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace sojourn
