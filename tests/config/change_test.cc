// What differs between two configurations, and one value set in one.
#include <gtest/gtest.h>

#include "config/difference.h"
#include "config/keys.h"
#include "config/setting.h"

namespace sojourn {
namespace {

std::string text(const std::string& egress, const std::string& rest = "") {
  return "# kept\nports = ( { name = \"lan\"; device = \"net_ring0\"; }, { name = \"wan\"; device = \"net_ring1\"; } "
         ");\n"
         "wires = ( { name = \"home\"; inside = \"lan\"; outside = \"wan\";\n"
         "  egress = { " +
         egress + " };  # the uplink\n  ingress = { rate = \"100mbit\"; }; } );\n" + rest;
}

Config config(const std::string& egress, const std::string& rest = "") {
  const Result result = parse(text(egress, rest), "t.conf");
  EXPECT_TRUE(result.ok()) << to_string(result.errors[0], "error");
  return result.config;
}

const Difference* find(const std::vector<Difference>& list, const std::string& name) {
  for (const Difference& d : list) {
    if (d.name == name) return &d;
  }
  return nullptr;
}

TEST(Differences, OfEqualConfigurationsAreNone) {
  EXPECT_TRUE(differences(config("rate = \"40mbit\";"), config("rate = \"40000kbit\"; target = \"5ms\";")).empty());
}

TEST(Differences, NameTheKeyAndBothValues) {
  const auto list = differences(config("rate = \"40mbit\";"), config("rate = \"38mbit\"; ecn = false;"));
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0], (Difference{"wires[home].egress.rate", "\"40mbit\"", "\"38mbit\"", false}));
  EXPECT_EQ(list[1], (Difference{"wires[home].egress.ecn", "true", "false", false}));
  EXPECT_EQ(list[2].name, "wires[home].egress.burst in force");
}

TEST(Differences, SayWhatFollowsFromThem) {
  const auto list = differences(config("rate = \"40mbit\";"), config("rate = \"1mbit\";"));
  const Difference* target = find(list, "wires[home].egress.target in force");
  ASSERT_NE(target, nullptr);
  EXPECT_EQ(target->from, "5ms");
  EXPECT_EQ(target->to, "18.168ms");
}

TEST(Differences, KnowWhatNeedsARestart) {
  Config one = config("rate = \"40mbit\";"), other = one;
  other.ports[0].rx_descriptors = 256;
  other.ports[1].device = "net_ring7";
  other.wires[0].inside = "wan";
  other.control.socket = "/run/else";
  other.worker.core = 1;
  other.hash_seed = 4;
  other.hugepages = Hugepages::kOff;
  other.lab.emplace_back().port = "wan";
  const auto list = differences(one, other);
  EXPECT_EQ(list.size(), 8u);
  for (const Difference& d : list) EXPECT_TRUE(d.needs_restart) << d.name;
  EXPECT_NE(find(list, "lab[wan]"), nullptr);
  other = one;
  other.wires[0].name = "away";
  EXPECT_EQ(differences(one, other).size(), 2u) << "one wire gone, one new";
}

TEST(Differences, OfAWireThatAreLive) {
  Config one = config("rate = \"40mbit\";"), other = one;
  other.wires[0].link_loss_forwarding = false;
  other.wires[0].egress.parameters.shaping = false;
  other.on_error = OnError::kWire;
  const auto list = differences(one, other);
  ASSERT_EQ(list.size(), 3u);
  for (const Difference& d : list) EXPECT_FALSE(d.needs_restart) << d.name;
  EXPECT_NE(find(list, "wires[home].link_loss_forwarding"), nullptr);
}

Result set(const std::string& key, const std::string& value, const std::string& direction = "egress",
           const std::string& wire = "") {
  return with_setting(config("rate = \"40mbit\";"), {wire, direction, key, value});
}

TEST(Setting, TakesTheWordsOfTc) {
  EXPECT_EQ(set("rate", "38mbit").config.wires[0].egress.parameters.rate.value, 38'000'000u);
  EXPECT_EQ(set("rate", "unlimited", "ingress").config.wires[0].ingress.parameters.rate, kUnlimited);
  EXPECT_EQ(set("flows", "2048").config.wires[0].egress.parameters.flows, 2048u);
  EXPECT_FALSE(set("ecn", "off").config.wires[0].egress.parameters.ecn);
  EXPECT_FALSE(set("shaping", "off").config.wires[0].egress.parameters.shaping);
  EXPECT_TRUE(set("shaping", "on").config.wires[0].egress.parameters.shaping);
  EXPECT_FALSE(set("ce_threshold", "off").config.wires[0].egress.parameters.ce_threshold);
  EXPECT_EQ(set("overhead", "-4b").config.wires[0].egress.parameters.overhead_bytes, -4);
  EXPECT_EQ(set("isolation", "none").config.wires[0].egress.parameters.isolation, Isolation::kNone);
  EXPECT_FALSE(set("burst", "default").config.wires[0].egress.parameters.burst_bytes);
}

