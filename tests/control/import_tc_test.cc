// tc's commands, word by word. Every command line of the field is here.
#include "tests/control/import_bench.h"

namespace sojourn::imports {
namespace {

constexpr Duration ms(int64_t n) {
  return {n * 1'000'000};
}

// FIELD, edge egress.
TEST(ImportFqCodel, TakesEveryWordOfTheFieldsCommand) {
  const Imported i = from_tc(
      "tc qdisc replace dev eth0 root fq_codel target 8ms interval 40ms quantum 1500 limit 10240 flows 65536 ecn");
  EXPECT_FALSE(i.has_lost) << i.said;
  const Parameters& p = i.egress();
  EXPECT_EQ(p.rate, kUnlimited);
  EXPECT_EQ(p.target, ms(8));
  EXPECT_EQ(p.interval, ms(40));
  EXPECT_EQ(p.quantum_bytes, 1500u);
  EXPECT_EQ(p.limit_packets, 10240u);
  EXPECT_EQ(p.flows, 65536u);
  EXPECT_TRUE(p.ecn);
  EXPECT_TRUE(i.says("egress has no rate: \"unlimited\" is written"));
  EXPECT_EQ(i.config.ports[1].device, "net_af_xdp1,iface=eth0");
  EXPECT_EQ(i.config.ports[0].device, "net_af_xdp0,iface=FILL_IN_INSIDE");
  EXPECT_TRUE(i.says("the device of port \"inside\" is a placeholder"));
}
// FIELD, edge egress: tc itself refuses cake's `ecn`.
TEST(ImportCake, TakesTheFieldsFragment) {
  const Imported i = from_tc("cake bandwidth 20gbit diffserv3 flows rtt 30ms memlimit 64Mbit ecn wash");
  const Parameters& p = i.egress();
  EXPECT_EQ(p.rate.value, 20'000'000'000u);
  EXPECT_EQ(p.interval, ms(30));
  EXPECT_EQ(p.target.ns, 1'500'000);
  EXPECT_EQ(p.memory_bytes, 8u << 20);  // 64 x 1024 x 1024 bits
  EXPECT_EQ(p.isolation, Isolation::kFlows);
  EXPECT_TRUE(p.ecn);
  EXPECT_EQ(p.overhead_bytes, 0);
  EXPECT_TRUE(i.has_lost);
  EXPECT_TRUE(i.says("in:1: warning: no equivalent: cake: \"diffserv3\""));
  EXPECT_TRUE(i.says("in:1: warning: no equivalent: cake: \"wash\""));
  EXPECT_TRUE(i.says("\"ecn\": is no word of cake's"));
}
TEST(ImportCake, WithAllThatHasAnEquivalentLosesNothing) {
  const Imported i = from_tc(
      "tc qdisc add dev eth0 root cake bandwidth 40mbit besteffort flows nonat nowash no-ack-filter "
      "split-gso noatm raw egress");
  EXPECT_FALSE(i.has_lost) << i.said;
  EXPECT_EQ(i.egress().rate.value, 40'000'000u);
  EXPECT_EQ(i.egress().interval, ms(100));
  EXPECT_EQ(i.egress().quantum_bytes, 1220u);  // 5 MB/s >> 12
}
TEST(ImportCake, NamesItsDefaultsThatHaveNoEquivalent) {
  const Imported i = from_tc("tc qdisc add dev eth0 root cake bandwidth 40mbit");
  EXPECT_TRUE(i.says("\"diffserv3\", its default"));
  EXPECT_TRUE(i.says("\"triple-isolate\", its default"));
}
// Beside the IP packet, of which an Ethernet frame has 14 bytes more; after `raw`, beside the frame.
TEST(ImportCake, OverheadCountsBesideTheFrame) {
  struct Case {
    const char* words;
    int32_t overhead;
    uint32_t mpu;
  };
  for (const Case& c : {Case{"ethernet", 24, 84},
                        {"docsis", 4, 64},
                        {"overhead 44 mpu 84", 30, 84},
                        {"overhead 14", 0, 0},
                        {"overhead 0", -14, 0},
                        {"raw", 0, 0},
                        {"raw overhead 24", 24, 0},
                        {"raw ethernet", 38, 84},
                        {"ethernet ether-vlan ether-vlan", 32, 84},
                        {"overhead -20", -34, 0},
                        {"noatm", 0, 0}}) {
    const Imported i =
        from_tc("tc qdisc add dev eth0 root cake bandwidth 40mbit besteffort flows " + std::string(c.words));
    EXPECT_FALSE(i.has_lost) << i.said;
    EXPECT_EQ(i.egress().overhead_bytes, c.overhead) << c.words;
    EXPECT_EQ(i.egress().mpu_bytes, c.mpu) << c.words;
  }
}
TEST(ImportCake, CellsHaveNoEquivalentAndOverheadHas) {
  for (const auto& [word, overhead] : {std::pair{"conservative", 34},
                                       {"pppoe-vcmux", 18},
                                       {"pppoe-llcsnap", 26},
                                       {"bridged-vcmux", 10},
                                       {"bridged-llcsnap", 18},
                                       {"pppoa-vcmux", -4},
                                       {"pppoa-llc", 0},
                                       {"ipoa-vcmux", -6},
                                       {"ipoa-llcsnap", 2},
                                       {"pppoe-ptm", 16},
                                       {"bridged-ptm", 8}}) {
    const Imported i = from_tc("tc qdisc add dev eth0 root cake bandwidth 9mbit besteffort flows " + std::string(word));
    EXPECT_TRUE(i.says("cells are not counted")) << word;
    EXPECT_EQ(i.egress().overhead_bytes, overhead) << word;
  }
}
TEST(ImportCake, EveryWordWithoutEquivalentIsNamed) {
  for (const char* word : {"autorate-ingress", "diffserv3", "diffserv4", "diffserv8", "precedence", "srchost",
                           "dsthost", "hosts", "dual-srchost", "dual-dsthost", "triple-isolate", "nat", "wash",
                           "no-split-gso", "ack-filter", "ack-filter-aggressive", "ptm", "atm", "ingress"}) {
    const Imported i = from_tc("tc qdisc add dev eth0 root cake bandwidth 40mbit " + std::string(word));
    EXPECT_TRUE(i.says("no equivalent: cake: \"" + std::string(word) + '"')) << word << '\n' << i.said;
  }
  EXPECT_TRUE(from_tc("cake bandwidth 1gbit fwmark 0xff").says("no equivalent: cake: \"fwmark 0xff\""));
}
TEST(ImportCake, RttsAreIntervalsWithATwentiethAsTarget) {
  for (const auto& [word, interval_us] : {std::pair<const char*, int64_t>{"datacentre", 100},
                                          {"lan", 1'000},
                                          {"metro", 10'000},
                                          {"regional", 30'000},
                                          {"internet", 100'000},
                                          {"oceanic", 300'000},
                                          {"satellite", 1'000'000},
                                          {"rtt 50ms", 50'000},
                                          {"rtt 50000", 50'000}}) {
    const Imported i = from_tc("cake bandwidth 1gbit besteffort flows " + std::string(word));
    EXPECT_EQ(i.egress().interval.ns, interval_us * 1000) << word;
    EXPECT_EQ(i.egress().target.ns, interval_us * 50) << word;
  }
  EXPECT_EQ(from_tc("cake bandwidth 1gbit besteffort flows interplanetary").egress().aqm, Aqm::kNone);
  EXPECT_EQ(from_tc("cake bandwidth 1gbit besteffort flowblind").egress().isolation, Isolation::kNone);
}
// CASES DN-4: 64 bits, exact.
TEST(ImportRate, IsExactInEveryUnit) {
  for (const auto& [text, bps] : {std::pair<const char*, uint64_t>{"1kbit", 1'000},
                                  {"10gbit", 10'000'000'000},
                                  {"100gbit", 100'000'000'000},
                                  {"400Gbit", 400'000'000'000},
                                  {"0.4tbit", 400'000'000'000},
                                  {"4294967296", 4'294'967'296},
                                  {"5000000bps", 40'000'000},
                                  {"5mbps", 40'000'000},
                                  {"640kbps", 5'120'000},
                                  {"40Mibit", 41'943'040},
                                  {"40Kibit", 40'960},
                                  {"1.5mbit", 1'500'000},
                                  {"50gbps", 400'000'000'000},
                                  {"2MiBps", 16'777'216}}) {
    const Imported i = from_tc("cake besteffort flows bandwidth " + std::string(text));
    EXPECT_EQ(i.egress().rate.value, bps) << text;
  }
}
TEST(ImportRate, BeyondWhatIsTakenIsSaidWithTheNearest) {
  const Imported i = from_tc("cake besteffort flows bandwidth 800gbit");
  EXPECT_TRUE(i.says("rate 800gbit is out of range; nearest is 400gbit"));
  EXPECT_EQ(i.egress().rate.value, 400'000'000'000u);
  for (const char* text : {"50%", "fast", "40mbits", "-4mbit", "1e9", "0", "unlimited"})
    EXPECT_TRUE(from_tc("cake besteffort flows bandwidth " + std::string(text)).text.empty()) << text;
}
TEST(ImportFqCodel, TakesEveryOption) {
  const Imported i = from_tc(
      "tc qdisc add dev eth0 root fq_codel memory_limit 16Mb ce_threshold 1ms noecn drop_batch 32 "
      "flows 1000 target 5000");
  EXPECT_EQ(i.egress().memory_bytes, 16u << 20);
  EXPECT_EQ(i.egress().ce_threshold, ms(1));
  EXPECT_FALSE(i.egress().ecn);
  EXPECT_EQ(i.egress().flows, 1024u);
  EXPECT_EQ(i.egress().target, ms(5));
  EXPECT_TRUE(i.says("flows 1000 is no power of two; 1024 is written"));
  EXPECT_TRUE(i.says("drop_batch 32"));
  EXPECT_TRUE(i.says("no equivalent: fq_codel: ce_threshold has no effect without ecn"));
  EXPECT_TRUE(from_tc("fq_codel ce_threshold_selector 0x1/0x3").has_lost);
}
// FIELD: the gateway's first trap, defaults that read 0.
TEST(ImportFqCodel, TargetAndIntervalOfZeroAreTheDefaults) {
  const Imported i = from_tc("fq_codel target 0 interval 0ms");
  EXPECT_TRUE(i.has_lost);
  EXPECT_EQ(i.egress().target, ms(5));
  EXPECT_EQ(i.egress().interval, ms(100));
}
TEST(ImportCodel, IsOneQueueWithItsOwnDefaults) {
  const Imported i = from_tc("tc qdisc add dev eth0 root codel target 4ms");
  EXPECT_EQ(i.egress().isolation, Isolation::kNone);
  EXPECT_EQ(i.egress().limit_packets, 1000u);
  EXPECT_FALSE(i.egress().ecn);
  EXPECT_EQ(i.egress().target, ms(4));
  EXPECT_FALSE(i.has_lost) << i.said;
}
TEST(ImportPie, BecomesCodelAndSaysSo) {
  const Imported i =
      from_tc("tc qdisc add dev eth0 root pie limit 500 target 20ms tupdate 30ms alpha 2 beta 20 ecn bytemode");
  EXPECT_EQ(i.egress().aqm, Aqm::kCodel);
  EXPECT_EQ(i.egress().limit_packets, 500u);
  EXPECT_EQ(i.egress().isolation, Isolation::kNone);
  EXPECT_TRUE(i.egress().ecn);
  EXPECT_EQ(i.egress().target, ms(5));
  for (const char* word : {"target 20ms", "tupdate 30ms", "alpha 2", "beta 20", "bytemode"})
    EXPECT_TRUE(i.says("no equivalent: pie: \"" + std::string(word) + '"')) << word;
  EXPECT_EQ(from_tc("fq_pie flows 2048 quantum 300 memory_limit 4mb ecn_prob 5").egress().flows, 2048u);
}
TEST(ImportTbf, IsARateABurstAndAQueueWithoutAqm) {
  const Imported i = from_tc("tc qdisc add dev eth0 root tbf rate 40mbit burst 32kbit latency 400ms");
  EXPECT_EQ(i.egress().rate.value, 40'000'000u);
  EXPECT_EQ(i.egress().burst_bytes, 4096u);
  EXPECT_EQ(i.egress().aqm, Aqm::kNone);
  EXPECT_EQ(i.egress().isolation, Isolation::kNone);
  EXPECT_EQ(i.egress().limit_packets, (2'000'000u + 4096 + 1513) / 1514);
  EXPECT_EQ(from_tc("tbf rate 1mbit burst 10k/8 limit 15140").egress().limit_packets, 10u);
  EXPECT_TRUE(from_tc("tbf rate 1mbit burst 10k limit 15k peakrate 2mbit mtu 1540")
                  .says("no equivalent: tbf: \"peakrate 2mbit\""));
  EXPECT_TRUE(from_tc("tbf burst 10k limit 15k").says("tbf has no rate"));
  EXPECT_TRUE(from_tc("tbf rate 1mbit limit 15k").says("tbf has no burst"));
  EXPECT_EQ(from_tc("tbf rate 1mbit burst 100 limit 15k").egress().burst_bytes, 1514u);
  EXPECT_EQ(from_tc("tbf rate 1mbit burst 5k limit 15k overhead 4 mpu 64").egress().overhead_bytes, 4);
}
TEST(ImportTbf, WithAChildIsTheRateInFrontOfIt) {
  const Imported i = from_tc(
      "tc qdisc add dev eth0 root handle 1: tbf rate 40mbit burst 32kb latency 50ms\n"
      "tc qdisc add dev eth0 parent 1:1 fq_codel quantum 300\n");
  EXPECT_EQ(i.egress().rate.value, 40'000'000u);
  EXPECT_EQ(i.egress().aqm, Aqm::kCodel);
  EXPECT_EQ(i.egress().isolation, Isolation::kFlows);
  EXPECT_EQ(i.egress().quantum_bytes, 300u);
  EXPECT_EQ(i.egress().limit_packets, 10240u);
}
TEST(ImportHtb, OfOneLeafIsItsRateInFrontOfItsQdisc) {
  const Imported i = from_tc(
      "tc qdisc add dev eth0 root handle 1: htb default 10\n"
      "tc class add dev eth0 parent 1: classid 1:1 htb rate 45mbit ceil 45mbit\n"
      "tc class add dev eth0 parent 1:1 classid 1:10 htb rate 10mbit ceil 40mbit burst 15k cburst 16k\n"
      "tc qdisc add dev eth0 parent 1:10 handle 10: fq_codel target 6ms\n");
  EXPECT_FALSE(i.has_lost) << i.said;
  EXPECT_EQ(i.egress().rate.value, 40'000'000u);
  EXPECT_EQ(i.egress().burst_bytes, 16384u);
  EXPECT_EQ(i.egress().target, ms(6));
  EXPECT_EQ(i.egress().isolation, Isolation::kFlows);
}
// Measured: a class of 1 Mbit/s and ceil 8 Mbit/s right below the qdisc sends 1.
TEST(ImportHtb, AClassWithoutParentSendsAtItsRate) {
  const Imported i = from_tc(
      "tc qdisc add dev eth0 root handle 1: htb default 10\n"
      "tc class add dev eth0 parent 1: classid 1:10 htb rate 5gbit ceil 40gbit overhead 10 mpu 84\n");
  EXPECT_EQ(i.egress().rate.value, 5'000'000'000u);
  EXPECT_TRUE(i.says("ceil 40gbit is out of reach"));
  EXPECT_EQ(i.egress().overhead_bytes, 10);
  EXPECT_EQ(i.egress().mpu_bytes, 84u);
  EXPECT_EQ(i.egress().aqm, Aqm::kNone);
}
TEST(ImportHtb, SeveralLeavesAreNamed) {
  const Imported i = from_tc(
      "tc qdisc add dev eth0 root handle 1: htb default 12\n"
      "tc class add dev eth0 parent 1: classid 1:1 htb rate 40mbit\n"
      "tc class add dev eth0 parent 1:1 classid 1:11 htb rate 10mbit ceil 40mbit prio 1\n"
      "tc class add dev eth0 parent 1:1 classid 1:12 htb rate 20mbit ceil 30mbit prio 2\n"
      "tc qdisc add dev eth0 parent 1:11 fq_codel target 9ms\n"
      "tc qdisc add dev eth0 parent 1:12 fq_codel target 7ms\n"
      "tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip dport 22 0xffff flowid 1:11\n");
  EXPECT_EQ(i.egress().rate.value, 40'000'000u);
  EXPECT_EQ(i.egress().target, ms(7));
  EXPECT_TRUE(i.says("in:3: warning: no equivalent: class 1:11 on eth0"));
  EXPECT_TRUE(i.says("in:5: warning: no equivalent: fq_codel on eth0"));
  EXPECT_TRUE(i.says("in:7: warning: no equivalent: \"tc filter add"));
  EXPECT_TRUE(from_tc("tc class add dev eth0 parent 1: classid 1:1 htb rate 1mbit").says("has no root qdisc"));
  EXPECT_TRUE(
      from_tc("tc qdisc add dev eth0 root handle 1: htb\ntc class add dev eth0 parent 1: classid 1:1 htb ceil 1mbit")
          .says("has no rate"));
  EXPECT_TRUE(
      from_tc("tc qdisc add dev e root handle 1: htb\ntc class add dev e parent 1:2 classid 1:1 htb rate 1mbit\n"
              "tc class add dev e parent 1:1 classid 1:2 htb rate 1mbit\n"
              "tc class add dev e parent 1:1 classid 1:3 htb rate 1mbit")
          .says("below themselves"));
}
TEST(ImportHtb, TheDefaultClassHasTheQueueHoweverItIsWritten) {
  for (const char* minor : {"12", "0x12"}) {
    const Imported i = from_tc("tc qdisc add dev eth0 root handle 1: htb default " + std::string(minor) +
                               "\ntc class add dev eth0 parent 1: classid 1:11 htb rate 10mbit\n"
                               "tc class add dev eth0 parent 1: classid 1:12 htb rate 20mbit\n"
                               "tc qdisc add dev eth0 parent 1:12 fq_codel target 7ms\n");
    EXPECT_EQ(i.egress().target, ms(7)) << minor;
    EXPECT_EQ(i.egress().rate.value, 30'000'000u);
  }
}
// 30 of the class's own, 40 of its parent's, which it borrows; the burst of the one in force is written.
TEST(ImportHtb, TheBurstIsOfTheClassThatHoldsTheRate) {
  const Imported i = from_tc(
      "tc qdisc add dev eth0 root handle 1: stab overhead 4 htb default 10\n"
      "tc class add dev eth0 parent 1: classid 1:1 htb rate 40mbit burst 20k overhead 10\n"
      "tc class add dev eth0 parent 1:1 classid 1:10 htb rate 30mbit ceil 50mbit burst 15k cburst 16k\n"
      "tc qdisc add dev eth0 parent 1:10 fq_codel\n");
  EXPECT_EQ(i.egress().rate.value, 40'000'000u);
  EXPECT_EQ(i.egress().burst_bytes, 20u << 10);
  EXPECT_EQ(i.egress().overhead_bytes, 14);
  EXPECT_TRUE(i.says("class 1:10: burst 15kb is not what holds the rate in force"));
  const Imported own = from_tc(
      "tc qdisc add dev eth0 root handle 1: htb default 10\n"
      "tc class add dev eth0 parent 1: classid 1:1 htb rate 40mbit burst 20k\n"
      "tc class add dev eth0 parent 1:1 classid 1:10 htb rate 60mbit burst 15k\n");
  EXPECT_EQ(own.egress().rate.value, 60'000'000u);
  EXPECT_EQ(own.egress().burst_bytes, 15u << 10);
}
TEST(ImportStab, CountsBesideTheFrame) {
  const Imported i =
      from_tc("tc qdisc add dev eth0 root handle 1: stab overhead 24 mpu 84 linklayer ethernet tsize 128 fq_codel");
  EXPECT_EQ(i.egress().overhead_bytes, 24);
  EXPECT_EQ(i.egress().mpu_bytes, 84u);
  EXPECT_TRUE(from_tc("tc qdisc add dev eth0 root stab linklayer atm overhead 10 fq_codel")
                  .says("no equivalent: fq_codel: \"linklayer atm\""));
}
// What arrives is redirected to another interface: its shaper is for the other direction.
TEST(ImportIfb, IsIngressOfTheInterfaceThatRedirects) {
  const Imported i = from_tc(
      "#!/bin/sh\nset -e\nmodprobe ifb\n"
      "tc qdisc add dev eth0 root cake bandwidth 40mbit besteffort flows\n"
      "tc qdisc add dev eth0 handle ffff: ingress\n"
      "tc qdisc add dev ifb4eth0 root cake bandwidth 200mbit besteffort flows ingress\n"
      "tc filter add dev eth0 parent ffff: protocol all matchall action mirred egress redirect dev ifb4eth0\n");
  EXPECT_EQ(i.egress().rate.value, 40'000'000u);
  EXPECT_EQ(i.ingress().rate.value, 200'000'000u);
  EXPECT_EQ(i.config.ports[1].device, "net_af_xdp1,iface=eth0");
  EXPECT_TRUE(i.says("in:3: warning: no equivalent: command \"modprobe ifb\""));
}
TEST(ImportDevices, TwoInterfacesAreTwoDirections) {
  const std::string text =
      "tc qdisc add dev wan0 root cake bandwidth 40mbit besteffort flows\n"
      "tc qdisc add dev lan0 root cake bandwidth 200mbit besteffort flows\n"
      "tc qdisc add dev opt0 root cake bandwidth 10mbit besteffort flows\n";
  const Imported i = from_tc(text);
  EXPECT_EQ(i.egress().rate.value, 40'000'000u);
  EXPECT_EQ(i.ingress().rate.value, 200'000'000u);
  EXPECT_EQ(i.config.ports[0].device, "net_af_xdp0,iface=lan0");
  EXPECT_TRUE(i.says("in:3: warning: no equivalent: tc: cake on opt0"));
  const Imported other = from_tc(text, {.inside = "wan0", .outside = "lan0", .egress = {}, .ingress = {}});
  EXPECT_EQ(other.egress().rate.value, 200'000'000u);
  EXPECT_EQ(other.ingress().rate.value, 40'000'000u);
  const Imported elsewhere =
      from_tc(text, {.inside = "0000:3b:00.0", .outside = "0000:3b:00.1", .egress = {}, .ingress = {}});
  EXPECT_EQ(elsewhere.egress().rate.value, 40'000'000u);
  EXPECT_EQ(elsewhere.config.ports[0].device, "0000:3b:00.0");
  EXPECT_TRUE(from_tc("fq_codel", {.inside = "a0", .outside = "a0", .egress = {}, .ingress = {}})
                  .says("both ports would be a0"));
}
TEST(ImportDevices, WithoutEthernetCountsIpAndGetsAPlaceholder) {
  const Imported i = from_tc("tc qdisc add dev pppoe-wan root cake bandwidth 40mbit besteffort flows overhead 44");
  EXPECT_EQ(i.egress().overhead_bytes, 30);
  EXPECT_EQ(i.config.ports[1].device, "net_af_xdp1,iface=FILL_IN_OUTSIDE");
  EXPECT_TRUE(i.says("pppoe-wan bears no Ethernet frames"));
  // CASES DN-8: frames of VLANs are shaped with the rest.
  EXPECT_TRUE(from_tc("tc qdisc add dev eth0.7 root fq_codel").says("eth0.7 looks like a VLAN"));
}
TEST(ImportCommands, AreReadAsAShellWould) {
  const Imported i = from_tc(
      "# a comment\nDEV=eth0 sudo -n /sbin/tc -s qdisc replace dev eth0 root \\\n  cake 'bandwidth' \"40mbit\" "
      "besteffort flows 2>/dev/null || true  # behind\n\n");
  EXPECT_EQ(i.egress().rate.value, 40'000'000u) << i.said;
  EXPECT_FALSE(i.has_lost) << i.said;
  EXPECT_EQ(from_tc("qdisc add dev eth0 root codel\r\n").egress().limit_packets, 1000u);
  EXPECT_TRUE(
      from_tc("tc qdisc add dev $IFACE root fq_codel").says("in:1: error: \"$IFACE\" is for a shell to expand"));
  EXPECT_TRUE(from_tc("tc qdisc add dev 'eth0 root fq_codel").says("a quote"));
}
TEST(ImportCommands, LaterOnesChangeEarlierOnes) {
  EXPECT_EQ(from_tc("tc qdisc add dev e root fq_codel target 8ms\ntc qdisc change dev e root fq_codel flows 2048\n")
                .egress()
                .target,
            ms(8));
  EXPECT_EQ(
      from_tc("tc qdisc add dev e root fq_codel target 8ms\ntc qdisc replace dev e root fq_codel\n").egress().target,
      ms(5));
  EXPECT_TRUE(from_tc("tc qdisc add dev e root fq_codel\ntc qdisc del dev e root\n").text.empty());
}
// CASES LQ-13: all errors at once, with line, word and the nearest.
TEST(ImportErrors, NameLineWordAndNearest) {
  const Imported i = from_tc(
      "tc qdisc add dev eth0 root cake bandwith 20mbit\ntc qdisc ad dev eth1 root fq_codel\n"
      "tc qdisc add dev eth2 root fqcodel\ntcc qdisc\n");
  EXPECT_TRUE(i.text.empty());
  EXPECT_TRUE(i.says("in:2: error: \"ad\" is no verb of tc's; did you mean \"add\"?")) << i.said;
  EXPECT_TRUE(i.says("in:3: error: there is no qdisc \"fqcodel\"; did you mean \"fq_codel\"?"));
  EXPECT_TRUE(i.says("in:4: error: \"tcc\" is no command of tc's; did you mean \"tc\"?"));
  EXPECT_TRUE(
      from_tc("cake bandwith 20mbit").says("in:1: error: cake has no word \"bandwith\"; did you mean \"bandwidth\"?"));
}
TEST(ImportErrors, NothingIsAcceptedAndIgnored) {
  for (const char* text : {"fq_codel target",
                           "fq_codel target 5ms target 6ms",
                           "fq_codel limit 10p",
                           "fq_codel limit -5",
                           "fq_codel limit 99999999999999999999",
                           "fq_codel flows 1e3",
                           "fq_codel quantum 1x",
                           "fq_codel bandwidth 4mbit",
                           "codel flows 5",
                           "pie interval 5ms",
                           "cake overhead 300",
                           "cake overhead x",
                           "cake mpu -1",
                           "cake rtt 5 ms",
                           "tbf rate",
                           "htb ceil 4mbit",
                           "tc",
                           "tc qdisc",
                           "tc qdisc add dev",
                           "tc qdisc add dev eth0 root",
                           "tc nothing",
                           "tc -batch file",
                           "tc qdisc fq_codel 8002: dev eth0 root refcnt 2 limit 10240p",
                           "tc qdisc add dev ../x root fq_codel",
                           "tc qdisc add dev eth0 root stab linklayer token fq_codel",
                           "mq what"})
    EXPECT_TRUE(from_tc(text).text.empty()) << text;
  for (const char* kind : {"sfq", "fq", "red", "hfsc", "netem", "prio", "dualpi2"})
    EXPECT_TRUE(from_tc("tc qdisc add dev eth0 root " + std::string(kind) + " some words\ncake")
                    .says("no equivalent: qdisc \"" + std::string(kind) + " some words\""))
        << kind;
}

}  // namespace
}  // namespace sojourn::imports
