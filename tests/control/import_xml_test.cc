// config.xml of pfSense and OPNsense.
#include "tests/control/import_bench.h"

namespace sojourn::imports {
namespace {

std::string pfsense(const std::string& inside) {
  return "<?xml version=\"1.0\"?>\n<pfsense>\n<version>22.9</version>\n" + inside + "\n</pfsense>\n";
}
std::string limiter(const std::string& name, int number, const std::string& bw, const std::string& more = "") {
  const std::string n = std::to_string(number);
  return "<queue><name>" + name + "</name><number>" + n +
         "</number><qlimit>1000</qlimit><plr></plr><description></description><bandwidth><item><bw>" + bw +
         "</bw><burst></burst><bwscale>Mb</bwscale><bwsched>none</bwsched></item></bandwidth><enabled>on</"
         "enabled><buckets></buckets><mask>none</mask>"
         "<maskbits></maskbits><maskbitsv6></maskbitsv6><delay>0</delay><sched>fq_codel</sched><aqm>droptail</"
         "aqm><ecn></ecn>"
         "<param_fq_codel_target>5</param_fq_codel_target><param_fq_codel_interval>100</param_fq_codel_interval>"
         "<param_fq_codel_quantum>300</param_fq_codel_quantum><param_fq_codel_limit>10240</param_fq_codel_limit>"
         "<param_fq_codel_flows>1024</param_fq_codel_flows>" +
         more + "<queue><name>" + name + "Queue</name><number>" + n +
         "</number><qlimit></qlimit><weight></weight><enabled>on</enabled>"
         "<mask>none</mask><aqm>droptail</aqm></queue></queue>\n";
}

// FIELD, the gateway: upload and download, each a limiter with a queue.
TEST(ImportPfsense, TakesLimitersOfBothDirectionsByTheirNames) {
  const Imported i =
      from_dummynet(pfsense("<dnshaper>\n" + limiter("WANDown", 1, "200") + limiter("WANUp", 2, "40") + "</dnshaper>"));
  EXPECT_FALSE(i.has_lost) << i.said;
  EXPECT_EQ(i.egress().rate.value, 40'000'000u);
  EXPECT_EQ(i.ingress().rate.value, 200'000'000u);
  EXPECT_EQ(i.egress().quantum_bytes, 300u);
  EXPECT_EQ(i.egress().isolation, Isolation::kFlows);
  EXPECT_FALSE(i.egress().ecn);
  EXPECT_EQ(i.egress().overhead_bytes, -14);
  EXPECT_TRUE(i.says("in:6: note: WANUp is taken for `egress` by its name")) << i.said;
}
TEST(ImportPfsense, OptionsChooseByNameOfLimiterOrQueue) {
  const std::string text =
      pfsense("<dnshaper>" + limiter("a", 1, "200") + limiter("b", 2, "40") + limiter("c", 3, "10") + "</dnshaper>");
  const Imported i = from_dummynet(text, {.inside = "em1", .outside = "em0", .egress = "b", .ingress = "cQueue"});
  EXPECT_EQ(i.egress().rate.value, 40'000'000u);
  EXPECT_EQ(i.ingress().rate.value, 10'000'000u);
  EXPECT_TRUE(i.says("no equivalent: a: a wire has two directions"));
  EXPECT_TRUE(from_dummynet(text, {.inside = {}, .outside = {}, .egress = "bb", .ingress = {}})
                  .says("there is no limiter \"bb\"; did you mean \"b\"?"));
}
TEST(ImportPfsense, RulesTellDirections) {
  const Imported i = from_dummynet(pfsense(
      "<dnshaper>" + limiter("a", 1, "200") + limiter("b", 2, "40") +
      "</dnshaper><filter><rule><descr>all</descr><interface>wan</interface><direction>out</direction>"
      "<dnpipe>bQueue</dnpipe><pdnpipe>aQueue</pdnpipe></rule><rule><interface>lan</interface></rule></filter>"));
  EXPECT_EQ(i.egress().rate.value, 40'000'000u);
  EXPECT_EQ(i.ingress().rate.value, 200'000'000u);
  EXPECT_TRUE(i.says("no equivalent: rule \"all\" on wan"));
}
TEST(ImportPfsense, NamesWhatHasNoEquivalentAndWhatIsOff) {
  std::string masked = limiter("up", 1, "40");
  masked.replace(masked.find("<mask>none"), 10, "<mask>srcaddress");
  EXPECT_TRUE(from_dummynet(pfsense("<dnshaper>" + masked + "</dnshaper>"))
                  .says("\"mask src-ip 0xffffffff\": a limit for every host"));
  std::string scheduled = limiter("up", 1, "40");
  scheduled.replace(scheduled.find("<bwsched>none"), 13, "<bwsched>night");
  EXPECT_TRUE(from_dummynet(pfsense("<dnshaper>" + scheduled + "</dnshaper>")).says("does not follow a schedule"));
  EXPECT_TRUE(from_dummynet(pfsense("<dnshaper>" + limiter("up", 1, "40", "<novelty>5</novelty>") + "</dnshaper>"))
                  .says("<novelty>5: is not read"));
  std::string off = limiter("up", 1, "40");
  off.replace(off.find("<enabled>on</enabled>"), 21, "");
  EXPECT_TRUE(from_dummynet(pfsense("<dnshaper>" + off + "</dnshaper>")).says("holds no limiter that is enabled"));
  EXPECT_TRUE(from_dummynet(pfsense("<shaper><queue><name>wan</name></queue></shaper>")).says("ALTQ"));
}
TEST(ImportPfsense, WithoutLimitersSaysSo) {
  for (const char* inside : {"", "<dnshaper/>", "<dnshaper></dnshaper>", "<OPNsense><TrafficShaper/></OPNsense>"}) {
    const Imported i = from_dummynet(pfsense(inside));
    EXPECT_TRUE(i.text.empty());
    EXPECT_TRUE(i.says("holds no limiters")) << i.said;
  }
}
TEST(ImportPfsense, RefusesWhatIpfwWould) {
  EXPECT_TRUE(
      from_dummynet(pfsense("<dnshaper>" + limiter("up", 1, "4.5") + "</dnshaper>")).says("is cut at the point"));
  EXPECT_TRUE(from_dummynet(pfsense("<dnshaper>" + limiter("up", 0, "4") + "</dnshaper>")).says("must be at least 1"));
}

constexpr const char* kOpnsense = R"(<?xml version="1.0"?>
<opnsense><OPNsense><TrafficShaper version="1.0.3"><pipes>
<pipe uuid="p1"><number>10000</number><enabled>1</enabled><bandwidth>300</bandwidth><bandwidthMetric>Mbit</bandwidthMetric><queue/>
<mask>none</mask><buckets/><scheduler>fq_codel</scheduler><codel_enable>0</codel_enable><codel_target>8</codel_target><codel_interval>80</codel_interval>
<codel_ecn_enable>1</codel_ecn_enable><pie_enable>0</pie_enable><fqcodel_quantum>1000</fqcodel_quantum><fqcodel_limit>2000</fqcodel_limit>
<fqcodel_flows>512</fqcodel_flows><origin>TrafficShaper</origin><delay/><description>first</description></pipe>
<pipe uuid="p2"><number>10001</number><enabled>1</enabled><bandwidth>5</bandwidth><bandwidthMetric>Gbit</bandwidthMetric><queue>70</queue>
<mask>none</mask><scheduler/><codel_enable>1</codel_enable><codel_target/><codel_interval/><codel_ecn_enable>0</codel_ecn_enable>
<pie_enable>0</pie_enable><description>second</description></pipe>
<pipe uuid="p3"><number>10002</number><enabled>0</enabled><bandwidth>1</bandwidth><bandwidthMetric>Kbit</bandwidthMetric><description>third</description></pipe>
</pipes><queues>
<queue uuid="q1"><number>10000</number><enabled>1</enabled><pipe>p1</pipe><weight>100</weight><mask>none</mask><codel_enable>0</codel_enable><description>q</description></queue>
</queues><rules>
<rule uuid="r1"><enabled>1</enabled><sequence>1</sequence><interface>wan</interface><proto>ip</proto><source>any</source><src_port>any</src_port>
<destination>any</destination><dst_port>any</dst_port><direction>in</direction><target>q1</target><description>down</description></rule>
<rule uuid="r2"><enabled>1</enabled><interface>wan</interface><proto>tcp</proto><source>any</source><destination>10.0.0.0/8</destination>
<direction>out</direction><target>p2</target><description>up</description></rule>
</rules></TrafficShaper></OPNsense></opnsense>
)";

TEST(ImportOpnsense, TakesPipesQueuesAndTheDirectionsOfRules) {
  const Imported i = from_dummynet(kOpnsense);
  const Parameters& p = i.ingress();
  EXPECT_EQ(p.rate.value, 300'000'000u) << i.said;
  EXPECT_EQ(p.target.ns, 8'000'000);
  EXPECT_EQ(p.interval.ns, 80'000'000);
  EXPECT_TRUE(p.ecn);
  EXPECT_EQ(p.quantum_bytes, 1000u);
  EXPECT_EQ(p.limit_packets, 2000u);
  EXPECT_EQ(p.flows, 512u);
  EXPECT_EQ(i.egress().rate.value, 5'000'000'000u);  // CASES DN-4
  EXPECT_EQ(i.egress().isolation, Isolation::kNone);
  EXPECT_EQ(i.egress().limit_packets, 70u);
  EXPECT_FALSE(i.egress().ecn);
  EXPECT_TRUE(i.says("pipe \"third\" is not enabled"));
  EXPECT_TRUE(i.says("note: queue \"q\": \"weight 100\"")) << i.said;
  EXPECT_TRUE(i.says("note: rule \"down\""));
  EXPECT_TRUE(i.says("no equivalent: rule \"up\""));
}
TEST(ImportXml, RefusesWhatIsNone) {
  for (const char* text : {"<", "<a>", "<a><b></a>", "<pfsense><dnshaper>", "<?xml?>",
                           "<!DOCTYPE x [<!ENTITY a \"b\">]><pfsense>&a;</pfsense>"})
    EXPECT_TRUE(from_dummynet(text).text.empty()) << text;
}

}  // namespace
}  // namespace sojourn::imports
