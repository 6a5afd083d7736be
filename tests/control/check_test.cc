// The tool as its user runs it: exit codes and what is printed where.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace {

struct Outcome {
  int exit_code = -1;
  std::string output;
};

// `redirect` picks the stream that is read.
Outcome run(const std::string& arguments, const std::string& redirect = "2>/dev/null") {
  Outcome outcome;
  FILE* pipe = popen(("'" SOJOURN_TOOL "' " + arguments + ' ' + redirect).c_str(), "r");
  std::array<char, 4096> buffer;
  for (size_t got; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) outcome.output.append(buffer.data(), got);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}
constexpr const char* kErrorsOnly = "2>&1 >/dev/null";

std::string example(const std::string& name) {
  return "'" SOJOURN_SOURCE_DIR "/examples/" + name + "'";
}

TEST(Check, PrintsWhatIsInForceAndLeavesWithZero) {
  for (const char* name : {"gateway.conf", "edge.conf", "lab.conf"}) {
    const Outcome outcome = run("check " + example(name));
    EXPECT_EQ(outcome.exit_code, 0) << name;
    EXPECT_NE(outcome.output.find("burst in force"), std::string::npos) << name;
    EXPECT_EQ(run("check " + example(name), kErrorsOnly).output, "") << name;
  }
}
TEST(Check, PrintsJson) {
  for (const char* flag : {"-j", "--json"}) {
    const Outcome outcome = run("check " + std::string(flag) + ' ' + example("gateway.conf"));
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(nlohmann::json::parse(outcome.output)["wires"][0]["egress"]["rate_bps"], 40'000'000);
  }
}
// CASES LQ-13: exit code not 0, file and line, all errors at once.
TEST(Check, SaysEveryErrorWithFileAndLineAndLeavesWithOne) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("sojourn_check_test." + std::to_string(getpid()))).string();
  std::ofstream(path) << "ports = (\n  { name = \"a\"; device = \"eth0\"; }\n);\nhugepages = \"of\";\n";
  const Outcome errors = run("check " + path, kErrorsOnly);
  EXPECT_EQ(errors.exit_code, 1);
  EXPECT_NE(errors.output.find(path + ":2: error: ports[a].device: is no DPDK device"), std::string::npos);
  EXPECT_NE(errors.output.find(path + ":4: error: hugepages: unknown word \"of\""), std::string::npos);
  EXPECT_NE(errors.output.find(path + ": error: wires: is missing"), std::string::npos);
  EXPECT_EQ(run("check " + path).output, "");
  std::filesystem::remove(path);
  EXPECT_EQ(run("check " + path).exit_code, 1);
}
TEST(Usage, ThatIsWrongLeavesWithTwo) {
  for (const char* arguments : {"", "check", "chekc x", "check a b", "check --unknown x"})
    EXPECT_EQ(run(arguments).exit_code, 2) << arguments;
}
TEST(Usage, HelpAndVersionLeaveWithZero) {
  EXPECT_EQ(run("--help").exit_code, 0);
  EXPECT_EQ(run("check --help").exit_code, 0);
  EXPECT_EQ(run("--version").output, "sojourn " SOJOURN_VERSION "\n");
}
TEST(Output, ThatCannotBeWrittenIsNotSuccess) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  EXPECT_EQ(run("check " + example("gateway.conf"), "2>/dev/null >/dev/full").exit_code, 1);
}

}  // namespace
