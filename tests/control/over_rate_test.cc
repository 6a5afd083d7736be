// A direction that the test plays, in virtual time.
#include "control/over_rate.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

constexpr uint64_t kFrame = 1514;
constexpr uint32_t kBurst = 5000;
constexpr uint64_t kMbit = 1'000'000;

Pacer::Plan mbit(uint64_t rate) {
  return Pacer::Plan::compile({rate * kMbit}, kBurst);
}

// Sends at a rate of its own, whatever the limit.
struct Sender {
  OverRate judge;
  Time now{UINT64_MAX - 500'000'000};  // the clock wraps on the way
  uint64_t sent = 12'345;

  bool observe(const Pacer::Plan& limit) { return judge.observe({now, sent, limit, kFrame}).has_value(); }
  void send(uint64_t bits_per_second, int64_t ms) {
    now = now + Duration{ms * 1'000'000};
    sent += bits_per_second / 8000 * static_cast<uint64_t>(ms);
  }
};

TEST(OverRate, IsQuietAtTheLimitWithBurstAndOneFrame) {
  Sender s;
  EXPECT_FALSE(s.observe(mbit(100)));
  s.sent += kBurst + kFrame;
  for (int i = 0; i < 1000; ++i) {
    s.send(100 * kMbit, 1000);
    ASSERT_FALSE(s.observe(mbit(100)));
  }
  EXPECT_EQ(s.judge.alarms(), 0u);
}

TEST(OverRate, RaisesEachSecondThatPassesTooMuch) {
  Sender s;
  s.observe(mbit(100));
  s.send(101 * kMbit, 1000);
  EXPECT_FALSE(s.observe(mbit(100)));
  s.send(103 * kMbit, 1000);
  EXPECT_TRUE(s.observe(mbit(100)));
  s.send(103 * kMbit, 1000);
  EXPECT_TRUE(s.observe(mbit(100)));
  EXPECT_EQ(s.judge.alarms(), 2u);
}

// To the byte: 1.02 x rate x T + burst + one frame, and what each interval is rounded up.
TEST(OverRate, SaysWhatWasSentAndWhatWasAllowed) {
  Sender s;
  s.observe(mbit(8));
  s.now = s.now + Duration{1'000'000'000};
  s.sent += 2'000'000;
  const auto excess = s.judge.observe({s.now, s.sent, mbit(8), kFrame});
  ASSERT_TRUE(excess);
  EXPECT_EQ(excess->window, Duration{1'000'000'000});
  EXPECT_EQ(excess->sent_bytes, 2'000'000u);
  EXPECT_NEAR(static_cast<double>(excess->allowed_bytes), 1'020'000 + kBurst + kFrame, 3);
}

TEST(OverRate, JudgesNoWindowShorterThanASecond) {
  Sender s;
  s.observe(mbit(100));
  for (int i = 0; i < 9; ++i) {
    s.send(200 * kMbit, 100);
    ASSERT_FALSE(s.observe(mbit(100)));
  }
  s.send(200 * kMbit, 100);
  EXPECT_TRUE(s.observe(mbit(100)));
}

// Half a second at the old rate, then lowered to a tenth: what the old rate passed is no fault of the new one.
TEST(OverRate, MakesNoFalseAlarmWhenTheRateIsLowered) {
  Sender s;
  s.observe(mbit(100));
  s.send(100 * kMbit, 500);
  EXPECT_FALSE(s.observe(mbit(100)));  // the change asks first
  s.send(10 * kMbit, 500);
  EXPECT_FALSE(s.observe(mbit(10)));
  s.send(10 * kMbit, 1000);
  EXPECT_FALSE(s.observe(mbit(10)));
}

TEST(OverRate, MakesNoFalseAlarmWhenTheRateIsRaised) {
  Sender s;
  s.observe(mbit(10));
  s.send(10 * kMbit, 500);
  s.observe(mbit(10));
  s.send(100 * kMbit, 500);
  EXPECT_FALSE(s.observe(mbit(100)));
  s.send(100 * kMbit, 1000);
  EXPECT_FALSE(s.observe(mbit(100)));
}

// CASES DN-3: a change after which the old rate is still passed is found within two seconds.
TEST(OverRate, FindsALimitThatAChangeHasNotPutInForce) {
  Sender s;
  s.observe(mbit(100));
  s.send(100 * kMbit, 500);
  s.observe(mbit(100));
  bool is_found = false;
  for (int i = 0; i < 2; ++i) {
    s.send(100 * kMbit, 1000);
    is_found |= s.observe(mbit(10));
  }
  EXPECT_TRUE(is_found);
}

TEST(OverRate, MakesNoFalseAlarmOverManyChangesASecond) {
  Sender s;
  uint64_t rate = 100;
  s.observe(mbit(rate));
  for (int i = 0; i < 500; ++i) {
    s.observe(mbit(rate));
    rate = rate == 100 ? 1 : 100;
    s.send(rate * kMbit, 37);
    ASSERT_FALSE(s.observe(mbit(rate))) << i;
  }
}

TEST(OverRate, AsksNothingOfADirectionWithoutALimit) {
  Sender s;
  for (int i = 0; i < 5; ++i) {
    s.send(40'000 * kMbit, 1000);
    EXPECT_FALSE(s.observe({}));
  }
  s.send(40'000 * kMbit, 500);
  EXPECT_FALSE(s.observe({}));  // the change asks first
  s.send(40'000 * kMbit, 5);    // not yet in force
  EXPECT_FALSE(s.observe(mbit(10)));
  s.send(10 * kMbit, 1000);
  EXPECT_FALSE(s.observe(mbit(10)));
  s.send(40'000 * kMbit, 1000);
  EXPECT_TRUE(s.observe(mbit(10)));
}

TEST(OverRate, HoldsFromTheSlowestRateToTheFastest) {
  for (const uint64_t rate : {uint64_t{1'000}, 400'000 * kMbit}) {
    const Pacer::Plan limit = Pacer::Plan::compile({rate}, 3028);
    OverRate judge;
    judge.observe({{}, 0, limit, kFrame});
    const uint64_t a_minute = rate / 8 * 60;
    EXPECT_FALSE(judge.observe({Time{60'000'000'000}, a_minute, limit, kFrame})) << rate;
    EXPECT_TRUE(judge.observe({Time{120'000'000'000}, a_minute * 2 + a_minute / 40 + 5000, limit, kFrame})) << rate;
  }
}

}  // namespace
}  // namespace sojourn
