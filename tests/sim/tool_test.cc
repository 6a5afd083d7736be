// `sojourn sim` as its user runs it: exit codes, what is printed where, and the same bytes each time.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace {

struct Outcome {
  int exit_code = -1;
  std::string output;
};
Outcome run(const std::string& arguments, const std::string& redirect = "2>/dev/null") {
  Outcome outcome;
  FILE* pipe = popen(("'" SOJOURN_TOOL "' sim " + arguments + ' ' + redirect).c_str(), "r");
  std::array<char, 4096> buffer;
  for (size_t got; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) outcome.output.append(buffer.data(), got);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}
constexpr const char* kErrorsOnly = "2>&1 >/dev/null";

std::string temporary(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("sojourn_sim." + std::to_string(getpid()) + '.' + name)).string();
}
std::string contents(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}
const std::string kUplink = "run '" SOJOURN_SOURCE_DIR "/examples/sim/uplink.conf' --seconds 3";

TEST(Sim, PrintsTheSameBytesForTheSameSeed) {
  const Outcome first = run(kUplink + " -j");
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_EQ(first.output, run(kUplink + " -j --threads 2").output);
  EXPECT_NE(first.output, run(kUplink + " -j --seed 2").output);
  const auto json = nlohmann::json::parse(first.output);
  EXPECT_TRUE(json["conserved"].get<bool>());
  EXPECT_EQ(json["flows"].size(), 6u);
  EXPECT_GT(json["bottlenecks"][0]["utilisation"].get<double>(), 0.9);
}
TEST(Sim, SaysHowFastItWasBesideTheReportAndNotInIt) {
  EXPECT_NE(run(kUplink, kErrorsOnly).output.find("x real time"), std::string::npos);
  EXPECT_EQ(run(kUplink).output.find("real time"), std::string::npos);
}
TEST(Sim, WritesTraceAndTable) {
  const std::string trace = temporary("trace.csv"), table = temporary("table.csv");
  EXPECT_EQ(run(kUplink + " --trace " + trace + " --csv " + table).exit_code, 0);
  const std::string rows = contents(trace);
  EXPECT_TRUE(rows.starts_with("run,time_s,what,of,value\n"));
  for (const char* what : {",queue_packets,line,", ",window_segments,backup[0],", ",rtt_ms,game,"})
    EXPECT_NE(rows.find(what), std::string::npos) << what;
  EXPECT_TRUE(contents(table).starts_with("run,bottleneck,utilisation,"));
  std::filesystem::remove(trace);
  std::filesystem::remove(table);
  EXPECT_EQ(run(kUplink + " --csv /nowhere/at/all.csv").exit_code, 1);
}
TEST(Sim, SaysEveryErrorOfAScenarioAndLeavesWithOne) {
  const std::string path = temporary("bad.conf");
  std::ofstream(path)
      << "bottlenecks = ( { name = \"l\"; queue = { rate = 12; }; } );\nflows = ( { nam = \"b\"; } );\n";
  const Outcome outcome = run("run " + path, kErrorsOnly);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.output.find(path + ":1: error: bottlenecks[l].queue.rate: "), std::string::npos);
  EXPECT_NE(outcome.output.find(path + ":2: error: flows[0].nam: unknown key; did you mean \"name\"?"),
            std::string::npos);
  EXPECT_EQ(run("run " + path).output, "");
  std::filesystem::remove(path);
  EXPECT_EQ(run("run " + path).exit_code, 1);
}
TEST(Sim, TuneAnswersWithLinesToPaste) {
  const Outcome outcome = run("tune --rtts 20ms,80ms --rate 10mbit --flows 2 --seconds 2 -j");
  EXPECT_EQ(outcome.exit_code, 0);
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_TRUE(json["recommended"]["config"].get<std::string>().starts_with("target = \""));
  EXPECT_GT(json["rows"].size(), 20u);
  EXPECT_EQ(run("tune --rtts /nowhere/rtts --rate 10mbit").exit_code, 1);
}
TEST(Sim, TuneSaysWhereThereIsNothingToChoose) {
  const Outcome outcome = run("tune --rtts 20ms,80ms --rate 64kbit --seconds 1", kErrorsOnly);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.output.find("leave target and interval to their defaults"), std::string::npos) << outcome.output;
}

TEST(Sim, WritesOverNothingThatItReads) {
  const std::string rtts = testing::TempDir() + "sojourn-rtts";
  std::ofstream(rtts) << "20ms\n";
  for (const char* option : {" --csv ", " --trace "}) {
    const Outcome outcome = run("tune --rtts " + rtts + " --rate 10mbit" + option + rtts, kErrorsOnly);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.output.find("over its own input"), std::string::npos) << outcome.output;
  }
  std::string kept;
  std::getline(std::ifstream(rtts) >> std::ws, kept);
  EXPECT_EQ(kept, "20ms");
  EXPECT_EQ(run("standing --csv " + rtts + "-x --trace " + rtts + "-x").exit_code, 1);
  for (const char* seed : {"-1", "010x", "''", "18446744073709551616"}) {
    EXPECT_EQ(run("standing --seconds 1 --seed " + std::string(seed)).exit_code, 2) << seed;
  }
}

TEST(Sim, MisuseLeavesWithTwo) {
  for (const char* arguments : {"", "run", "standign", "standing --seconds 0", "standing --seed x",
                                "tune --rate 10mbit", "tune --rtts 20ms,80ms", "tune --rtts 80ms,20ms --rate 10mbit",
                                "tune --rtts 20ms,80ms --rate 10", "tune --rtts 20ms,80ms --rate 1bit",
                                "tune --rtts 20ms,80ms --rate 10mbit --sender renoo", "standing --trace-every 10"})
    EXPECT_EQ(run(arguments).exit_code, 2) << arguments;
}
TEST(Sim, ListsKeysAndHelp) {
  for (const char* arguments : {"list", "keys", "--help", "tune --help"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments;
    EXPECT_GT(outcome.output.size(), 100u) << arguments;
  }
}
TEST(Sim, OutputThatCannotBeWrittenIsNotSuccess) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  EXPECT_EQ(run(kUplink, "2>/dev/null >/dev/full").exit_code, 1);
}

}  // namespace
