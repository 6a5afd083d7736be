// What is still run of a configuration that is wrong.
#include "config/fail_open.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

std::string text(const std::string& egress, const std::string& wire = "", const std::string& rest = "") {
  return "ports = ( { name = \"lan\"; device = \"net_ring0\"; }, { name = \"wan\"; device = \"net_ring1\"; } );\n"
         "wires = ( { name = \"home\"; inside = \"lan\"; outside = \"wan\"; " +
         wire + "\n  egress = { " + egress + " };\n  ingress = { rate = \"100mbit\"; }; } );\n" + rest;
}

const std::string kWire = "on_error = \"wire\";\n";

TEST(FailOpen, RunsTheFaultyDirectionUnshapedAndTheOtherAsItIs) {
  const Result result = parse(text("rate = \"10 bananas\"; flows = 1000;", "", kWire), "t.conf");
  ASSERT_EQ(result.errors.size(), 2u);
  const auto config = fail_open(result);
  ASSERT_TRUE(config);
  EXPECT_FALSE(config->wires[0].egress.parameters.shaping);
  EXPECT_EQ(config->wires[0].egress.fault.find("t.conf:3: error: wires[home].egress.rate: "), 0u)
      << config->wires[0].egress.fault;
  EXPECT_TRUE(config->wires[0].ingress.parameters.shaping);
  EXPECT_EQ(config->wires[0].ingress.parameters.rate.value, 100'000'000u);
  EXPECT_EQ(config->wires[0].ingress.fault, "");
}

// CASES VP-4: else what is asked for and cannot be had is refused.
TEST(FailOpen, IsAskedFor) {
  EXPECT_FALSE(fail_open(parse(text("rate = \"10 bananas\";"), "t")));
  EXPECT_FALSE(fail_open(parse(text("rate = \"10 bananas\";", "", "on_error = \"refuse\";"), "t")));
  EXPECT_FALSE(fail_open(parse(text("rate = \"10 bananas\";", "", "on_error = \"wires\";"), "t")));
}

TEST(FailOpen, CoversWhateverIsWithinADirection) {
  for (const char* egress : {"", "flows = 4;", "rate = \"1mbit\"; rat = 1;", "rate = \"1mbit\"; burst = \"100b\";",
                             "preset = \"none such\";", "rate = \"1mbit\"; shaping = 3;"}) {
    const Result result = parse(text(egress, "", kWire), "t");
    EXPECT_FALSE(result.ok()) << egress;
    EXPECT_TRUE(fail_open(result)) << egress;
  }
}

TEST(FailOpen, RefusesWhatIsWrongElsewhere) {
  EXPECT_FALSE(fail_open(parse(text("rate = \"1mbit\";", "insid = 3;", kWire), "t")));
  EXPECT_FALSE(fail_open(parse(text("rate = \"no\";", "", kWire + "hugepages = \"perhaps\";"), "t")));
  EXPECT_FALSE(fail_open(parse(text("rate = \"no\";", "egres = { };", kWire), "t")));
  EXPECT_FALSE(fail_open(parse(kWire + "rubbish", "t")));
  EXPECT_FALSE(fail_open(parse(kWire, "t")));
  std::string twins = text("rate = \"no\";", "", kWire);
  twins.replace(twins.find("\"wan\""), 5, "\"lan\"");
  EXPECT_FALSE(fail_open(parse(twins, "t")));
}

TEST(Unshaped, IsEveryDirectionWithItsFault) {
  const Config config = unshaped(parse(text("rate = \"1mbit\"; flows = 1048576; limit = 4000000;"), "t").config, "why");
  for (const DirectionConfig& d : {config.wires[0].egress, config.wires[0].ingress}) {
    EXPECT_FALSE(d.parameters.shaping);
    EXPECT_EQ(d.parameters.flows, Parameters{}.flows);
    EXPECT_EQ(d.fault, "why");
  }
}

}  // namespace
}  // namespace sojourn
