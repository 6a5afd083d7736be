#include "control/sim/batch.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

namespace sojourn::sim {
namespace {

using Clock = std::chrono::steady_clock;  // of progress and speed only; no run sees it

BatchSpeed speed_of_last;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Batch {
 public:
  Batch(const std::vector<Scenario>& scenarios, const BatchOptions& options)
      : scenarios_(scenarios), options_(options), outcomes_(scenarios.size()) {
    for (const Scenario& s : scenarios) total_ns_ += static_cast<uint64_t>(s.duration.ns);
  }

  std::vector<Outcome> run() {
    unsigned threads = options_.threads != 0 ? options_.threads : std::max(1u, std::thread::hardware_concurrency());
    threads = static_cast<unsigned>(std::min<size_t>(threads, scenarios_.size()));
    const auto begin = Clock::now();
    {
      std::vector<std::jthread> workers;
      for (unsigned i = 0; i < threads; ++i) workers.emplace_back([this] { work(); });
      watch(begin);
    }
    if (failure_) std::rethrow_exception(failure_);
    speed_of_last = {static_cast<double>(total_ns_) / 1e9, seconds_since(begin), packets_};
    return std::move(outcomes_);
  }

 private:
  void work() {
    try {
      for (size_t i; (i = next_++) < scenarios_.size();) run_one(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      finished_ = scenarios_.size();
    }
    changed_.notify_one();
  }

  void run_one(size_t index) {
    constexpr uint64_t kSlices = 100;
    const Scenario& scenario = scenarios_[index];
    std::ostringstream rows;
    std::optional<Trace> trace;
    if (options_.trace) trace.emplace(rows, scenario.name, *options_.trace);
    Network network(scenario, trace ? &*trace : nullptr);
    const auto duration = static_cast<uint64_t>(scenario.duration.ns);
    for (uint64_t slice = 1; slice <= kSlices; ++slice) {
      network.run_until({duration / kSlices * slice});
      done_ns_ += duration / kSlices;
    }
    network.run();
    outcomes_[index] = outcome_of(network);
    outcomes_[index].trace = rows.str();
    for (size_t i = 0; i < network.flows().size(); ++i) packets_ += network.flow(i).packets.sent;
    const std::lock_guard lock(mutex_);
    ++finished_;
    changed_.notify_one();
  }

  void watch(Clock::time_point begin) {
    std::unique_lock lock(mutex_);
    bool has_shown = false;
    const auto is_over = [this] { return finished_ >= scenarios_.size(); };
    while (!changed_.wait_for(lock, std::chrono::milliseconds(250), is_over)) {
      const double elapsed = seconds_since(begin);
      if (!options_.shows_progress || elapsed < 1) continue;
      const double share = static_cast<double>(done_ns_) / static_cast<double>(total_ns_);
      std::cerr << fmt::format("\r\033[K{} of {} runs, {:.0f} %, {:.0f} s, {:.0f} s left", finished_, scenarios_.size(),
                               share * 100, elapsed, share > 0 ? elapsed / share - elapsed : 0)
                << std::flush;
      has_shown = true;
    }
    if (has_shown) std::cerr << "\r\033[K" << std::flush;
  }

  const std::vector<Scenario>& scenarios_;
  const BatchOptions& options_;
  std::vector<Outcome> outcomes_;
  uint64_t total_ns_ = 0;
  std::atomic<size_t> next_ = 0;
  std::atomic<uint64_t> done_ns_ = 0, packets_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t finished_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

std::vector<Outcome> run_batch(const std::vector<Scenario>& scenarios, const BatchOptions& options) {
  return scenarios.empty() ? std::vector<Outcome>{} : Batch(scenarios, options).run();
}

BatchSpeed last_batch_speed() {
  return speed_of_last;
}

}  // namespace sojourn::sim
