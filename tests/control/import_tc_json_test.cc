// What `tc -j qdisc show` prints.
#include "tests/control/import_bench.h"

namespace sojourn::imports {
namespace {

// CoDel in Linux shows 5 ms as 4999 us.
TEST(ImportTcJson, ReadsFqCodelWithItsTimesAsTheyWereSet) {
  const Imported i = from_tc(
      R"([{"kind":"noqueue","handle":"0:","dev":"lo","root":true,"refcnt":2,"options":{}},
{"kind":"fq_codel","handle":"8001:","dev":"eth0","root":true,"refcnt":2,"options":{"limit":10240,"flows":1024,"quantum":1514,
"target":4999,"interval":99999,"memory_limit":33554432,"ecn":true,"drop_batch":64},"bytes":12,"packets":1,"drops":0,"maxpacket":0}])");
  EXPECT_FALSE(i.has_lost) << i.said;
  EXPECT_EQ(i.egress().target.ns, 5'000'000);
  EXPECT_EQ(i.egress().interval.ns, 100'000'000);
  EXPECT_TRUE(i.egress().ecn);
  EXPECT_TRUE(i.says("in:2: note: fq_codel: \"drop_batch 64\"")) << i.said;
  // Without the word it is off.
  EXPECT_FALSE(from_tc(R"([{"kind":"fq_codel","dev":"eth0","root":true,"options":{"limit":1000}}])").egress().ecn);
}
TEST(ImportTcJson, ReadsCake) {
  const Imported i = from_tc(
      R"([{"kind":"cake","handle":"8005:","dev":"eth0","root":true,"refcnt":2,"options":{"bandwidth":2500000000,"diffserv":"besteffort",
"flowmode":"flows","nat":false,"wash":false,"ingress":false,"ack-filter":"disabled","split_gso":true,"rtt":30000,"raw":false,"atm":"noatm",
"overhead":38,"mpu":84,"memlimit":8388608,"fwmark":0},"memory_used":0,"tins":[{"threshold_rate":1}]}])");
  EXPECT_FALSE(i.has_lost) << i.said;
  EXPECT_EQ(i.egress().rate.value, 20'000'000'000u);
  EXPECT_EQ(i.egress().interval.ns, 30'000'000);
  EXPECT_EQ(i.egress().overhead_bytes, 24);
  EXPECT_EQ(i.egress().mpu_bytes, 84u);
  EXPECT_EQ(i.egress().memory_bytes, 8u << 20);
  const Imported raw = from_tc(
      R"([{"kind":"cake","dev":"eth0","root":true,"options":{"bandwidth":"unlimited","diffserv":"diffserv3","flowmode":"triple-isolate",
"nat":true,"wash":true,"ingress":false,"ack-filter":"aggressive","split_gso":true,"rtt":100000,"overhead":-4,"raw":true}}])");
  EXPECT_EQ(raw.egress().rate, kUnlimited);
  EXPECT_EQ(raw.egress().overhead_bytes, -4);
  for (const char* word : {"diffserv3", "triple-isolate", "nat", "wash", "ack-filter-aggressive"})
    EXPECT_TRUE(raw.says("no equivalent: cake: \"" + std::string(word) + '"')) << word;
}
TEST(ImportTcJson, ReadsTbfHtbAndClasses) {
  const Imported tbf = from_tc(
      R"([{"kind":"tbf","handle":"1:","dev":"eth0","root":true,"options":{"rate":5000000,"burst":32765,"lat":50000}}])");
  EXPECT_EQ(tbf.egress().rate.value, 40'000'000u);
  EXPECT_EQ(tbf.egress().burst_bytes, 32765u);
  const std::string qdiscs =
      R"([{"kind":"htb","handle":"1:","dev":"eth0","root":true,"options":{"r2q":10,"default":"0x10","direct_packets_stat":0,"direct_qlen":1000}},
{"kind":"fq_codel","handle":"10:","dev":"eth0","parent":"1:10","options":{"target":7999,"ecn":true}}])";
  const Imported without = from_tc(qdiscs);
  EXPECT_TRUE(without.says("the rate is of its classes, which are not in the input"));
  EXPECT_EQ(without.egress().rate, kUnlimited);
  EXPECT_EQ(without.egress().target.ns, 8'000'000);
  const Imported with =
      from_tc(qdiscs + R"([{"class":"htb","handle":"1:10","dev":"eth0","root":true,"leaf":"10","prio":0,
"rate":50000000000,"ceil":50000000000,"burst":1600,"cburst":1600,"stats":{"bytes":1}}])");
  EXPECT_FALSE(with.has_lost) << with.said;
  EXPECT_EQ(with.egress().rate.value, 400'000'000'000u);
}
TEST(ImportTcJson, ReadsMqAndWhatAMachineHasByDefault) {
  const std::string child = R"({"kind":"fq_codel","handle":"0:","dev":"eth0","parent":":)";
  const Imported i = from_tc(
      R"([{"kind":"pfifo_fast","dev":"eth1","root":true,"options":{"bands":3,"priomap":[1,2],"multiqueue":false}},
{"kind":"mq","handle":"0:","dev":"eth0","root":true,"options":{}},)" +
      child + R"(2","options":{"limit":5000,"ecn":true}},)" + child +
      R"(1","options":{"limit":5000,"ecn":true}},{"kind":"clsact","handle":"ffff:","dev":"eth0","parent":"ffff:fff1","options":{}}])");
  EXPECT_EQ(i.egress().limit_packets, 5000u) << i.said;
  EXPECT_TRUE(i.says("mq: each of 2 hardware queues"));
  EXPECT_FALSE(i.has_lost) << i.said;
}
// Of many interfaces with the default qdisc, those that shape are the wire.
TEST(ImportTcJson, PrefersWhatHasARate) {
  const Imported i = from_tc(
      R"([{"kind":"fq_codel","dev":"eth0","root":true,"options":{"limit":10}},{"kind":"fq_codel","dev":"eth1","root":true,"options":{"limit":10}},
{"kind":"cake","dev":"eth2","root":true,"options":{"bandwidth":5000000,"diffserv":"besteffort","flowmode":"flows"}}])");
  EXPECT_EQ(i.egress().rate.value, 40'000'000u);
  EXPECT_EQ(i.config.ports[1].device, "net_af_xdp1,iface=eth2");
}
TEST(ImportTcJson, RefusesWhatIsNone) {
  for (const char* text : {"[", "[{", "[{\"kind\":\"cake\"", "[}", "{}", "[]", "[{}]", "[1]", "[[]]", "[{\"kind\":5}]",
                           "[{\"kind\":\"cake\"}] tail", "[]]", "[nonsense]",
                           "[{\"kind\":\"cake\",\"root\":true,\"options\":{\"bandwith\":5}}]",
                           "[{\"kind\":\"fq_codel\",\"root\":true,\"options\":{\"target\":\"x\"}}]",
                           "[{\"kind\":\"fq_codel\",\"root\":true,\"dev\":\"a\\nb\",\"options\":{}}]",
                           "[{\"dev\":\"eth0\"}]", "[\"\xff\"]"})
    EXPECT_TRUE(from_tc(text).text.empty()) << text;
  EXPECT_TRUE(
      from_tc("[{\"kind\":\"cake\",\"root\":true,\"options\":{\"bandwith\":5}}]").says("did you mean \"bandwidth\"?"));
}

}  // namespace
}  // namespace sojourn::imports
