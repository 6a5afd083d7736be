// Daemon: changes while running.
#include <csignal>

#include "config/effective.h"
#include "config/setting.h"
#include "control/change.h"
#include "control/compile.h"
#include "control/daemon.h"
#include "control/file.h"
#include "control/log.h"

namespace sojourn {
namespace {

constexpr std::chrono::milliseconds kPatience{1000};

nlohmann::json sentences(const std::vector<Diagnostic>& list, const char* severity) {
  nlohmann::json out = nlohmann::json::array();
  for (const Diagnostic& d : list) out.push_back(to_string(d, severity));
  return out;
}

nlohmann::json refused(const nlohmann::json& reasons) {
  return {{"is_in_force", false}, {"refused", reasons}};
}

}  // namespace

// What the workers say is in force, beside the configuration that it was compiled from.
nlohmann::json Daemon::show_config() {
  const WorkerSnapshot* now = snapshot();
  if (now == nullptr) return {{"error", "the worker does not answer: it is stalled, or its CPU is taken"}};
  const std::vector<DirectionOptions> wanted = directions();
  bool is_in_force = true;
  for (size_t i = 0; i < wanted.size(); ++i) is_in_force &= now->directions[i].plan == wanted[i].plan;
  return {{"generation", generation_},
          {"unshaped", unshaped_directions()},
          {"is_in_force", is_in_force},
          {"config", nlohmann::json::parse(effective_json(config_))},
          {"text", effective_text(config_)}};
}

nlohmann::json Daemon::apply(const nlohmann::json& request) {
  const std::string file = request.at("file");
  return change(parse(request.at("text").get<std::string>(), file), request.value("dry_run", false));
}

nlohmann::json Daemon::set(const nlohmann::json& request) {
  const Setting setting{request.value("wire", ""), request.at("direction"), request.at("key"), request.at("value")};
  const bool is_dry_run = request.value("dry_run", false), is_kept = request.value("persist", false);
  Edited file;
  if (is_kept) {
    file = edited(read_file(path_), path_, setting);
    if (!file.error.empty()) return refused({file.error});
  }
  nlohmann::json answer = change(with_setting(config_, setting), is_dry_run);
  if (!is_kept || is_dry_run || !answer.at("is_in_force").get<bool>()) return answer;
  replace_file(path_, file.text);
  answer["persisted"] = path_;
  log::info("{}: written back", path_);
  return answer;
}

// Where the plan in force cannot simply be replaced, another scheduler is made ready here, off the packet path.
WorkerChange Daemon::worker_change(const Config& next, const WorkerSnapshot& now) {
  WorkerChange change;
  const std::vector<DirectionOptions> wanted = directions(next);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const DirectionSnapshot& is = now.directions[i];
    DirectionChange& d = change.directions.emplace_back();
    d.plan = wanted[i].plan;
    d.rules = wanted[i].rules;
    if (Scheduler::can_adopt(is.plan, is.room_packets, d.plan)) continue;
    const uint64_t room = std::max(is.room_packets, is.plan.most_packets());
    d.successor = std::make_unique<Scheduler>(d.plan, now.taken, &table_memory_, room);
  }
  return change;
}

nlohmann::json Daemon::change(const Result& result, bool is_dry_run) {
  if (!result.ok()) return refused(sentences(result.errors, "error"));
  const Config next = as_running(result.config, config_);
  const std::vector<Difference> list = differences(config_, next);
  nlohmann::json answer = {{"is_in_force", true},
                           {"is_dry_run", is_dry_run},
                           {"changes", to_json(list)},
                           {"warnings", sentences(result.warnings, "warning")}};
  if (const auto reasons = obstacles(list, next, budget_, buffer_bytes_); !reasons.empty()) {
    answer.update(refused(reasons));
    return answer;
  }
  if (is_dry_run || next == config_) {
    answer["generation"] = generation_;
    return answer;
  }
  const WorkerSnapshot* now = snapshot();
  if (now != nullptr) look_at_rates(*now);  // once before each change: see OverRate
  if (now == nullptr || !link_->change(worker_change(next, *now), kPatience)) {
    throw std::runtime_error(now == nullptr
                                 ? "the worker does not answer: it is stalled, or its CPU is taken; nothing has changed"
                                 : "the worker has the change and has not said within 1 s that it is in force");
  }
  config_ = next;
  answer["generation"] = ++generation_;
  log::info("configuration {} in force: {} changes", generation_, list.size());
  for (const Difference& d : list) log::info("  {}", to_string(d));
  for (const auto& d : unshaped_directions())
    log::warn("UNSHAPED: {}: {}", d.at("name").get<std::string>(), d.at("why").get<std::string>());
  adopt_link_forwarding();
  return answer;
}

void Daemon::await_reload() {
  reload_.async_wait([this](auto error, int) {
    if (error) return;
    service_.reloading();
    reload();
    service_.ready(shaping_summary());
    await_reload();
  });
}

void Daemon::reload() {
  log::info("SIGHUP: reading {}", path_);
  try {
    const Result result = load(path_);
    const nlohmann::json answer = change(result, false);
    for (const auto& warning : answer.value("warnings", nlohmann::json::array()))
      log::warn("{}", warning.get<std::string>());
    if (answer.at("is_in_force").get<bool>()) {
      if (answer.at("changes").empty()) log::info("SIGHUP: nothing has changed");
      return;
    }
    for (const auto& reason : answer.at("refused")) log::error("{}", reason.get<std::string>());
    log::error("SIGHUP: refused; the configuration in force stays");
  } catch (const std::exception& e) {
    log::error("SIGHUP: {}", e.what());
  }
}

}  // namespace sojourn
