// dnctl and ipfw lines, word by word.
#include "tests/control/import_bench.h"

namespace sojourn::imports {
namespace {

constexpr Duration ms(int64_t n) {
  return {n * 1'000'000};
}

// FIELD, the gateway: one upload at 40 to 45 Mbit/s behind an FQ-CoDel limiter.
TEST(ImportDummynet, TakesTheGatewaysLimiter) {
  const Imported i = from_dummynet(
      "dnctl pipe 1 config bw 40Mb queue 1000 droptail\n"
      "dnctl sched 1 config pipe 1 type fq_codel target 5ms interval 100ms quantum 300 limit 10240 flows 20480 noecn\n"
      "dnctl queue 1 config pipe 1 droptail\n");
  EXPECT_FALSE(i.has_lost) << i.said;
  const Parameters& p = i.egress();
  EXPECT_EQ(p.rate.value, 40'000'000u);
  EXPECT_EQ(p.aqm, Aqm::kCodel);
  EXPECT_EQ(p.isolation, Isolation::kFlows);
  EXPECT_EQ(p.target, ms(5));
  EXPECT_EQ(p.interval, ms(100));
  EXPECT_EQ(p.quantum_bytes, 300u);
  EXPECT_EQ(p.limit_packets, 10240u);
  EXPECT_EQ(p.flows, 32768u);
  EXPECT_FALSE(p.ecn);
  EXPECT_EQ(p.overhead_bytes, -14);  // IP packets are what dummynet counts
  EXPECT_TRUE(i.says("its queue size has no effect with fq_codel"));
}
// FIELD, the gateway's first trap: defaults that read 0 until a module is loaded.
TEST(ImportDummynet, TargetAndIntervalOfZeroAreTheDefaults) {
  const Imported i =
      from_dummynet("ipfw sched 1 config pipe 1 type fq_codel target 0 interval 0\nipfw pipe 1 config bw 40Mbit/s");
  EXPECT_TRUE(i.has_lost);
  EXPECT_EQ(i.egress().target, ms(5));
  EXPECT_EQ(i.egress().interval, ms(100));
  EXPECT_TRUE(i.says("no equivalent: sched 1 fq_codel: target 0 is a value that was never set"));
}
// CASES DN-4: where dummynet's 32 bits end.
TEST(ImportDummynet, RatesAreExactTo400Gbit) {
  for (const auto& [text, bps] : {std::pair<const char*, uint64_t>{"1Kbit/s", 1'000},
                                  {"10Gbit/s", 10'000'000'000},
                                  {"100Gbit/s", 100'000'000'000},
                                  {"400Gbit/s", 400'000'000'000},
                                  {"4294967295", 4'294'967'295},
                                  {"4294967296", 4'294'967'296},
                                  {"400000000000", 400'000'000'000},
                                  {"40Mbit/s", 40'000'000},
                                  {"40mbit/s", 40'000'000},
                                  {"40Mb", 40'000'000},
                                  {"40MB", 320'000'000},
                                  {"5MByte/s", 40'000'000},
                                  {"5Mbytes/s", 40'000'000},
                                  {"64KByte/s", 512'000},
                                  {"9600bit/s", 9'600},
                                  {"9600bps", 9'600},
                                  {"803Kbit/s", 803'000},
                                  {"512Kb", 512'000},
                                  {"1000000b", 1'000'000},
                                  {"40M", 40'000'000}}) {
    const Imported i = from_dummynet("ipfw pipe 1 config bw " + std::string(text));
    EXPECT_FALSE(i.has_lost) << i.said;
    EXPECT_EQ(i.egress().rate.value, bps) << text;
    EXPECT_EQ(i.says("more than dummynet's 32 bits hold"), bps > UINT32_MAX) << text;
  }
}
TEST(ImportDummynet, RefusesWhatIpfwWouldCutShort) {
  for (const char* text :
       {"4.5Mbit/s", "010Mbit/s", "40Mbitz", "40Tbit/s", "40Mfoo", "-40", "99999999999999999999", ".5M"})
    EXPECT_TRUE(from_dummynet("ipfw pipe 1 config bw " + std::string(text)).text.empty()) << text;
  EXPECT_TRUE(from_dummynet("pipe 1 config bw 4.5Mbit/s").says("is cut at the point by ipfw"));
  EXPECT_TRUE(from_dummynet("pipe 1 config bw em0").says("no equivalent: pipe 1: \"bw em0\""));
  EXPECT_EQ(from_dummynet("pipe 1 config bw 0").egress().rate, kUnlimited);
}
TEST(ImportDummynet, TimesAreMilliseconds) {
  for (const auto& [text, us] : {std::pair<const char*, int64_t>{"8", 8'000},
                                 {"8ms", 8'000},
                                 {"8000us", 8'000},
                                 {"1s", 1'000'000},
                                 {"1.5", 1'500},
                                 {"2MS", 2'000}})
    EXPECT_EQ(from_dummynet("pipe 1 config bw 1Gbit/s codel target " + std::string(text)).egress().target.ns, us * 1000)
        << text;
  EXPECT_TRUE(from_dummynet("pipe 1 config bw 1Gbit/s codel target 5usec").text.empty());
}
TEST(ImportDummynet, CodelOnAPipeIsOneQueueWithoutEcn) {
  const Imported i = from_dummynet("pipe 1 config bw 40Mbit/s queue 500 codel target 12 interval 200ms");
  EXPECT_EQ(i.egress().isolation, Isolation::kNone);
  EXPECT_EQ(i.egress().aqm, Aqm::kCodel);
  EXPECT_EQ(i.egress().limit_packets, 500u);
  EXPECT_FALSE(i.egress().ecn);
  EXPECT_TRUE(from_dummynet("pipe 1 config bw 40Mbit/s codel ecn").egress().ecn);
}
TEST(ImportDummynet, FqCodelMarksUnlessToldOtherwise) {
  EXPECT_TRUE(from_dummynet("pipe 1 config bw 40Mbit/s type fq_codel").egress().ecn);
  EXPECT_FALSE(from_dummynet("pipe 1 config bw 40Mbit/s type fq_codel noecn").egress().ecn);
}
TEST(ImportDummynet, APlainPipeIsDropTail) {
  const Imported i = from_dummynet("ipfw pipe 1 config bw 40Mbit/s");
  EXPECT_EQ(i.egress().aqm, Aqm::kNone);
  EXPECT_EQ(i.egress().isolation, Isolation::kNone);
  EXPECT_EQ(i.egress().limit_packets, 50u);
  EXPECT_EQ(from_dummynet("pipe 1 config bw 40Mbit/s queue 100Kbytes").egress().limit_packets, 69u);
  EXPECT_EQ(from_dummynet("pipe 1 config bw 40Mbit/s queue 3000B").egress().limit_packets, 2u);
  EXPECT_EQ(from_dummynet("pipe 1 config bw 40Mbit/s burst 64k").egress().burst_bytes, 65536u);
}
TEST(ImportDummynet, DelayAndLossAreALabPath) {
  const Imported i = from_dummynet("pipe 1 config bw 40Mbit/s delay 50 plr 0.01");
  ASSERT_EQ(i.config.lab.size(), 1u);
  EXPECT_EQ(i.config.lab[0].port, "outside");
  EXPECT_EQ(i.config.lab[0].delay, ms(50));
  EXPECT_EQ(i.config.lab[0].loss.value, 10'000'000u);
  EXPECT_FALSE(i.has_lost) << i.said;
  EXPECT_TRUE(from_dummynet("pipe 1 config bw 40Mbit/s plr 1.5").text.empty());
}
TEST(ImportDummynet, NamesWhatHasNoEquivalent) {
  for (const auto& [line, said] :
       {std::pair{"pipe 1 config bw 9M mask dst-ip 0xffffffff",
                  "pipe 1: \"mask dst-ip 0xffffffff\": a limit for every host"},
        {"pipe 1 config bw 9M mask src-ip6 /128 src-ip 0xffffff00", "\"mask src-ip6 /128 src-ip 0xffffff00\""},
        {"pipe 1 config bw 9M red 0.002/10/30/0.1", "RED with \"0.002/10/30/0.1\""},
        {"pipe 1 config bw 9M gred 0.002/10/30/0.1", "RED with"},
        {"pipe 1 config bw 9M profile file", "\"profile file\""},
        {"pipe 1 config bw 9M pie target 20 tupdate 30 alpha 1 beta 2 max_burst 150 max_ecnth 0.1 onoff dre",
         "\"tupdate 30\""},
        {"pipe 1 config bw 9M type fq_pie flows 512", "\"fq_pie\": PIE has no equivalent"},
        {"pipe 1 config bw 9M type qfq", "scheduler \"qfq\""},
        {"pipe 1 config bw 9M\nqueue 1 config pipe 1 weight 30\nqueue 2 config pipe 1", "queue 1: \"weight 30\""},
        {"pipe 1 config bw 9M\nqueue 1 config pipe 1 pri 2 lmax 1500", "\"pri 2\""},
        {"pipe 1 config bw 9M\nqueue 1 config pipe 1 mask dst-ip 0xffffffff",
         "queue 1: \"mask dst-ip 0xffffffff\": a share"},
        {"pipe 1 config bw 9M\nipfw add 10 pipe 1 tcp from any to any 80 out", "not only what it matches"},
        {"pipe 1 config bw 9M\nipfw add 10 allow ip from any to any", "steers nothing here"},
        {"pipe 1 config bw 9M\nipfw add 10 pipe tablearg ip from any to any", "chosen by a table"},
        {"sysctl net.inet.ip.dummynet.io_fast=1\npipe 1 config bw 9M", "only pipes, scheds, queues"}}) {
    const Imported i = from_dummynet(line);
    EXPECT_TRUE(i.has_lost) << line;
    EXPECT_TRUE(i.says(said)) << line << '\n' << i.said;
  }
}
TEST(ImportDummynet, AWeightWithoutPeersIsNoLoss) {
  EXPECT_FALSE(from_dummynet("pipe 1 config bw 9M\nqueue 1 config pipe 1 weight 30").has_lost);
  EXPECT_FALSE(from_dummynet(
                   "pipe 1 config bw 9M type fq_codel\nqueue 1 config pipe 1 weight 30\nqueue 2 config pipe 1 weight 3")
                   .has_lost);
}
TEST(ImportDummynet, MaskAllOfAQueueIsFlowIsolation) {
  const Imported i = from_dummynet("pipe 1 config bw 9M\nqueue 1 config pipe 1 mask all");
  EXPECT_EQ(i.egress().isolation, Isolation::kFlows);
  EXPECT_FALSE(i.has_lost) << i.said;
}
TEST(ImportDummynet, DirectionsAreToldByRulesByOptionsOrByOrder) {
  const std::string pipes =
      "ipfw pipe 1 config bw 200Mbit/s type fq_codel\nipfw pipe 2 config bw 40Mbit/s type fq_codel\n";
  EXPECT_EQ(from_dummynet(pipes).egress().rate.value, 200'000'000u);
  EXPECT_EQ(from_dummynet(pipes).ingress().rate.value, 40'000'000u);
  const Imported rules = from_dummynet(
      pipes + "ipfw add 1 pipe 1 ip from any to any in via em0\nipfw add 2 pipe 2 ip from any to any out via em0\n");
  EXPECT_EQ(rules.egress().rate.value, 40'000'000u);
  EXPECT_FALSE(rules.has_lost) << rules.said;
  const Imported told = from_dummynet(pipes, {.inside = {}, .outside = {}, .egress = "2", .ingress = "1"});
  EXPECT_EQ(told.egress().rate.value, 40'000'000u);
  EXPECT_EQ(told.ingress().rate.value, 200'000'000u);
  EXPECT_TRUE(from_dummynet(pipes, {.inside = {}, .outside = {}, .egress = "3", .ingress = {}})
                  .says("there is no limiter \"3\""));
  EXPECT_TRUE(from_dummynet(pipes + "pipe 3 config bw 1M")
                  .says("in:3: warning: no equivalent: pipe 3: a wire has two directions"));
}
// CASES LQ-13: orphans, with what they belong to.
TEST(ImportDummynet, NothingIsAcceptedAndIgnored) {
  for (const char* text : {"ipfw",
                           "ipfw pipe",
                           "ipfw pipe 0 config bw 1M",
                           "ipfw pipe x config",
                           "ipfw pipe 1",
                           "ipfw pipe 1 cofig bw 1M",
                           "pipe 1 config bw",
                           "pipe 1 config bv 1M",
                           "pipe 1 config bw 1M bw 2M",
                           "pipe 1 config bw 1M type",
                           "pipe 1 config bw 1M type cake",
                           "pipe 1 config bw 1M codel limit 5",
                           "pipe 1 config bw 1M codel bw 1M",
                           "pipe 1 config bw 1M type fq_codel targt 5ms",
                           "pipe 1 config bw 1M mask",
                           "pipe 1 config bw 1M mask dst-ip",
                           "pipe 1 config bw 1M queue 0",
                           "pipe 1 config bw 1M delay x",
                           "pipe 1 config bw 1M weight x",
                           "queue 1 config pipe 1",
                           "sched 1 config type fq_codel",
                           "ipfw flush",
                           "ipwf pipe 1 config bw 1M",
                           "pipe 1 config bw 1M queue queue"})
    EXPECT_TRUE(from_dummynet(text).text.empty()) << text;
  EXPECT_TRUE(from_dummynet("pipe 1 config bw 1M type fq_codel targt 5ms")
                  .says("in:1: error: pipe 1 fq_codel has no word \"targt\"; did you mean \"target\"?"));
  EXPECT_TRUE(from_dummynet("queue 1 config pipe 7").says("belongs to pipe 7, which is not in the input"));
}

}  // namespace
}  // namespace sojourn::imports
