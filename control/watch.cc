// Daemon: what the control thread looks at by itself while the worker runs.
#include <chrono>

#include "control/compile.h"
#include "control/daemon.h"
#include "control/log.h"
#include "control/status.h"

namespace sojourn {
namespace {

constexpr std::chrono::milliseconds kLook{50};
constexpr Duration kLinks{100'000'000}, kRates{1'000'000'000}, kPatience{1'000'000'000};
constexpr std::chrono::milliseconds kShortPatience{20};  // with the worker: the next look is not to be late for it

Time steady_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return {static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count())};
}

std::string milliseconds(Duration time) {
  return format_time({time.ns / 1'000'000 * 1'000'000});
}

const std::string& port_of(const WireConfig& wire, Side side) {
  return side == Side::kInside ? wire.inside : wire.outside;
}

}  // namespace

void Daemon::begin_to_watch() {
  const Time now = steady_now();
  links_looked_at_ = rates_looked_at_ = now;
  stall_.emplace(now);
  over_rates_.resize(2 * config_.wires.size());
  last_.directions.resize(2 * config_.wires.size());
  last_.labs.resize(lab_ports_.size());
  for (const WireConfig& w : config_.wires) link_forwarding_.emplace_back(w.link_loss_forwarding, now);
  for (const auto& d : unshaped_directions())
    log::error("UNSHAPED: {}: {}", d.at("name").get<std::string>(), d.at("why").get<std::string>());
}

void Daemon::await_look() {
  look_timer_.expires_after(kLook);
  look_timer_.async_wait([this](auto error) {
    if (error) return;
    look();
    await_look();
  });
}

void Daemon::look() {
  const Time now = steady_now();
  look_at_worker(now);
  if (now - links_looked_at_ >= kLinks) {
    links_looked_at_ = now;
    look_at_links(now);
  }
  if (now - rates_looked_at_ < kRates || stall_->is_stalled()) return;
  const WorkerSnapshot* snapshot = link_->snapshot(kShortPatience);
  if (snapshot == nullptr) return;  // the window gets longer
  rates_looked_at_ = now;
  look_at_rates(*snapshot);
}

void Daemon::look_at_worker(Time now) {
  const auto event = stall_->look(worker_->heartbeat().passes(), now);
  if (event == StallDetector::Event::kStalled) {
    log::error("WORKER STALLED: no pass for {}; its CPU {} is taken, or it hangs: the wire stands still",
               milliseconds(stall_->away()), worker_cpu_);
  } else if (event == StallDetector::Event::kBack) {
    log::warn("worker: is back, was away for {}", milliseconds(stall_->away()));
  }
  if (!stall_->is_stalled()) service_.alive(now);
}

// Nobody's question makes us look away from the worker for longer than a look.
const WorkerSnapshot* Daemon::snapshot() {
  const Time end = steady_now() + kPatience;
  for (Time now = steady_now(); is_before(now, end); now = steady_now()) {
    if (const WorkerSnapshot* snapshot = link_->snapshot(kShortPatience)) return snapshot;
    look_at_worker(now);
    if (stall_->is_stalled()) return nullptr;
  }
  return nullptr;
}

// The limit is what the configuration asks for, not what the worker says that it does.
void Daemon::look_at_rates(const WorkerSnapshot& snapshot) {
  last_ = snapshot;
  const std::vector<DirectionOptions> wanted = directions();
  for (size_t i = 0; i < over_rates_.size(); ++i) {
    const Plan& plan = wanted[i].plan;
    const Counters& counters = snapshot.directions[i].counters;
    const uint32_t frame_bytes = std::max(plan.codel.exempt_bytes, counters.most_frame_bytes);
    const auto excess =
        over_rates_[i].observe({snapshot.taken, counters.sent_wire_bytes, plan.pacer, plan.charged(frame_bytes).value});
    if (!excess) continue;
    log::error("OVER RATE: wire {} {}: {} B in {}, at most {} B are allowed; the limit is not enforced",
               config_.wires[i / 2].name, i % 2 == 0 ? "egress" : "ingress", excess->sent_bytes,
               milliseconds(excess->window), excess->allowed_bytes);
  }
}

void Daemon::look_at_links(Time now) {
  for (size_t i = 0; i < config_.wires.size(); ++i) {
    const WireConfig& w = config_.wires[i];
    if (!link_forwarding_[i].is_on()) continue;
    obey(i, link_forwarding_[i].look(port(w.inside).is_link_up(), port(w.outside).is_link_up(), now));
  }
}

void Daemon::obey(size_t wire, const std::optional<LinkForwarding::Order>& order) {
  if (!order) return;
  const WireConfig& w = config_.wires[wire];
  const std::string &name = port_of(w, order->side), &cause = port_of(w, other(order->side));
  const std::string reason = port(name).set_link(order->is_up);
  if (!reason.empty()) {
    log::warn("wire {}: link_loss_forwarding: port {} cannot be taken {}: {}; it is left alone", w.name, name,
              order->is_up ? "up" : "down", reason);
    link_forwarding_[wire].cannot(order->side);
  } else if (order->is_up) {
    log::warn("wire {}: port {} is taken up again", w.name, name);
  } else {
    log::warn("wire {}: port {} has lost its link, port {} is taken down", w.name, cause, name);
  }
}

void Daemon::adopt_link_forwarding() {
  for (size_t i = 0; i < config_.wires.size(); ++i)
    obey(i, link_forwarding_[i].set_on(config_.wires[i].link_loss_forwarding, steady_now()));
}

// Whoever takes over finds the ports as we found them.
void Daemon::give_back_links() {
  for (size_t i = 0; i < link_forwarding_.size(); ++i) obey(i, link_forwarding_[i].set_on(false, steady_now()));
}

nlohmann::json Daemon::unshaped_directions() const {
  nlohmann::json list = nlohmann::json::array();
  for (const WireConfig& w : config_.wires) {
    for (const auto& [name, d] : {std::pair{".egress", &w.egress}, std::pair{".ingress", &w.ingress}}) {
      if (d->parameters.shaping) continue;
      list.push_back(
          {{"name", "wires[" + w.name + ']' + name}, {"why", d->fault.empty() ? "shaping is off" : d->fault}});
    }
  }
  return list;
}

std::string Daemon::shaping_summary() const {
  std::string text;
  for (const auto& d : unshaped_directions()) text += (text.empty() ? "" : ", ") + d.at("name").get<std::string>();
  return text.empty() ? "every direction as configured" : "UNSHAPED: " + text;
}

}  // namespace sojourn
