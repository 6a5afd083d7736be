#include "config/effective.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "config/manual.h"

namespace sojourn {
namespace {

std::string example(const std::string& name) {
  return std::string(SOJOURN_SOURCE_DIR) + "/examples/" + name;
}

constexpr const char* kEverything = R"(
ports = (
  { name = "lan"; device = "0000:3b:00.0"; mtu = 9000; rx_descriptors = 256; tx_descriptors = 128; },
  { name = "wan"; device = "net_pcap0,rx_pcap=a \"b\".pcap\\"; mtu = 1280; }
);
wires = ( { name = "home"; inside = "lan"; outside = "wan";
  link_loss_forwarding = false;
  egress = { preset = "edge"; shaping = false; rate = "1.234567mbit"; burst = "9014b"; overhead = "-4b"; mpu = "84b"; flows = 4;
    quantum = "300b"; limit = 7000; memory = "100kb";
    isolation = "none"; hash = "outer"; aqm = "none";
    target = "1.5ms"; interval = "3ms"; ecn = false; ce_threshold = "1ms"; };
  ingress = { rate = "1mbit"; }; } );
lab = ( { port = "wan"; rate = "45mbit"; buffer = "3375kb"; delay = "12ms"; jitter = "1ms"; loss = "0.0000001%";
  reorder = "1%"; reorder_delay = "3ms"; seed = 9;
  timetable = ( { at = "30s"; every = "60s"; rate = "unlimited"; delay = "22ms"; jitter = "0s"; loss = "100%"; },
                { at = "0s"; loss = "0%"; } ); },
  { port = "lan"; buffer = "5p"; } );
control = { socket = "/run/x"; };
worker = { core = 3; };
hash_seed = 12;
hugepages = "off";
on_error = "wire";
)";

void expect_round_trip(const Result& first) {
  ASSERT_TRUE(first.ok()) << to_string(first.errors[0], "error");
  const std::string text = effective_text(first.config);
  const Result again = parse(text, "effective");
  ASSERT_TRUE(again.ok()) << to_string(again.errors[0], "error") << '\n' << text;
  EXPECT_EQ(again.config, first.config);
  EXPECT_EQ(effective_text(again.config), text);
}

TEST(EffectiveText, ParsesBackToAnEqualConfig) {
  std::string everything = kEverything;
  everything.replace(everything.find("a \\\"b\\\".pcap\\\\"), 14, "a\\\"b.pcap\\\\");
  expect_round_trip(parse(everything, "everything"));
  for (const char* name : {"gateway.conf", "edge.conf", "lab.conf"}) expect_round_trip(load(example(name)));
}
TEST(EffectiveText, ShowsWhatIsDerived) {
  const std::string text = effective_text(parse(R"(
    ports = ( { name = "a"; device = "net_ring0"; }, { name = "b"; device = "net_ring1"; } );
    wires = ( { name = "w"; inside = "a"; outside = "b"; egress = { rate = "1mbit"; interval = "20ms"; }; } );)",
                                                "t")
                                              .config);
  for (const char* line : {"target = \"5ms\";  # in force: 18.168ms (1.5 MTU at 1mbit)",
                           "interval = \"20ms\";  # in force: 36.336ms (two targets)",
                           "# burst in force: 3028b (the larger of two MTU frames and 1 ms at 1mbit, at most 64kb)",
                           "quantum = \"1514b\";  # one MTU frame", "rate = \"unlimited\";"})
    EXPECT_NE(text.find(line), std::string::npos) << line << '\n' << text;
}
TEST(EffectiveJson, CarriesUnitsAndNulls) {
  const auto json = nlohmann::json::parse(effective_json(load(example("gateway.conf")).config));
  const auto& egress = json["wires"][0]["egress"];
  EXPECT_EQ(egress["rate_bps"], 40'000'000);
  EXPECT_EQ(egress["target_ns"], 5'000'000);
  EXPECT_EQ(egress["target_in_force_ns"], 5'000'000);
  EXPECT_EQ(egress["burst_in_force_bytes"], 5'000);
  EXPECT_EQ(egress["limit_packets"], 10'240);
  EXPECT_EQ(egress["memory_bytes"], 32 << 20);
  EXPECT_TRUE(egress["burst_bytes"].is_null());
  EXPECT_TRUE(json["wires"][0]["ingress"]["rate_bps"].is_null());
  EXPECT_EQ(json["control"]["socket"], "/run/sojourn/control.sock");
}
TEST(Examples, AreGoodAndQuiet) {
  for (const char* name : {"gateway.conf", "edge.conf", "lab.conf"}) {
    const Result result = load(example(name));
    EXPECT_TRUE(result.ok()) << name;
    EXPECT_TRUE(result.warnings.empty()) << name << to_string(result.warnings[0], "warning");
  }
}

}  // namespace
}  // namespace sojourn
