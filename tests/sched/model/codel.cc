#include "tests/sched/model/codel.h"

#include "tests/sched/model/control_law.h"

namespace sojourn::model {

Codel::Dequeued Codel::dodequeue(const Look& look) {
  Dequeued r{look.is_packet, false, rules_.ecn && look.can_carry_signal, look.now};
  if (!look.is_packet || look.sojourn_ns < rules_.target_ns || look.bytes_behind <= rules_.exempt_bytes) {
    state_.is_above = false;
  } else if (!state_.is_above) {
    state_.is_above = true;
    state_.first_above_time = look.now + rules_.interval_ns;
  } else if (look.now >= state_.first_above_time) {
    r.is_ok_to_drop = true;
  }
  return r;
}

// RFC 8289 5.5. A mark stands for a drop and lets the packet go, so nothing more is taken in this dequeue.
Codel::Course Codel::course() {
  Fate fate = Fate::kDeliver;
  for (;;) {
    Dequeued r = dodequeue(co_yield fate);
    fate = Fate::kDeliver;
    if (state_.is_dropping) {
      if (!r.is_ok_to_drop) state_.is_dropping = false;
      while (r.now >= state_.drop_next && state_.is_dropping) {
        ++state_.count;
        if (r.can_be_marked) {
          fate = Fate::kDeliverSignalled;
          state_.drop_next = control_law(state_.drop_next, rules_.interval_ns, state_.count);
          break;
        }
        r = dodequeue(co_yield Fate::kDrop);
        if (!r.is_ok_to_drop) {
          state_.is_dropping = false;
        } else {
          state_.drop_next = control_law(state_.drop_next, rules_.interval_ns, state_.count);
        }
      }
    } else if (r.is_ok_to_drop) {
      enter_dropping(r.now);
      if (r.can_be_marked) {
        fate = Fate::kDeliverSignalled;
      } else {
        dodequeue(co_yield Fate::kDrop);
      }
    }
  }
}

// The RFC takes the next packet first; the two touch nothing in common.
void Codel::enter_dropping(Instant now) {
  const uint64_t delta = state_.count - state_.last_count;
  const bool is_recent = now - state_.drop_next < 16 * rules_.interval_ns;
  state_.is_dropping = true;
  state_.count = delta > 1 && is_recent ? delta : 1;
  state_.drop_next = control_law(now, rules_.interval_ns, state_.count);
  state_.last_count = state_.count;
}

}  // namespace sojourn::model
