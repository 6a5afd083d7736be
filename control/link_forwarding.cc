#include "control/link_forwarding.h"

#include <algorithm>

namespace sojourn {

LinkForwarding::LinkForwarding(bool is_on, Time start) : is_on_(is_on) {
  for (End& end : ends_) begin_to_settle(end, start);
}

void LinkForwarding::begin_to_settle(End& end, Time now) {
  end.is_up = true;
  end.was_up = false;
  end.since = now;
  end.is_settling = true;
  end.settles_at = now + end.settle;
}

void LinkForwarding::judge(End& end, bool is_up, Time now) {
  if (is_up != end.was_up) {
    end.was_up = is_up;
    end.since = now;
  }
  const Duration time = now - end.since;
  if (is_up && time >= kBack) {
    end.is_up = true;
    end.is_settling = false;
  } else if (end.is_settling && !is_up && !is_before(now, end.settles_at)) {
    end.is_settling = false;
    end.settle = std::min(kLongestSettle, Duration{2 * end.settle.ns});
  }
  if (!end.is_settling && !is_up && time >= kLost) end.is_up = false;
}

std::optional<LinkForwarding::Order> LinkForwarding::look(bool inside_up, bool outside_up, Time now) {
  if (!is_on_) return std::nullopt;
  for (const auto& [side, is_up] : {std::pair{Side::kInside, inside_up}, std::pair{Side::kOutside, outside_up}}) {
    if (held_ != side) judge(ends_[index(side)], is_up, now);
  }
  if (held_) return ends_[index(other(*held_))].is_up ? release(now) : std::nullopt;
  // Not when one has come: two slow ones would come in turn for ever.
  const auto is_well = [](const End& end) { return end.is_up && !end.is_settling; };
  if (is_well(ends_[0]) && is_well(ends_[1])) ends_[0].settle = ends_[1].settle = kSettle;
  if (ends_[0].is_up == ends_[1].is_up) return std::nullopt;
  return hold(ends_[0].is_up ? Side::kInside : Side::kOutside);
}

std::optional<LinkForwarding::Order> LinkForwarding::hold(Side side) {
  if (!can(side)) return std::nullopt;
  held_ = side;
  return Order{side, false};
}

std::optional<LinkForwarding::Order> LinkForwarding::release(Time now) {
  const Side side = *held_;
  held_.reset();
  begin_to_settle(ends_[index(side)], now);
  return Order{side, true};
}

std::optional<LinkForwarding::Order> LinkForwarding::set_on(bool is_on, Time now) {
  if (is_on == is_on_) return std::nullopt;
  is_on_ = is_on;
  if (is_on) {
    for (End& end : ends_) begin_to_settle(end, now);
  }
  return !is_on && held_ ? release(now) : std::nullopt;
}

void LinkForwarding::cannot(Side side) {
  ends_[index(side)].can_be_held = false;
  if (held_ == side) held_.reset();
}

}  // namespace sojourn
