#include "config/quantity.h"

#include <gtest/gtest.h>

#include <random>

namespace sojourn {
namespace {

uint64_t rate(std::string_view text) {
  const auto parsed = parse_rate(text);
  EXPECT_TRUE(parsed.value) << parsed.reason;
  return parsed.value.value_or(BitsPerSecond{}).value;
}
int64_t time_ns(std::string_view text) {
  const auto parsed = parse_time(text);
  EXPECT_TRUE(parsed.value) << parsed.reason;
  return parsed.value.value_or(Duration{-1}).ns;
}
uint64_t size(std::string_view text) {
  const auto parsed = parse_size(text);
  EXPECT_TRUE(parsed.value) << parsed.reason;
  return parsed.value.value_or(0);
}

// CASES DN-4
TEST(Rate, IsExactFromOneKilobitToFourHundredGigabits) {
  EXPECT_EQ(rate("1kbit"), 1'000u);
  EXPECT_EQ(rate("10gbit"), 10'000'000'000u);
  EXPECT_EQ(rate("100gbit"), 100'000'000'000u);
  EXPECT_EQ(rate("400gbit"), 400'000'000'000u);
  EXPECT_EQ(rate("0.4tbit"), 400'000'000'000u);
}
TEST(Rate, SpeaksTheWordsOfTc) {
  EXPECT_EQ(rate("8bit"), 8u);
  EXPECT_EQ(rate("1bps"), 8u);
  EXPECT_EQ(rate("1kbps"), 8'000u);
  EXPECT_EQ(rate("1MBps"), 8'000'000u);
  EXPECT_EQ(rate("1gbps"), 8'000'000'000u);
  EXPECT_EQ(rate("1kibit"), 1'024u);
  EXPECT_EQ(rate("1Mibit"), 1'048'576u);
  EXPECT_EQ(rate("1gibps"), uint64_t{8} << 30);
  EXPECT_EQ(rate("UNLIMITED"), kUnlimited.value);
}
TEST(Rate, IgnoresBlanksAroundAndBeforeTheUnit) {
  EXPECT_EQ(rate(" 40 mbit\t"), 40'000'000u);
}
TEST(Fractions, AreEvaluatedExactly) {
  EXPECT_EQ(rate("1.5mbit"), 1'500'000u);
  EXPECT_EQ(rate("0.000001mbit"), 1u);
  EXPECT_EQ(rate("1.001kbit"), 1'001u);
  EXPECT_EQ(rate("4.35gbit"), 4'350'000'000u);  // 4.35 x 1e9 in doubles is 4349999999.9999995
  EXPECT_EQ(time_ns("18.168ms"), 18'168'000);
  EXPECT_EQ(size("1.5kb"), 1'536u);
  EXPECT_EQ(size("1.25MiB"), 1'310'720u);
}
TEST(Fractions, OfTheBaseUnitAreRefusedWithTheNearest) {
  EXPECT_EQ(parse_size("1.1kb").reason, "size 1.1kb is not a whole number of bytes; nearest is \"1126b\"");
  EXPECT_EQ(parse_rate("0.1bps").reason, "rate 0.1bps is not a whole number of bits per second; nearest is \"1bit\"");
  EXPECT_EQ(parse_time("0.5ns").reason, "time 0.5ns is not a whole number of nanoseconds; nearest is \"1ns\"");
}
TEST(Time, SpeaksTheWordsOfTc) {
  for (const char* text : {"1s", "1sec", "1000ms", "1000msec", "1000000us", "1000000usecs", "1000000000ns"})
    EXPECT_EQ(time_ns(text), 1'000'000'000) << text;
  EXPECT_FALSE(parse_time("1e0s").value);
}
TEST(Size, CountsBy1024AsTcDoes) {
  EXPECT_EQ(size("32MB"), 32u << 20);
  EXPECT_EQ(size("64k"), 65'536u);
  EXPECT_EQ(size("1GiB"), 1u << 30);
  EXPECT_EQ(parse_signed_size("-18b").value, -18);
  EXPECT_EQ(parse_signed_size("+18b").value, 18);
}
TEST(Packets, AreNotBytes) {
  EXPECT_EQ(parse_packets("640p").value, 640u);
  EXPECT_FALSE(parse_packets("640b").value);
}
TEST(Fraction, IsAShareOfTheWhole) {
  EXPECT_EQ(parse_fraction("1.5%").value, PartsPerBillion{15'000'000});
  EXPECT_EQ(parse_fraction("100%").value, kWhole);
  EXPECT_FALSE(parse_fraction("100.0000001%").value);
}
// CASES DS-12: 10 Mbit/s meant, 10 bytes understood.
TEST(AMissingUnit, IsRefusedWithExamples) {
  EXPECT_EQ(parse_rate("40").reason, "rate 40 has no unit: write \"40bit\", \"40kbit\" or \"40mbit\"");
  EXPECT_EQ(parse_time("5").reason, "time 5 has no unit: write \"5us\", \"5ms\" or \"5s\"");
  EXPECT_EQ(parse_size("0").reason, "size 0 has no unit: write \"0b\", \"0kb\" or \"0mb\"");
}
TEST(Garbage, IsRefusedWithAReason) {
  for (const char* text : {"", " ", "mbit", ".", ".mbit", "1..5mbit", "1,5mbit", "4 0mbit", "0x10kbit", "1mbit2", "nan",
                           "inf", "1mbits", "\xff\xfe", "--1mbit", "1-mbit"}) {
    const auto parsed = parse_rate(text);
    EXPECT_FALSE(parsed.value) << text;
    EXPECT_NE(parsed.reason.find("write \""), std::string::npos) << text << ": " << parsed.reason;
  }
}
TEST(NegativeAndHuge, SayWhichEndTheyMiss) {
  EXPECT_EQ(parse_rate("-1mbit").beyond, -1);
  EXPECT_EQ(parse_rate("18446744073709551615bit").beyond, 1);  // the mark of "unlimited"
  EXPECT_EQ(parse_rate("18446744073709551615tbit").beyond, 1);
  EXPECT_EQ(parse_time("9223372037s").beyond, 1);
  EXPECT_FALSE(parse_rate(std::string(10'000, '9') + "mbit").value);
  EXPECT_FALSE(parse_rate("1." + std::string(10'000, '0') + "mbit").value);
}
TEST(Format, PicksTheLargestExactUnit) {
  EXPECT_EQ(format_rate({40'000'000}), "40mbit");
  EXPECT_EQ(format_rate({1'500'000}), "1.5mbit");
  EXPECT_EQ(format_rate({1'234'567}), "1234.567kbit");
  EXPECT_EQ(format_rate(kUnlimited), "unlimited");
  EXPECT_EQ(format_time({18'168'000}), "18.168ms");
  EXPECT_EQ(format_time({0}), "0ns");
  EXPECT_EQ(format_size(65'536), "64kb");
  EXPECT_EQ(format_size(1514), "1514b");
  EXPECT_EQ(format_signed_size(-18), "-18b");
  EXPECT_EQ(format_fraction({15'000'000}), "1.5%");
  EXPECT_EQ(format_fraction({1}), "0.0000001%");
}
TEST(Format, ParsesBackToTheSameValue) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t value = random() >> (1 + random() % 63);
    ASSERT_EQ(parse_rate(format_rate({value})).value, BitsPerSecond{value});
    ASSERT_EQ(parse_time(format_time({static_cast<int64_t>(value)})).value, Duration{static_cast<int64_t>(value)});
    ASSERT_EQ(parse_size(format_size(value)).value, value);
    const auto share = static_cast<uint32_t>(value % (uint64_t{kWhole.value} + 1));
    ASSERT_EQ(parse_fraction(format_fraction({share})).value, PartsPerBillion{share});
  }
}

}  // namespace
}  // namespace sojourn
