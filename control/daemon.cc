#include "control/daemon.h"

#include <linux/capability.h>
#include <rte_launch.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <random>
#include <utility>

#include "config/effective.h"
#include "control/budget.h"
#include "control/compile.h"
#include "control/log.h"
#include "control/privileges.h"
#include "control/rules.h"
#include "control/status.h"

namespace sojourn {
namespace {

// A high priority keeps other programs from holding up the wire where cores are shared. Nice values weigh threads
// within a session only (sched(7), autogroup), so a session of our own is raised as a whole.
bool raise_priority() {
  if (getsid(0) == getpid()) std::ofstream("/proc/self/autogroup") << "-20";
  return setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), -20) == 0;
}

int run_worker(void* worker) {
  if (!raise_priority()) {
    log::info("worker: no privilege to raise its priority; other programs on its CPU will be felt");
  }
  if (const std::string reason = keep_only({}); !reason.empty()) log::warn("worker: keeps its privileges: {}", reason);
  static_cast<Worker*>(worker)->run();
  return 0;
}

HashKey drawn_hash_key() {
  std::random_device random;
  const auto draw = [&] { return uint64_t{random()} << 32 | random(); };
  return {draw(), draw()};
}

}  // namespace

Daemon::Daemon(const Config& config, const std::string& path, const std::string& version)
    : stop_(io_, SIGTERM, SIGINT),
      config_(config),
      path_(path),
      version_(version),
      reload_(io_, SIGHUP),
      hash_key_(config.hash_seed ? hash_key_from_seed(*config.hash_seed) : drawn_hash_key()),
      access_(config.control, geteuid()) {
  start_environment();
  open_ports();
  open_buffers();
  // Before the worker: what fails from here on would leave its thread running on memory that is no more.
  server_ = std::make_unique<Server>(
      io_, config_.control.socket,
      Handler{[this](const nlohmann::json& request, const Peer& peer) { return handle(request, peer); },
              [this](const Peer& peer) { return access_.refusal(peer); }});
  log::info("control socket {}: {}", config_.control.socket, access_.summary());
  start_worker();
  drop_privileges();
}

Daemon::~Daemon() {
  server_.reset();
  stop_worker();
  give_back_links();
  worker_.reset();
  ports_.clear();
  buffers_.reset();
}

// The largest MTU that the ports will turn out to have, as far as it can be told before they are open.
uint32_t Daemon::expected_mtu_bytes() const {
  uint32_t mtu = kDefaultMtuBytes;
  for (const PortConfig& p : config_.ports) {
    mtu = std::max(mtu, p.mtu_bytes.value_or(interface_mtu_bytes(parse_device(p.device).interface).value_or(0)));
  }
  return mtu;
}

void Daemon::start_environment() {
  buffer_bytes_ = Buffers::bytes_each(mtu_frame_bytes(expected_mtu_bytes()));
  const Budget& budget = budget_ = budget_of(config_, buffer_bytes_);
  if (budget.packets() > Buffers::kMost) {
    throw SetupError("limit and memory of all wires and the lab's buffers ask for " + std::to_string(budget.packets()) +
                     " packet buffers together; at most " + std::to_string(Buffers::kMost) + " can be had");
  }
  EalOptions options;
  options.memory_bytes = environment_bytes(budget, buffer_bytes_, config_.ports.size());
  options.huge_pages = static_cast<HugePages>(config_.hugepages);
  for (const PortConfig& p : config_.ports) {
    const DeviceName device = parse_device(p.device);
    if (device.is_pci) options.pci_devices.push_back(device.arguments);
  }
  const std::vector<unsigned> cpus = allowed_cpus();
  worker_cpu_ = config_.worker.core.value_or(cpus.back());
  if (std::find(cpus.begin(), cpus.end(), worker_cpu_) == cpus.end()) {
    throw SetupError("worker.core " + std::to_string(worker_cpu_) +
                     ": this process may not run there; the last allowed is " + std::to_string(cpus.back()));
  }
  options.worker_cpus = {worker_cpu_};
  std::copy_if(cpus.begin(), cpus.end(), std::back_inserter(options.control_cpus),
               [this](unsigned cpu) { return cpu != worker_cpu_; });
  if (options.control_cpus.empty()) options.control_cpus = cpus;
  options.file_prefix = "sojourn-" + std::to_string(getpid());
  options.log_line = [](const std::string& line) { log::debug("DPDK: {}", line); };
  eal_ = std::make_unique<Eal>(options);
  log::info("memory: {} packet buffers of {} B ({} MB) for {} queued, {} in lab paths, {} in rings, {} in bursts; {}",
            budget.packets(), buffer_bytes_, (budget.packets() * buffer_bytes_) >> 20, budget.scheduler_packets,
            budget.lab_packets, budget.ring_packets, budget.core_packets,
            eal_->uses_huge_pages() ? "huge pages" : "no huge pages are free: ordinary pages, slower");
  log::info("cpu: worker on {}, control on {} other(s)", worker_cpu_, options.control_cpus.size());
}

