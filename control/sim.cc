#include "control/sim.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <memory>

#include "control/check.h"
#include "control/same_file.h"
#include "control/sim/batch.h"
#include "control/sim/overview.h"
#include "control/sim/rfc7928.h"
#include "control/sim/scenario_file.h"
#include "control/sim/scenario_keys.h"
#include "control/sim/senders.h"
#include "control/sim/standing.h"
#include "control/sim/tune.h"
#include "control/whole_number.h"

namespace sojourn {
namespace {

using namespace sim;

struct SimOptions {
  bool as_json = false;
  std::optional<uint64_t> seed;
  std::optional<int64_t> seconds;
  unsigned threads = 0;
  std::string csv, trace, trace_every = "10ms";
  std::string file;              // run
  std::string rtts, rate;        // tune
  std::string sender = "cubic";  // tune
  uint32_t flows = 16;           // tune
  bool ecn = false;              // tune

  std::optional<Duration> measured() const {
    return seconds ? std::optional(Duration{*seconds * 1'000'000'000}) : std::nullopt;
  }
};

// A failure that has been said in one sentence.
struct SimError : std::runtime_error {
  using runtime_error::runtime_error;
};

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  if (!(out << text << std::flush)) throw SimError(path + ": cannot be written");
}

// Nothing is read or simulated before it is known that what is written destroys nothing, and can be written.
void check_outputs(const SimOptions& o) {
  for (const std::string& written : {o.csv, o.trace}) {
    if (written.empty()) continue;
    for (const std::string& read : {o.file, o.rtts}) {
      if (!read.empty() && is_same_file(read, written))
        throw SimError(written + ": would be written over its own input");
    }
    if (!std::ofstream(written, std::ios::binary | std::ios::app)) throw SimError(written + ": cannot be written");
  }
  if (!o.csv.empty() && !o.trace.empty() && is_same_file(o.csv, o.trace))
    throw SimError(o.csv + ": is both --csv and --trace");
}

std::vector<Outcome> run_all(const std::vector<Scenario>& scenarios, const SimOptions& options) {
  BatchOptions batch;
  batch.threads = options.threads;
  batch.shows_progress = isatty(STDERR_FILENO) != 0;
  if (!options.trace.empty()) batch.trace = *parse_time(options.trace_every).value;
  auto outcomes = run_batch(scenarios, batch);
  if (!options.trace.empty()) {
    std::string rows = Trace::kHeader;
    for (const Outcome& o : outcomes) rows += o.trace;
    write_file(options.trace, rows);
  }
  const BatchSpeed speed = last_batch_speed();
  std::cerr << fmt::format("simulated {:.0f} s in {:.2f} s: {:.0f} x real time, {} packets\n", speed.virtual_seconds,
                           speed.real_seconds, speed.virtual_seconds / speed.real_seconds, speed.packets);
  return outcomes;
}

int print(const std::string& text) {
  std::cout << text << std::flush;
  if (std::cout) return kExitOk;
  std::cerr << "sojourn: cannot write the report\n";
  return kExitFailed;
}

int print(const SimOptions& options, const nlohmann::ordered_json& json, const std::string& text,
          const std::string& csv) {
  if (!options.csv.empty()) write_file(options.csv, csv);
  return print(options.as_json ? json.dump(2) + "\n" : text);
}

int simulate_standing(const SimOptions& options) {
  std::vector<Scenario> scenarios;
  for (const StandingCell& cell : standing_cells())
    scenarios.push_back(
        standing_scenario(cell, options.measured().value_or(kStandingMeasured), options.seed.value_or(1)));
  const auto outcomes = run_all(scenarios, options);
  return print(options, standing_json(outcomes), standing_text(outcomes), standing_csv(outcomes));
}

int simulate_rfc7928(const SimOptions& options) {
  const auto scenarios = rfc7928_scenarios(options.measured(), options.seed.value_or(1));
  const auto outcomes = run_all(scenarios, options);
  return print(options, overview_json("rfc7928", outcomes), overview_text(outcomes), overview_csv(outcomes));
}

int simulate_senders(const SimOptions& options) {
  const auto scenarios = senders_scenarios(options.measured(), options.seed.value_or(1));
  const auto outcomes = run_all(scenarios, options);
  return print(options, senders_json(outcomes), senders_text(outcomes), overview_csv(outcomes));
}

int simulate_file(const SimOptions& options) {
  ScenarioResult result = load_scenario(options.file);
  for (const Diagnostic& d : result.errors) std::cerr << to_string(d, "error") << '\n';
  for (const Diagnostic& d : result.warnings) std::cerr << to_string(d, "warning") << '\n';
  if (!result.ok()) return kExitFailed;
  std::vector<Scenario> scenarios{std::move(result.scenario)};
  if (options.seed) scenarios[0].seed = *options.seed;
  if (options.seconds) scenarios[0].duration = {scenarios[0].warmup.ns + options.measured()->ns};
  const auto outcomes = run_all(scenarios, options);
  return print(options, json_of(outcomes[0]), text_of(outcomes[0]), overview_csv(outcomes));
}

// Absent: said why.
std::optional<RttDistribution> distribution_of(const std::string& rtts) {
  if (rtts.find(',') != std::string::npos) {
    const auto quantiles = parse_rtt_quantiles(rtts);  // checked when it was given
    return RttDistribution::through(quantiles.value->p50, quantiles.value->p95);
  }
  RttFile file = read_rtts(rtts);
  for (const Diagnostic& d : file.errors) std::cerr << to_string(d, "error") << '\n';
  if (!file.errors.empty()) return std::nullopt;
  return RttDistribution::of(std::move(file.rtts));
}

int simulate_tune(const SimOptions& options) {
  const auto distribution = distribution_of(options.rtts);
  if (!distribution) return kExitFailed;
  TuneQuestion question{*distribution, *parse_rate(options.rate).value};
  question.flows = options.flows;
  for (const auto name : {CongestionName::kReno, CongestionName::kCubic, CongestionName::kVegas, CongestionName::kBbr})
    if (options.sender == word_of(name)) question.sender = name;
  question.ecn = options.ecn;
  question.measured = options.measured();
  question.seed = options.seed.value_or(1);
  const auto scenarios = tune_scenarios(question);
  if (scenarios.empty()) throw SimError(nothing_to_tune(question));
  const auto rows = tune_rows(run_all(scenarios, options), scenarios);
  return print(options, tune_json(question, rows), tune_text(question, rows), tune_csv(rows));
}

int list() {
  return print(
      "standing   drop-tail, CoDel, FQ, FQ-CoDel x Reno, Vegas x buffers of 1/4 to 16 BDP at 12 Mbit/s and 40 ms\n"
      "rfc7928    friendly, aggressive and unresponsive flows, RTT fairness, three levels of congestion, varying\n"
      "           capacity and an application mix under drop-tail, CoDel and FQ-CoDel\n"
      "senders    CUBIC and BBR at 1 Gbit/s: clean, 1.5 % random loss, a route that changes between 4 and 22 ms\n"
      "tune       which target and interval for your round trip times and rate\n"
      "run FILE   your own scenario; `sojourn sim keys` says what it may hold\n");
}

CLI::Validator of_quantity(const char* what, std::string (*reason)(const std::string&)) {
  return {[reason](std::string& text) { return reason(text); }, what};
}

std::string reason_against_rate(const std::string& text) {
  const auto rate = parse_rate(text);
  if (!rate.value) return rate.reason;
  if (*rate.value == kUnlimited) return "must be a rate, such as \"100mbit\"";
  const Range<uint64_t> range = limits::kRateBps;
  if (rate.value->value >= range.least && rate.value->value <= range.most) return {};
  const uint64_t nearest = std::clamp(rate.value->value, range.least, range.most);
  return "\"" + text + "\" is out of range; nearest is \"" + format_rate({nearest}) + "\"";
}

std::string reason_against_rtts(const std::string& text) {
  return text.find(',') == std::string::npos ? std::string() : parse_rtt_quantiles(text).reason;
}

std::string reason_against_period(const std::string& text) {
  const auto time = parse_time(text);
  if (!time.value) return time.reason;
  return time.value->ns > 0 ? "" : "must be above 0";
}

using Options = std::shared_ptr<SimOptions>;

void add_common_options(CLI::App* command, const Options& options) {
  command->add_flag("-j,--json", options->as_json, "print JSON");
  command->add_option("--seed", options->seed, "of all that is random")->check(whole_number());
  command->add_option("--seconds", options->seconds, "virtual seconds measured, after the warm-up")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}));
  command->add_option("--threads", options->threads, "runs at once; 0: one a core")
      ->check(CLI::Range(0u, 1024u))
      ->capture_default_str();
  command->add_option("--csv", options->csv, "also write the table, as CSV, to this file")->type_name("FILE");
  command->add_option("--trace", options->trace, "write queues, windows and RTTs over time, as CSV, to this file")
      ->type_name("FILE");
  command->add_option("--trace-every", options->trace_every, "how often those are sampled")
      ->check(of_quantity("TIME", reason_against_period))
      ->capture_default_str();
}

