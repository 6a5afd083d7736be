#include "control/show.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "config/config.h"
#include "config/quantity.h"
#include "control/check.h"
#include "control/client.h"

namespace sojourn {
namespace {

uint64_t number(const nlohmann::json& j, const char* key) {
  return j.at(key).get<uint64_t>();
}

std::string milliseconds(const nlohmann::json& quantiles, const char* key) {
  return fmt::format("{:.3f}ms", static_cast<double>(number(quantiles, key)) / 1e6);
}

std::string drops_text(const nlohmann::json& drops) {
  uint64_t all = 0;
  std::string causes;
  for (const auto& [cause, packets] : drops.items()) {
    all += packets.get<uint64_t>();
    causes += fmt::format(" {} {}", cause, packets.get<uint64_t>());
  }
  return fmt::format("dropped {} (", all) + causes.substr(1) + ")";
}

std::string unshaped_text(const std::string& direction, const nlohmann::json& d) {
  if (d.at("shaping").get<bool>()) return {};
  const auto& fault = d.at("fault");
  return "UNSHAPED: wire " + direction + ": " + (fault.is_null() ? "shaping is off" : fault.get<std::string>()) + '\n';
}

std::string in_force_text(const nlohmann::json& d) {
  const auto& rate = d.at("rate_bps");
  const auto& f = d.at("in_force");
  const auto time = [&](const char* key) { return format_time({f.at(key).get<int64_t>()}); };
  const std::string aqm = f.at("aqm") == "none" ? "aqm none"
                                                : "target " + time("target_ns") + " interval " + time("interval_ns") +
                                                      (f.at("ecn").get<bool>() ? " ecn" : "");
  return fmt::format("rate {} flows {} quantum {} limit {}p {}",
                     rate.is_null() ? "unlimited" : format_rate({rate.get<uint64_t>()}), number(f, "flows"),
                     number(f, "quantum_bytes"), number(f, "limit_packets"), aqm);
}

// A line a call: a format with more arguments than places would print the wrong ones without a word.
std::string direction_text(const std::string& wire, const std::string& name, const nlohmann::json& d) {
  const auto& s = d.at("sojourn_ns");
  const auto& marks = d.at("marks");
  const auto& flows = d.at("flows");
  const auto& bypass = d.at("bypass");
  return unshaped_text(wire + ' ' + name, d) + fmt::format("wire {} {}: {}\n", wire, name, in_force_text(d)) +
         fmt::format(" Received {} bytes {} pkt\n", number(d, "received_bytes"), number(d, "received_packets")) +
         fmt::format(" Sent {} bytes {} pkt ({}, overlimits {})\n", number(d, "sent_bytes"), number(d, "sent_packets"),
                     drops_text(d.at("drops")), number(d, "overlimits")) +
         fmt::format(" backlog {}b {}p\n", number(d, "queued_bytes"), number(d, "queued_packets")) +
         fmt::format("  maxpacket {} new_flow_count {} collisions {} ecn_mark {} ce_threshold_mark {} already_ce {}\n",
                     number(d, "maxpacket_bytes"), number(d, "new_flow_count"), number(d, "collisions"),
                     number(marks, "ecn"), number(marks, "ce_threshold"), number(marks, "already_ce")) +
         fmt::format("  new_flows_len {} old_flows_len {} late {} over_rate_alarms {}\n", number(flows, "new"),
                     number(flows, "old"), format_time({d.at("late_ns").get<int64_t>()}),
                     number(d, "over_rate_alarms")) +
         fmt::format("  bypassed {} bytes {} pkt, over their limit {} pkt\n", number(bypass, "sent_bytes"),
                     number(bypass, "sent_packets"), number(bypass, "over_limit_packets")) +
         fmt::format("  sojourn p50 {} p95 {} p99 {} max {} of {} pkt\n", milliseconds(s, "p50"),
                     milliseconds(s, "p95"), milliseconds(s, "p99"), milliseconds(s, "max"), number(s, "count"));
}

std::string link_forwarding_text(const nlohmann::json& wire) {
  const auto& f = wire.at("link_loss_forwarding");
  std::string text = fmt::format("wire {}: link_loss_forwarding {}", wire.at("name").get<std::string>(),
                                 f.at("is_on").get<bool>() ? "on" : "off");
  if (!f.at("held_down").is_null()) {
    const auto held = f.at("held_down").get<std::string>();
    const auto port = [&](const std::string& side) { return wire.at(side).get<std::string>(); };
    text += fmt::format(", port {} HELD DOWN: port {} has lost its link", port(held),
                        port(held == "inside" ? "outside" : "inside"));
  }
  for (const auto& side : f.at("cannot"))
    text += fmt::format(", port {} cannot be taken down", wire.at(side.get<std::string>()).get<std::string>());
  return text + '\n';
}

std::string worker_text(const nlohmann::json& w) {
  const std::string stalled =
      w.at("is_stalled").get<bool>()
          ? fmt::format(" STALLED: no pass for {}; the figures are of before", milliseconds(w, "stalled_ns"))
          : "";
  return fmt::format("worker on cpu {}: worker_stalls {}{}\n", number(w, "cpu"), number(w, "worker_stalls"), stalled);
}

std::string lab_text(const nlohmann::json& l) {
  return fmt::format("LAB path on port {}: received {} sent {} pkt ({}), backlog {}b {}p\n",
                     l.at("port").get<std::string>(), number(l, "received_packets"), number(l, "sent_packets"),
                     drops_text(l.at("drops")), number(l, "queued_bytes"), number(l, "queued_packets"));
}

std::string port_text(const nlohmann::json& p) {
  return fmt::format("port {}: {} link {} mtu {} rx {} tx {} missed {} no_mbuf {} errors {}/{}\n",
                     p.at("name").get<std::string>(), p.at("driver").get<std::string>(),
                     p.at("is_link_up").get<bool>() ? "up" : "down", number(p, "mtu_bytes"),
                     number(p, "received_packets"), number(p, "sent_packets"), number(p, "missed_packets"),
                     number(p, "no_mbuf_packets"), number(p, "receive_errors"), number(p, "send_errors"));
}

nlohmann::json config_json(nlohmann::json answer) {
  answer.erase("text");
  return answer;
}

std::string config_text(const nlohmann::json& answer) {
  const bool is_in_force = answer.at("is_in_force").get<bool>();
  std::string unshaped;
  for (const auto& d : answer.at("unshaped"))
    unshaped += fmt::format("# UNSHAPED: {}: {}\n", d.at("name").get<std::string>(), d.at("why").get<std::string>());
  return unshaped +
         fmt::format("# configuration {}, {}\n", number(answer, "generation"),
                     is_in_force ? "in force in every worker" : "NOT IN FORCE: a worker has another plan") +
         answer.at("text").get<std::string>();
}

struct ShowOptions {
  std::string socket = ControlConfig{}.socket;
  bool as_json = false;
};

int show(const std::string& what, const ShowOptions& options) {
  try {
    const nlohmann::json answer = ask(options.socket, {{"command", what}});
    if (what == "stats") {
      std::cout << (options.as_json ? answer.dump(2) + "\n" : stats_text(answer));
    } else {
      std::cout << (options.as_json ? config_json(answer).dump(2) + "\n" : config_text(answer));
    }
    return std::cout.flush() ? kExitOk : kExitFailed;
  } catch (const std::exception& e) {
    std::cerr << "sojourn: " << e.what() << '\n';
    return kExitFailed;
  }
}

}  // namespace

void add_show(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* group = app.add_subcommand("show", "Ask a running sojournd");
  group->require_subcommand(1);
  const auto add = [&](const char* what, const char* help) {
    CLI::App* command = group->add_subcommand(what, help);
    command->add_flag("-j,--json", options->as_json, "print JSON");
    command->add_option("--socket", options->socket, "control socket of sojournd")
        ->type_name("SOCKET")
        ->capture_default_str();
    command->callback([what, options, &exit_code] { exit_code = show(what, *options); });
  };
  add("stats", "Counters of every direction, port and lab path");
  add("config", "The configuration in force");
}

std::string stats_text(const nlohmann::json& stats) {
  std::string text;
  for (const auto& w : stats.at("wires")) {
    const auto name = w.at("name").get<std::string>();
    text += direction_text(name, "egress", w.at("egress")) + direction_text(name, "ingress", w.at("ingress")) +
            link_forwarding_text(w);
  }
  for (const auto& w : stats.at("workers")) text += worker_text(w);
  for (const auto& l : stats.at("lab")) text += lab_text(l);
  for (const auto& p : stats.at("ports")) text += port_text(p);
  const auto& m = stats.at("mbufs");
  text += fmt::format("mbufs {} of {} in use, {} queued here\n", number(m, "in_use"), number(m, "total"),
                      number(m, "queued"));
  return text;
}

}  // namespace sojourn
