#include "control/access.h"

#include <grp.h>
#include <gtest/gtest.h>

namespace sojourn {
namespace {

constexpr uid_t kOwner = 990, kSomebody = 1000;

// Groups that every Debian has, so that nothing needs to be made.
ControlConfig config() {
  ControlConfig c;
  c.read_group = "adm";
  c.change_group = "daemon";
  return c;
}

gid_t adm() {
  return group_id("adm").value();
}

gid_t daemon_group() {
  return group_id("daemon").value();
}

TEST(Access, RootAndTheOwnerMayChange) {
  const Access access(config(), kOwner);
  for (const uid_t uid : {uid_t{0}, kOwner}) {
    EXPECT_EQ(access.refusal({uid, {}}), "");
    for (const char* command : {"stats", "config", "apply", "set", "what may come"})
      EXPECT_EQ(access.refusal({uid, {}}, command), "") << command;
  }
}

TEST(Access, TheGroupThatMayChangeMayAlsoRead) {
  const Access access(config(), kOwner);
  const Peer peer{kSomebody, {5000, daemon_group()}};
  EXPECT_EQ(access.refusal(peer), "");
  EXPECT_EQ(access.refusal(peer, "stats"), "");
  EXPECT_EQ(access.refusal(peer, "set"), "");
}

TEST(Access, TheGroupThatMayReadMayNothingElse) {
  const Access access(config(), kOwner);
  const Peer peer{kSomebody, {5000, adm()}};
  EXPECT_EQ(access.refusal(peer), "");
  EXPECT_EQ(access.refusal(peer, "stats"), "");
  EXPECT_EQ(access.refusal(peer, "config"), "");
  for (const char* command : {"apply", "set", "what may come", ""})
    EXPECT_EQ(access.refusal(peer, command),
              "not permitted: only root and group daemon may change what is in force; user 1000 is not in it");
}

TEST(Access, AStrangerMayNothing) {
  const Access access(config(), kOwner);
  const Peer peer{kSomebody, {5000}};
  const std::string sentence =
      "not permitted: user 1000 is neither root nor in group adm (may read) or daemon (may change)";
  EXPECT_EQ(access.refusal(peer), sentence);
  EXPECT_EQ(access.refusal(peer, "stats"), sentence);
  EXPECT_NE(access.refusal(peer, "set"), "");
  EXPECT_NE(access.refusal({}), "") << "one of whom the kernel tells nothing";
}

TEST(Access, AGroupThatDoesNotExistHasNoMembers) {
  ControlConfig c;
  c.read_group = c.change_group = "no-such-group-here";
  const Access access(c, kOwner);
  EXPECT_NE(access.refusal({kSomebody, {0, adm(), static_cast<gid_t>(-1)}}), "");
  EXPECT_EQ(access.summary(),
            "root and group no-such-group-here (there is no such group) may change, group no-such-group-here (there is "
            "no such group) may read");
}

}  // namespace
}  // namespace sojourn
