// What a run looks like over time, as rows of CSV: seconds, what, of whom, how much.
#pragma once

#include <fmt/format.h>

#include <ostream>
#include <string>

#include "sched/units.h"

namespace sojourn::sim {

class Trace {
 public:
  static constexpr const char* kHeader = "run,time_s,what,of,value\n";

  // Samples queues and windows once every `every`, and of each flow at most one round trip time in that time.
  Trace(std::ostream& out, std::string run, Duration every) : out_(out), run_(std::move(run)), every_(every) {}

  Duration every() const { return every_; }
  // `value` is in thousandths of what is printed.
  void row(Time time, const char* what, const std::string& of, uint64_t value_milli) {
    out_ << fmt::format("{},{}.{:06},{},{},{}.{:03}\n", run_, time.ns / 1'000'000'000, time.ns / 1'000 % 1'000'000,
                        what, of, value_milli / 1000, value_milli % 1000);
  }

 private:
  std::ostream& out_;
  std::string run_;
  Duration every_;
};

}  // namespace sojourn::sim
