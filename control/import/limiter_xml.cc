// config.xml of pfSense and OPNsense: what they would tell dummynet, as the words they would tell it with.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <pugixml.hpp>

#include "config/key.h"
#include "control/import/dummynet.h"

namespace sojourn::imports {
namespace {

using Node = pugi::xml_node;

bool is_one_of(std::string_view word, std::initializer_list<const char*> list) {
  return std::ranges::any_of(list, [&](const char* w) { return word == w; });
}

std::string text_of(Node node, const char* child) {
  return std::string(trimmed(node.child_value(child)));
}

class Reader {
 public:
  Reader(std::string_view text, Dummynet& out, Findings& findings) : text_(text), out_(out), findings_(findings) {
    for (size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') newlines_.push_back(static_cast<ptrdiff_t>(i));
  }

  void read() {
    pugi::xml_document document;
    const auto result = document.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result)
      return findings_.refuse(line_at(text_, static_cast<size_t>(result.offset)),
                              std::string("not a whole XML document: ") + result.description());
    const Node root = document.document_element();
    const Node shaper = root.child("OPNsense").child("TrafficShaper");
    read_pfsense(root);
    if (shaper) read_opnsense(shaper);
    if (root.child("shaper").child("queue"))
      findings_.lost(line_of(root.child("shaper")),
                     "the ALTQ traffic shaper: its queues are classes, of which there are none");
    if (out_.objects.empty() && !findings_.is_refused())
      findings_.refuse(0, had_disabled_ ? "holds no limiter that is enabled"
                                        : "holds no limiters: no <dnshaper> of pfSense and no pipes in OPNsense's "
                                          "<TrafficShaper>");
  }

 private:
  int line_of(Node node) const {
    const auto before = std::ranges::lower_bound(newlines_, node.offset_debug());
    return 1 + static_cast<int>(before - newlines_.begin());
  }

  void lose(Node node, const std::string& owner, const std::string& why) {
    findings_.lost(line_of(node),
                   owner + ": <" + node.name() + ">" + std::string(trimmed(node.child_value())) + ": " + why);
  }

  // Values go into commands: one with a blank in it is none of theirs.
  void add(Words& words, Node node, const std::string& word, const std::string& value) {
    words.push_back({word, line_of(node)});
    words.push_back({value, line_of(node)});
  }

  uint32_t number_of(Node node, const std::string& owner) {
    const std::string text = text_of(node, "number");
    const bool is_number = !text.empty() && text.size() < 8 &&
                           std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
    const uint32_t number = is_number ? static_cast<uint32_t>(std::stoul(text)) : 0;
    if (number == 0)
      findings_.refuse(line_of(node), owner + ": <number> is " + quote(text) + ", and must be at least 1");
    return number;
  }

  void put(DummynetKind kind, uint32_t number, const std::string& name, Node node, Words words) {
    DummynetObject object{kind, number, name, line_of(node), {}};
    object.passes.push_back(std::move(words));
    out_.put(std::move(object), findings_);
  }

  // Elements that are for people, or that are read elsewhere.
  static bool is_silent(std::string_view name) {
    return is_one_of(
        name, {"name", "number", "description", "enabled", "queue", "bandwidth", "sched", "scheduler", "aqm", "ecn",
               "mask", "maskbits", "maskbitsv6", "origin", "pipe", "bandwidthMetric", "queueMetric", "burst"});
  }

  // pfSense ---------------------------------------------------------------------------------------------------------

  void read_pfsense(Node root) {
    for (Node pipe = root.child("dnshaper").child("queue"); pipe; pipe = pipe.next_sibling("queue")) {
      const std::string name = text_of(pipe, "name"), owner = "limiter " + quote(name);
      if (!is_enabled(pipe, owner)) continue;
      const uint32_t number = number_of(pipe, owner);
      put(DummynetKind::kPipe, number, name, pipe, pipe_words(pipe, owner));
      read_scheduler(pipe, owner, number);
      for (Node queue = pipe.child("queue"); queue; queue = queue.next_sibling("queue")) read_queue(queue, number);
      names_[name] = {DummynetKind::kPipe, number};
    }
    for (Node rule = root.child("filter").child("rule"); rule; rule = rule.next_sibling("rule"))
      read_pfsense_rule(rule);
  }

