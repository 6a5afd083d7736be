#include "control/sim/random.h"

#include "control/sim/exact_math.h"

namespace sojourn::sim {

Duration Random::exponential(Duration mean) {
  const double unit = 1.0 - uniform();  // in (0, 1]
  return {static_cast<int64_t>(-natural_log(unit) * static_cast<double>(mean.ns))};
}

}  // namespace sojourn::sim