void Daemon::open_ports() {
  for (const PortConfig& p : config_.ports) {
    PortOptions options{p.name, p.device, p.mtu_bytes, static_cast<uint16_t>(p.rx_descriptors),
                        static_cast<uint16_t>(p.tx_descriptors)};
    ports_.push_back(std::make_unique<Port>(options));
  }
}

void Daemon::open_buffers() {
  const uint32_t expected = expected_mtu_bytes();
  buffers_ = std::make_unique<Buffers>(static_cast<uint32_t>(budget_.packets()), mtu_frame_bytes(expected),
                                       ports_.front()->numa_node());
  for (const auto& p : ports_) {
    if (p->options().device.starts_with("net_af_xdp") && !buffers_->is_one_array()) {
      throw SetupError("port " + p->name() +
                       ": AF_XDP needs all packet buffers in one piece of memory, and there is none " +
                       "that large; free memory or lower limit and memory");
    }
    p->start(buffers_->pool());
    if (p->mtu_bytes() > expected) {
      throw SetupError("port " + p->name() + ": its MTU is " + std::to_string(p->mtu_bytes()) +
                       ", more than expected; set mtu = " + std::to_string(p->mtu_bytes()));
    }
    const auto is_it = [&](const PortConfig& c) { return c.name == p->name(); };
    std::find_if(config_.ports.begin(), config_.ports.end(), is_it)->mtu_bytes = p->mtu_bytes();
    log::info("port {}: {}", p->name(), describe(p->facts()));
  }
  for (const WireConfig& w : config_.wires) {
    const uint32_t inside = port(w.inside).mtu_bytes(), outside = port(w.outside).mtu_bytes();
    if (inside == outside) continue;
    throw SetupError("wire " + w.name + ": the MTU of " + w.inside + " is " + std::to_string(inside) + ", of " +
                     w.outside + " " + std::to_string(outside) +
                     "; a wire cannot make frames smaller, so both must be equal");
  }
  driver_buffers_ = buffers_->in_use();
}

const Port& Daemon::port(const std::string& name) const {
  return **std::find_if(ports_.begin(), ports_.end(), [&](const auto& p) { return p->name() == name; });
}

Port& Daemon::port(const std::string& name) {
  return const_cast<Port&>(std::as_const(*this).port(name));
}

// Wire by wire, egress before ingress.
std::vector<DirectionOptions> Daemon::directions(const Config& config) const {
  std::vector<DirectionOptions> all;
  for (const WireConfig& w : config.wires) {
    const Port& inside = port(w.inside);
    const Port& outside = port(w.outside);
    const auto rules = compile_rules(w);
    const auto add = [&](const Port& from, const Port& to, const DirectionConfig& d) {
      DirectionOptions options{
          from.id(), to.id(), compile(d.parameters, to.mtu_bytes(), buffer_bytes_), hash_key_, rules, {}, 0};
      for (const LabPathConfig& l : config.lab) {
        if (l.port != to.name()) continue;
        options.lab = compile(l);
        options.lab_packets = lab_capacity_packets(l);
      }
      all.push_back(options);
    };
    add(inside, outside, w.egress);
    add(outside, inside, w.ingress);
  }
  return all;
}

void Daemon::start_worker() {
  const std::vector<DirectionOptions> all = directions();
  for (const WireConfig& w : config_.wires) {
    for (const std::string& to : {w.outside, w.inside}) {
      const auto is_on = [&](const LabPathConfig& l) { return l.port == to; };
      const auto lab = std::find_if(config_.lab.begin(), config_.lab.end(), is_on);
      if (lab == config_.lab.end()) continue;
      lab_ports_.push_back(to);
      log::warn("LAB: frames sent by port {} go through an artificial path: {}", to, describe(*lab));
    }
  }
  worker_ = std::make_unique<Worker>(all, TscClock::calibrate(), &table_memory_);
  link_ = std::make_unique<WorkerLink>(worker_->mailbox(), all.size(), lab_ports_.size());
  log::info("memory: {} kB of flow tables", table_memory_.bytes() >> 10);
  for (const WireConfig& w : config_.wires) {
    log::info("wire {}: {} <-> {}, egress {}, ingress {}", w.name, w.inside, w.outside, describe(w.egress.parameters),
              describe(w.ingress.parameters));
  }
  if (rte_eal_remote_launch(run_worker, worker_.get(), Eal::worker_lcore(0)) != 0) {
    throw SetupError("the worker's core could not be started");
  }
  is_worker_running_ = true;
  begin_to_watch();
}

// The worker has given up its own. Nothing that throws may follow: what on_error = "wire" starts again needs them all.
void Daemon::drop_privileges() {
  const std::string reason = Eal::in_interrupt_thread([] { return keep_only({}); });
  const std::string own = keep_only({CAP_NET_ADMIN});  // to take links down and up, and to give the ports back
  if (!reason.empty() || !own.empty()) log::warn("privileges: not all could be dropped: {}", reason + own);
  log::info("privileges: dropped, kept: {}", capabilities_of_process());
}

