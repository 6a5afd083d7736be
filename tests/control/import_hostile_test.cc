// Whatever is read: either a configuration that parse() accepts (imported() holds it), or a reason why there is none.
#include <array>
#include <random>

#include "tests/control/import_bench.h"

namespace sojourn::imports {
namespace {

void try_all(std::string_view text) {
  from_tc(text);
  from_dummynet(text);
}

TEST(ImportHostile, NothingIsRefused) {
  for (const char* text :
       {"", " ", "\n\n", "\xef\xbb\xbf", "# only a comment\n", "\\", "\\\n", "'", ";;;", "2>", ">", "sudo", "a=b"}) {
    EXPECT_TRUE(from_tc(text).text.empty()) << text;
    EXPECT_TRUE(from_dummynet(text).text.empty()) << text;
  }
}
TEST(ImportHostile, BinaryIsRefusedWithItsPlace) {
  const std::string nul("tc qdisc add dev eth0 root fq_codel\n\0x", 38);
  EXPECT_TRUE(from_tc(nul).says("in:2: error: not a text: byte 0 at offset 36"));
  EXPECT_TRUE(from_tc("tc qdisc add dev e\x01 root fq_codel").says("not a text: byte 1 at offset 18"));
  EXPECT_TRUE(from_dummynet("\x7f"
                            "ELF")
                  .says("not a text: byte 127"));
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random() % 200, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    try_all(bytes);
    try_all('[' + bytes);
    try_all('<' + bytes);
  }
}
TEST(ImportHostile, HugeIsRefusedOrRead) {
  EXPECT_TRUE(from_tc(std::string(kMostImportBytes + 1, 'a')).says("is larger than 16mb"));
  try_all(std::string(1 << 20, 'a'));
  try_all("tc qdisc add dev e root fq_codel " + std::string(1 << 20, '9'));
  std::string many = "tc qdisc add dev e root handle 1: htb\n";
  for (int i = 0; i < 5000; ++i)
    many += "tc class add dev e parent 1: classid 1:" + std::to_string(i) + " htb rate 1mbit\n";
  EXPECT_TRUE(from_tc(many).says("more than 4096"));
  many = "tc qdisc add dev e root handle 1: htb\n";
  for (int i = 1; i < 2000; ++i)
    many += "tc class add dev e parent 1:" + std::to_string(i - 1) + " classid 1:" + std::to_string(i) +
            " htb rate 400gbit\n";
  EXPECT_EQ(from_tc(many).egress().rate.value, 400'000'000'000u);
  std::string errors;
  for (int i = 0; i < 5000; ++i) errors += "nonsense\n";
  EXPECT_TRUE(from_tc(errors).says("more errors are not shown"));
}
// No input takes the square of its length.
TEST(ImportHostile, LongInputsAreReadInOneGo) {
  std::string filters = "tc qdisc add dev e root fq_codel\n", rules = "pipe 1 config bw 1M\n";
  for (int i = 0; i < 50'000; ++i) {
    filters += "tc filter add dev e parent 1: u32 match ip dport 22 0xffff flowid 1:11\n";
    rules += "ipfw add pipe 1 tcp from any to any 80\n";
  }
  EXPECT_TRUE(from_tc(filters).has_lost);
  EXPECT_TRUE(from_dummynet(rules).has_lost);
  std::string xml = "<pfsense><dnshaper>\n";
  for (int i = 1; i < 4000; ++i)
    xml += "<queue><name>n</name><number>" + std::to_string(i) + "</number><enabled>on</enabled><delay>1</delay>" +
           std::string(2000, ' ') + "</queue>\n";
  EXPECT_TRUE(from_dummynet(xml + "</dnshaper></pfsense>").has_lost);
}
TEST(ImportHostile, DeepIsRefused) {
  const std::string brackets(100'000, '[');
  EXPECT_TRUE(from_tc(brackets).says("deeper than any that tc prints"));
  std::string xml;
  for (int i = 0; i < 100'000; ++i) xml += "<queue>";
  EXPECT_TRUE(from_dummynet(xml).text.empty());
  std::string closed = "<pfsense><dnshaper>" + xml;
  for (int i = 0; i < 100'000; ++i) closed += "</queue>";
  EXPECT_TRUE(from_dummynet(closed + "</dnshaper></pfsense>").text.empty());
}
TEST(ImportHostile, TruncatedJsonIsRefusedEverywhere) {
  const std::string whole =
      R"([{"kind":"cake","dev":"eth0","root":true,"options":{"bandwidth":5000000,"diffserv":"besteffort","flowmode":"flows"}}])";
  EXPECT_FALSE(from_tc(whole).text.empty());
  for (size_t n = 0; n < whole.size(); ++n) EXPECT_TRUE(from_tc(whole.substr(0, n)).text.empty()) << n;
}
// A name from the input stands in quotes and comments of what is written; it must not get out of them.
TEST(ImportHostile, NamesStayWhereTheyAre) {
  for (const char* name :
       {"x\"; evil = 1; #", "a&#10;evil = 1;", "*/ }", "@include \"/etc/passwd\"", "\xff\xfe", "a&lt;b", "%s%n"}) {
    const Imported i =
        from_dummynet("<pfsense><dnshaper><queue><name>" + std::string(name) +
                      "</name><number>1</number><enabled>on</enabled><bandwidth><item><bw>4</bw><bwscale>Mb</bwscale>"
                      "</item></bandwidth><novelty>" +
                      name + "</novelty></queue></dnshaper></pfsense>");
    EXPECT_EQ(i.egress().rate.value, 4'000'000u) << i.said;
  }
  EXPECT_TRUE(from_tc("tc qdisc add dev 'e\"; evil' root fq_codel").says("is neither an interface of the kernel"));
}

// Words of the grammars in any order, with values good and bad.
TEST(ImportHostile, AnyWordsAreTranslatedOrRefused) {
  constexpr std::array kTc = {"tc",
                              "qdisc",
                              "class",
                              "add",
                              "change",
                              "replace",
                              "del",
                              "dev",
                              "eth0",
                              "eth1",
                              "ifb0",
                              "root",
                              "parent",
                              "1:",
                              "1:1",
                              "1:10",
                              "handle",
                              "classid",
                              "stab",
                              "htb",
                              "tbf",
                              "cake",
                              "fq_codel",
                              "codel",
                              "pie",
                              "mq",
                              "pfifo",
                              "bfifo",
                              "sfq",
                              "rate",
                              "ceil",
                              "burst",
                              "limit",
                              "flows",
                              "target",
                              "interval",
                              "quantum",
                              "ecn",
                              "noecn",
                              "overhead",
                              "mpu",
                              "bandwidth",
                              "rtt",
                              "memlimit",
                              "latency",
                              "ethernet",
                              "raw",
                              "atm",
                              "besteffort",
                              "ingress",
                              "ce_threshold",
                              "memory_limit",
                              "40mbit",
                              "400gbit",
                              "5ms",
                              "0",
                              "1",
                              "-1",
                              "64",
                              "1000",
                              "99999999999999999999",
                              "32kb",
                              "1b",
                              "\n",
                              "\n",
                              "\n"};
  constexpr std::array kDummynet = {"ipfw",
                                    "pipe",
                                    "queue",
                                    "sched",
                                    "1",
                                    "2",
                                    "config",
                                    "bw",
                                    "40Mbit/s",
                                    "1Gbit/s",
                                    "type",
                                    "fq_codel",
                                    "fq_pie",
                                    "codel",
                                    "pie",
                                    "wf2q+",
                                    "target",
                                    "interval",
                                    "limit",
                                    "flows",
                                    "quantum",
                                    "ecn",
                                    "noecn",
                                    "mask",
                                    "all",
                                    "dst-ip",
                                    "0xff",
                                    "delay",
                                    "plr",
                                    "0.5",
                                    "burst",
                                    "64k",
                                    "weight",
                                    "droptail",
                                    "red",
                                    "0.1/1/2/0.1",
                                    "add",
                                    "ip",
                                    "from",
                                    "any",
                                    "to",
                                    "out",
                                    "in",
                                    "0",
                                    "5ms",
                                    "99999999999",
                                    "\n",
                                    "\n",
                                    "\npipe 1 config",
                                    "\nqueue 1 config pipe 1",
                                    "\nsched 1 config"};
  std::mt19937_64 random(7);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string tc = random() % 2 != 0 ? "tc qdisc add dev eth0 root handle 1: " : "",
                dummynet = random() % 2 != 0 ? "pipe 1 config " : "";
    for (size_t n = random() % 12; n > 0; --n) {
      tc += std::string(kTc[random() % kTc.size()]) + ' ';
      dummynet += std::string(kDummynet[random() % kDummynet.size()]) + ' ';
    }
    accepted += !from_tc(tc).text.empty();
    accepted += !from_dummynet(dummynet).text.empty();
  }
  EXPECT_GT(accepted, 1000);
}

// One byte of something good is another: found what single words do not.
TEST(ImportHostile, SomethingGoodWithAByteWrongIsTranslatedOrRefused) {
  const std::array<std::string, 4> good = {
      "tc qdisc add dev eth0 root handle 1: htb default 10\ntc class add dev eth0 parent 1: classid 1:10 htb rate "
      "5mbit burst 15k\n"
      "tc qdisc add dev eth0 parent 1:10 fq_codel target 5ms limit 1000 flows 1024\n",
      R"([{"kind":"cake","dev":"eth0","root":true,"options":{"bandwidth":5000000,"diffserv":"diffserv3","overhead":-4,"raw":true,"rtt":100000}}])",
      "dnctl pipe 1 config bw 40Mbit/s queue 100KB delay 5 plr 0.1\nsched 1 config pipe 1 type fq_codel target 5ms "
      "flows 1024 noecn\n",
      "<pfsense><dnshaper><queue><name>up</name><number>1</number><enabled>on</enabled><bandwidth><item><bw>4</"
      "bw><bwscale>Mb</bwscale></item>"
      "</bandwidth><delay>5</delay><sched>fq_codel</sched><param_fq_codel_target>5</param_fq_codel_target></queue></"
      "dnshaper></pfsense>"};
  std::mt19937_64 random(11);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = good[random() % good.size()];
    text[random() % text.size()] = static_cast<char>(random());
    if (random() % 4 == 0) text.erase(random() % text.size(), 1 + random() % 8);
    try_all(text);
  }
}

}  // namespace
}  // namespace sojourn::imports
