// Link-loss forwarding of one wire: a side whose link is lost takes the other side down too, so that whoever is there
// sees it and takes another way. Pure: what the links are and what time it is are arguments; what is to be done comes
// back.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sched/units.h"

namespace sojourn {

enum class Side : uint8_t { kInside, kOutside };
constexpr Side other(Side side) {
  return side == Side::kInside ? Side::kOutside : Side::kInside;
}

class LinkForwarding {
 public:
  // A link is lost, or back, when it has been so for this long: a bounce is neither.
  static constexpr Duration kLost{200'000'000}, kBack{300'000'000};
  // After a side was taken up, time for its link to come before its absence counts. Doubled each time that it does not
  // come, up to the last, until both are up: however slow two NICs are, they do not take each other down for ever.
  static constexpr Duration kSettle{10'000'000'000}, kLongestSettle{160'000'000'000};

  struct Order {
    Side side;
    bool is_up;  // take it up, else down
    bool operator==(const Order&) const = default;
  };

  // At start both sides have just been taken up.
  LinkForwarding(bool is_on, Time start);

  // What is to be done now, if anything; it counts as done. `inside_up`, `outside_up`: whether the links are up.
  std::optional<Order> look(bool inside_up, bool outside_up, Time now);
  // On or off; off gives back a side that is held down.
  std::optional<Order> set_on(bool is_on, Time now);
  // The order to take the side down could not be carried out, and will not be given again.
  void cannot(Side side);

  bool is_on() const { return is_on_; }
  // The side that is held down because the other one's link is lost. At most one: two that hold each other would never
  // come back.
  std::optional<Side> held() const { return held_; }
  bool can(Side side) const { return ends_[index(side)].can_be_held; }

 private:
  struct End {
    bool is_up = true;   // as judged
    bool was_up = true;  // as seen last
    Time since;          // seen so
    Time settles_at;     // its absence counts from then on
    bool is_settling = true;
    Duration settle = kSettle;
    bool can_be_held = true;
  };
  static size_t index(Side side) { return static_cast<size_t>(side); }
  static void judge(End& end, bool is_up, Time now);
  static void begin_to_settle(End& end, Time now);
  std::optional<Order> release(Time now);
  std::optional<Order> hold(Side side);

  bool is_on_;
  std::array<End, 2> ends_;
  std::optional<Side> held_;
};

}  // namespace sojourn