void Daemon::stop_worker() {
  if (!is_worker_running_) return;
  link_->stop();
  rte_eal_wait_lcore(Eal::worker_lcore(0));
  is_worker_running_ = false;
}

nlohmann::json Daemon::run() {
  stop_.async_wait([this](auto error, int signal) {
    if (error) return;
    log::info("{}: draining", signal == SIGTERM ? "SIGTERM" : "SIGINT");
    io_.stop();
  });
  await_reload();
  await_look();
  service_.ready(shaping_summary());
  io_.run();
  service_.stopping();
  server_.reset();
  stop_worker();
  give_back_links();
  for (const auto& p : ports_) p->stop();
  WorkerSnapshot last;
  last.directions.resize(2 * config_.wires.size());
  last.labs.resize(lab_ports_.size());
  worker_->copy_to(last);
  nlohmann::json report = statistics(last);
  for (const auto& w : report["wires"]) {
    for (const char* name : {"egress", "ingress"}) {
      log::info("wire {} {}: {}", w["name"].get<std::string>(), name, describe_totals(w[name]));
    }
  }
  return report;
}

nlohmann::json Daemon::handle(const nlohmann::json& request, const Peer& peer) {
  const std::string command = request["command"];
  if (const std::string refusal = access_.refusal(peer, command); !refusal.empty()) return {{"error", refusal}};
  if (command == "stats") return statistics();
  if (command == "config") return show_config();
  if (command == "apply") return apply(request);
  if (command == "set") return set(request);
  return {{"error", "unknown command \"" + command + "\"; there are: stats, config, apply, set"}};
}

// Of a stalled worker, what it said last.
nlohmann::json Daemon::statistics() {
  if (const WorkerSnapshot* now = snapshot()) return statistics(*now);
  if (stall_->is_stalled()) return statistics(last_);
  return {{"error", "the worker does not answer: it is stalled, or its CPU is taken"}};
}

nlohmann::json Daemon::wire_statistics(const WorkerSnapshot& snapshot) const {
  nlohmann::json wires = nlohmann::json::array();
  for (size_t i = 0; i < config_.wires.size(); ++i) {
    const WireConfig& w = config_.wires[i];
    const auto direction = [&](const Port& from, const DirectionConfig& c, size_t index) {
      const DirectionSnapshot& d = snapshot.directions[index];
      const BitsPerSecond rate = in_force(c.parameters).rate;
      nlohmann::json j = to_json(d, from.counters().no_mbuf);
      j["rate_bps"] = rate == kUnlimited ? nlohmann::json(nullptr) : nlohmann::json(rate.value);
      j["conserved"] = is_conserved(d);
      j["shaping"] = c.parameters.shaping;
      j["fault"] = c.fault.empty() ? nlohmann::json(nullptr) : nlohmann::json(c.fault);
      j["over_rate_alarms"] = over_rates_[index].alarms();
      return j;
    };
    wires.push_back({{"name", w.name},
                     {"inside", w.inside},
                     {"outside", w.outside},
                     {"link_loss_forwarding", to_json(link_forwarding_[i])},
                     {"egress", direction(port(w.inside), w.egress, 2 * i)},
                     {"ingress", direction(port(w.outside), w.ingress, 2 * i + 1)}});
  }
  return wires;
}

nlohmann::json Daemon::statistics(const WorkerSnapshot& snapshot) const {
  nlohmann::json j{
      {"version", version_}, {"pid", getpid()}, {"time_ns", snapshot.taken.ns}, {"wires", wire_statistics(snapshot)}};
  uint64_t ours = 0;
  for (const DirectionSnapshot& d : snapshot.directions) ours += d.counters.queued.packets;
  j["lab"] = nlohmann::json::array();
  for (size_t i = 0; i < lab_ports_.size(); ++i) {
    j["lab"].push_back(to_json(snapshot.labs[i]));
    j["lab"].back()["port"] = lab_ports_[i];
    ours += snapshot.labs[i].queued_packets;
  }
  for (const auto& p : ports_) {
    nlohmann::json port = to_json(p->facts(), p->counters(), p->is_link_up());
    port["name"] = p->name();
    j["ports"].push_back(port);
  }
  j["workers"] = {{{"cpu", worker_cpu_},
                   {"passes", snapshot.passes},
                   {"busy_passes", snapshot.busy_passes},
                   {"is_stalled", stall_->is_stalled()},
                   {"stalled_ns", stall_->is_stalled() ? stall_->away().ns : 0},
                   {"worker_stalls", stall_->stalls()}}};
  const uint32_t in_use = buffers_->in_use();
  j["mbufs"] = {{"total", buffers_->total()},
                {"in_use", in_use},
                {"queued", ours},
                {"held_by_drivers_at_start", driver_buffers_},
                {"bytes_each", buffer_bytes_}};
  return j;
}

}  // namespace sojourn
