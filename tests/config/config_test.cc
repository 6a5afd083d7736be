#include "config/config.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "config/device.h"
#include "config/keys.h"
#include "config/presets.h"

namespace sojourn {
namespace {

// Two ports and a wire, around what a test is about.
std::string wire(const std::string& egress, const std::string& more = {}, const std::string& port = {}) {
  return "ports = (\n{ name = \"lan\"; device = \"net_ring0\"; " + port +
         " },\n{ name = \"wan\"; device = \"net_ring1\"; }\n);\nwires = ( { name = \"home\"; inside = \"lan\"; outside "
         "= "
         "\"wan\";\negress = {\n" +
         egress + "\n}; } );\n" + more;
}

std::vector<std::string> lines(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> out;
  for (const Diagnostic& d : diagnostics) out.push_back(to_string(d, "error"));
  return out;
}
std::string all(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const std::string& line : lines(diagnostics)) out += line + '\n';
  return out;
}
Config good(const std::string& text) {
  const Result result = parse(text, "t");
  EXPECT_TRUE(result.ok()) << all(result.errors);
  return result.config;
}
std::string only_error(const std::string& text) {
  const Result result = parse(text, "t");
  EXPECT_EQ(result.errors.size(), 1u) << all(result.errors);
  return result.errors.empty() ? "" : to_string(result.errors[0], "error");
}
std::string only_warning(const std::string& text) {
  const Result result = parse(text, "t");
  EXPECT_TRUE(result.ok()) << all(result.errors);
  EXPECT_EQ(result.warnings.size(), 1u) << all(result.warnings);
  return result.warnings.empty() ? "" : to_string(result.warnings[0], "warning");
}

// CASES DN-4
TEST(Rate, IsTakenExactlyUpTo400Gigabits) {
  for (const auto& [text, value] : {std::pair{"1kbit", 1'000ull}, std::pair{"10gbit", 10'000'000'000ull},
                                    std::pair{"100gbit", 100'000'000'000ull}, std::pair{"400gbit", 400'000'000'000ull}})
    EXPECT_EQ(good(wire("rate = \"" + std::string(text) + "\";")).wires[0].egress.parameters.rate.value, value);
}
TEST(Rate, BeyondARangeEndNamesTheEnd) {
  EXPECT_EQ(only_error(wire("rate = \"500bit\";")),
            "t:7: error: wires[home].egress.rate: \"500bit\" is out of range; nearest is \"1kbit\" (\"1kbit\" to "
            "\"400gbit\", or \"unlimited\")");
  EXPECT_NE(only_error(wire("rate = \"1tbit\";")).find("nearest is \"400gbit\""), std::string::npos);
  EXPECT_NE(only_error(wire("rate = \"99999999999999999999tbit\";")).find("nearest is \"400gbit\""), std::string::npos);
  EXPECT_NE(only_error(wire("rate = \"-1mbit\";")).find("nearest is \"1kbit\""), std::string::npos);
}
// CASES DS-12
TEST(Rate, WithoutAUnitIsExplained) {
  EXPECT_NE(only_error(wire("rate = 40;")).find("rate 40 has no unit: write \"40bit\", \"40kbit\" or \"40mbit\""),
            std::string::npos);
  EXPECT_NE(only_error(wire("rate = \"40\";")).find("has no unit"), std::string::npos);
  EXPECT_NE(only_error(wire("rate = 1.5;")).find("write \"1.5bit\""), std::string::npos);
}
TEST(Rate, IsMandatoryInADirectionThatIsGiven) {
  EXPECT_EQ(only_error(wire("")), "t:6: error: wires[home].egress.rate: is missing");
  EXPECT_EQ(only_error(wire("preset = \"gateway\";")), "t:6: error: wires[home].egress.rate: is missing");
}
// CASES DS-12
TEST(Burst, BelowOneMtuFrameNamesBothNearest) {
  EXPECT_EQ(
      only_error(wire("rate = \"40mbit\";\nburst = \"1513b\";")),
      "t:8: error: wires[home].egress.burst: \"1513b\" is less than one MTU frame; nearest are \"0b\" and \"1514b\"");
  EXPECT_EQ(
      only_error(wire("rate = \"40mbit\"; burst = \"1b\";", "", "mtu = 9000;")),
      "t:7: error: wires[home].egress.burst: \"1b\" is less than one MTU frame; nearest are \"0b\" and \"9014b\"");
  EXPECT_EQ(good(wire("rate = \"40mbit\"; burst = \"0b\";")).wires[0].egress.parameters.burst_bytes, 0u);
  EXPECT_EQ(good(wire("rate = \"40mbit\"; burst = \"1514b\";")).wires[0].egress.parameters.burst_bytes, 1514u);
}
TEST(Flows, ThatAreNoPowerOfTwoNameTheNearest) {
  const auto error = [](const std::string& flows) {
    return only_error(wire("rate = \"1gbit\"; flows = " + flows + ";"));
  };
  EXPECT_NE(error("1000").find("nearest is 1024"), std::string::npos);
  EXPECT_NE(error("1100").find("nearest is 1024"), std::string::npos);
  EXPECT_NE(error("3").find("nearest is 4"), std::string::npos);
  EXPECT_NE(error("0").find("nearest is 1 "), std::string::npos);
  EXPECT_NE(error("2000000").find("nearest is 1048576"), std::string::npos);
}
// CASES LQ-4: one more than there is room for is refused by name, with the limit.
TEST(Rules, BeyondTheLimitAreRefusedByName) {
  const auto with_rules = [](size_t count) {
    std::string text = wire("rate = \"1gbit\";");
    std::string rules;
    for (size_t i = 0; i < count; ++i)
      rules += std::string(i == 0 ? "" : ", ") + "{ action = \"shape\"; vlan = " + std::to_string(i) + "; }";
    const size_t place = text.find("egress");
    return text.insert(place, "rules = ( " + rules + " );\n");
  };
  const size_t most = kMostRulesOfWire;
  EXPECT_EQ(good(with_rules(most)).wires[0].rules.size(), most);
  const std::string error = only_error(with_rules(most + 1));
  EXPECT_NE(error.find("wires[home].rules: are " + std::to_string(most + 1) + "; nearest is " + std::to_string(most)),
            std::string::npos)
      << error;
}
// libconfig 1.5 alone would take this for 1024.
TEST(Numbers, AreNeverCutTo32Bits) {
  const Result result = parse(wire("rate = \"1gbit\"; flows = 4294968320;"), "t");
  ASSERT_EQ(result.errors.size(), 2u) << all(result.errors);
  EXPECT_EQ(to_string(result.errors[0], "error"), "t:7: error: number 4294968320 is too large: nearest is 2147483647");
  EXPECT_FALSE(parse(wire("rate = \"1gbit\"; flows = 0x100000400;"), "t").ok());
  EXPECT_FALSE(parse(wire("rate = \"1gbit\"; flows = 18446744073709552640L;"), "t").ok());
}
// CASES LQ-13: everything at once, each where it stands.
TEST(Errors, AreSaidAllAtOnceInTheOrderOfTheFile) {
  const Result result =
      parse(wire("rate = \"40mbits\";\ntraget = \"5ms\";\nhash = \"iner\";\necn = \"yes\";\nlimit = \"9\";"), "t");
  const auto got = lines(result.errors);
  ASSERT_EQ(got.size(), 5u) << all(result.errors);
  EXPECT_TRUE(got[0].starts_with("t:7: error: wires[home].egress.rate: rate 40mbits has an unknown unit \"mbits\""));
  EXPECT_EQ(got[1], "t:8: error: wires[home].egress.traget: unknown key; did you mean \"target\"?");
  EXPECT_EQ(got[2], "t:9: error: wires[home].egress.hash: unknown word \"iner\"; did you mean \"inner\"?");
  EXPECT_EQ(got[3], "t:10: error: wires[home].egress.ecn: must be true or false without quotes, is the text \"yes\"");
  EXPECT_EQ(got[4],
            "t:11: error: wires[home].egress.limit: must be a whole number without quotes or unit, is the text \"9\"");
}
// CASES LQ-13
TEST(Names, UsedTwiceAreNamedWithTheLineOfTheFirst) {
  const std::string text =
      "ports = ( { name = \"a\"; device = \"net_ring0\"; },\n{ name = \"a\"; device = \"net_ring0,x=1\"; } );\n"
      "wires = ( { name = \"w\"; inside = \"a\"; outside = \"b\"; } );";
  const std::string got = all(parse(text, "t").errors);
  EXPECT_NE(got.find("t:2: error: ports[1].name: \"a\" is already used (line 1 of t)"), std::string::npos) << got;
  EXPECT_NE(got.find("t:2: error: ports[1].device: \"net_ring0\" is already used (line 1 of t)"), std::string::npos)
      << got;
  EXPECT_NE(got.find("t:3: error: wires[w].outside: there is no port \"b\"; did you mean \"a\"?"), std::string::npos)
      << got;
}
TEST(Device, OfTwoSpellingsIsOneDevice) {
  EXPECT_EQ(device_identity("3B:00.0"), device_identity("0000:3b:00.0,arg=1"));
  EXPECT_NE(device_identity("0000:3b:00.0"), device_identity("0000:3b:00.1"));
}
// CASES LQ-13
TEST(Blanks, AtTheEndsOfATextAreIgnored) {
  const Config config = good(
      "ports = ( { name = \" lan \"; device = \"net_ring0 \"; }, { name = \"wan\"; device = \"net_ring1\"; } );"
      "wires = ( { name = \"home \"; inside = \"lan\"; outside = \" wan\"; egress = { rate = \" 40mbit \"; }; } );");
  EXPECT_EQ(config.ports[0].name, "lan");
  EXPECT_EQ(config.wires[0].outside, "wan");
}
TEST(Device, IsAPciAddressAVirtualDeviceOrNamesItsBus) {
  for (const char* good :
       {"3b:00.0", "0000:3b:00.7", "10000:3b:00.0,a=1", "net_ring0", "net_af_xdp0,iface=eth1", "vdev:x"})
    EXPECT_EQ(check_device(good), "") << good;
  for (const char* bad :
       {"eth1", "3b:00", "3b:00.8", "0:3b:00.0", "net_", "net_a b", "0000:3b:0g.0", ":::", ",", "a:b:c:d.0"})
    EXPECT_NE(check_device(bad), "") << bad;
}
TEST(Port, CarriesOneSideOfOneWire) {
  EXPECT_NE(only_error("ports = ( { name = \"a\"; device = \"net_ring0\"; } );\n"
                       "wires = ( { name = \"w\"; inside = \"a\"; outside = \"a\"; } );")
                .find("wires[w].outside: port \"a\" is already wires[w].inside"),
            std::string::npos);
  EXPECT_NE(only_error("ports = ( { name = \"a\"; device = \"net_ring0\"; }, { name = \"b\"; device = \"net_ring1\"; },"
                       "{ name = \"c\"; device = \"net_ring2\"; } );\n"
                       "wires = ( { name = \"v\"; inside = \"a\"; outside = \"b\"; },\n"
                       "{ name = \"w\"; inside = \"c\"; outside = \"b\"; } );")
                .find("t:3: error: wires[w].outside: port \"b\" is already wires[v].outside"),
            std::string::npos);
}
TEST(Port, ThatIsAnInterfaceOfTheKernelIsToldHowToBecomeOne) {
  const std::string got = all(parse("ports = ( { name = \"a\"; device = \"eth7\"; } );", "t").errors);
  EXPECT_NE(got.find("\"net_af_xdp0,iface=eth7\""), std::string::npos) << got;
}
TEST(MissingKeys, AreSaidAtTheirGroup) {
  const std::string got = all(parse("ports = (\n{ } );", "t").errors);
  EXPECT_EQ(got,
            "t: error: wires: is missing\nt:2: error: ports[0].name: is missing\n"
            "t:2: error: ports[0].device: is missing\n");
}
TEST(DuplicateKeys, AreRefusedWithTheLine) {
  EXPECT_EQ(only_error("hugepages = \"on\";\nhugepages = \"off\";"),
            "t:2: error: duplicate setting name near: hugepages = \"off\";");
}
TEST(Syntax, ErrorsNameFileAndLine) {
  EXPECT_EQ(only_error("hugepages = \"on\";\nworker = { core = ; };"),
            "t:2: error: syntax error near: worker = { core = ; };");
}
TEST(Direction, ThatIsMissingPassesUnlimited) {
  const Config config = good(wire("rate = \"40mbit\";"));
  EXPECT_EQ(config.wires[0].ingress.parameters, Parameters{});
}
TEST(Target, RaisedIsAWarning) {
  EXPECT_EQ(only_warning(wire("rate = \"1mbit\";")),
            "t:6: warning: wires[home].egress.target: \"5ms\" is raised to \"18.168ms\", the time of 1.5 MTU frames at "
            "1mbit");
}
TEST(Interval, RaisedIsAWarning) {
  EXPECT_EQ(only_warning(wire("rate = \"1gbit\"; target = \"8ms\"; interval = \"10ms\";")),
            "t:7: warning: wires[home].egress.interval: \"10ms\" is raised to \"16ms\", two targets");
}
TEST(Limit, ThatHoldsLessThanATargetIsAWarning) {
  const std::string got = only_warning(wire("rate = \"20gbit\"; limit = 10240; memory = \"1gb\"; target = \"8ms\";"));
  EXPECT_NE(got.find("egress.limit: 10240 holds"), std::string::npos) << got;
}
TEST(Quantum, FollowsALargerMtuUnlessSet) {
  const auto quantum = [](const std::string& egress, const std::string& port) {
    return good(wire("rate = \"1gbit\";" + egress, "", port)).wires[0].egress.parameters.quantum_bytes;
  };
  EXPECT_EQ(quantum("", ""), 1514u);
  EXPECT_EQ(quantum("", "mtu = 9000;"), 9014u);
  EXPECT_EQ(quantum("", "mtu = 1280;"), 1514u);
  EXPECT_EQ(quantum("quantum = \"300b\";", "mtu = 9000;"), 300u);
  EXPECT_EQ(quantum("preset = \"gateway\";", "mtu = 9000;"), 300u);
}
TEST(Preset, IsOverriddenByAnyKeyWhateverTheOrder) {
  const Parameters p = good(wire("target = \"7ms\"; rate = \"1gbit\"; preset = \"edge\";")).wires[0].egress.parameters;
  EXPECT_EQ(p.target.ns, 7'000'000);
  EXPECT_EQ(p.interval.ns, 40'000'000);
  EXPECT_EQ(p.flows, 65'536u);
}
TEST(Preset, UnknownNamesTheNearest) {
  EXPECT_NE(only_error(wire("rate = \"1gbit\"; preset = \"egde\";")).find("did you mean \"edge\"?"), std::string::npos);
}
TEST(Preset, ValuesAreAllValidAndQuiet) {
  for (const std::string& name : preset_names()) {
    const Preset* preset = find_preset(name);
    for (const PresetValue& value : preset->values) {
      const auto& keys = direction_keys();
      EXPECT_NE(std::ranges::find(keys, value.key, &Key<DirectionConfig>::name), keys.end()) << value.key;
      if (const auto* text = std::get_if<std::string_view>(&value.value)) {
        const std::string key = std::string(value.key) + " = " + quote(*text) + ';';
        good(wire("rate = \"1gbit\"; " + key));
      }
    }
    const Result result = parse(wire("rate = \"1gbit\"; preset = \"" + name + "\";"), "t");
    EXPECT_TRUE(result.ok() && result.warnings.empty()) << name << all(result.errors) << all(result.warnings);
  }
}
TEST(Lab, IsReadWithItsTimetable) {
  const Config config =
      good(wire("rate = \"40mbit\";",
                "lab = ( { port = \"wan\"; rate = \"45mbit\"; buffer = \"640p\"; delay = \"4ms\"; loss = "
                "\"1.5%\"; timetable = ( { at = \"30s\"; every = \"60s\"; delay = \"22ms\"; } ); } );"));
  ASSERT_EQ(config.lab.size(), 1u);
  EXPECT_EQ(config.lab[0].buffer, (LabBuffer{.packets = 640}));
  EXPECT_EQ(config.lab[0].loss, PartsPerBillion{15'000'000});
  ASSERT_EQ(config.lab[0].timetable.size(), 1u);
  EXPECT_EQ(config.lab[0].timetable[0].every, Duration{60'000'000'000});
  EXPECT_EQ(config.lab[0].timetable[0].delay, Duration{22'000'000});
  EXPECT_FALSE(config.lab[0].timetable[0].rate);
}
TEST(Lab, PathsOfOnePortAreRefusedAndChangesThatChangeNothing) {
  EXPECT_EQ(only_error(wire("rate = \"40mbit\";", "lab = ( { port = \"wan\"; },\n{ port = \"wan\"; } );")),
            "t:10: error: lab[1].port: \"wan\" is already used (line 9 of t)");
  EXPECT_EQ(only_error(wire("rate = \"40mbit\";", "lab = ( { port = \"wan\"; timetable = ( { at = \"1s\"; } ); } );")),
            "t:9: error: lab[wan].timetable[0]: changes nothing; give rate, delay, jitter or loss");
}
TEST(Wire, ThatShapesNothingIsAWarning) {
  EXPECT_EQ(only_warning(wire("rate = \"unlimited\";")),
            "t:5: warning: wires[home]: shapes nothing: neither direction has a rate");
}
// CASES LQ-13
TEST(Wire, OfAUsedNameIsRefused) {
  const std::string got = all(parse("wires = ( { name = \"w\"; },\n{ name = \"w\"; } );", "t").errors);
  EXPECT_NE(got.find("t:2: error: wires[1].name: \"w\" is already used (line 1 of t)"), std::string::npos) << got;
}
TEST(CeThreshold, WithoutEcnIsAWarning) {
  EXPECT_EQ(only_warning(wire("rate = \"1gbit\"; ecn = false; ce_threshold = \"1ms\";")),
            "t:7: warning: wires[home].egress.ce_threshold: has no effect while ecn = false");
}
TEST(HashSeed, IsANumberOrHexadecimal) {
  EXPECT_EQ(good(wire("rate = \"1gbit\";", "hash_seed = 7;")).hash_seed, 7u);
  EXPECT_EQ(good(wire("rate = \"1gbit\";", "hash_seed = \"0xfFffffffffffffff\";")).hash_seed, UINT64_MAX);
  for (const char* bad : {"\"0x\"", "\"0x10000000000000000\"", "\"7\"", "-1", "\"0xg\"", "true", "\"\""})
    EXPECT_FALSE(parse(wire("rate = \"1gbit\";", "hash_seed = " + std::string(bad) + ";"), "t").ok()) << bad;
}

// Files.
class Files : public testing::Test {
 protected:
  Files() { std::filesystem::create_directories(dir_); }
  ~Files() override { std::filesystem::remove_all(dir_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name, std::ios::binary) << text;
    return (dir_ / name).string();
  }
  std::string error(const std::string& path) const {
    const std::string got = all(load(path).errors);
    // The directory differs from run to run.
    std::string out = got;
    for (size_t at; (at = out.find(dir_.string() + '/')) != out.npos;) out.erase(at, dir_.string().size() + 1);
    return out;
  }
  const std::filesystem::path dir_ =
      std::filesystem::temp_directory_path() / ("sojourn_config_test." + std::to_string(getpid()));
};

TEST_F(Files, ThatCannotBeReadAreSaidSo) {
  EXPECT_EQ(error((dir_ / "none").string()), "none: error: no such file\n");
  std::filesystem::create_directory(dir_ / "d");
  EXPECT_EQ(error((dir_ / "d").string()), "d: error: is a directory, not a file\n");
  EXPECT_EQ(error(write("empty", "")), "empty: error: is empty: there are no ports and no wires in it\n");
  EXPECT_EQ(error(write("comment", "# nothing\n")),
            "comment: error: is empty: there are no ports and no wires in it\n");
  EXPECT_EQ(error(write("binary", std::string("a=1;\n\0b", 7))),
            "binary:2: error: not a text file: byte 0 at offset 5\n");
  EXPECT_EQ(error(write("large", std::string(kMostConfigBytes + 1, ' '))), "large: error: is larger than 4mb\n");
}
TEST_F(Files, AreIncludedFromBesideTheOneThatNamesThem) {
  write("egress.conf", "# one\nrate = \"40\";\n");
  const std::string path = write("main.conf", wire("@include \"egress.conf\"", "hugepages = \"offf\";"));
  EXPECT_EQ(
      error(path),
      "egress.conf:2: error: wires[home].egress.rate: rate 40 has no unit: write \"40bit\", \"40kbit\" or \"40mbit\" "
      "(\"1kbit\" to \"400gbit\", or \"unlimited\")\n"
      "main.conf:9: error: hugepages: unknown word \"offf\"; did you mean \"off\"?\n");
}
TEST_F(Files, IncludedBadlyAreRefusedAtTheirLine) {
  std::filesystem::create_directory(dir_ / "d");
  write("syntax.conf", "\n\nx = = 1;\n");
  EXPECT_EQ(error(write("a", "\n@include \"none\"\n")), "a:2: error: included file \"none\" no such file\n");
  // libconfig alone ends the process here.
  EXPECT_EQ(error(write("b", "@include \"d\"\n")), "b:1: error: included file \"d\" is a directory, not a file\n");
  EXPECT_EQ(error(write("c", "\n@include \"c\"\n")), "c:2: error: \"c\" includes itself\n");
  EXPECT_EQ(error(write("e", "\n@include \"syntax.conf\"\n")), "syntax.conf:3: error: syntax error near: x = = 1;\n");
  EXPECT_EQ(error(write("f", "x = 1; @include \"a\"\n")), "f:1: error: write @include \"FILE\" on a line of its own\n");
}
TEST(Nesting, ThatIsHugeIsRefused) {
  EXPECT_NE(only_error("a = " + std::string(1'000'000, '(')).find("nested too deep"), std::string::npos);
  EXPECT_NE(only_error("a = " + std::string(3'000, '(') + std::string(3'000, ')') + ";").find("nested deeper than 16"),
            std::string::npos);
}
TEST(Diagnostics, AreOneLineWhateverIsInTheFile) {
  for (const Diagnostic& d : parse(wire("rate = \"1\n\x1b[31m\";"), "t").errors)
    EXPECT_EQ(to_string(d, "error").find_first_of("\n\x1b"), std::string::npos);
  for (const Diagnostic& d : parse(wire("rate = \"1\\n\\x1b[31m\";"), "t").errors)
    EXPECT_EQ(to_string(d, "error").find_first_of("\n\x1b"), std::string::npos);
}

}  // namespace
}  // namespace sojourn
