#include "control/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "config/config.h"

namespace sojourn {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw std::runtime_error(path + ": " + what + ": " + std::strerror(errno));
}

bool write_all(int file, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) done += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(kMostConfigBytes + 1, '\0');
  if (!in || in.read(text.data(), static_cast<std::streamsize>(text.size())).bad()) fail(path, "cannot be read");
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.size() <= kMostConfigBytes) return text;
  throw std::runtime_error(path + ": is larger than the " + format_size(kMostConfigBytes) + " of a configuration");
}

void replace_file(const std::string& path, const std::string& text) {
  std::error_code error;
  std::string target = std::filesystem::canonical(path, error);
  if (error) target = path;
  struct stat facts {};
  if (::stat(target.c_str(), &facts) != 0) fail(path, "cannot be read");
  std::string fresh = target + ".XXXXXX";
  const int file = ::mkostemp(fresh.data(), O_CLOEXEC);
  if (file < 0) fail(path, "cannot be written");
  const bool is_written = write_all(file, text) && ::fchmod(file, facts.st_mode & 07777) == 0 &&
                          ::fchown(file, facts.st_uid, facts.st_gid) == 0 && ::fsync(file) == 0;
  const int reason = errno;
  ::close(file);
  errno = reason;
  if (is_written && ::rename(fresh.c_str(), target.c_str()) == 0) return;
  const int why = errno;
  ::unlink(fresh.c_str());
  errno = why;
  fail(path, "cannot be written");
}

}  // namespace sojourn
