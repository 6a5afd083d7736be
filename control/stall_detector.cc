#include "control/stall_detector.h"

namespace sojourn {

StallDetector::Event StallDetector::look(uint64_t passes, Time now) {
  away_ = now - last_pass_;
  if (passes != passes_) {
    passes_ = passes;
    last_pass_ = now;
    if (!is_stalled_) return Event::kNone;
    is_stalled_ = false;
    return Event::kBack;
  }
  if (is_stalled_ || away_ < kPatience) return Event::kNone;
  is_stalled_ = true;
  ++stalls_;
  return Event::kStalled;
}

}  // namespace sojourn
