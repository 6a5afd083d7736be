// Which frames go ahead: every field against frames built header by header.
#include "dataplane/rules.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/dataplane/frame_builder.h"

namespace sojourn {
namespace {

using namespace build;

const Bytes kArp = ethernet(0x0806, zeros(28));
const Bytes kTcp4 = ethernet(kIp4, ipv4(6, tcp(1000, 2000)));
const Bytes kTcp6 = ethernet(kIp6, ipv6(6, tcp(1000, 2000)));

Rule rule(RuleAction action = RuleAction::kBypass) {
  Rule r;
  r.action = action;
  return r;
}

template <typename Set>
bool matches(Set set, const Bytes& frame) {
  Rule r = rule();
  set(r);
  return RuleSet({r}).bypasses(frame);
}

TEST(Rules, AnEmptyRuleMatchesEverythingAndNoRuleNothing) {
  for (const Bytes& f : {kArp, kTcp4, kTcp6}) {
    EXPECT_TRUE(RuleSet({rule()}).bypasses(f));
    EXPECT_EQ(RuleSet().match(f), -1);
  }
}

TEST(Rules, TheFirstThatMatchesDecides) {
  Rule shape_tcp = rule(RuleAction::kShape), bypass_ip = rule();
  shape_tcp.protocol = 6;
  bypass_ip.ether_type = kIp4;
  EXPECT_FALSE(RuleSet({shape_tcp, bypass_ip}).bypasses(kTcp4));
  EXPECT_TRUE(RuleSet({bypass_ip, shape_tcp}).bypasses(kTcp4));
  EXPECT_EQ(RuleSet({shape_tcp, bypass_ip}).match(ethernet(kIp4, ipv4(17, udp(1, 2)))), 1);
}

TEST(Rules, EtherTypeIsTheOneBehindAllTags) {
  const auto arp = [](Rule& r) { r.ether_type = 0x0806; };
  EXPECT_TRUE(matches(arp, kArp));
  EXPECT_TRUE(matches(arp, ethernet(0x0806, zeros(28), {0x88a8, 0x8100})));
  EXPECT_FALSE(matches(arp, kTcp4));
}

TEST(Rules, VlanIsTheOutermostTags) {
  const Bytes tagged = ethernet(kIp4, ipv4(6, tcp(1, 2)), {0x8100});  // the builder's tags bear 0xa064
  EXPECT_TRUE(matches([](Rule& r) { r.vlan = 0x064; }, tagged));
  EXPECT_FALSE(matches([](Rule& r) { r.vlan = 0x065; }, tagged));
  EXPECT_FALSE(matches([](Rule& r) { r.vlan = 0; }, tagged));
  EXPECT_TRUE(matches([](Rule& r) { r.vlan = 0; }, kTcp4));
}

TEST(Rules, MacPrefix) {
  Bytes stp = kTcp4;
  const Bytes group{0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e};
  std::copy(group.begin(), group.end(), stp.begin());
  const auto local = [](Rule& r) { r.destination_mac = MacPrefix{{0x01, 0x80, 0xc2, 0, 0, 0}, 44}; };
  EXPECT_TRUE(matches(local, stp));
  stp[5] = 0x10;
  EXPECT_FALSE(matches(local, stp));
  EXPECT_FALSE(matches(local, kTcp4));
  EXPECT_TRUE(matches(
      [](Rule& r) {
        r.destination_mac = MacPrefix{{0x02, 0, 0, 0, 0, 0x0b}, 48};
      },
      kTcp4))
      << "unicast";
}

TEST(Rules, PrefixesOfBothFamilies) {
  const auto source = [](std::string text, uint8_t bits) {
    return [=](Rule& r) {
      AddressPrefix p{text.find(':') != text.npos, {}, bits};
      const Bytes a = address(text);
      std::copy(a.begin(), a.end(), p.address.begin());
      r.source = p;
    };
  };
  EXPECT_TRUE(matches(source("192.0.2.0", 24), kTcp4));
  EXPECT_TRUE(matches(source("192.0.2.1", 32), kTcp4));
  EXPECT_TRUE(matches(source("192.0.0.0", 15), kTcp4));
  EXPECT_FALSE(matches(source("192.0.2.2", 31), kTcp4));
  EXPECT_TRUE(matches(source("0.0.0.0", 0), kTcp4));
  EXPECT_FALSE(matches(source("0.0.0.0", 0), kTcp6)) << "every IPv4 address";
  EXPECT_TRUE(matches(source("2001:db8::", 32), kTcp6));
  EXPECT_FALSE(matches(source("2001:db9::", 32), kTcp6));
  EXPECT_FALSE(matches(source("2001:db8::", 32), kArp));
}

bool literally_in_prefix(const uint8_t* at, const AddressPrefix& p) {
  for (unsigned bit = 0; bit < p.bits; ++bit) {
    if (((at[bit / 8] ^ p.address[bit / 8]) >> (7 - bit % 8) & 1) != 0) return false;
  }
  return true;
}

// CASES LQ-12: CIDR rules of any length, in both families and both places, beside a bit by bit reading.
TEST(Rules, PrefixesAsReadBitByBit) {
  std::mt19937_64 random(12);
  unsigned matched = 0;
  for (int round = 0; round < 20'000; ++round) {
    const bool is_ipv6 = random() % 2 == 0, is_source = random() % 2 == 0;
    Bytes frame = is_ipv6 ? kTcp6 : kTcp4;
    const size_t length = is_ipv6 ? 16 : 4;
    uint8_t* const field = &frame[14 + (is_ipv6 ? 8u : 12u) + (is_source ? 0 : length)];
    for (size_t i = 0; i < length; ++i) field[i] = static_cast<uint8_t>(random());
    AddressPrefix p{is_ipv6, {}, static_cast<uint8_t>(random() % (8 * length + 1))};
    std::copy_n(field, length, p.address.begin());
    if (random() % 2 == 0) p.address[random() % length] ^= static_cast<uint8_t>(1u << random() % 8);
    const bool wanted = literally_in_prefix(field, p);
    matched += wanted;
    const auto named = [&](Rule& r) { (is_source ? r.source : r.destination) = p; };
    ASSERT_EQ(matches(named, frame), wanted) << is_ipv6 << is_source << " /" << unsigned{p.bits};
  }
  EXPECT_GT(matched, 10'000u);
  EXPECT_LT(matched, 19'000u);
}

TEST(Rules, PortsOfTheFirstPieceOnly) {
  const auto to = [](uint16_t first, uint16_t last) {
    return [=](Rule& r) { r.destination_port = ValueRange<uint16_t>{first, last}; };
  };
  EXPECT_TRUE(matches(to(2000, 2000), kTcp4));
  EXPECT_TRUE(matches(to(0, 65535), kTcp6));
  EXPECT_TRUE(matches(to(1999, 2001), kTcp6));
  EXPECT_FALSE(matches(to(2001, 65535), kTcp4));
  EXPECT_FALSE(matches(to(0, 1999), kTcp4));
  EXPECT_TRUE(matches(to(2000, 2000), ethernet(kIp4, ipv4(6, tcp(1000, 2000), {.fragment = 0x2000}))));
  EXPECT_FALSE(matches(to(2000, 2000), ethernet(kIp4, ipv4(6, tcp(1000, 2000), {.fragment = 0x0001}))));
  EXPECT_FALSE(matches(to(0, 65535), ethernet(kIp4, ipv4(47, zeros(20))))) << "GRE has no ports";
  EXPECT_TRUE(matches(to(2000, 2000), ethernet(kIp4, ipv4(6, tcp(1000, 2000), {.option_bytes = 8}))));
  EXPECT_TRUE(matches(to(2000, 2000), ethernet(kIp6, ipv6(0, extension(6, 16, tcp(1000, 2000))))));
}

TEST(Rules, ProtocolDscpAndIcmpType) {
  const Bytes marked = ethernet(kIp6, ipv6(17, udp(1, 2), {"2001:db8::1", "2001:db8::2", 46 << 2 | 1}));
  EXPECT_TRUE(matches([](Rule& r) { r.dscp = 46; }, marked));
  EXPECT_FALSE(matches([](Rule& r) { r.dscp = 45; }, marked));
  EXPECT_FALSE(matches([](Rule& r) { r.dscp = 0; }, kArp));
  EXPECT_TRUE(matches([](Rule& r) { r.protocol = 17; }, marked));
  EXPECT_FALSE(matches([](Rule& r) { r.protocol = 17; }, kTcp6));
  const Bytes echo = ethernet(kIp4, ipv4(1, Bytes{8, 0, 0, 0}));
  const auto ping = [](Rule& r) { r.protocol = 1, r.icmp_type = ValueRange<uint8_t>{8, 8}; };
  EXPECT_TRUE(matches(ping, echo));
  EXPECT_FALSE(matches(ping, ethernet(kIp4, ipv4(1, Bytes{0, 0, 0, 0}))));
  EXPECT_FALSE(matches(ping, ethernet(kIp4, ipv4(1, Bytes{}))));
}

// CASES DN-5; LQ-8: LACP among them.
TEST(ControlPlane, GoesAheadAndUsersTrafficDoesNot) {
  const RuleSet rules(control_plane_rules());
  const auto to_mac = [](Bytes mac) {
    Bytes f = llc(zeros(40));
    std::copy(mac.begin(), mac.end(), f.begin());
    return f;
  };
  const std::vector<Bytes> control = {kArp,
                                      ethernet(0x88cc, zeros(50)),
                                      ethernet(0x8809, zeros(50)),
                                      ethernet(0x8808, zeros(50)),
                                      to_mac({0x01, 0x80, 0xc2, 0, 0, 0}),
                                      to_mac({0x01, 0x80, 0xc2, 0, 0, 0x15}),
                                      to_mac({0x09, 0, 0x2b, 0, 0, 5}),
                                      ethernet(kIp6, ipv6(58, Bytes{135, 0, 0, 0})),
                                      ethernet(kIp6, ipv6(58, Bytes{134, 0, 0, 0})),
                                      ethernet(kIp4, ipv4(17, udp(68, 67))),
                                      ethernet(kIp6, ipv6(17, udp(547, 546))),
                                      ethernet(kIp4, ipv4(17, udp(50000, 3784))),
                                      ethernet(kIp4, ipv4(17, udp(50000, 4784)), {0x8100}),
                                      ethernet(kIp4, ipv4(112, zeros(20))),
                                      ethernet(kIp4, ipv4(240, zeros(20))),
                                      ethernet(kIp4, ipv4(89, zeros(20))),
                                      ethernet(kIp6, ipv6(89, zeros(20))),
                                      ethernet(kIp4, ipv4(6, tcp(40000, 179))),
                                      ethernet(kIp6, ipv6(6, tcp(179, 40000)))};
  for (size_t i = 0; i < control.size(); ++i) EXPECT_TRUE(rules.bypasses(control[i])) << i;
  for (const Bytes& f :
       {kTcp4, kTcp6, ethernet(kIp4, ipv4(1, Bytes{8, 0, 0, 0})), ethernet(kIp6, ipv6(58, Bytes{128, 0})),
        ethernet(kIp4, ipv4(17, udp(3784, 50000))), ethernet(kIp4, ipv4(17, udp(53, 4000)))}) {
    EXPECT_FALSE(rules.bypasses(f));
  }
}

// Cut anywhere, and with any bytes: nothing outside the frame is read (AddressSanitizer), and nothing hangs.
TEST(Rules, AnyBytesAreSafe) {
  std::mt19937_64 random(3);
  std::vector<Rule> all = control_plane_rules();
  all.push_back(rule());
  all.back().source = AddressPrefix{true, {}, 3};
  const RuleSet rules(all);
  for (const auto& sample : samples(2)) {
    for (size_t cut = 0; cut <= sample.bytes.size(); ++cut) {
      const Bytes piece(sample.bytes.begin(), sample.bytes.begin() + static_cast<std::ptrdiff_t>(cut));
      rules.match(piece);
    }
    for (int i = 0; i < 200; ++i) {
      Bytes noise = sample.bytes;
      noise[random() % noise.size()] = static_cast<uint8_t>(random());
      rules.match(noise);
    }
  }
}

// A literal reading of one rule, beside the compiled set, on random rules and frames.
bool literally_matches(const Rule& r, const Bytes& frame) {
  return RuleSet({r}).match(frame) == 0;
}

TEST(Rules, ASetAnswersAsItsRulesOneByOne) {
  std::mt19937_64 random(9);
  const auto frames = samples(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Rule> rules;
    for (size_t i = 0, count = random() % kMostRules + 1; i < count; ++i) {
      Rule r = rule(random() % 2 == 0 ? RuleAction::kBypass : RuleAction::kShape);
      if (random() % 2 == 0) r.ether_type = std::array<uint16_t, 4>{kIp4, kIp6, 0x0806, 0x8847}[random() % 4];
      if (random() % 3 == 0) r.vlan = static_cast<uint16_t>(random() % 2 * 0x064);
      if (random() % 3 == 0) r.protocol = std::array<uint8_t, 4>{6, 17, 47, 4}[random() % 4];
      if (random() % 4 == 0) r.destination_port = ValueRange<uint16_t>{static_cast<uint16_t>(random() % 3000), 3000};
      if (random() % 4 == 0)
        r.source_port = ValueRange<uint16_t>{1000, static_cast<uint16_t>(1000 + random() % 60'000)};
      if (random() % 4 == 0) r.dscp = 0;
      rules.push_back(r);
    }
    const RuleSet set(rules);
    for (const auto& f : frames) {
      int wanted = -1;
      for (size_t i = 0; i < rules.size() && wanted < 0; ++i) {
        if (literally_matches(rules[i], f.bytes)) wanted = static_cast<int>(i);
      }
      ASSERT_EQ(set.match(f.bytes), wanted) << f.name;
    }
  }
}

}  // namespace
}  // namespace sojourn
