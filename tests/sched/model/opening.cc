// What trials start from: any parameters that the product allows, and hashes that crowd few sets.
#include "sched/packet.h"
#include "tests/sched/model/draw.h"
#include "tests/sched/model/outcome.h"

namespace sojourn::model {
namespace {

void draw_shaper(Draw& draw, Parameters& p) {
  p.rate = draw.one_in(5) ? kUnlimited : BitsPerSecond{draw.scaled(limits::kRateBps.least, limits::kRateBps.most)};
  if (draw.one_in(3)) p.burst_bytes = 0;
  if (draw.one_in(3)) p.burst_bytes = static_cast<uint32_t>(draw.scaled(600, limits::kBurstBytes.most));
  if (draw.one_in(2)) p.overhead_bytes = static_cast<int32_t>(draw.below(321)) + limits::kOverheadBytes.least;
  if (draw.one_in(2)) p.mpu_bytes = static_cast<uint32_t>(draw.between(0, limits::kMpuBytes.most));
}

// Small ones, so that a trial of some hundred operations sees many of CoDel's.
void draw_codel(Draw& draw, Parameters& p) {
  if (draw.one_in(5)) p.aqm = Aqm::kNone;
  p.ecn = !draw.one_in(3);
  p.target = {static_cast<int64_t>(draw.scaled(1'000, draw.one_in(4) ? 10'000'000'000 : 5'000'000))};
  p.interval = {static_cast<int64_t>(draw.scaled(2'000, draw.one_in(4) ? 100'000'000'000 : 100'000'000))};
  if (draw.one_in(3)) p.ce_threshold = Duration{static_cast<int64_t>(draw.scaled(1'000, 10'000'000'000))};
}

uint32_t draw_limit(Draw& draw) {
  return static_cast<uint32_t>(draw.one_in(3) ? draw.scaled(64, 4'000) : draw.between(1, 64));
}

void draw_queues(Draw& draw, Setting& s) {
  Parameters& p = s.parameters;
  p.flows = draw.of(std::array<uint32_t, 12>{1, 2, 4, 8, 8, 8, 16, 16, 64, 64, 1024, 65536});
  if (p.flows == 65536 && !draw.one_in(4)) p.flows = 1024;  // takes a hundred times longer to build
  if (draw.one_in(10)) p.isolation = Isolation::kNone;
  p.quantum_bytes = static_cast<uint32_t>(draw.scaled(limits::kQuantumBytes.least, limits::kQuantumBytes.most));
  p.limit_packets = draw_limit(draw);
  s.buffer_bytes = static_cast<uint32_t>(draw.between(1'000, 20'000));
  p.memory_bytes = uint64_t{draw_limit(draw)} * s.buffer_bytes + draw.below(s.buffer_bytes);
}

// Flows of one to four sets, and among them pairs whose tags are each other's complement, equal, or 0.
std::vector<uint64_t> draw_hashes(Draw& draw) {
  const uint64_t sets = draw.between(1, 4);
  std::vector<uint64_t> hashes(draw.one_in(2) ? draw.between(1, 12) : draw.between(9, 40));
  for (uint64_t& h : hashes) {
    h = (draw.any() & ~uint64_t{0xffff}) | (draw.below(sets) * 8 + draw.below(8));
    if (draw.one_in(12)) h = (draw.of(std::array{hashes.front(), hashes.back()}) ^ 0xffffffff00000000);
    if (draw.one_in(20)) h = h << 32 | (h & 0xffffffff);
  }
  return hashes;
}

}  // namespace

Opening Opening::draw(uint64_t number) {
  Draw draw(number);
  Opening opening;
  Setting& s = opening.setting;
  draw_shaper(draw, s.parameters);
  draw_codel(draw, s.parameters);
  draw_queues(draw, s);
  s.mtu_bytes = draw.one_in(2) ? 576 : static_cast<uint32_t>(draw.scaled(576, 16'000));
  opening.hashes = draw_hashes(draw);
  const auto wrap = draw.of(std::array<uint64_t, 5>{0, uint64_t{1} << 31, uint64_t{1} << 32, uint64_t{1} << 63, 7});
  opening.start_ns = wrap - (draw.one_in(2) ? 1 : draw.scaled(1, 10'000'000'000'000));
  opening.most_frame_bytes = draw.of(std::array<uint32_t, 4>{64, 1514, 9'014, kMostFrameBytes});
  return opening;
}

}  // namespace sojourn::model
