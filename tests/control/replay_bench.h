// A capture, a configuration, and what a replay of the one through the other gives.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "control/check.h"
#include "control/replay.h"
#include "tests/control/capture_file.h"
#include "tests/dataplane/udp_frame.h"

namespace sojourn::test {

inline constexpr uint64_t kEpoch = 1'700'000'000'000'000'000, kUs = 1'000, kMs = 1'000'000;

inline std::string config_text(const std::string& egress, const std::string& rest = "") {
  return "ports = ( { name = \"lan\"; device = \"net_ring0\"; }, { name = \"wan\"; device = \"net_ring1\"; } );\n"
         "wires = ( { name = \"home\"; inside = \"lan\"; outside = \"wan\"; egress = { " +
         egress + " }; } );\n" + rest;
}

struct ReplayResult {
  int exit_code = -1;
  nlohmann::json report;
  std::string text, errors;
  std::vector<FileFrame> out;
  std::vector<nlohmann::json> trace;
};

class ReplayBench {
 public:
  // `egress`: the settings of that direction.
  explicit ReplayBench(const std::string& egress, const std::string& rest = "") {
    options.config = files.write("t.conf", config_text(egress, rest));
    options.in = files.path("in.pcap");
    options.out = files.path("out.pcap");
    options.trace = files.path("trace.jsonl");
    options.as_json = true;
  }

  ReplayResult run(const std::string& capture) {
    files.write("in.pcap", capture);
    return run();
  }
  ReplayResult run(const std::vector<FileFrame>& frames) { return run(pcap_text(frames)); }
  ReplayResult run() {
    ReplayResult r;
    std::ostringstream out, errors;
    r.exit_code = run_replay(options, out, errors);
    r.text = out.str();
    r.errors = errors.str();
    if (options.as_json && !r.text.empty()) r.report = nlohmann::json::parse(r.text);
    r.out = frames_of(files.read("out.pcap"));
    std::istringstream lines(files.read("trace.jsonl"));
    for (std::string line; std::getline(lines, line);) r.trace.push_back(nlohmann::json::parse(line));
    return r;
  }

  Files files;
  ReplayOptions options;
};

// SPEC "Conservation" when all has left, in the report and in the trace: every frame has one fate.
inline void expect_conserved(const ReplayResult& r, size_t frames) {
  std::map<std::string, uint64_t> fates;
  std::map<uint64_t, int> seen;
  for (const auto& line : r.trace) {
    ++fates[line["fate"] == "sent" ? "sent" : line["cause"].get<std::string>()];
    ++seen[line["frame"].get<uint64_t>()];
  }
  EXPECT_EQ(seen.size(), frames);
  EXPECT_EQ(r.trace.size(), frames);
  EXPECT_EQ(r.report["received_packets"], frames);
  EXPECT_EQ(r.report["sent_packets"], fates["sent"]);
  for (const auto& [cause, packets] : r.report["drops"].items()) EXPECT_EQ(packets, fates[cause]) << cause;
}

}  // namespace sojourn::test
