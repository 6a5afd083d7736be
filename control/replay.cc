#include "control/replay.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "config/config.h"
#include "config/effective.h"
#include "control/check.h"
#include "control/replay/capture.h"
#include "control/replay/flow_accounts.h"
#include "control/replay/progress.h"
#include "control/replay/report.h"
#include "control/replay/trace.h"
#include "control/replay/virtual_direction.h"
#include "control/rules.h"
#include "control/same_file.h"
#include "control/whole_number.h"
#include "dataplane/buffer_size.h"

namespace sojourn {
namespace {

constexpr uint64_t kDefaultSeed = 1;  // a replay gives the same again unless told otherwise
constexpr uint64_t kFramesPerLook = 4096;

// Whatever ends a replay before it is done, in one sentence.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void refuse_overwriting(const ReplayOptions& o) {
  for (const std::string& written : {o.out, o.trace}) {
    if (written.empty()) continue;
    if (written == "-") throw Refusal("- is no file to write to; name one, such as /dev/stdout");
    if (is_same_file(o.in, written) || is_same_file(o.config, written)) {
      throw Refusal(written + ": would be written over while it is read");
    }
  }
  if (!o.out.empty() && !o.trace.empty() && is_same_file(o.out, o.trace))
    throw Refusal(o.out + ": is both --out and --trace");
}

const WireConfig& wire_of(const Config& config, const std::string& name) {
  if (name.empty() && config.wires.size() == 1) return config.wires.front();
  std::string names;
  for (const WireConfig& w : config.wires) {
    if (w.name == name) return w;
    names += (names.empty() ? "" : ", ") + w.name;
  }
  throw Refusal(name.empty() ? "several wires, name one with --wire: " + names
                             : "no wire \"" + name + "\"; there is: " + names);
}

Config load_config(const std::string& path, std::ostream& err) {
  const Result result = load(path);
  for (const Diagnostic& d : result.errors) err << to_string(d, "error") << '\n';
  for (const Diagnostic& d : result.warnings) err << to_string(d, "warning") << '\n';
  if (!result.ok()) throw Refusal("the configuration is wrong");
  return result.config;
}

// Takes what leaves and gives it to all who want it.
class Outputs : public DepartureSink {
 public:
  Outputs(const ReplayOptions& options, const CaptureReader& reader) {
    if (!options.out.empty()) capture_.emplace(options.out, reader);
    if (!options.trace.empty()) trace_.emplace(options.trace);
  }
  void leave(const Departure& d) override {
    flows_.add(d);
    last_ = d.time;
    if (trace_) trace_->write(d);
    if (!capture_ || d.fate != Fate::kSent) return;
    capture_->write(d.time, {d.passage.bytes.data(), d.passage.captured_bytes}, d.passage.length);
  }
  void finish() {
    if (capture_) capture_->finish();
    if (trace_) trace_->finish();
  }
  const FlowAccounts& flows() const { return flows_; }
  Time last() const { return last_; }

 private:
  FlowAccounts flows_;
  std::optional<CaptureWriter> capture_;
  std::optional<Trace> trace_;
  Time last_;
};

class Replay {
 public:
  Replay(const ReplayOptions& options, const Config& config)
      : options_(options), wire_(wire_of(config, options.wire)), reader_(options.in), outputs_(options, reader_) {
    facts_.wire = wire_.name;
    facts_.direction = options.direction;
    facts_.link_type = reader_.link_type_name();
    facts_.seed = options.seed.value_or(config.hash_seed.value_or(kDefaultSeed));
    const uint32_t mtu = wire_mtu_bytes(config, wire_);
    const DirectionConfig& d = options.direction == "egress" ? wire_.egress : wire_.ingress;
    plan_ = compile(d.parameters, mtu, buffer_bytes(mtu_frame_bytes(mtu)));
  }