  bool is_enabled(Node node, const std::string& owner) {
    const Node enabled = node.child("enabled");
    const std::string text(trimmed(enabled.child_value()));
    if (enabled && text != "0" && text != "off" && text != "no") return true;
    had_disabled_ = true;
    findings_.note(line_of(node), owner + " is not enabled and left out");
    return false;
  }

  Words pipe_words(Node pipe, const std::string& owner) {
    Words words;
    read_bandwidth(pipe, owner, words);
    for (const auto& [element, word] :
         {std::pair{"qlimit", "queue"}, {"plr", "plr"}, {"delay", "delay"}, {"buckets", "buckets"}})
      if (const std::string value = text_of(pipe, element); !value.empty() && value != "0")
        add(words, pipe.child(element), word, value);
    add_mask(pipe, words);
    add_aqm(pipe, words);
    lose_rest(pipe, owner);
    return words;
  }

  void read_bandwidth(Node pipe, const std::string& owner, Words& words) {
    Node chosen;
    for (Node item = pipe.child("bandwidth").child("item"); item; item = item.next_sibling("item")) {
      const std::string schedule = text_of(item, "bwsched");
      const bool is_always = schedule.empty() || schedule == "none";
      if (!is_always || chosen)
        lose(item.child("bwsched") ? item.child("bwsched") : item, owner, "the rate does not follow a schedule");
      if (!chosen) chosen = item;
    }
    if (!chosen) return findings_.note(line_of(pipe), owner + " has no bandwidth: no limit");
    add(words, chosen, "bw", text_of(chosen, "bw") + text_of(chosen, "bwscale"));
    if (const std::string burst = text_of(chosen, "burst"); !burst.empty() && burst != "0")
      add(words, chosen, "burst", burst);
  }

  void add_mask(Node node, Words& words) {
    const std::string mask = text_of(node, "mask");
    if (mask.empty() || mask == "none") return;
    const int line = line_of(node.child("mask"));
    const bool is_source = mask == "srcaddress" || mask.starts_with("src");
    if (!is_source && mask != "dstaddress" && !mask.starts_with("dst"))
      return findings_.refuse(line, "<mask> " + quote(mask) + " is unknown; known: none, srcaddress, dstaddress");
    words.push_back({"mask", line});
    words.push_back({is_source ? "src-ip" : "dst-ip", line});
    words.push_back({text_of(node, "maskbits").empty() ? "0xffffffff" : '/' + text_of(node, "maskbits"), line});
  }

  // <aqm>codel</aqm> with <param_codel_target> and its neighbours: what takes all that follows stands last.
  void add_aqm(Node node, Words& words) {
    const std::string aqm = text_of(node, "aqm");
    if (aqm.empty() || aqm == "droptail" || aqm == "none") return;
    const Node at = node.child("aqm");
    if (aqm == "red" || aqm == "gred") {
      std::string parameters;
      for (const char* name : {"w_q", "min_th", "max_th", "max_p"})
        parameters += (parameters.empty() ? "" : "/") + text_of(node, ("param_" + aqm + '_' + name).c_str());
      return add(words, at, aqm, parameters);
    }
    words.push_back({aqm, line_of(at)});
    add_parameters(node, aqm, words);
  }

  void add_parameters(Node node, const std::string& owner, Words& words) {
    const std::string prefix = "param_" + owner + '_';
    for (Node child = node.first_child(); child; child = child.next_sibling()) {
      const std::string_view name = child.name();
      const std::string value(trimmed(child.child_value()));
      if (name.starts_with(prefix) && !value.empty()) add(words, child, std::string(name.substr(prefix.size())), value);
    }
    const std::string ecn = text_of(node, "ecn");
    words.push_back({ecn.empty() || ecn == "0" || ecn == "off" ? "noecn" : "ecn",
                     line_of(node.child("ecn") ? node.child("ecn") : node)});
  }

  void read_scheduler(Node pipe, const std::string& owner, uint32_t number) {
    const Node sched = pipe.child("sched");
    const std::string type(trimmed(sched.child_value()));
    if (type.empty() || type == "none") return;
    Words words;
    add(words, sched, "pipe", std::to_string(number));
    add(words, sched, "type", type);
    if (type.starts_with("fq_")) add_parameters(pipe, type, words);
    put(DummynetKind::kSched, number, owner.substr(9, owner.size() - 10), sched, std::move(words));
  }

