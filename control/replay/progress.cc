#include "control/replay/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace sojourn {

Progress::Progress(std::string name) : name_(std::move(name)), is_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (is_shown_) fmt::print(stderr, "\r\033[K");
}

bool Progress::is_due() const {
  return is_terminal_ && Clock::now() >= next_;
}

void Progress::show(double share, const std::string& done) {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  std::string line = fmt::format("\r{}: {}", name_, done);
  if (share > 0) line += fmt::format(", {:.0f} %, {:.0f} s left", 100 * share, seconds * (1 - share) / share);
  fmt::print(stderr, "{}\033[K", line);
  std::fflush(stderr);
  is_shown_ = true;
  next_ = Clock::now() + std::chrono::milliseconds(200);
}

}  // namespace sojourn
