#include "dataplane/port.h"

#include <gtest/gtest.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <cerrno>
#include <memory>

#include "dataplane/buffer_size.h"
#include "dataplane/buffers.h"
#include "sched/parameters.h"
#include "tests/dataplane/environment.h"

namespace sojourn::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct NameCase {
  const char* device;
  bool is_pci;
  const char* name;
  const char* interface;
};

TEST(ParseDevice, KnowsPciAddressesAndInterfaces) {
  const NameCase cases[] = {
      {"0000:3b:00.0", true, "0000:3b:00.0", ""},
      {"0001:03:1f.7", true, "0001:03:1f.7", ""},
      {"3b:00.1", true, "0000:3b:00.1", ""},                           // DPDK names its port in full
      {"0000:3B:00.0", true, "0000:3b:00.0", ""},                      // and in lower case
      {"3b:00.1,arg=0", true, "0000:3b:00.1", ""},                     // arguments are not part of the name
      {"net_af_packet0,iface=eth1", false, "net_af_packet0", "eth1"},  //
      {"net_af_xdp3,start_queue=1,iface=enp59s0f0,busy_budget=0", false, "net_af_xdp3", "enp59s0f0"},
      {"net_pcap0,iface=", false, "net_pcap0", ""},
      {"net_pcap0,rx_iface=eth1", false, "net_pcap0", ""},
      {"net_ring0", false, "net_ring0", ""},
      {"3b:00.1x", false, "3b:00.1x", ""},
      {"3b:00", false, "3b:00", ""},
      {"", false, "", ""},
  };
  for (const NameCase& c : cases) {
    const DeviceName d = parse_device(c.device);
    EXPECT_EQ(d.is_pci, c.is_pci) << c.device;
    EXPECT_EQ(d.name, c.name) << c.device;
    EXPECT_EQ(d.interface, c.interface) << c.device;
    EXPECT_EQ(d.arguments, c.device);
  }
}

PortOptions options(const std::string& device, std::optional<uint32_t> mtu_bytes = {}) {
  PortOptions o;
  o.name = "lan";
  o.device = device;
  o.mtu_bytes = mtu_bytes;
  return o;
}

// What the operator is told when the port cannot be had.
std::string refusal(const PortOptions& o) {
  try {
    const Port port(o);
  } catch (const SetupError& e) {
    return e.what();
  }
  return "opened";
}

