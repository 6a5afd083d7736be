// Who may ask what over the control socket. The kernel says who is at its other end; the configuration names the
// groups that may.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"

namespace sojourn {

// Whoever connected, as they were when they did.
struct Peer {
  uid_t uid = static_cast<uid_t>(-1);  // nobody
  std::vector<gid_t> groups;
};

// Of a connected Unix socket. What the kernel does not tell is left out.
Peer peer_of(int socket);

// None where there is no such group.
std::optional<gid_t> group_id(const std::string& name);

class Access {
 public:
  // `owner`: of this process; may do what root may. Looks the groups up, once.
  Access(const ControlConfig& config, uid_t owner);

  // Why whoever this is gets no answer at all, in one sentence; "": does.
  std::string refusal(const Peer& peer) const;
  // Why this command is not for them; "": it is.
  std::string refusal(const Peer& peer, const std::string& command) const;
  // Who may, for the log.
  std::string summary() const;

 private:
  struct Group {
    std::string name;
    std::optional<gid_t> id;
    bool has(const Peer& peer) const;
  };
  bool may_change(const Peer& peer) const;

  uid_t owner_;
  Group read_, change_;
};

}  // namespace sojourn
