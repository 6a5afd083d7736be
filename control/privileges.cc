#include "control/privileges.h"

#include <cap-ng.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace sojourn {
namespace {

uint64_t effective_of(const std::filesystem::path& status) {
  std::ifstream in(status);
  uint64_t effective = 0;
  for (std::string word; in >> word;) {
    if (word == "CapEff:") in >> std::hex >> effective;
  }
  return effective;
}

}  // namespace

std::string keep_only(std::initializer_list<unsigned> capabilities) {
  const auto fault = [](const char* what) { return std::string(what) + ": " + std::strerror(errno); };
  std::vector<unsigned> kept;
  for (const unsigned c : capabilities) {
    if (capng_have_capability(CAPNG_EFFECTIVE, c) != 0) kept.push_back(c);
  }
  const bool may_bound = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP) != 0;
  capng_clear(CAPNG_SELECT_ALL);
  for (const unsigned c : kept) {
    const auto sets = static_cast<capng_type_t>(CAPNG_EFFECTIVE | CAPNG_PERMITTED | CAPNG_BOUNDING_SET);
    capng_update(CAPNG_ADD, sets, c);
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fault("PR_SET_NO_NEW_PRIVS");
  // Without CAP_SETPCAP the bounds stay; what is executed gains nothing all the same, by the line above.
  if (may_bound && capng_apply(CAPNG_SELECT_BOUNDS) != 0) return fault("the bounding set");
  if (capng_apply(CAPNG_SELECT_CAPS) != 0) return fault("capabilities");
  return {};
}

std::string capabilities_of_process() {
  uint64_t all = 0;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error))
    all |= effective_of(task.path() / "status");
  std::string names;
  for (unsigned c = 0; c < 64; ++c) {
    if ((all >> c & 1) == 0) continue;
    const char* name = capng_capability_to_name(c);
    names += (names.empty() ? "" : ", ") + (name != nullptr ? std::string(name) : std::to_string(c));
  }
  return names.empty() ? "none" : names;
}

}  // namespace sojourn