// Whoever counts memory without DPDK counts as DPDK does.
TEST(BufferSize, IsWhatThePoolTakes) {
  for (const uint32_t frame : {64u, 1514u, 1904u, 1905u, 3014u, 9014u, 16'014u}) {
    EXPECT_EQ(buffer_bytes(frame), Buffers::bytes_each(frame)) << frame;
  }
}

TEST(Port, SaysThatThereIsNoSuchInterface) {
  EXPECT_EQ(refusal(options("net_af_packet0,iface=nonesuch0")),
            "port lan (net_af_packet0,iface=nonesuch0): there is no network interface named nonesuch0");
}

TEST(Port, SaysThatThereIsNoSuchDriver) {
  EXPECT_PRED2(contains, refusal(options("net_nonesuch0")), "port lan (net_nonesuch0): cannot be opened");
}

TEST(Port, SaysThatThereIsNoSuchPciDevice) {
  EXPECT_PRED2(contains, refusal(options("0000:ff:1f.7")), "port lan (0000:ff:1f.7): no such device, or it is not");
}

TEST(Port, IsOpenedOnce) {
  const Port port(options("net_ring0"));
  EXPECT_PRED2(contains, refusal(options("net_ring0")), "port lan (net_ring0): is already open as port lan");
  EXPECT_EQ(port.facts().driver, "net_ring");  // the first is none the worse
}

TEST(Port, CanBeOpenedAgainWhenClosed) {
  for (int i = 0; i < 5; ++i) {
    const Port port(options("net_null0"));
    EXPECT_EQ(port.facts().driver, "net_null");
  }
}

// net_ring takes any argument, so that lo can be claimed without a privilege.
TEST(Port, AnInterfaceHasOneOwner) {
  auto first = std::make_unique<Port>(options("net_ring0,iface=lo"));
  EXPECT_EQ(refusal(options("net_ring1,iface=lo")), "port lan (net_ring1,iface=lo): another sojournd uses lo");
  first.reset();
  EXPECT_EQ(refusal(options("net_ring1,iface=lo")), "opened");
}

TEST(Port, AnInterfaceIsNotClaimedByAPortThatCouldNotBeOpened) {
  EXPECT_PRED2(contains, refusal(options("net_nonesuch0,iface=lo")), "cannot be opened");
  EXPECT_EQ(refusal(options("net_ring0,iface=lo")), "opened");
}

class StartedPort : public ::testing::TestWithParam<const char*> {};

// CASES LQ-7, CK-15: nothing is on that takes tags off, makes one frame of several, or fills checksums in.
TEST_P(StartedPort, HasNoOffloadOn) {
  Buffers buffers(2047, 1514, 0);
  {
    Port port(options(GetParam()));
    port.start(buffers.pool());
    const PortFacts facts = port.facts();
    EXPECT_TRUE(facts.rx_offloads.empty());
    EXPECT_TRUE(facts.tx_offloads.empty());
    EXPECT_EQ(facts.mtu_bytes, 1500u);
    EXPECT_EQ(facts.rx_descriptors, 1024u);  // these drivers have no limits of their own
    EXPECT_EQ(facts.tx_descriptors, 512u);
    EXPECT_TRUE(port.is_link_up());
    EXPECT_EQ(port.counters().missed, 0u);
  }
  EXPECT_EQ(buffers.in_use(), 0u);
}
INSTANTIATE_TEST_SUITE_P(Drivers, StartedPort, ::testing::Values("net_ring0", "net_null0"));

TEST(Port, SaysWhetherItIsPromiscuous) {
  Buffers buffers(2047, 1514, 0);
  Port port(options("net_ring0"));
  port.start(buffers.pool());
  EXPECT_TRUE(port.facts().is_promiscuous);
  rte_eth_promiscuous_disable(port.id());
  EXPECT_FALSE(port.facts().is_promiscuous);
}

TEST(Port, RefusesAnMtuThatItDoesNotHave) {
  Buffers buffers(2047, 1514, 0);
  Port same(options("net_ring0", 1500));
  same.start(buffers.pool());
  Port other(options("net_ring1", 9000));
  try {
    other.start(buffers.pool());
    ADD_FAILURE() << "started";
  } catch (const SetupError& e) {
    EXPECT_STREQ(e.what(), "port lan (net_ring1): the configuration says mtu 9000, the port has 1500");
  }
}

TEST(Port, StopsTwiceWithoutHarm) {
  Buffers buffers(2047, 1514, 0);
  Port port(options("net_null0"));
  port.start(buffers.pool());
  port.stop();
  port.stop();
  EXPECT_FALSE(port.is_link_up());
}

TEST(Port, TakesItsLinkDownAndUp) {
  Buffers buffers(2047, 1514, 0);
  Port port(options("net_ring0"));
  port.start(buffers.pool());
  EXPECT_TRUE(port.is_link_up());
  EXPECT_EQ(port.set_link(false), "");
  EXPECT_FALSE(port.is_link_up());
  EXPECT_EQ(port.set_link(true), "");
  EXPECT_TRUE(port.is_link_up());
}

// CASES VP-4: what a driver cannot do is said, not left undone in silence.
TEST(Port, SaysWhenItsDriverCannotTakeTheLinkDown) {
  Buffers buffers(2047, 1514, 0);
  Port port(options("net_null0"));
  port.start(buffers.pool());
  EXPECT_EQ(port.set_link(false), "Operation not supported");
}

TEST(Interface, ThatIsNotThereHasNoCarrierAndCannotBeSet) {
  EXPECT_FALSE(interface_has_carrier("nonesuch0"));
  EXPECT_FALSE(interface_has_carrier(""));
  EXPECT_EQ(set_interface("nonesuch0", true), ENODEV);
}

TEST(InterfaceMtu, IsTheKernels) {
  EXPECT_GE(interface_mtu_bytes("lo").value_or(0), 1500u);
  EXPECT_FALSE(interface_mtu_bytes("nonesuch0"));
  EXPECT_FALSE(interface_mtu_bytes(""));
}

// CASES CK-15: a buffer holds the longest frame of the MTU with four tags; none is ever split.
TEST(Buffers, HoldTheLongestFrameInOnePiece) {
  for (const uint32_t mtu : {1500u, 9000u, 16'000u}) {
    const Buffers buffers(511, mtu_frame_bytes(mtu), 0);
    EXPECT_GE(rte_pktmbuf_data_room_size(buffers.pool()), mtu + 14 + 4 * 4 + RTE_PKTMBUF_HEADROOM);
    EXPECT_GE(Buffers::bytes_each(mtu_frame_bytes(mtu)), rte_pktmbuf_data_room_size(buffers.pool()));
    EXPECT_EQ(buffers.total(), 511u);
    EXPECT_EQ(buffers.in_use(), 0u);
  }
}

TEST(Buffers, SayHowMuchMemoryThereWouldHaveToBe) {
  try {
    const Buffers buffers(1'000'000, 1514, 0);
    ADD_FAILURE() << "had the memory";
  } catch (const SetupError& e) {
    EXPECT_PRED2(contains, e.what(), "no memory for 1000000 packet buffers (2");
    EXPECT_PRED2(contains, e.what(), " MB): ");
  }
  const Buffers buffers(511, 1514, 0);  // nothing of the attempt is left in the way
}

}  // namespace
}  // namespace sojourn::test

int main(int argc, char** argv) {
  return sojourn::test::run_with_dpdk(argc, argv, "port");
}
