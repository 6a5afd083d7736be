#include "control/access.h"

#include <grp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

namespace sojourn {
namespace {

// What changes nothing; all else does, or may.
constexpr std::array<std::string_view, 2> kReading{"stats", "config"};

std::vector<gid_t> groups_of(int socket) {
  std::vector<gid_t> groups(64);
  auto bytes = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  int result = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
  if (result != 0 && errno == ERANGE) {  // `bytes` now says how many there are
    groups.resize(bytes / sizeof(gid_t));
    result = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
  }
  groups.resize(result == 0 ? bytes / sizeof(gid_t) : 0);
  return groups;
}

}  // namespace

Peer peer_of(int socket) {
  ucred credentials{};
  socklen_t bytes = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) != 0) return {};
  Peer peer{credentials.uid, groups_of(socket)};
  peer.groups.push_back(credentials.gid);
  return peer;
}

std::optional<gid_t> group_id(const std::string& name) {
  group entry{};
  group* found = nullptr;
  std::vector<char> room(1 << 16);  // for the names of its members
  while (getgrnam_r(name.c_str(), &entry, room.data(), room.size(), &found) == ERANGE) room.resize(2 * room.size());
  return found == nullptr ? std::nullopt : std::optional(found->gr_gid);
}

Access::Access(const ControlConfig& config, uid_t owner)
    : owner_(owner),
      read_{config.read_group, group_id(config.read_group)},
      change_{config.change_group, group_id(config.change_group)} {}

bool Access::Group::has(const Peer& peer) const {
  return id && std::ranges::find(peer.groups, *id) != peer.groups.end();
}

bool Access::may_change(const Peer& peer) const {
  return peer.uid == 0 || peer.uid == owner_ || change_.has(peer);
}

std::string Access::refusal(const Peer& peer) const {
  if (may_change(peer) || read_.has(peer)) return {};
  return "not permitted: user " + std::to_string(peer.uid) + " is neither root nor in group " + read_.name +
         " (may read) or " + change_.name + " (may change)";
}

std::string Access::refusal(const Peer& peer, const std::string& command) const {
  if (may_change(peer)) return {};
  if (std::ranges::find(kReading, command) == kReading.end())
    return "not permitted: only root and group " + change_.name + " may change what is in force; user " +
           std::to_string(peer.uid) + " is not in it";
  return refusal(peer);
}

std::string Access::summary() const {
  const auto name = [](const Group& g) { return g.name + (g.id ? "" : " (there is no such group)"); };
  return "root and group " + name(change_) + " may change, group " + name(read_) + " may read";
}

}  // namespace sojourn