  nlohmann::ordered_json run() {
    CapturedFrame frame;
    const bool has_frames = reader_.next(frame);
    facts_.first = facts_.last = has_frames ? frame.time : Time{};
    VirtualDirection direction(
        {plan_, hash_key_from_seed(facts_.seed), reader_.link_type(), facts_.first, compile_rules(wire_)}, outputs_);
    if (has_frames) pass(direction, frame);
    outputs_.finish();
    facts_.last_departure = outputs_.last();
    facts_.damage = reader_.damage();
    facts_.wrong_times = reader_.wrong_times();
    return to_json(facts_, direction, outputs_.flows());
  }
  const std::string& damage() const { return facts_.damage; }

 private:
  void pass(VirtualDirection& direction, CapturedFrame& frame) {
    Progress progress("replay");
    uint64_t count = 0;
    do {
      direction.arrive(frame);
      if (is_before(facts_.last, frame.time)) facts_.last = frame.time;
      if (++count % kFramesPerLook == 0 && progress.is_due()) {
        const double share =
            reader_.size() <= 0 ? -1 : static_cast<double>(reader_.offset()) / static_cast<double>(reader_.size());
        progress.show(share, fmt::format("{} frames", count));
      }
    } while (reader_.next(frame));
    direction.finish();
  }

  const ReplayOptions& options_;
  const WireConfig& wire_;
  CaptureReader reader_;
  Outputs outputs_;
  Plan plan_;
  ReplayFacts facts_;
};

void warn_of_lab_path(const Config& config, const ReplayOptions& options, std::ostream& err) {
  const WireConfig& wire = wire_of(config, options.wire);
  const std::string& port = options.direction == "egress" ? wire.outside : wire.inside;
  for (const LabPathConfig& lab : config.lab) {
    if (lab.port == port) err << "replay: the lab path on port " << port << " is not part of a replay\n";
  }
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<ReplayOptions>();
  CLI::App* replay = app.add_subcommand("replay", "Pass a capture through a configuration, in virtual time");
  replay->add_option("-c,--config", o->config, "configuration")->required()->type_name("FILE");
  replay->add_option("--wire", o->wire, "which wire, where the configuration has several")->type_name("NAME");
  replay->add_option("--direction", o->direction, "which direction of the wire")
      ->check(CLI::IsMember({"egress", "ingress"}))
      ->capture_default_str();
  replay->add_option("-i,--in", o->in, "capture to read: pcap or pcapng, Ethernet or raw IP; - is standard input")
      ->required()
      ->type_name("FILE");
  replay->add_option("-o,--out", o->out, "capture to write (pcap, nanoseconds): what leaves, at the instant it leaves")
      ->type_name("FILE");
  replay->add_option("--trace", o->trace, "file to write what became of every frame to: FILE.csv or FILE.jsonl")
      ->type_name("FILE")
      ->check([](const std::string& path) {
        return Trace::has_known_ending(path) ? std::string() : "\"" + path + "\" ends neither in .csv nor in .jsonl";
      });
  replay->add_option("--seed", o->seed, "secret of the flow hash (default: the configuration's hash_seed, else 1)")
      ->check(whole_number());
  replay->add_flag("-j,--json", o->as_json, "print JSON");
  replay->footer(
      "Exit code: 0, 1 failed, 2 wrong usage, 3 the capture is damaged (what was readable has been replayed).");
  replay->callback([o, &exit_code] { exit_code = run_replay(*o, std::cout, std::cerr); });
}

int run_replay(const ReplayOptions& options, std::ostream& out, std::ostream& err) {
  try {
    refuse_overwriting(options);
    const Config config = load_config(options.config, err);
    warn_of_lab_path(config, options, err);
    Replay replay(options, config);
    nlohmann::ordered_json report = replay.run();
    if (!replay.damage().empty()) err << "replay: " << replay.damage() << '\n';
    report["configuration"] = nlohmann::ordered_json::parse(effective_json(config));
    out << (options.as_json ? report.dump(2) + '\n' : report_text(report)) << std::flush;
    if (!out) throw Refusal("the report cannot be written");
    return replay.damage().empty() ? kExitOk : kExitDamaged;
  } catch (const CaptureError& e) {
    err << "replay: " << e.what() << '\n';
    return e.is_damaged ? kExitDamaged : kExitFailed;
  } catch (const Refusal& e) {
    err << "replay: " << e.what() << '\n';
    return kExitFailed;
  }
}

}  // namespace sojourn
