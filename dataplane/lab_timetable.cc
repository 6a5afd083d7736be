#include "dataplane/lab_timetable.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "dataplane/setup_error.h"
#include "sched/parameters.h"

namespace sojourn {
namespace {

void require(bool is_met, const char* what) {
  if (!is_met) throw SetupError(std::string("lab path: ") + what);
}

void require_rate(BitsPerSecond rate) {
  const bool is_in_range = rate.value >= limits::kRateBps.least && rate.value <= limits::kRateBps.most;
  require(rate == kUnlimited || is_in_range, "a rate must be from 1 kbit/s to 400 Gbit/s, or unlimited");
}
void require_time(Duration d) {
  require(d.ns >= 0, "delay, jitter and times must not be negative");
}
void require_fraction(double f) {
  require(f >= 0 && f <= 1, "loss and reorder are fractions from 0 to 1");
}

void require_change(const LabPathChange& change) {
  require_time(change.at);
  require(!change.repeat || change.repeat->ns > 0, "a change must not repeat every 0 ns");
  require(change.rate || change.delay || change.jitter || change.loss, "a change must change something");
  if (change.rate) require_rate(*change.rate);
  if (change.delay) require_time(*change.delay);
  if (change.jitter) require_time(*change.jitter);
  if (change.loss) require_fraction(*change.loss);
}

// When `change` last came into force, `elapsed` after the start; negative if it has not yet.
int64_t last_fired_ns(const LabPathChange& change, int64_t elapsed_ns) {
  const int64_t since_ns = elapsed_ns - change.at.ns;
  if (since_ns < 0) return -1;
  return change.repeat ? elapsed_ns - since_ns % change.repeat->ns : change.at.ns;
}

// Of several changes to one parameter the latest counts; of those at one instant the last in the table.
template <typename T>
struct Latest {
  T value;
  int64_t fired_ns = -1;
  void offer(const std::optional<T>& candidate, int64_t candidate_fired_ns) {
    if (!candidate || candidate_fired_ns < fired_ns) return;
    value = *candidate;
    fired_ns = candidate_fired_ns;
  }
};

}  // namespace

LabTimetable::LabTimetable(const LabPathParameters& parameters, Time start) : parameters_(parameters), start_(start) {
  require_rate(parameters.rate);
  require_time(parameters.delay);
  require_time(parameters.jitter);
  require_time(parameters.reorder_hold);
  require_fraction(parameters.loss);
  require_fraction(parameters.reorder);
  require(parameters.reorder == 0 || parameters.reorder_hold.ns > 0, "reorder needs a reorder_hold above 0");
  require(parameters.timetable.size() <= kMostChanges, "a timetable has at most 64 changes");
  for (const LabPathChange& change : parameters.timetable) require_change(change);
  advance(start);
}

uint64_t LabTimetable::threshold(double probability) {
  constexpr double kTwoTo64 = 18446744073709551616.0;
  const double below = probability * kTwoTo64;
  return below >= kTwoTo64 ? UINT64_MAX : static_cast<uint64_t>(below);
}

// Once a change, not once a packet, and without a loop over the repeats that may have passed since: so it divides.
void LabTimetable::advance(Time t) {
  const int64_t elapsed_ns = (t - start_).ns;
  Latest<BitsPerSecond> rate{parameters_.rate};
  Latest<Duration> delay{parameters_.delay}, jitter{parameters_.jitter};
  Latest<double> loss{parameters_.loss};
  has_next_ = false;
  for (const LabPathChange& change : parameters_.timetable) {
    const int64_t fired_ns = last_fired_ns(change, elapsed_ns);
    if (fired_ns >= 0) {
      rate.offer(change.rate, fired_ns);
      delay.offer(change.delay, fired_ns);
      jitter.offer(change.jitter, fired_ns);
      loss.offer(change.loss, fired_ns);
      if (!change.repeat) continue;
    }
    const Time next = start_ + Duration{fired_ns < 0 ? change.at.ns : fired_ns + change.repeat->ns};
    next_ = has_next_ && is_before(next_, next) ? next_ : next;
    has_next_ = true;
  }
  in_force_.rate = rate.value;
  in_force_.rate_inverse_q64 =
      rate.value == kUnlimited ? 0 : static_cast<uint64_t>((Uint128{1} << 64) / rate.value.value);
  in_force_.delay = delay.value;
  in_force_.jitter = jitter.value;
  in_force_.loss_below = threshold(loss.value);
}

}  // namespace sojourn
