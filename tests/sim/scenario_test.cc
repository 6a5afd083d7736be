// Scenario files: what they say, and every error in them at once.
#include <gtest/gtest.h>

#include "control/sim/network.h"
#include "control/sim/scenario_file.h"
#include "control/sim/scenario_keys.h"

namespace sojourn::sim {
namespace {

const std::string kLink = "bottlenecks = ( { name = \"wan\"; queue = { rate = \"12mbit\"; }; } );\n";
const std::string kFlow = "flows = ( { name = \"bulk\"; } );\n";

// All errors, a line each.
std::string errors_of(const std::string& text) {
  std::string lines;
  for (const Diagnostic& d : parse_scenario(text, "test.conf").errors) lines += to_string(d, "error") + '\n';
  return lines;
}
std::string warnings_of(const std::string& text) {
  std::string lines;
  const ScenarioResult result = parse_scenario(text, "test.conf");
  EXPECT_TRUE(result.ok());
  for (const Diagnostic& d : result.warnings) lines += to_string(d, "warning") + '\n';
  return lines;
}

TEST(ScenarioFile, SaysAllThereIs) {
  const ScenarioResult result = parse_scenario(R"(
name = "office"; duration = "90s"; warmup = "10s"; seed = 7;
bottlenecks = (
  { name = "wan"; mtu = 1400;
    queue = { rate = "12mbit"; burst = "0b"; limit = 640; isolation = "none"; aqm = "none"; };
    timetable = ( { at = "20s"; every = "40s"; rate = "10mbit"; } ); },
  { name = "lan"; queue = { rate = "1gbit"; }; }
);
flows = (
  { name = "bulk"; congestion = "bbr"; count = 3; rtts = [ "5ms", "20ms" ]; loss = "1.5%"; flip_rtt = "22ms";
    packet = "1414b"; through = [ "wan" ]; transfer = "1mb"; pause = "2s"; ecn = true; delayed_ack = true; },
  { name = "voice"; source = "constant"; rate = "85.6kbit"; packet = "214b"; stop = "50s"; }
);)",
                                               "test.conf");
  ASSERT_TRUE(result.ok()) << to_string(result.errors[0], "error");
  const Scenario& s = result.scenario;
  EXPECT_EQ(s.name, "office");
  EXPECT_EQ(s.duration.ns, 90'000'000'000);
  EXPECT_EQ(s.seed, 7u);
  EXPECT_EQ(s.bottlenecks[0].parameters.rate.value, 12'000'000u);
  EXPECT_EQ(s.bottlenecks[0].parameters.burst_bytes, 0u);
  EXPECT_EQ(s.bottlenecks[0].parameters.aqm, Aqm::kNone);
  EXPECT_EQ(s.bottlenecks[0].timetable[0].every->ns, 40'000'000'000);
  EXPECT_EQ(s.bottlenecks[1].parameters.aqm, Aqm::kCodel);
  EXPECT_EQ(s.flows[0].congestion, CongestionName::kBbr);
  EXPECT_EQ(s.flows[0].rtts[1].ns, 20'000'000);
  EXPECT_EQ(s.flows[0].path.loss.value, 15'000'000u);
  EXPECT_EQ(s.flows[0].transfer_bytes, uint64_t{1} << 20);
  EXPECT_EQ(s.flows[1].source, SourceKind::kConstant);
  EXPECT_EQ(s.flows[1].rate.value, 85'600u);
  Network network(s);
  network.run_until(Time{1'000'000'000});
  EXPECT_EQ(network.flows()[2].rtt.ns, 5'000'000);  // in turn
}
TEST(ScenarioFile, NamesEveryErrorWithItsLineValueAndTheNearest) {
  EXPECT_EQ(
      errors_of("durration = \"60s\";\n"
                "warmup = 5;\n"
                "bottlenecks = ( { name = \"wan\";\n"
                "  queue = { rate = \"12mbit\"; limmit = 5; flows = 1000; }; } );\n"
                "flows = (\n"
                "  { name = \"bulk\"; congestion = \"cubik\"; rtt = \"2min\"; },\n"
                "  { name = \"bulk\"; count = 0; through = [ \"wam\" ]; packet = \"1600b\"; } );\n"),
      "test.conf:1: error: durration: unknown key; did you mean \"duration\"?\n"
      "test.conf:2: error: warmup: time 5 has no unit: write \"5us\", \"5ms\" or \"5s\" (\"0ns\" to \"1000000s\")\n"
      "test.conf:4: error: bottlenecks[wan].queue.limmit: unknown key; did you mean \"limit\"?\n"
      "test.conf:4: error: bottlenecks[wan].queue.flows: 1000 is not a power of two; nearest is 1024\n"
      "test.conf:6: error: flows[bulk].congestion: unknown word \"cubik\"; did you mean \"cubic\"?\n"
      "test.conf:6: error: flows[bulk].rtt: time 2min has an unknown unit \"min\" (known: ns, us, ms, s): write "
      "\"2us\", \"2ms\" or \"2s\" (\"1us\" to \"60s\")\n"
      "test.conf:7: error: flows[1].count: 0 is out of range; nearest is 1 (1 to 65536)\n"
      "test.conf:7: error: flows[1].name: \"bulk\" is already the name of another\n"
      "test.conf:7: error: flows[1].through: no bottleneck \"wam\"; did you mean \"wan\"?\n"
      "test.conf:7: error: flows[1].packet: \"1600b\" is more than a frame of \"wan\"; nearest is \"1514b\"\n");
}
TEST(ScenarioFile, MustNameItsLinksAndFlows) {
  EXPECT_EQ(errors_of("duration = \"60s\";\n"),
            "test.conf: error: bottlenecks: is missing\ntest.conf: error: flows: is missing\n");
  EXPECT_EQ(errors_of(kLink + "flows = ();\n"), "test.conf:2: error: flows: is empty\n");
  EXPECT_EQ(errors_of(kFlow + "bottlenecks = ( { name = \"wan\"; } );\n"),
            "test.conf:2: error: bottlenecks[wan].queue: is missing\n");
}
TEST(ScenarioFile, RefusesABottleneckThatIsPassedTwice) {
  EXPECT_NE(
      errors_of(kLink + "flows = ( { name = \"a\"; through = [ \"wan\", \"wan\" ]; } );\n").find("stands there twice"),
      std::string::npos);
}
TEST(ScenarioFile, RefusesTimesThatCannotBe) {
  EXPECT_EQ(errors_of("duration = \"5s\"; warmup = \"5s\";\n" + kLink + kFlow),
            "test.conf:1: error: warmup: \"5s\" leaves nothing to measure; it must be below the duration, \"5s\"\n");
  EXPECT_EQ(errors_of(kLink + "flows = ( { name = \"a\"; start = \"90s\"; }, { name = \"b\"; stop = \"0s\"; } );\n"),
            "test.conf:2: error: flows[a].start: \"90s\" is not before the end, \"60s\"\n"
            "test.conf:2: error: flows[b].stop: \"0ns\" is not after the start, \"0ns\"\n");
}
TEST(ScenarioFile, WarnsOfWhatHasNoEffect) {
  EXPECT_EQ(
      warnings_of(kLink + "flows = ( { name = \"a\"; source = \"sparse\"; rate = \"1mbit\"; hystart = true; } );\n"),
      "test.conf:2: warning: flows[a].hystart: has no effect with source = \"sparse\"\n"
      "test.conf:2: warning: flows[a].rate: has no effect with source = \"sparse\"\n");
  EXPECT_EQ(warnings_of(kFlow + "bottlenecks = ( { name = \"l\"; queue = { rate = \"1mbit\"; }; } );\n"),
            "test.conf:2: warning: bottlenecks[l].queue.target: \"5ms\" is raised to \"18.168ms\", the time of 1.5 MTU "
            "frames at 1mbit\n");
}
TEST(ScenarioFile, NeedsToBeReadable) {
  EXPECT_FALSE(load_scenario("/nowhere/at/all.conf").ok());
  EXPECT_FALSE(parse_scenario("flows = (", "test.conf").ok());
}
TEST(ScenarioFile, ExamplesAreRight) {
  for (const char* name : {"uplink.conf", "transit.conf"}) {
    const ScenarioResult result = load_scenario(std::string(SOJOURN_SOURCE_DIR "/examples/sim/") + name);
    EXPECT_TRUE(result.ok()) << name << ": " << (result.ok() ? "" : to_string(result.errors[0], "error"));
    EXPECT_TRUE(result.warnings.empty()) << name;
  }
}
TEST(ScenarioFile, ManualHasEveryKey) {
  const std::string manual = scenario_manual();
  for (const auto& key : flow_keys()) EXPECT_NE(manual.find("| `" + key.name + "` |"), std::string::npos) << key.name;
}

}  // namespace
}  // namespace sojourn::sim
