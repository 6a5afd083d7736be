#include "control/sim/congestion.h"

#include "control/sim/bbr.h"
#include "control/sim/cubic.h"
#include "control/sim/reno.h"
#include "control/sim/vegas.h"

namespace sojourn::sim {

std::unique_ptr<Congestion> make_congestion(CongestionName name, const CongestionOptions& options) {
  switch (name) {
    case CongestionName::kCubic:
      return std::make_unique<Cubic>(options);
    case CongestionName::kVegas:
      return std::make_unique<Vegas>(options);
    case CongestionName::kBbr:
      return std::make_unique<Bbr>(options);
    case CongestionName::kReno:
      break;
  }
  return std::make_unique<Reno>(options);
}

}  // namespace sojourn::sim
