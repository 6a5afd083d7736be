// Wires, cables and NICs that the test plays, in virtual time.
#include "control/link_forwarding.h"

#include <gtest/gtest.h>

#include <vector>

namespace sojourn {
namespace {

constexpr Time kStart{UINT64_MAX - 3'000'000'000};  // the clock wraps on the way
constexpr Duration kLook{100'000'000};
constexpr Duration kSecond{1'000'000'000};

Duration operator*(Duration d, int64_t n) {
  return {d.ns * n};
}

// Two ports with a cable each. A port's link is up `negotiation` after both ends of its cable have become up.
struct Port {
  bool is_up = true, is_plugged = true;
  Time up_since = kStart - kSecond * 100;
  Duration negotiation{0};

  void set(bool up, Time now) {
    if (up && !is_up) up_since = now;
    is_up = up;
  }
  void plug(bool plugged, Time now) {
    if (plugged && !is_plugged) up_since = now;
    is_plugged = plugged;
  }
  bool has_link(Time now) const { return is_up && is_plugged && now - up_since >= negotiation; }
};

struct Box {
  LinkForwarding forwarding{true, kStart};
  std::array<Port, 2> ports;
  unsigned orders = 0;

  bool has_link(Side side, Time now) const { return ports[static_cast<size_t>(side)].has_link(now); }
  void look(Time now) {
    obey(forwarding.look(has_link(Side::kInside, now), has_link(Side::kOutside, now), now), now);
    EXPECT_LE(!ports[0].is_up + !ports[1].is_up, 1) << "both sides are held down";
  }
  void obey(const std::optional<LinkForwarding::Order>& order, Time now) {
    if (!order) return;
    ports[static_cast<size_t>(order->side)].set(order->is_up, now);
    ++orders;
  }
};

// One box and its time.
struct Bench : Box {
  Time now = kStart;
  void run(Duration time) {
    for (const Time end = now + time; is_before(now, end);) {
      now = now + kLook;
      look(now);
    }
  }
};

TEST(LinkForwarding, DoesNothingWhileBothLinksAreUp) {
  Bench b;
  b.run(kSecond * 100);
  EXPECT_EQ(b.orders, 0u);
}

TEST(LinkForwarding, TakesTheOtherSideDownWithinASecondAndUpAgain) {
  for (const size_t lost : {0u, 1u}) {
    Bench b;
    b.run(kSecond);
    b.ports[lost].plug(false, b.now);
    b.run(kLook * 4);
    EXPECT_FALSE(b.ports[1 - lost].is_up);
    EXPECT_TRUE(b.ports[lost].is_up) << "it has to see when its link is back";
    EXPECT_EQ(b.forwarding.held(), lost == 0 ? Side::kOutside : Side::kInside);
    b.run(kSecond * 100);
    EXPECT_EQ(b.orders, 1u);
    b.ports[lost].plug(true, b.now);
    b.run(kLook * 5);
    EXPECT_TRUE(b.ports[1 - lost].is_up);
    EXPECT_FALSE(b.forwarding.held());
    b.run(kSecond * 100);
    EXPECT_EQ(b.orders, 2u);
  }
}

TEST(LinkForwarding, ABounceIsNoLoss) {
  Bench b;
  b.run(kSecond);
  for (int i = 0; i < 100; ++i) {
    b.ports[0].plug(false, b.now);
    b.run(kLook);
    b.ports[0].plug(true, b.now);
    b.run(kLook);
  }
  EXPECT_EQ(b.orders, 0u);
}

TEST(LinkForwarding, ALinkThatComesAndGoesIsNotTakenForOneThatIsBack) {
  Bench b;
  b.run(kSecond);
  b.ports[0].plug(false, b.now);
  b.run(kSecond);
  for (int i = 0; i < 100; ++i) {
    b.ports[0].plug(true, b.now);
    b.run(kLook * 2);
    b.ports[0].plug(false, b.now);
    b.run(kLook * 2);
  }
  EXPECT_EQ(b.orders, 1u);
}

TEST(LinkForwarding, HoldsNeitherWhenBothAreLost) {
  Bench b;
  b.run(kSecond);
  for (Port& p : b.ports) p.plug(false, b.now);
  b.run(kSecond * 100);
  EXPECT_EQ(b.orders, 0u);
  for (Port& p : b.ports) p.plug(true, b.now);
  b.run(kSecond * 100);
  EXPECT_EQ(b.orders, 0u);
}

// Its own link is judged when it has had time to come, and not while we hold it down.
TEST(LinkForwarding, ASideTakenUpHasTimeToGetItsLink) {
  Bench b;
  b.ports[1].negotiation = kSecond * 9;
  b.run(kSecond);
  b.ports[0].plug(false, b.now);
  b.run(kSecond);
  b.ports[0].plug(true, b.now);
  b.run(kSecond * 100);
  EXPECT_EQ(b.orders, 2u);
  EXPECT_TRUE(b.has_link(Side::kOutside, b.now));
}

// What was settled once is judged at once.
TEST(LinkForwarding, ASideWhoseLinkHasComeIsJudgedWithoutDelay) {
  Bench b;
  b.run(kSecond);
  b.ports[0].plug(false, b.now);
  b.run(kSecond);
  b.ports[0].plug(true, b.now);
  b.run(kSecond);
  b.ports[1].plug(false, b.now);
  b.run(kLook * 4);
  EXPECT_FALSE(b.ports[0].is_up);
}

TEST(LinkForwarding, ALinkThatNeverComesAfterTheStartIsLostWhenItHasHadItsTime) {
  Bench b;
  b.ports[0].plug(false, b.now);
  b.run({LinkForwarding::kSettle.ns - kLook.ns});
  EXPECT_EQ(b.orders, 0u);
  b.run(kSecond);
  EXPECT_FALSE(b.ports[1].is_up);
}

// Whatever two NICs take, the settle times outgrow it.
TEST(LinkForwarding, TwoSlowNicsDoNotTakeEachOtherDownForEver) {
  for (const int64_t seconds : {5, 11, 15, 19, 33, 70}) {
    Bench b;
    for (Port& p : b.ports) p.negotiation = kSecond * seconds;
    b.run(kSecond);
    b.ports[0].plug(false, b.now);
    b.run(kSecond * 30);
    b.ports[0].plug(true, b.now);
    b.run(kSecond * 1000);
    const unsigned orders = b.orders;
    b.run(kSecond * 1000);
    EXPECT_EQ(b.orders, orders) << seconds << " s of negotiation";
    EXPECT_TRUE(b.has_link(Side::kInside, b.now) && b.has_link(Side::kOutside, b.now)) << seconds;
  }
}

TEST(LinkForwarding, OffDoesNothingAndGivesBackWhatItHolds) {
  Bench b;
  b.run(kSecond);
  b.ports[0].plug(false, b.now);
  b.run(kSecond);
  ASSERT_FALSE(b.ports[1].is_up);
  b.obey(b.forwarding.set_on(false, b.now), b.now);
  EXPECT_TRUE(b.ports[1].is_up);
  b.run(kSecond * 100);
  EXPECT_EQ(b.orders, 2u);
  EXPECT_FALSE(b.forwarding.set_on(false, b.now));
  b.obey(b.forwarding.set_on(true, b.now), b.now);
  b.run(kSecond * 11);
  EXPECT_FALSE(b.ports[1].is_up);
}

TEST(LinkForwarding, ADriverThatCannotIsAskedOnce) {
  Bench b;
  b.run(kSecond);
  b.ports[0].plug(false, b.now);
  std::optional<LinkForwarding::Order> order;
  while (!order) {
    b.now = b.now + kLook;
    order = b.forwarding.look(false, true, b.now);
  }
  b.forwarding.cannot(order->side);
  EXPECT_FALSE(b.forwarding.held());
  EXPECT_FALSE(b.forwarding.can(Side::kOutside));
  b.run(kSecond * 100);
  EXPECT_EQ(b.orders, 0u);
  b.ports[0].plug(true, b.now);
  b.run(kSecond);
  b.ports[1].plug(false, b.now);
  b.run(kSecond);
  EXPECT_FALSE(b.ports[0].is_up) << "the side that can is held all the same";
}

// client -- [box 0] -- [box 1] -- server: the cable between the boxes has its link when both its ends are up.
struct Series {
  Time now = kStart;
  std::array<Box, 2> boxes;
  Duration negotiation = kSecond * 3;
  Time middle_since = kStart - kSecond * 100;
  bool was_middle_up = true;

  void run(Duration time) {
    for (const Time end = now + time; is_before(now, end);) {
      now = now + kLook;
      Port &left = boxes[0].ports[1], &right = boxes[1].ports[0];
      const bool is_up = left.is_up && right.is_up;
      if (is_up && !was_middle_up) middle_since = now;
      was_middle_up = is_up;
      left.is_plugged = right.is_plugged = is_up && now - middle_since >= negotiation;
      for (Box& box : boxes) box.look(now);
    }
  }
  unsigned orders() const { return boxes[0].orders + boxes[1].orders; }
  bool all_up() const { return boxes[0].has_link(Side::kInside, now) && boxes[1].has_link(Side::kOutside, now); }
};

TEST(TwoBoxesInSeries, PassTheLossOnAndComeBackWithoutOscillating) {
  Series s;
  s.run(kSecond);
  s.boxes[0].ports[0].plug(false, s.now);
  s.run(kSecond * 2);
  EXPECT_FALSE(s.boxes[1].ports[1].is_up) << "the server has not been told";
  s.boxes[0].ports[0].plug(true, s.now);
  s.run(kSecond * 20);
  EXPECT_TRUE(s.all_up());
  EXPECT_EQ(s.orders(), 4u);
  s.run(kSecond * 1000);
  EXPECT_EQ(s.orders(), 4u);
}

// Both hold the cable between them; whichever end comes back first, and however long after it the other one.
TEST(TwoBoxesInSeries, ComeBackWhenBothEndsWereLostAtOnce) {
  for (const size_t first : {0u, 1u}) {
    for (const int64_t seconds : {0, 1, 5, 30, 300}) {
      Series s;
      s.run(kSecond);
      for (size_t box : {0u, 1u}) s.boxes[box].ports[box].plug(false, s.now);
      s.run(kSecond * 20);
      s.boxes[first].ports[first].plug(true, s.now);
      s.run(kSecond * seconds);
      s.boxes[1 - first].ports[1 - first].plug(true, s.now);
      s.run(kSecond * 1000);
      EXPECT_TRUE(s.all_up()) << first << ' ' << seconds;
      const unsigned orders = s.orders();
      s.run(kSecond * 1000);
      EXPECT_EQ(s.orders(), orders);
    }
  }
}

}  // namespace
}  // namespace sojourn