void add_tune_options(CLI::App* command, const Options& options) {
  command->add_option("--rtts", options->rtts, "median and 95th percentile, such as 20ms,80ms, or a file of RTTs")
      ->required()
      ->check(of_quantity("P50,P95|FILE", reason_against_rtts));
  command->add_option("--rate", options->rate, "of the link, such as 100mbit")
      ->required()
      ->check(of_quantity("RATE", reason_against_rate));
  command->add_option("--flows", options->flows, "bulk flows at once")
      ->check(CLI::Range(1u, 10'000u))
      ->capture_default_str();
  command->add_option("--sender", options->sender, "their congestion control")
      ->check(CLI::IsMember({"reno", "cubic", "vegas", "bbr"}))
      ->capture_default_str();
  command->add_flag("--ecn", options->ecn, "they use ECN");
}

int say_failure(int (*simulate)(const SimOptions&), const SimOptions& options) {
  try {
    check_outputs(options);
    return simulate(options);
  } catch (const SimError& e) {
    std::cerr << "sojourn: " << e.what() << '\n';
    return kExitFailed;
  }
}

}  // namespace

void add_sim(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SimOptions>();
  CLI::App* group = app.add_subcommand("sim", "Simulate a link with TCP senders, in virtual time");
  group->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, int (*simulate)(const SimOptions&)) {
    CLI::App* command = group->add_subcommand(name, help);
    add_common_options(command, options);
    command->callback([=, &exit_code] { exit_code = say_failure(simulate, *options); });
    return command;
  };
  add("standing", "What buffers do to one bulk flow and a small one, beside the field's figures", simulate_standing);
  add("rfc7928", "The scenarios of RFC 7928 in short", simulate_rfc7928);
  add("senders", "CUBIC and BBR over losses and route changes", simulate_senders);
  add("run", "Run a scenario file", simulate_file)->add_option("FILE", options->file, "scenario")->required();
  add_tune_options(add("tune", "Which target and interval for these RTTs and this rate?", simulate_tune), options);
  group->add_subcommand("list", "What there is to simulate")->callback([&exit_code] { exit_code = list(); });
  group->add_subcommand("keys", "Print every key of a scenario file")->callback([&exit_code] {
    exit_code = print(scenario_manual());
  });
}

}  // namespace sojourn
