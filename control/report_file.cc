#include "control/report_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace sojourn {
namespace {

[[noreturn]] void fail(const std::string& path) {
  throw std::runtime_error("report " + path + ": cannot be written: " + std::strerror(errno));
}

}  // namespace

ReportFile::ReportFile(const std::string& path) : path_(path) {
  if (path.empty()) return;
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) fail(path);
}

ReportFile::~ReportFile() {
  if (file_ >= 0) ::close(file_);
}

void ReportFile::write(const std::string& text) {
  if (file_ < 0) return;
  if (::ftruncate(file_, 0) != 0 && errno != EINVAL) fail(path_);  // EINVAL: a pipe or a terminal
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file_, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) fail(path_);
    if (n > 0) done += static_cast<size_t>(n);
  }
}

}  // namespace sojourn
