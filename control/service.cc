#include "control/service.h"

#include <systemd/sd-daemon.h>

#include <ctime>

namespace sojourn {
namespace {

void tell(const std::string& state) {
  sd_notify(0, state.c_str());
}

// Type=notify-reload (systemd 253) matches the answer to the request by this clock.
uint64_t monotonic_us() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000 + static_cast<uint64_t>(t.tv_nsec) / 1000;
}

}  // namespace

Service::Service() {
  uint64_t watchdog_us = 0;
  if (sd_watchdog_enabled(0, &watchdog_us) > 0) period_.ns = static_cast<int64_t>(watchdog_us) * 1000 / 4;
}

void Service::ready(const std::string& status) const {
  tell("READY=1\nSTATUS=" + status);
}

void Service::reloading() const {
  tell("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_us()));
}

void Service::stopping() const {
  tell("STOPPING=1");
}

void Service::alive(Time now) {
  if (period_.ns == 0 || (fed_ && now - *fed_ < period_)) return;
  fed_ = now;
  tell("WATCHDOG=1");
}

}  // namespace sojourn
