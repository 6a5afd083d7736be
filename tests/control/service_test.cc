// What systemd would hear, on a socket of our own.
#include "control/service.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace sojourn {
namespace {

// systemd's end: an abstract socket named in the environment.
struct Systemd {
  int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  Systemd() {
    const std::string name = "sojourn-service-test-" + std::to_string(getpid());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    EXPECT_EQ(bind(socket, reinterpret_cast<const sockaddr*>(&address), length), 0);
    setenv("NOTIFY_SOCKET", ("@" + name).c_str(), 1);
  }
  ~Systemd() {
    close(socket);
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) unsetenv(name);
  }
  std::string heard() const {
    char text[256];
    const ssize_t length = recv(socket, text, sizeof text, 0);
    return length < 0 ? "" : std::string(text, static_cast<size_t>(length));
  }
};

constexpr Time at(int64_t ms) {
  return Time{5'000'000'000} + Duration{ms * 1'000'000};
}

TEST(Service, SaysWhatItDoes) {
  const Systemd systemd;
  const Service service;
  service.ready("2 directions shaped");
  EXPECT_EQ(systemd.heard(), "READY=1\nSTATUS=2 directions shaped");
  service.reloading();
  EXPECT_EQ(systemd.heard().find("RELOADING=1\nMONOTONIC_USEC="), 0u);
  service.stopping();
  EXPECT_EQ(systemd.heard(), "STOPPING=1");
}

TEST(Service, FeedsTheWatchdogFourTimesWithinItsTime) {
  const Systemd systemd;
  setenv("WATCHDOG_USEC", "2000000", 1);
  Service service;
  int fed = 0;
  for (int ms = 0; ms < 10'000; ms += 50) {
    service.alive(at(ms));
    if (const std::string heard = systemd.heard(); !heard.empty()) {
      EXPECT_EQ(heard, "WATCHDOG=1");
      ++fed;
    }
  }
  EXPECT_EQ(fed, 20);
}

TEST(Service, HasNoWatchdogWhereNoneIsAskedFor) {
  const Systemd systemd;
  Service service;
  service.alive(at(0));
  EXPECT_EQ(systemd.heard(), "");
}

TEST(Service, IsSilentWithoutSystemd) {
  unsetenv("NOTIFY_SOCKET");
  Service service;
  service.ready("");
  service.alive(at(0));
  service.stopping();
}

}  // namespace
}  // namespace sojourn
