// The tool as its user runs it: exit codes, files, and what `sojourn check` says of what was written.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

struct Outcome {
  int exit_code = -1;
  std::string output;
};

Outcome shell(const std::string& command) {
  Outcome outcome;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  for (size_t got; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) outcome.output.append(buffer.data(), got);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

std::string contents(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

class ImportTool : public testing::Test {
 protected:
  ImportTool() {
    directory_ =
        (std::filesystem::temp_directory_path() / ("sojourn_import_test." + std::to_string(getpid()))).string();
    std::filesystem::create_directory(directory_);
  }
  ~ImportTool() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ + '/' + name; }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  static Outcome run(const std::string& arguments, const std::string& redirect = "2>/dev/null") {
    return shell("'" SOJOURN_TOOL "' import " + arguments + ' ' + redirect);
  }

  std::string directory_;
};
constexpr const char* kWhole = "tc qdisc add dev eth0 root cake bandwidth 40mbit besteffort flows\n";
constexpr const char* kPartly = "tc qdisc add dev eth0 root cake bandwidth 40mbit\n";

TEST_F(ImportTool, WritesToStandardOutputWhatCheckAccepts) {
  const Outcome whole = run("tc " + file("in", kWhole));
  EXPECT_EQ(whole.exit_code, 0);
  const std::string conf = file("conf", whole.output);
  EXPECT_EQ(shell("'" SOJOURN_TOOL "' check " + conf + " 2>/dev/null").exit_code, 0);
  EXPECT_EQ(shell("'" SOJOURN_TOOL "' import tc <" + path("in") + " 2>/dev/null").exit_code, 0);
  EXPECT_EQ(shell("'" SOJOURN_TOOL "' import tc - <" + path("in") + " 2>/dev/null").exit_code, 0);
}
TEST_F(ImportTool, ExitCodesSayHowMuchWasTranslated) {
  const std::string partly = file("partly", kPartly),
                    bad = file("bad", "tc qdisc add dev eth0 root cake bandwith 1mbit\n");
  EXPECT_EQ(run("tc " + partly).exit_code, 3);
  EXPECT_NE(
      run("tc " + partly, "2>&1 >/dev/null").output.find(partly + ":1: warning: no equivalent: cake: \"diffserv3\""),
      std::string::npos);
  EXPECT_EQ(run("tc " + bad).exit_code, 1);
  EXPECT_EQ(run("tc " + bad).output, "");
  EXPECT_NE(run("tc " + bad, "2>&1 >/dev/null").output.find(bad + ":1: error: cake has no word \"bandwith\""),
            std::string::npos);
  EXPECT_EQ(run("tc " + path("absent")).exit_code, 1);
  EXPECT_EQ(run("tc " + directory_).exit_code, 1);
  EXPECT_EQ(run("dummynet " + file("lines", "pipe 1 config bw 10Gbit/s type fq_codel\n")).exit_code, 0);
  for (const char* usage : {"", "cisco x", "tc a b", "tc --unknown", "tc --inside 'a b' x", "tc --egress up x",
                            "dummynet --outside /dev/null x"})
    EXPECT_EQ(run(usage).exit_code, 2) << usage;
  EXPECT_EQ(run("--help").exit_code, 0);
  EXPECT_EQ(run("tc --help").exit_code, 0);
}
TEST_F(ImportTool, OverwritesOnlyWhenTold) {
  const std::string in = file("in", kWhole), out = path("out.conf");
  EXPECT_EQ(run("tc " + in + " --out " + out).exit_code, 0);
  EXPECT_NE(contents(out).find("rate = \"40mbit\""), std::string::npos);
  std::ofstream(out) << "precious";
  EXPECT_EQ(run("tc " + in + " --out " + out).exit_code, 1);
  EXPECT_EQ(contents(out), "precious");
  EXPECT_EQ(run("tc " + in + " --force --out " + out).exit_code, 0);
  EXPECT_NE(contents(out).find("rate = \"40mbit\""), std::string::npos);
  EXPECT_EQ(run("tc " + in + " --force --out " + in).exit_code, 1);
  EXPECT_EQ(contents(in), kWhole);
  EXPECT_EQ(run("tc " + in + " --out " + path("no/such/place")).exit_code, 1);
}
TEST_F(ImportTool, LeavesNothingBehindWhenItRefuses) {
  const std::string bad = file("bad", "tc qdisc add dev eth0 root nonsense\n"), out = path("out.conf");
  EXPECT_EQ(run("tc " + bad + " --out " + out).exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(out));
}
TEST_F(ImportTool, WhatNeverEndsIsRefused) {
  if (!std::filesystem::exists("/dev/zero") || !std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev";
  EXPECT_EQ(run("tc /dev/zero").exit_code, 1);
  EXPECT_EQ(run("tc " + file("in", kWhole), "2>/dev/null >/dev/full").exit_code, 1);
}

}  // namespace
