// What systemd is told (sd_notify(3)): started, alive, reloading, stopping. Without NOTIFY_SOCKET nothing happens.
#pragma once

#include <optional>
#include <string>

#include "sched/units.h"

namespace sojourn {

class Service {
 public:
  Service();  // reads the watchdog's time from the environment

  void ready(const std::string& status) const;  // also after reloading; `status`: one line for `systemctl status`
  void reloading() const;
  void stopping() const;
  // To be called as long as all is well; the watchdog is fed four times within its time.
  void alive(Time now);

 private:
  Duration period_{0};  // 0: no watchdog
  std::optional<Time> fed_;
};

}  // namespace sojourn
