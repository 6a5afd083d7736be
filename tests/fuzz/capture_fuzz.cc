// libFuzzer: any bytes at all as a capture, through the reader and a replay. What was read is accounted for.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "control/replay/virtual_direction.h"

namespace {

using namespace sojourn;

struct Account : DepartureSink {
  uint64_t sent = 0, dropped = 0;
  void leave(const Departure& d) override { ++(d.fate == Fate::kSent ? sent : dropped); }
};

Plan plan() {
  Parameters p;
  p.rate = {10'000'000};
  p.flows = 16;
  p.limit_packets = 8;
  return compile(p, kDefaultMtuBytes, 2368);
}

void replay(const std::string& path) {
  CaptureReader reader(path);
  CapturedFrame frame;
  if (!reader.next(frame)) return;
  Account account;
  VirtualDirection direction({plan(), {1, 2}, reader.link_type(), frame.time}, account);
  uint64_t frames = 0;
  do {
    direction.arrive(frame);
    ++frames;
  } while (reader.next(frame));
  direction.finish();
  if (account.sent + account.dropped != frames || direction.counters().sent.packets != account.sent) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int file = memfd_create("capture", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  try {
    replay(path);
  } catch (const CaptureError&) {
  }
  return 0;
}
