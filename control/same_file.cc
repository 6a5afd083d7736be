#include "control/same_file.h"

#include <filesystem>

namespace sojourn {
namespace {

namespace fs = std::filesystem;

// Where a write to the path would end.
fs::path target_of(fs::path path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(path, error)); ++i) {
    path = path.parent_path() / fs::read_symlink(path, error);  // an absolute target replaces all
  }
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : whole;
}

}  // namespace

bool is_same_file(const std::string& a, const std::string& b) {
  const fs::path first = a == "-" ? "/dev/stdin" : a, second = b == "-" ? "/dev/stdin" : b;
  std::error_code error;
  return fs::equivalent(first, second, error) || target_of(first) == target_of(second);
}

}  // namespace sojourn
