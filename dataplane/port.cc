#include "dataplane/port.h"

#include <linux/capability.h>
#include <net/if.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "dataplane/eal.h"
#include "dataplane/setup_error.h"

namespace sojourn {
namespace {

// Whatever way it is written, as DPDK names the port: "3B:00.0" is 0000:3b:00.0. Absent: it is no PCI address.
std::optional<std::string> pci_name(const std::string& address) {
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  int used = 0;
  const auto is_all = [&](int fields, int wanted) {
    return fields == wanted && static_cast<size_t>(used) == address.size();
  };
  if (!is_all(std::sscanf(address.c_str(), "%x:%x:%x.%u%n", &domain, &bus, &slot, &function, &used), 4)) {
    domain = 0;
    if (!is_all(std::sscanf(address.c_str(), "%x:%x.%u%n", &bus, &slot, &function, &used), 3)) return std::nullopt;
  }
  std::array<char, 48> name{};
  std::snprintf(name.data(), name.size(), "%.4x:%.2x:%.2x.%x", domain, bus, slot, function);
  return name.data();
}

std::vector<std::string> offload_names(uint64_t bits, const char* (*name)(uint64_t)) {
  std::vector<std::string> names;
  for (unsigned bit = 0; bit < 64; ++bit) {
    if ((bits >> bit & 1) != 0) names.emplace_back(name(uint64_t{1} << bit));
  }
  return names;
}

// Root in a container may lack what is needed, and another user may have it: what counts is the capabilities.
bool has_privileges(bool is_af_xdp) {
  std::ifstream status("/proc/self/status");
  uint64_t effective = 0;
  for (std::string word; status >> word;) {
    if (word == "CapEff:") status >> std::hex >> effective;
  }
  uint64_t needed = uint64_t{1} << CAP_NET_ADMIN | uint64_t{1} << CAP_NET_RAW;
  if (is_af_xdp) needed |= uint64_t{1} << CAP_SYS_ADMIN;
  return (effective & needed) == needed;
}

std::string privilege_hint(bool is_af_xdp) {
  if (has_privileges(is_af_xdp)) return {};
  return "; not permitted: CAP_NET_ADMIN, CAP_NET_RAW and, for AF_XDP, CAP_SYS_ADMIN are needed";
}

}  // namespace

DeviceName parse_device(const std::string& device) {
  DeviceName d;
  d.arguments = device;
  d.name = device.substr(0, device.find(','));
  if (const auto name = pci_name(d.name)) {
    d.is_pci = true;
    d.name = *name;
  }
  const size_t key = device.find(",iface=");
  if (key != std::string::npos) {
    const size_t start = key + std::strlen(",iface=");
    d.interface = device.substr(start, device.find(',', start) - start);
  }
  return d;
}

void Port::fail(const std::string& what, int error) const {
  const std::string reason = error != 0 ? std::string(": ") + std::strerror(error) : "";
  const std::string said = Eal::first_words();
  throw SetupError("port " + options_.name + " (" + options_.device + "): " + what + reason +
                   privilege_hint(device_.name.starts_with("net_af_xdp")) +
                   (said.empty() ? "" : " [DPDK: " + said + "]"));
}

Port::Port(const PortOptions& options) : options_(options), device_(parse_device(options.device)) {
  if (!device_.interface.empty() && if_nametoindex(device_.interface.c_str()) == 0) {
    throw SetupError("port " + options_.name + " (" + options_.device + "): there is no network interface named " +
                     device_.interface);
  }
  if (device_.name.starts_with("net_af_") && device_.interface.empty()) {
    throw SetupError("port " + options_.name + " (" + options_.device + "): needs a network interface: \"" +
                     device_.name + ",iface=eth1\"");
  }
  claim_interface();
  Eal::listen();
  if (!device_.is_pci) {
    const int result = rte_dev_probe(device_.arguments.c_str());
    if (result != 0) fail("cannot be opened", -result);
  }
  if (rte_eth_dev_get_port_by_name(device_.name.c_str(), &id_) != 0) {
    fail(device_.is_pci ? "no such device, or it is not bound to a driver that DPDK can use (vfio-pci)"
                        : "DPDK made no port of it",
         0);
  }
  take_ownership();
}

// DPDK opens an open device again without a word, and the first of two owners to go would close it for both.
void Port::take_ownership() {
  rte_eth_dev_owner owner{}, present{};
  rte_eth_dev_owner_new(&owner.id);
  std::snprintf(owner.name, sizeof owner.name, "%s", options_.name.c_str());
  if (rte_eth_dev_owner_set(id_, &owner) == 0) return;
  rte_eth_dev_owner_get(id_, &present);
  throw SetupError("port " + options_.name + " (" + options_.device + "): is already open as port " + present.name);
}

// Two AF_XDP or AF_PACKET sockets on one interface would both get its frames, or the later one steal them, and nobody
// would be told. An abstract socket's name is unique in a network namespace, as an interface is, and dies with us.
void Port::claim_interface() {
  if (device_.interface.empty()) return;
  claim_.socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "sojourn-port-" + device_.interface;
  std::memcpy(address.sun_path + 1, name.data(), std::min(name.size(), sizeof address.sun_path - 1));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (bind(claim_.socket, reinterpret_cast<const sockaddr*>(&address), length) == 0) return;
  throw SetupError("port " + options_.name + " (" + options_.device + "): another sojournd uses " + device_.interface);
}

Port::~Port() {
  stop();
  rte_eth_dev_info info{};
  const bool is_known = rte_eth_dev_info_get(id_, &info) == 0;
  rte_eth_dev_close(id_);
  if (is_known && !device_.is_pci && info.device != nullptr) rte_dev_remove(info.device);
}

Port::Claim::~Claim() {
  if (socket >= 0) close(socket);
}

void Port::stop() {
  if (is_started_) rte_eth_dev_stop(id_);
  is_started_ = false;
}

std::optional<uint32_t> interface_mtu_bytes(const std::string& interface) {
  uint32_t mtu = 0;
  std::ifstream file("/sys/class/net/" + interface + "/mtu");
  return file >> mtu ? std::optional(mtu) : std::nullopt;
}

bool interface_has_carrier(const std::string& interface) {
  int carrier = 0;
  std::ifstream file("/sys/class/net/" + interface + "/carrier");
  return file >> carrier && carrier == 1;
}

int set_interface(const std::string& interface, bool is_up) {
  const int handle = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (handle < 0) return errno;
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  int error = ioctl(handle, SIOCGIFFLAGS, &request) == 0 ? 0 : errno;
  const auto flags = static_cast<short>(is_up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP);
  if (error == 0 && flags != request.ifr_flags) {
    request.ifr_flags = flags;
    if (ioctl(handle, SIOCSIFFLAGS, &request) != 0) error = errno;
  }
  close(handle);
  return error;
}

// The kernel knows the MTU of its interface; net_af_xdp says 1500 of any.
uint32_t Port::mtu_bytes() const {
  if (const auto kernels = interface_mtu_bytes(device_.interface)) return *kernels;
  uint16_t mtu = 0;
  rte_eth_dev_get_mtu(id_, &mtu);
  return mtu;
}

int Port::numa_node() const {
  return rte_eth_dev_socket_id(id_);
}

// A kernel interface's MTU is its owner's business: it is compared, never changed. A NIC of our own is set.
void Port::set_mtu() {
  if (!options_.mtu_bytes || *options_.mtu_bytes == mtu_bytes()) return;
  if (device_.is_pci) {
    const int result = rte_eth_dev_set_mtu(id_, static_cast<uint16_t>(*options_.mtu_bytes));
    if (result != 0) fail("MTU " + std::to_string(*options_.mtu_bytes) + " is refused", -result);
    return;
  }
  throw SetupError("port " + options_.name + " (" + options_.device + "): the configuration says mtu " +
                   std::to_string(*options_.mtu_bytes) + ", the port has " + std::to_string(mtu_bytes()));
}

void Port::start(rte_mempool* buffers) {
  Eal::listen();
  set_mtu();
  // As a NIC of our own would be; also if a predecessor that was killed has left it down (link-loss forwarding).
  if (!device_.interface.empty()) set_interface(device_.interface, true);
  rte_eth_dev_info info{};
  int result = rte_eth_dev_info_get(id_, &info);
  if (result != 0) fail("tells nothing about itself", -result);
  rte_eth_conf conf{};  // all offloads off: frames leave as they came
  conf.rxmode.mtu = mtu_bytes();
  result = rte_eth_dev_configure(id_, 1, 1, &conf);
  if (result != 0) fail("cannot be configured", -result);
  uint16_t rx = options_.rx_descriptors, tx = options_.tx_descriptors;
  result = rte_eth_dev_adjust_nb_rx_tx_desc(id_, &rx, &tx);
  if (result != 0) fail("refuses rings of " + std::to_string(rx) + "/" + std::to_string(tx) + " descriptors", -result);
  options_.rx_descriptors = rx;
  options_.tx_descriptors = tx;
  const auto node = static_cast<unsigned>(numa_node());
  rte_eth_rxconf rx_conf = info.default_rxconf;
  rx_conf.offloads = 0;
  result = rte_eth_rx_queue_setup(id_, 0, rx, node, &rx_conf, buffers);
  if (result != 0) fail("receive queue cannot be set up", -result);
  rte_eth_txconf tx_conf = info.default_txconf;
  tx_conf.offloads = 0;
  result = rte_eth_tx_queue_setup(id_, 0, tx, node, &tx_conf);
  if (result != 0) fail("transmit queue cannot be set up", -result);
  result = rte_eth_dev_start(id_);
  if (result != 0) fail("cannot be started", -result);
  is_started_ = true;
  rte_eth_promiscuous_enable(id_);  // facts() tells whether it took
}

PortFacts Port::facts() const {
  PortFacts facts;
  rte_eth_dev_info info{};
  if (rte_eth_dev_info_get(id_, &info) == 0) facts.driver = info.driver_name == nullptr ? "" : info.driver_name;
  rte_eth_rxq_info rx{};
  if (rte_eth_rx_queue_info_get(id_, 0, &rx) == 0) {
    facts.rx_offloads = offload_names(rx.conf.offloads, rte_eth_dev_rx_offload_name);
  }
  rte_eth_txq_info tx{};
  if (rte_eth_tx_queue_info_get(id_, 0, &tx) == 0) {
    facts.tx_offloads = offload_names(tx.conf.offloads, rte_eth_dev_tx_offload_name);
  }
  facts.mtu_bytes = mtu_bytes();
  facts.numa_node = numa_node();
  facts.is_promiscuous = rte_eth_promiscuous_get(id_) == 1;
  facts.rx_descriptors = options_.rx_descriptors;
  facts.tx_descriptors = options_.tx_descriptors;
  return facts;
}

PortCounters Port::counters() const {
  rte_eth_stats s{};
  if (rte_eth_stats_get(id_, &s) != 0) return {};
  return {s.ipackets, s.opackets, s.imissed, s.rx_nombuf, s.ierrors, s.oerrors};
}

// The drivers of kernel interfaces say "up" of any.
bool Port::is_link_up() const {
  if (!device_.interface.empty()) return interface_has_carrier(device_.interface);
  rte_eth_link link{};
  return rte_eth_link_get_nowait(id_, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

std::string Port::set_link(bool is_up) {
  const int error = !device_.interface.empty() ? set_interface(device_.interface, is_up)
                    : is_up                    ? -rte_eth_dev_set_link_up(id_)
                                               : -rte_eth_dev_set_link_down(id_);
  return error == 0 ? "" : std::strerror(error);
}

}  // namespace sojourn
