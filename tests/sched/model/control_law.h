// RFC 8289's control law in exact integers.
#pragma once

#include "tests/sched/model/rules.h"

namespace sojourn::model {

// Counts from here on are only promised to 0.1 % (SPEC), so that a model cannot foretell the nanosecond.
inline constexpr uint64_t kFirstInexactCount = 1024;

// t + interval / sqrt(count), count >= 1: the root to the nearest 2^-32, found by bisection, the instant to the nearest
// nanosecond.
Instant control_law(Instant t, Wide interval_ns, uint64_t count);

}  // namespace sojourn::model