  void read_queue(Node queue, uint32_t pipe) {
    const std::string name = text_of(queue, "name"), owner = "queue " + quote(name);
    if (!is_enabled(queue, owner)) return;
    const uint32_t number = number_of(queue, owner);
    Words words;
    add(words, queue, "pipe", std::to_string(pipe));
    for (const auto& [element, word] :
         {std::pair{"qlimit", "queue"}, {"plr", "plr"}, {"weight", "weight"}, {"buckets", "buckets"}})
      if (const std::string value = text_of(queue, element); !value.empty() && value != "0")
        add(words, queue.child(element), word, value);
    add_mask(queue, words);
    add_aqm(queue, words);
    lose_rest(queue, owner);
    put(DummynetKind::kQueue, number, name, queue, std::move(words));
    names_[name] = {DummynetKind::kQueue, number};
  }

  // What a newer version may have, and the parameters of schedulers that are not chosen, which are nothing.
  void lose_rest(Node node, const std::string& owner) {
    for (Node child = node.first_child(); child; child = child.next_sibling()) {
      const std::string_view name = child.name();
      const bool is_empty = trimmed(child.child_value()).empty() && !child.first_element_by_path("*");
      if (child.type() != pugi::node_element || is_empty || is_silent(name) || name.starts_with("param_")) continue;
      if (!is_one_of(name, {"qlimit", "plr", "delay", "buckets", "weight"})) lose(child, owner, "is not read");
    }
  }

  // In/Out pipe of a rule. Rules of the LAN and those that match on the way out of the WAN send uploads to the first.
  void read_pfsense_rule(Node rule) {
    const std::string in = text_of(rule, "dnpipe"), out = text_of(rule, "pdnpipe");
    if (in.empty() && out.empty()) return;
    const std::string interface = text_of(rule, "interface"), direction = text_of(rule, "direction");
    const bool is_swapped = interface.starts_with("wan") && direction != "out";
    const int line = line_of(rule);
    findings_.lost(line, "rule " + quote(text_of(rule, "descr")) + " on " + interface +
                             " sends what it matches to limiters; "
                             "here every frame of a direction passes its shaper");
    steer(in, !is_swapped, line);
    steer(out, is_swapped, line);
  }

  void steer(const std::string& name, bool is_out, int line) {
    const auto found = names_.find(name);
    if (found != names_.end()) out_.steer({found->second.first, found->second.second, is_out, !is_out, line});
  }

  // OPNsense --------------------------------------------------------------------------------------------------------

  void read_opnsense(Node shaper) {
    for (Node pipe = shaper.child("pipes").child("pipe"); pipe; pipe = pipe.next_sibling("pipe")) {
      const std::string name = text_of(pipe, "description"), owner = "pipe " + quote(name);
      if (!is_enabled(pipe, owner)) continue;
      const uint32_t number = number_of(pipe, owner);
      names_[pipe.attribute("uuid").value()] = {DummynetKind::kPipe, number};
      Words words;
      add(words, pipe.child("bandwidth"), "bw", text_of(pipe, "bandwidth") + text_of(pipe, "bandwidthMetric"));
      add_opnsense(pipe, owner, words);
      put(DummynetKind::kPipe, number, name, pipe, std::move(words));
    }
    for (Node queue = shaper.child("queues").child("queue"); queue; queue = queue.next_sibling("queue"))
      read_opnsense_queue(queue);
    for (Node rule = shaper.child("rules").child("rule"); rule; rule = rule.next_sibling("rule"))
      read_opnsense_rule(rule);
  }

  void read_opnsense_queue(Node queue) {
    const std::string name = text_of(queue, "description"), owner = "queue " + quote(name);
    if (!is_enabled(queue, owner)) return;
    const auto pipe = names_.find(text_of(queue, "pipe"));
    if (pipe == names_.end())
      return findings_.lost(line_of(queue), owner + " belongs to a pipe that is not enabled, or not there");
    const uint32_t number = number_of(queue, owner);
    names_[queue.attribute("uuid").value()] = {DummynetKind::kQueue, number};
    Words words;
    add(words, queue.child("pipe"), "pipe", std::to_string(pipe->second.second));
    add_opnsense(queue, owner, words);
    put(DummynetKind::kQueue, number, name, queue, std::move(words));
  }

