// How far a long run is, on a terminal, once it has taken more than a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace sojourn {

class Progress {
 public:
  // `name`: of the run. Shows nothing unless standard error is a terminal.
  explicit Progress(std::string name);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Is it time to say something? Cheap enough for every few thousand steps.
  bool is_due() const;
  // `share`: of all work, 0..1; negative when nobody knows. `done`: in words.
  void show(double share, const std::string& done);

 private:
  using Clock = std::chrono::steady_clock;
  std::string name_;
  bool is_terminal_;
  Clock::time_point start_ = Clock::now(), next_ = start_ + std::chrono::seconds(1);
  bool is_shown_ = false;
};

}  // namespace sojourn
