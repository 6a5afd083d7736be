#include "tests/sched/model/control_law.h"

#include <map>

namespace sojourn::model {
namespace {

// The largest y with y <= 2^33 / sqrt(n).
Wide twice_the_root_q32(Wide n) {
  Wide low = 0, high = (Wide{1} << 33) + 1;
  while (high - low > 1) {
    const Wide y = (low + high) / 2;
    // y y n <= 2^66, written without a product of more than 127 bits.
    if (y * y <= (Wide{1} << 66) / n) {
      low = y;
    } else {
      high = y;
    }
  }
  return low;
}

Wide root_q32(uint64_t count) {
  thread_local std::map<uint64_t, Wide> known;
  const auto it = known.find(count);
  if (it != known.end()) return it->second;
  return known[count] = (twice_the_root_q32(Wide{count}) + 1) / 2;
}

}  // namespace

Instant control_law(Instant t, Wide interval_ns, uint64_t count) {
  const Wide half = Wide{1} << 31;
  return t + ((interval_ns * root_q32(count) + half) >> 32);
}

}  // namespace sojourn::model