  void add_opnsense(Node node, const std::string& owner, Words& words) {
    for (const auto& [element, word] :
         {std::pair{"delay", "delay"}, {"buckets", "buckets"}, {"weight", "weight"}, {"burst", "burst"}})
      if (const std::string value = text_of(node, element); !value.empty() && value != "0")
        add(words, node.child(element), word, value);
    if (const std::string slots = text_of(node, "queue"); !slots.empty()) {
      const std::string metric = text_of(node, "queueMetric");
      add(words, node.child("queue"), "queue", slots + (metric == "slots" ? "" : metric));
    }
    add_mask(node, words);
    const std::string scheduler = text_of(node, "scheduler");
    const bool is_fq = scheduler.starts_with("fq_"), has_codel = is_true(node, "codel_enable");
    if (!scheduler.empty()) add(words, node.child("scheduler"), "type", scheduler);
    if (!is_fq && has_codel) words.push_back({"codel", line_of(node.child("codel_enable"))});
    if (scheduler == "fq_codel" || (!is_fq && has_codel)) add_opnsense_codel(node, scheduler == "fq_codel", words);
    if (!is_fq && !has_codel && is_true(node, "pie_enable"))
      words.push_back({"pie", line_of(node.child("pie_enable"))});
    lose_opnsense(node, owner);
  }

  static bool is_true(Node node, const char* child) { return text_of(node, child) == "1"; }

  void add_opnsense_codel(Node node, bool has_flows, Words& words) {
    using Pair = std::pair<const char*, const char*>;
    for (const auto& [element, word] :
         {Pair{"codel_target", "target"}, Pair{"codel_interval", "interval"}, Pair{"fqcodel_quantum", "quantum"},
          Pair{"fqcodel_limit", "limit"}, Pair{"fqcodel_flows", "flows"}}) {
      const std::string value = text_of(node, element);
      const bool is_of_flows = std::string_view(element).starts_with("fq");
      if (!value.empty() && (has_flows || !is_of_flows)) add(words, node.child(element), word, value);
    }
    words.push_back({is_true(node, "codel_ecn_enable") ? "ecn" : "noecn", line_of(node)});
  }

  void lose_opnsense(Node node, const std::string& owner) {
    for (Node child = node.first_child(); child; child = child.next_sibling()) {
      const std::string_view name = child.name();
      if (child.type() != pugi::node_element || trimmed(child.child_value()).empty() || is_silent(name)) continue;
      if (name.starts_with("codel_") || name.starts_with("fqcodel_") || name == "pie_enable") continue;
      if (!is_one_of(name, {"delay", "buckets", "weight"})) lose(child, owner, "is not read");
    }
  }

  void read_opnsense_rule(Node rule) {
    const std::string what = "rule " + quote(text_of(rule, "description"));
    const auto target = names_.find(text_of(rule, "target"));
    if (!is_true(rule, "enabled") || target == names_.end()) return;
    const auto is_any = [&](const char* child) {
      return text_of(rule, child).empty() || text_of(rule, child) == "any";
    };
    const bool is_for_all = is_any("source") && is_any("destination") && is_any("src_port") && is_any("dst_port") &&
                            is_one_of(text_of(rule, "proto"), {"", "ip"}) && is_any("dscp") && is_any("iplen");
    const int line = line_of(rule);
    is_for_all
        ? findings_.note(line, what + ": every frame of a direction passes its shaper")
        : findings_.lost(line, what + ": not only what it matches, but every frame of a direction passes its shaper");
    const std::string direction = text_of(rule, "direction");
    out_.steer({target->second.first, target->second.second, direction == "out", direction == "in", line});
  }

  std::string_view text_;
  Dummynet& out_;
  Findings& findings_;
  std::map<std::string, std::pair<DummynetKind, uint32_t>> names_;  // or UUIDs
  bool had_disabled_ = false;
  std::vector<ptrdiff_t> newlines_;  // their offsets
};

}  // namespace

void read_limiter_xml(std::string_view text, Dummynet& out, Findings& findings) {
  Reader(text, out, findings).read();
}

}  // namespace sojourn::imports