// CASES DN-2, DS-8: every key of a direction, one by one: what was set is what is read back, and it is live.
TEST(Setting, OfEveryKeyIsReadBack) {
  const std::pair<const char*, const char*> values[] = {
      {"rate", "38mbit"},    {"burst", "9000b"},   {"overhead", "-4b"},     {"mpu", "64b"},
      {"flows", "2048"},     {"quantum", "3028b"}, {"limit", "5000"},       {"memory", "16mb"},
      {"isolation", "none"}, {"hash", "outer"},    {"aqm", "none"},         {"target", "8ms"},
      {"interval", "60ms"},  {"ecn", "false"},     {"ce_threshold", "2ms"}, {"bypass_limit", "3mbit"},
      {"shaping", "false"}};
  const Config before = config("rate = \"40mbit\";");
  size_t keys = 1;  // `preset` only fills in others
  for (const auto& [key, value] : values) {
    const Result result = set(key, value);
    ASSERT_TRUE(result.ok()) << key << ": " << to_string(result.errors[0], "error");
    const auto list = differences(before, result.config);
    const Difference* d = find(list, std::string("wires[home].egress.") + key);
    ASSERT_NE(d, nullptr) << key << " is not read back";
    std::string after = d->to;
    std::erase(after, '"');
    EXPECT_EQ(after, value) << key;
    EXPECT_FALSE(d->needs_restart) << key;
    ++keys;
  }
  EXPECT_EQ(keys, direction_keys().size()) << "a key that this test leaves out";
}

// CASES CK-9: whichever core does the work, a direction has the same keys, and a change the same names.
TEST(Setting, HasTheSameNameWhateverTheCore) {
  for (const char* core : {"", "worker = { core = 0; };\n", "worker = { core = 7; };\n"}) {
    const Result result = with_setting(config("rate = \"40mbit\";", core), {"", "egress", "rate", "38mbit"});
    ASSERT_TRUE(result.ok()) << core << to_string(result.errors[0], "error");
    const auto list = differences(config("rate = \"40mbit\";", core), result.config);
    ASSERT_NE(find(list, "wires[home].egress.rate"), nullptr) << core;
    for (const Difference& d : list) EXPECT_TRUE(d.name.starts_with("wires[home].egress.")) << core << d.name;
  }
}

TEST(Setting, IsRefusedByName) {
  const auto reason = [](const Result& r) { return r.errors.empty() ? "" : to_string(r.errors[0], "error"); };
  EXPECT_NE(reason(set("rat", "1mbit")).find("did you mean \"rate\""), std::string::npos)
      << reason(set("rat", "1mbit"));
  EXPECT_NE(reason(set("flows", "1000")).find("nearest is 1024"), std::string::npos);
  EXPECT_NE(reason(set("rate", "38")).find("wires[home].egress.rate"), std::string::npos);
  EXPECT_NE(reason(set("burst", "100b")).find("wires[home].egress.burst"), std::string::npos)
      << "rules between keys hold";
  EXPECT_NE(reason(set("rate", "1mbit", "egress", "away")).find("no wire \"away\"; there is: home"), std::string::npos);
  EXPECT_FALSE(set("rate", "1mbit", "sideways").ok());
  EXPECT_FALSE(set("preset", "edge").ok());
  EXPECT_FALSE(set("rate", "default").ok());
  EXPECT_FALSE(set("", "").ok());
}

TEST(Edited, ReplacesTheValueAndNothingElse) {
  const std::string before = text("rate = \"40mbit\"; target = \"5ms\";");
  const Edited after = edited(before, "t.conf", {"", "egress", "rate", "38mbit"});
  EXPECT_EQ(after.error, "");
  EXPECT_EQ(after.text, text("rate = \"38mbit\"; target = \"5ms\";"));
  EXPECT_EQ(edited(before, "t.conf", {"home", "egress", "target", "7ms"}).text,
            text("rate = \"40mbit\"; target = \"7ms\";"));
}

TEST(Edited, AddsWhatWasLeftToTheDefault) {
  const Edited after = edited(text("rate = \"40mbit\";"), "t.conf", {"", "egress", "flows", "2048"});
  EXPECT_EQ(after.error, "");
  EXPECT_NE(after.text.find("egress = { flows = 2048; rate = \"40mbit\"; };  # the uplink"), std::string::npos)
      << after.text;
}

// The same key of both directions and in a comment on one line: only the right one is taken.
TEST(Edited, FindsTheRightOneOfSeveralOnALine) {
  const std::string before =
      "ports = ( { name = \"lan\"; device = \"net_ring0\"; }, { name = \"wan\"; device = \"net_ring1\"; } );\n"
      "wires = ( { name = \"w\"; inside = \"lan\"; outside = \"wan\"; /* rate = \"1mbit\"; */ egress = { rate = "
      "\"2mbit\"; }; "
      "ingress : { rate : \"2mbit\" } } );\n";
  std::string wanted = before;
  wanted.replace(wanted.rfind("2mbit"), 5, "3mbit");
  EXPECT_EQ(edited(before, "t", {"", "ingress", "rate", "3mbit"}).text, wanted);
}

TEST(Edited, SaysWhatToDoWhereItCannotBeWritten) {
  const std::string macro =
      "ports = ( { name = \"lan\"; device = \"net_ring0\"; }, { name = \"wan\"; device = \"net_ring1\"; } );\n"
      "wires = ( { name = \"w\"; inside = \"lan\"; outside = \"wan\"; egress = { rate = \"2mbit\"; }; } );\n";
  const Edited no_group = edited(macro, "t", {"", "ingress", "rate", "3mbit"});
  EXPECT_NE(no_group.error.find("wires[w].ingress.rate = \"3mbit\" by hand"), std::string::npos) << no_group.error;
  EXPECT_FALSE(edited("rubbish", "t", {"", "egress", "rate", "3mbit"}).error.empty());
}

}  // namespace
}  // namespace sojourn
