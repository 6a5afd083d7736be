// sojournd's inside: from a valid configuration to running workers, and back to nothing.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/config.h"
#include "control/access.h"
#include "control/budget.h"
#include "control/link_forwarding.h"
#include "control/over_rate.h"
#include "control/server.h"
#include "control/service.h"
#include "control/stall_detector.h"
#include "control/worker_link.h"
#include "dataplane/buffers.h"
#include "dataplane/eal.h"
#include "dataplane/port.h"
#include "dataplane/table_memory.h"
#include "dataplane/worker.h"

namespace sojourn {

class Daemon {
 public:
  // Opens all that the configuration names and starts the workers. Throws SetupError or std::runtime_error, each with
  // one sentence; then nothing is left behind.
  // `path`: of the file that `config` is from, to be read again at SIGHUP.
  Daemon(const Config& config, const std::string& path, const std::string& version);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Serves the control socket until SIGTERM or SIGINT, then drains. Returns the final statistics.
  nlohmann::json run();

 private:
  void start_environment();
  void open_ports();
  void open_buffers();
  void start_worker();
  void stop_worker();
  void drop_privileges();

  nlohmann::json handle(const nlohmann::json& request, const Peer& peer);
  nlohmann::json show_config();
  nlohmann::json apply(const nlohmann::json& request);
  nlohmann::json set(const nlohmann::json& request);
  // Puts `result` in force, or says why not; then everything is as it was.
  nlohmann::json change(const Result& result, bool is_dry_run);
  WorkerChange worker_change(const Config& next, const WorkerSnapshot& now);
  void await_reload();
  void reload();

  // What the control thread looks at by itself while the worker runs (watch.cc).
  void begin_to_watch();
  void await_look();
  void look();
  void look_at_worker(Time now);
  // What the worker says now, or nullptr: it is stalled, or has not answered for 1 s.
  const WorkerSnapshot* snapshot();
  void look_at_links(Time now);
  void look_at_rates(const WorkerSnapshot& snapshot);
  void obey(size_t wire, const std::optional<LinkForwarding::Order>& order);
  void adopt_link_forwarding();
  void give_back_links();
  std::string shaping_summary() const;
  nlohmann::json unshaped_directions() const;

  nlohmann::json statistics();
  nlohmann::json statistics(const WorkerSnapshot& snapshot) const;
  nlohmann::json wire_statistics(const WorkerSnapshot& snapshot) const;

  const Port& port(const std::string& name) const;
  Port& port(const std::string& name);
  uint32_t expected_mtu_bytes() const;
  std::vector<DirectionOptions> directions() const { return directions(config_); }
  std::vector<DirectionOptions> directions(const Config& config) const;

  boost::asio::io_context io_;
  boost::asio::signal_set stop_;  // from the first moment, so that a signal during the start also ends in order
  Config config_;                 // with the MTUs that the ports turned out to have
  std::string path_;
  std::string version_;
  boost::asio::signal_set reload_;
  uint64_t generation_ = 1;  // of the configuration in force
  HashKey hash_key_;
  unsigned worker_cpu_ = 0;
  uint32_t buffer_bytes_ = 0;
  Budget budget_;                // taken at start
  uint32_t driver_buffers_ = 0;  // that the drivers hold at rest
  std::unique_ptr<Eal> eal_;     // first in, last out
  std::unique_ptr<Buffers> buffers_;
  std::vector<std::unique_ptr<Port>> ports_;
  TableMemory table_memory_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<WorkerLink> link_;
  std::vector<std::string> lab_ports_;  // of the worker's lab paths, in its order
  bool is_worker_running_ = false;
  boost::asio::steady_timer look_timer_{io_};
  std::optional<StallDetector> stall_;
  std::vector<LinkForwarding> link_forwarding_;  // of each wire
  std::vector<OverRate> over_rates_;             // of each direction
  WorkerSnapshot last_;                          // of the last look, for when the worker is stalled
  Time links_looked_at_, rates_looked_at_;
  Service service_;
  Access access_;
  std::unique_ptr<Server> server_;
};

}  // namespace sojourn
